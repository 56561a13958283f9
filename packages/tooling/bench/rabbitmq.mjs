import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accepts, freePort } from './servers.mjs';

const SERVER = '/usr/lib/rabbitmq/bin/rabbitmq-server';
const PATIENCE = 60_000;

/**
 * Starts a RabbitMQ of its own, for benches to compare with; it listens on 127.0.0.1 only and keeps its data in a
 * temporary folder.
 *
 * @returns {Promise<{ amqp: number, stomp: number, stop: () => Promise<void> } | undefined>} its ports;
 * `undefined` where it is not installed or does not start
 */
export async function startRabbit() {
  if (!existsSync(SERVER)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'backlot-rabbit-'));
  const [amqp, stomp, distribution, mapper] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const config = join(folder, 'rabbitmq.conf');
  writeFileSync(
    config,
    `listeners.tcp.1 = 127.0.0.1:${amqp}\nstomp.listeners.tcp.1 = 127.0.0.1:${stomp}\nlog.console = false\n`,
  );
  writeFileSync(join(folder, 'plugins'), '[rabbitmq_stomp].');
  // Started by the server itself it would stay behind as a daemon.
  const names = spawn('epmd', ['-port', String(mapper), '-address', '127.0.0.1'], { stdio: 'ignore' });
  const child = spawn(SERVER, [], {
    stdio: 'ignore',
    detached: true,
    env: {
      ...process.env,
      HOME: folder,
      RABBITMQ_NODENAME: `bench${process.pid}@localhost`,
      RABBITMQ_DIST_PORT: String(distribution),
      RABBITMQ_MNESIA_BASE: folder,
      RABBITMQ_LOG_BASE: folder,
      RABBITMQ_CONFIG_FILE: config,
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
      ERL_EPMD_ADDRESS: '127.0.0.1',
      ERL_EPMD_PORT: String(mapper),
    },
  });
  const stop = async () => {
    if (child.exitCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGKILL');
      await once(child, 'exit');
    }
    names.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  const end = performance.now() + PATIENCE;
  while (!(await accepts(amqp)) || !(await accepts(stomp))) {
    if (performance.now() > end || child.exitCode !== null) {
      await stop();
      return undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { amqp, stomp, stop };
}
