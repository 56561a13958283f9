import { BacklotError, type Protocol } from '@backlot/core';
import type { Lot, LotOptions } from './lot.js';
import { startLot } from './start-lot.js';
import { takeShared } from './shared-lots.js';

/** The hooks of a test runner: those of jest, vitest and mocha, or those of `node:test`. */
export interface RunnerHooks {
  readonly beforeAll?: RegisterHook;
  /** What `node:test` and mocha call `beforeAll`. */
  readonly before?: RegisterHook;
  readonly afterAll?: RegisterHook;
  /** What `node:test` and mocha call `afterAll`. */
  readonly after?: RegisterHook;
  readonly beforeEach: RegisterHook;
}

type RegisterHook = (hook: () => Promise<void>) => unknown;

/** What `useLot` takes. */
export interface UseLotOptions<P extends readonly Protocol[] = readonly Protocol[]> extends LotOptions<P> {
  /** Runs once after the start; the mocks and settings that it makes are there again before each test. */
  readonly setup?: (lot: Lot<P>) => void | Promise<void>;
  /**
   * `file`, when absent: the lot starts before the first test of a file and stops after its last. `worker`: it goes on
   * for the next file in the same worker that asks for it; for vitest with `isolate: false`.
   */
  readonly scope?: 'file' | 'worker';
  /** The hooks to register with; the globals of the runner when absent. */
  readonly hooks?: RunnerHooks;
}

/**
 * Starts a lot before the first test, puts everything back before each test, and stops it after the last.
 *
 * @returns the lot; its members are there in hooks and tests, not before
 * @throws BacklotError `invalid` when there are no hooks to register with
 */
export function useLot<const P extends readonly Protocol[]>(options: UseLotOptions<P>): Lot<P> {
  const { setup, scope = 'file', hooks, ...rest } = options;
  const { beforeAll, afterAll, beforeEach } = readHooks(hooks ?? (globalThis as Partial<RunnerHooks>));
  if (scope === 'worker') refuseJest();
  let prepared: Prepared<P> | undefined;
  let release: (() => Promise<void>) | undefined;
  const start = (): Promise<Prepared<P>> => prepare(rest, setup);

  beforeAll(async () => {
    if (scope === 'worker') {
      const shared = await takeShared(options.protocols, start);
      prepared = shared.value;
      release = () => shared.release();
    } else {
      const own = await start();
      prepared = own;
      release = () => own.lot.stop();
    }
  });
  beforeEach(async () => prepared?.renew());
  afterAll(async () => {
    await release?.();
    prepared = undefined;
  });
  return proxyOf(() => prepared?.lot);
}

interface Prepared<P extends readonly Protocol[]> {
  readonly lot: Lot<P>;
  /** As it was after `setup`. */
  renew(): void;
  stop(): Promise<void>;
}

async function prepare<P extends readonly Protocol[]>(
  options: LotOptions<P>,
  setup: UseLotOptions<P>['setup'],
): Promise<Prepared<P>> {
  const lot = await startLot<P>(options);
  if (setup === undefined) return { lot, renew: () => lot.reset(), stop: () => lot.stop() };
  try {
    await setup(lot);
  } catch (thrown) {
    await lot.stop();
    throw thrown;
  }
  const snapshot = lot.snapshot();
  const renew = (): void => {
    // The journal, webhooks and time are not in a snapshot.
    lot.reset();
    snapshot.restore();
  };
  return { lot, renew, stop: () => lot.stop() };
}

function readHooks(
  hooks: Partial<RunnerHooks>,
): Record<'beforeAll' | 'afterAll' | 'beforeEach', RegisterHook> {
  const { beforeAll = hooks.before, afterAll = hooks.after, beforeEach } = hooks;
  if (beforeAll !== undefined && afterAll !== undefined && beforeEach !== undefined) {
    return { beforeAll, afterAll, beforeEach };
  }
  throw new BacklotError(
    'invalid',
    'useLot found no beforeAll, afterAll and beforeEach (or before, after and beforeEach) to register with; give those of your runner as `hooks`, as in `hooks: { before, after, beforeEach }`, imported from node:test',
  );
}

function refuseJest(): void {
  if (process.env['JEST_WORKER_ID'] === undefined || process.env['VITEST'] !== undefined) return;
  throw new BacklotError(
    'invalid',
    '`scope: "worker"` does not work in jest, which gives each test file modules of its own; leave it out, and the lot starts once per file',
  );
}

/** Stands for a lot that starts later. */
function proxyOf<P extends readonly Protocol[]>(find: () => Lot<P> | undefined): Lot<P> {
  const get = (_: object, name: string | symbol): unknown => {
    const lot = find();
    // Whoever looks whether it is a promise, or what to print, may do so at any time.
    if (lot === undefined && (typeof name === 'symbol' || name === 'then' || name === 'toJSON'))
      return undefined;
    if (lot !== undefined) return (lot as Readonly<Record<string | symbol, unknown>>)[name];
    throw new BacklotError(
      'not_enabled',
      `lot.${name as string} was read while the lot does not run; read it in a test or a hook`,
    );
  };
  return new Proxy({}, { get, has: (_, name) => Reflect.has(find() ?? {}, name) }) as Lot<P>;
}
