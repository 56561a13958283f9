import { randomUUID } from 'node:crypto';
import cluster, { type Worker } from 'node:cluster';
import { createInterface } from 'node:readline';
import { BacklotError, afterRealTime, messageOf, realElapsed } from '@backlot/core/plugin';
import type { CommandEntry } from '../entry.js';
import { Channel } from './channel.js';
import { LogDesk } from './log-desk.js';
import { PortDesk } from './port-desk.js';
import { RELOAD } from './reload-route.js';
import { HOME } from './takers.js';

/** So many may end in this time, in milliseconds, before it is given up. */
const MOST_ENDS = 5;
const ENDS_WITHIN = 60_000;
/** After so many milliseconds a worker that cannot start is tried again. */
const TRY_AGAIN = 1_000;
/** How long the workers may take to stop, in milliseconds. */
const STOP = 1_750;

/** What starting workers takes. */
export interface WorkersOptions {
  /** The file that each worker runs; it calls `connectWorker`. */
  readonly file: string;
  readonly count: number;
  /** What a worker is given that is started now: whatever processes can send each other. */
  readonly given: () => unknown;
  /** Gives what all workers have in common besides, when one first asks for it. */
  readonly common: () => unknown;
  /** Is told what people should know. */
  readonly warn: (text: string) => void;
  /** Is given each line that a worker writes on its standard output. */
  readonly line: (text: string) => void;
  /** There are no workers any more, and why. */
  readonly failed: (error: Error) => void;
}

/** Processes that serve the same ports together. */
export interface Workers {
  /** What the first one has told as it was ready. */
  readonly told: unknown;
  /**
   * Lets all read their configuration again, in the order of changes.
   *
   * @param hasChanged - whether it is another one: mocks that count then begin anew
   * @returns what each has told, by its number
   */
  reload(hasChanged: boolean): Promise<ReadonlyMap<number, unknown>>;
  /** Stops all; who does not stop in time is killed. */
  stop(): Promise<void>;
}

/** A worker has ended, and has not said why. */
class EndedEarlyError extends Error {
  constructor(slot: number, how: string) {
    super(`worker ${slot} has ended before it was ready (${how})`);
  }
}

interface Running {
  readonly slot: number;
  readonly worker: Worker;
  readonly channel: Channel;
  readonly reloads: Set<(told: unknown) => void>;
}

