import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { takePort } from '../command.js';

/** How often a driver asks whether the server is there: each takes 50 ms, and longer on a machine that is busy. */
const QUESTIONS = 1_200;
const ATTEMPTS = 3;

/** How the drivers of Mockly's languages differ in what they do to the process. */
export interface Dialect {
  /** The arguments behind `start --config FILE`. */
  readonly portArgs: (port: number) => readonly string[];
  /** The name of the configuration in a folder of its own. */
  readonly configName: string;
  /** Whether the configuration is deleted once the server is ready. */
  readonly forgetsConfig: boolean;
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** Sent where there is no body; `undefined` sends none and no content type. */
  readonly emptyBody: string | undefined;
  /** What says that a port was taken. */
  readonly conflict: RegExp;
}

/** Node's driver, and how those of the other languages differ from it. */
export const DIALECTS: Readonly<Record<string, Dialect>> = {
  node: {
    portArgs: (port) => [`--api-port=${port}`],
    configName: 'mockly.yaml',
    forgetsConfig: false,
    signal: 'SIGTERM',
    emptyBody: undefined,
    conflict: /address already in use|EADDRINUSE|bind/i,
  },
  python: {
    portArgs: (port) => ['--api-port', String(port)],
    configName: 'mockly-ab12cd.yaml',
    forgetsConfig: false,
    signal: 'SIGKILL',
    emptyBody: undefined,
    conflict: /address already in use|eaddrinuse|bind:/i,
  },
  dotnet: {
    portArgs: (port) => ['--api-port', String(port)],
    configName: 'mockly-config-0123.yaml',
    forgetsConfig: false,
    signal: 'SIGKILL',
    emptyBody: '',
    conflict: /address already in use|EADDRINUSE/i,
  },
  rust: {
    portArgs: () => [],
    configName: '.tmpQx7Vb2',
    forgetsConfig: true,
    signal: 'SIGKILL',
    emptyBody: undefined,
    conflict: /address already in use/i,
  },
};

/** What a driver starts its server with. */
export interface DriverOptions {
  readonly dialect: Dialect;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly scenarios?: readonly object[];
  /** Ports to try before free ones. */
  readonly ports?: readonly (readonly [http: number, api: number])[];
}

/** Does, step by step, what Mockly's client drivers do with the binary that `MOCKLY_BINARY_PATH` names. */
export class MocklyDriver {
  readonly httpBase: string;
  readonly apiBase: string;
  /** How many starts it took. */
  attempts = 0;
  readonly #child: ChildProcess;
  readonly #dialect: Dialect;
  readonly #folder: string;
  #errors = '';

  private constructor(
    child: ChildProcess,
    dialect: Dialect,
    folder: string,
    ports: readonly [number, number],
  ) {
    this.#child = child;
    this.#dialect = dialect;
    this.#folder = folder;
    this.httpBase = `http://127.0.0.1:${ports[0]}`;
    this.apiBase = `http://127.0.0.1:${ports[1]}`;
    // Standard output is a pipe that nobody reads.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
  }

  /** Starts the binary; with other ports again where one was taken. */
  static async create({ dialect, env, scenarios = [], ports = [] }: DriverOptions): Promise<MocklyDriver> {
    const binary = findBinary(env);
    for (let attempt = 1; ; attempt += 1) {
      const chosen = ports[attempt - 1] ?? (await freePorts());
      const folder = mkdtempSync(join(tmpdir(), 'mockly-driver-'));
      const config = join(folder, dialect.configName);
      writeFileSync(config, stringify(configOf(chosen, scenarios)));
      const args = ['start', '--config', config, ...dialect.portArgs(chosen[1])];
      const child = spawn(binary, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] },
      });
      const driver = new MocklyDriver(child, dialect, folder, chosen);
      driver.attempts = attempt;
      try {
        await driver.#waitReady();
        if (dialect.forgetsConfig) rmSync(config);
        return driver;
      } catch (error) {
        await driver.stop();
        const isConflict = dialect.conflict.test(driver.#errors);
        if (!isConflict || attempt === ATTEMPTS) throw new Error(`${String(error)}\n${driver.#errors}`);
      }
    }
  }

  /** Ends the process as the driver does and waits for it. */
  async stop(): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(this.#dialect.signal);
      await exited;
    }
    child.stdout?.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
    return { code: child.exitCode, signal: child.signalCode };
  }

  /** Sends a request; gives the status and the body. */
  async send(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<readonly [status: number, body: unknown]> {
    const { emptyBody } = this.#dialect;
    const text = body === undefined ? (method === 'POST' ? emptyBody : undefined) : JSON.stringify(body);
    const answer = await fetch(`${this.apiBase}${path}`, {
      method,
      headers: text === undefined ? {} : { 'Content-Type': 'application/json' },
      body: text ?? null,
    });
    return [answer.status, await answer.json()];
  }

  async #waitReady(): Promise<void> {
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      try {
        const answer = await fetch(`${this.apiBase}/api/protocols`, { signal: AbortSignal.timeout(5_000) });
        if (answer.ok && this.#child.exitCode === null) return;
      } catch {
        // The drivers ask until they are answered, also a process that has ended; this one need not.
        if (this.#child.exitCode !== null) break;
      }
      await sleep(50);
    }
    throw new Error(`not ready on ${this.apiBase}`);
  }
}

/** The lookup of the drivers: what the variable names, else `bin/mockly`. */
function findBinary(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['MOCKLY_BINARY_PATH'];
  const candidates = [...(named === undefined ? [] : [named]), join('bin', 'mockly')];
  const found = candidates.map((path) => resolve(path)).find(existsSync);
  if (found === undefined) throw new Error('Mockly binary not found');
  return found;
}

function configOf([http, api]: readonly [number, number], scenarios: readonly object[]): object {
  return {
    mockly: { api: { port: api } },
    protocols: { http: { enabled: true, port: http } },
    ...(scenarios.length > 0 ? { scenarios } : {}),
  };
}

async function freePorts(): Promise<readonly [number, number]> {
  const held = [await takePort(), await takePort()] as const;
  for (const { release } of held) await release();
  return [held[0].port, held[1].port];
}
