import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { freePort } from '@backlot/conformance';

/** A server that keeps the log of a cluster, on a port of its own that it keeps when it is started anew. */
export interface Engine {
  readonly url: string;
  /** Ends it at once, as when its machine loses power. */
  kill(): Promise<void>;
  /** Stops it in the midst of what it does, or lets it go on. */
  pause(isPaused: boolean): void;
  /** Starts it again with what it has kept, or without. */
  restart(how?: { readonly empty: boolean }): Promise<void>;
  /** Ends it and forgets what it has kept. */
  close(): Promise<void>;
}

/** The programs of engines, how they are started, and what they say once they answer. */
const PROGRAMS: Readonly<
  Record<string, { args: (port: number, folder: string) => readonly string[]; ready: string; scheme: string }>
> = {
  'nats-server': {
    args: (port, folder) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder],
    ready: 'Server is ready',
    scheme: 'nats',
  },
  'redis-server': {
    args: (port, folder) => [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''],
    ],
    ready: 'Ready to accept connections',
    scheme: 'redis',
  },
};

export const ENGINES = Object.keys(PROGRAMS) as readonly string[];

/** Starts an engine by the name of its program. */
export async function startEngine(program: string): Promise<Engine> {
  const known = PROGRAMS[program];
  if (known === undefined) throw new Error(`no engine is called ${program}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'engine-'));
  const port = await freePort();
  let child: ChildProcess = await run(program, known.args(port, folder), known.ready);
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url: `${known.scheme}://127.0.0.1:${port}`,
    kill: end,
    pause: (isPaused) => void child.kill(isPaused ? 'SIGSTOP' : 'SIGCONT'),
    async restart({ empty } = { empty: false }) {
      if (empty) for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true });
      child = await run(program, known.args(port, folder), known.ready);
    },
    async close() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function run(program: string, args: readonly string[], ready: string): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        if (said.length < 100) said.push(line);
        if (line.includes(ready)) resolve();
      });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`${program} ended before it was ready: ${said.join('\n')}`)));
  });
  return child;
}
