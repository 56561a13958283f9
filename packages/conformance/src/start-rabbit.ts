import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.js';
import { runTool } from './with-tool.js';

/** The tool that a test with {@link startRabbit} needs. */
export const RABBITMQ = 'rabbitmq-server';

/** What the server says once it answers. */
const READY = 'completed with';

/** A RabbitMQ that runs beside a test. */
export interface RunningRabbit {
  /** Its own port on 127.0.0.1. */
  readonly port: number;
  /** The port of its plugin. */
  readonly pluginPort: number;
  /** Runs `rabbitmqctl`. @throws Error when it fails */
  control(...args: string[]): Promise<void>;
  /** Ends it; resolves when it has ended. */
  stop(): Promise<void>;
}

/** A plugin that a RabbitMQ is started with. */
export interface RabbitPlugin {
  readonly name: string;
  /** The lines of the configuration by which it listens on that port of 127.0.0.1. */
  readonly config: (port: number) => string;
}

/**
 * Starts a RabbitMQ as a reference for tests, on free ports and in a folder of its own; resolves when it answers.
 *
 * @throws Error with what it wrote when it ends before that
 */
export async function startRabbit(plugin?: RabbitPlugin): Promise<RunningRabbit> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rabbitmq-'));
  const [port, pluginPort, nodes, names] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const config = path.join(folder, 'rabbitmq.conf');
  const plugins = path.join(folder, 'plugins');
  writeFileSync(config, `log.console = false\n${plugin?.config(pluginPort) ?? ''}\n`);
  writeFileSync(plugins, `[${plugin?.name ?? ''}].`);
  const name = `test${process.pid}at${port}@localhost`;
  const env = {
    HOME: folder,
    RABBITMQ_NODENAME: name,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(nodes),
    RABBITMQ_MNESIA_BASE: folder,
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_CONFIG_FILE: config,
    RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(names),
  };
  // Started by the server itself it would stay behind as a daemon.
  const mapper = spawn('epmd', ['-port', String(names), '-address', '127.0.0.1'], { stdio: 'ignore' });
  // Debian's wrapper in the path wants to run as root or as its own user; this is the server itself.
  const server = spawn('/usr/lib/rabbitmq/bin/rabbitmq-server', [], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a shell script that starts others.
    detached: true,
    env: { ...process.env, ...env },
  });
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.pid !== undefined) {
      const closed = once(server, 'close');
      process.kill(-server.pid, 'SIGKILL');
      await closed;
    }
    const gone = once(mapper, 'exit');
    mapper.kill();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  await untilReady(server).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    port,
    pluginPort,
    control: async (...args) => {
      const { code, err } = await runTool('/usr/lib/rabbitmq/bin/rabbitmqctl', ['-n', name, ...args], {
        env,
      });
      if (code !== 0) throw new Error(`rabbitmqctl ${args.join(' ')}: ${err}`);
    },
    stop,
  };
}

async function untilReady(server: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (text: Buffer): void => {
      output += String(text);
      if (output.includes(READY)) resolve();
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`RabbitMQ ended before it was ready: ${output}`)));
  });
}
