// The processes of a cluster on loopback: an engine of Debian, and replicas of the built command.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/backlot.js', import.meta.url));

/** What each engine is started with, and what it says once it answers. @type {Record<string, { scheme: string, ready: string, args: (port: number, folder: string) => string[] }>} */
const ENGINES = {
  'nats-server': {
    scheme: 'nats',
    ready: 'Server is ready',
    args: (port, folder) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder],
  },
  'redis-server': {
    scheme: 'redis',
    ready: 'Ready to accept connections',
    args: (port, folder) => [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''],
    ],
  },
};

export const ENGINE_NAMES = Object.keys(ENGINES);

const PORTS_EACH = 500;
/**
 * Below the ports that the system gives to connections, one of which could take that of a replica that is being started again; and others than
 * those of a harness that runs beside this one.
 */
const FIRST_PORT = 20_000 + (process.pid % 24) * PORTS_EACH;

/** Ports that were given: what they are for has perhaps not begun to listen. @type {Set<number>} */
const given = new Set();

/** A port that nobody has now and that was not given before. @returns {Promise<number>} */
export async function freePort() {
  while (given.size < PORTS_EACH) {
    const port = randomInt(FIRST_PORT, FIRST_PORT + PORTS_EACH);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`all of the ports ${FIRST_PORT} to ${FIRST_PORT + PORTS_EACH - 1} were given or are taken`);
}

/** A program that is started, killed, paused and started again. */
export class Program {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  /** What it has said, the newest lines. @type {string[]} */
  said = [];

  /**
   * @param {string} file
   * @param {readonly string[]} args
   * @param {RegExp} ready
   */
  constructor(file, args, ready) {
    this.file = file;
    this.args = args;
    this.ready = ready;
  }

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** @returns {Promise<RegExpExecArray>} what it has said when it was ready */
  async start() {
    const child = spawn(this.file, this.args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, BACKLOT_CLUSTER: '', BACKLOT_REPLICA: '', NODE_OPTIONS: '' },
    });
    this.#child = child;
    return await new Promise((resolve, reject) => {
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (/** @type {string} */ part) => {
          this.said.push(...part.split('\n').filter((line) => line !== ''));
          this.said = this.said.slice(-200);
          text = (text + part).slice(-20_000);
          const found = this.ready.exec(text);
          if (found !== null) resolve(found);
        });
      child.once('error', reject);
      child.once('close', () =>
        reject(new Error(`${this.file} ended before it was ready: ${this.said.slice(-10).join('\n')}`)),
      );
    });
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    if (this.isRunning) this.#child?.kill(signal);
  }

  /** Ends it. @param {NodeJS.Signals} [signal] */
  async end(signal = 'SIGKILL') {
    if (!this.isRunning || this.#child === undefined) return;
    const gone = once(this.#child, 'close');
    this.#child.kill('SIGCONT');
    this.#child.kill(signal);
    await gone;
  }
}

/**
 * Makes an engine, which is to be started.
 *
 * @param {string} name
 * @param {number} port
 * @param {string} folder where it keeps what it is given
 * @returns {{ readonly scheme: string, readonly program: Program }}
 */
export function engineOf(name, port, folder) {
  const known = ENGINES[name];
  if (known === undefined)
    throw new Error(`no engine is called ${name}; there are ${ENGINE_NAMES.join(', ')}`);
  return {
    scheme: known.scheme,
    program: new Program(name, known.args(port, folder), new RegExp(known.ready)),
  };
}

/**
 * Makes a replica, which is to be started.
 *
 * @param {{ name: string, url: string, folder: string, apiPort: number, httpPort: number, redisPort: number, data?: string }} parts
 */
export function replicaOf({ name, url, folder, apiPort, httpPort, redisPort, data = 'empty' }) {
  const args = [
    ...[
      COMMAND,
      'start',
      '-c',
      join(folder, 'backlot.json'),
      '--only',
      'http,redis',
      '--no-ui',
      '--host',
      '127.0.0.1',
    ],
    ...['--cluster', url, '--cluster-name', 'harness', '--replica', name, '--cluster-data', data],
    ...['--api-port', String(apiPort), '--http-port', String(httpPort)],
    ...['--redis-port', String(redisPort)],
  ];
  return new Program(process.execPath, args, /^ready .*\bapi=(\S+)/m);
}
