import { afterAll } from '@jest/globals';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';

/** The built command; in the tests of the packed app, the one that npm has installed. */
export const BIN = process.env['BACKLOT_BIN'] ?? fileURLToPath(new URL('../bin/backlot.js', import.meta.url));

/** What a command that has ended has left. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** A program, and its arguments, that runs the command. */
  readonly within?: readonly string[];
}

function environmentOf({ env }: CommandOptions): NodeJS.ProcessEnv {
  const { BACKLOT_URL, BACKLOT_HOST, BACKLOT_API_TOKEN, ...rest } = process.env;
  void [BACKLOT_URL, BACKLOT_HOST, BACKLOT_API_TOKEN];
  return { ...rest, NODE_OPTIONS: '', ...env };
}

function spawnCommand(args: readonly string[], options: CommandOptions): ChildProcess {
  const [program = process.execPath, ...before] = [...(options.within ?? []), process.execPath];
  return spawn(program, [...before, BIN, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: environmentOf(options),
    stdio: 'pipe',
  });
}

/** Runs a command to its end. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const child = spawnCommand(args, options);
  child.stdin?.end(options.input ?? '');
  return collect(child);
}

function collect(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr: withoutStalls(stderr) }));
  });
}

/** Runs a command to its end; see {@link useOneProcess}. */
export type RunCommand = (args: readonly string[], options?: Omit<CommandOptions, 'input'>) => Promise<Ended>;

/**
 * Runs the commands of a test file one after the other in one process, which ends with the tests: for those that end by
 * themselves, read nothing and load no code of others, and whose start is not what is tested.
 */
export function useOneProcess(): RunCommand {
  let started: Promise<OneProcess> | undefined;
  afterAll(async () => (await started)?.stop());
  return async (args, options = {}) => {
    const one = await (started ??= startOneProcess());
    return one.run(args, options);
  };
}

interface OneProcess {
  readonly run: (args: readonly string[], options: CommandOptions) => Promise<Ended>;
  stop(): Promise<void>;
}

async function startOneProcess(): Promise<OneProcess> {
  const file = fileURLToPath(new URL('./many-commands.mjs', import.meta.url));
  const child = fork(file, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let lost = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => (lost += String(data)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const answer = <T>(): Promise<T> =>
    Promise.race([
      new Promise<T>((resolve) => child.once('message', (told) => resolve(told as T))),
      ended.then(() => Promise.reject(new Error(`the process of the commands has ended: ${lost}`))),
    ]);
  await answer();
  return {
    async run(args, options) {
      const told = answer<Ended>();
      child.send({ args, cwd: options.cwd ?? tmpdir(), env: environmentOf(options) });
      const { code, stdout, stderr } = await told;
      return { code, stdout, stderr: withoutStalls(stderr) };
    },
    stop() {
      child.kill();
      return ended;
    },
  };
}

/** Errors without the lines of a machine that gives this process too little: they are true there, and tell nothing of the code. */
export function withoutStalls(errors: string): string {
  return errors.replaceAll(/^warning: .* held the event loop for \d+ ms.*\n/gm, '');
}

/** A command that goes on: `start`, or `logs -f`. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly output: () => string;
  readonly errors: () => string;
  /** Resolves once standard output matches; rejects when the command ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
}

export function follow(args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const child = spawnCommand(args, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr: withoutStalls(stderr) })),
  );
  return {
    child,
    output: () => stdout,
    errors: () => withoutStalls(stderr),
    ended,
    until(pattern) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(stdout);
          if (found !== null) resolve(found);
        };
        look();
        child.stdout?.on('data', look);
        void ended.then(({ code }) =>
          reject(new Error(`ended with ${code} before ${String(pattern)}: ${stdout}${stderr}`)),
        );
      });
    },
  };
}

/** A server that was started by the command. */
export interface StartedServer extends RunningCommand {
  /** The urls of the last line, by kind; `api` is the management API. */
  readonly urls: Readonly<Record<string, string>>;
  readonly readyLine: string;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Ended>;
}

/** `backlot start` with free ports for everything that is not named. */
export async function startCommand(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<StartedServer> {
  const running = follow(['start', ...args], options);
  const [line] = await running.until(/^ready .*$/m);
  const urls = Object.fromEntries(
    line
      .split(' ')
      .slice(1)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
  return {
    ...running,
    urls,
    readyLine: line,
    stop() {
      running.child.kill('SIGTERM');
      return running.ended;
    },
  };
}

/** Free ports for servers of some kinds, whose file says which. */
export const FREE_PORTS = ['--api-port=0', '--http-port=0', '--tcp-port=0', '--dns-port=0'] as const;

/** Free ports for a server without a file, which has every kind: another program may have taken any of the default ports. */
export const ALL_FREE_PORTS: readonly string[] = [
  '--api-port=0',
  ...INSTALLED_PROTOCOLS.map(({ kind }) => `--${kind}-port=0`),
];

/** A folder for a test, and what removes it. */
export function makeFolder(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'backlot-test-')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Takes a port on 127.0.0.1. */
export function takePort(port = 0): Promise<{ readonly port: number; release(): Promise<void> }> {
  // Who connects is turned away: a connection that nobody reads would keep the port.
  const server: Server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const { port: taken } = server.address() as { port: number };
      resolve({ port: taken, release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