/**
 * Starts workers: the first one by itself, so that what cannot be had is said once, and then the others.
 *
 * @throws BacklotError what a worker says that cannot start; none runs then
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const workers = new WorkerGroup(options);
  try {
    const told = await workers.start(HOME);
    const others = Array.from({ length: options.count - 1 }, (_, index) => HOME + 1 + index);
    await Promise.all(others.map((slot) => workers.start(slot)));
    workers.hasStarted = true;
    return { told, reload: (hasChanged) => workers.reload(hasChanged), stop: () => workers.stop() };
  } catch (thrown) {
    await workers.stop();
    throw thrown;
  }
}

class WorkerGroup {
  readonly #options: WorkersOptions;
  readonly #running = new Map<number, Running>();
  readonly #ready = new Set<Channel>();
  readonly #log = new LogDesk();
  readonly #ports = new PortDesk(this.#ready);
  #common: Promise<unknown> | undefined;
  #ends: number[] = [];
  #stopping: Promise<void> | undefined;
  hasStarted = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
    cluster.setupPrimary({
      exec: options.file,
      args: [],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
  }

  /** Starts one. @returns what it tells as it is ready */
  start(slot: number): Promise<unknown> {
    const worker = cluster.fork();
    const channel = new Channel(worker.process);
    const running: Running = { slot, worker, channel, reloads: new Set() };
    this.#running.set(slot, running);
    const { stdout } = worker.process;
    if (stdout !== null) createInterface(stdout).on('line', this.#options.line);
    this.#log.serve(channel);
    this.#ports.serve(channel, slot);
    return new Promise((resolve, reject) => {
      channel
        .on('given', () => ({ slot, given: this.#options.given() }))
        .on('common', () => (this.#common ??= Promise.resolve(this.#options.common())))
        .on('reloaded', (told: unknown) => {
          for (const done of [...running.reloads]) done(told);
        })
        .on('failed', ({ message, code }: { message: string; code?: BacklotError['code'] }) =>
          reject(code === undefined ? new Error(message) : new BacklotError(code, message)),
        )
        .on('ready', (told: unknown) => {
          this.#ready.add(channel);
          this.#ports.wake();
          resolve(told);
        });
      worker.once('exit', (code: number, signal: string | null) => {
        const how = signal ?? `exit code ${code}`;
        const wasReady = this.#ready.has(channel);
        this.#end(running);
        reject(new EndedEarlyError(slot, how));
        if (wasReady && this.#stopping === undefined) this.#replace(slot, how);
      });
    });
  }

  #end({ slot, channel, reloads }: Running): void {
    this.#ready.delete(channel);
    if (this.#running.get(slot)?.channel === channel) this.#running.delete(slot);
    this.#ports.leave(channel);
    this.#log.leave(channel);
    for (const done of [...reloads]) done(undefined);
  }

  #replace(slot: number, how: string): void {
    const now = realElapsed();
    this.#ends = [...this.#ends.filter((at) => at > now - ENDS_WITHIN), now];
    if (this.#ends.length > MOST_ENDS) {
      this.#giveUp(
        new Error(
          `${this.#ends.length} workers have ended within ${ENDS_WITHIN / 1000} s, the last one was worker ${slot} (${how}): all are stopped`,
        ),
      );
      return;
    }
    const data = slot === HOME ? ', and what clients had stored' : '';
    this.#options.warn(
      `worker ${slot} has ended (${how}) and is started anew: its connections, and what it had logged and captured${data}, are lost`,
    );
    this.#startAnew(slot);
  }

  /** One that says why it cannot start is tried again until it can: what is wrong may be mended while the others serve. */
  #startAnew(slot: number, said?: string): void {
    if (this.#stopping !== undefined) return;
    this.start(slot).then(
      () => this.#options.warn(`worker ${slot} is there again`),
      (thrown: unknown) => {
        if (this.#stopping !== undefined) return;
        const reason = messageOf(thrown);
        if (thrown instanceof EndedEarlyError) {
          this.#replace(slot, reason);
          return;
        }
        if (reason !== said)
          this.#options.warn(`worker ${slot} cannot start, which is tried again every second: ${reason}`);
        afterRealTime(TRY_AGAIN, () => this.#startAnew(slot, reason));
      },
    );
  }

  #giveUp(error: Error): void {
    void this.stop().then(() => this.#options.failed(error));
  }

  async reload(hasChanged: boolean): Promise<ReadonlyMap<number, unknown>> {
    this.#ports.forgetRefused();
    const told = new Map<number, unknown>();
    const waiting = [...this.#running.values()]
      .filter(({ channel }) => this.#ready.has(channel))
      .map(async ({ slot, reloads }) => {
        const value = await new Promise((resolve) => {
          const done = (each: unknown): void => {
            reloads.delete(done);
            resolve(each);
          };
          reloads.add(done);
        });
        if (value !== undefined) told.set(slot, value);
      });
    const id = randomUUID();
    const entry: CommandEntry = {
      ...{ id, from: '', at: Date.now() },
      command: { route: RELOAD, params: {}, query: hasChanged ? { changed: 'true' } : {} },
    };
    this.#log.append(JSON.stringify(entry), id);
    await Promise.all(waiting);
    return told;
  }

  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop());
  }

  async #stop(): Promise<void> {
    const ends = Array.from(
      this.#running.values(),
      ({ worker, channel }) =>
        new Promise<void>((resolve) => {
          worker.once('exit', () => resolve());
          const timer = afterRealTime(STOP, () => worker.process.kill('SIGKILL'));
          worker.once('exit', () => timer.cancel());
          channel.tell('stop');
        }),
    );
    await Promise.all(ends);
    this.#ports.close();
  }
}
