import { BacklotError, type Protocol } from '@backlot/core';
import type { Backlot, BacklotOptions } from './backlot.js';
import type { ServiceName } from './service-variables.js';
import { startBacklot } from './start-backlot.js';
import { createSpace, type ProtocolName, type SpaceClient, type SpaceOptions } from '@backlot/client';
import { takeShared } from './shared-backlots.js';

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

/** What `useBacklot` takes. */
export interface UseBacklotOptions<
  P extends readonly Protocol[] = readonly Protocol[],
  S extends readonly ServiceName[] = readonly ServiceName[],
> extends BacklotOptions<P, S> {
  /**
   * Called once after the start. The mocks, faults, state and other things that it sets are restored before each test.
   */
  readonly setup?: (backlot: Backlot<P, S>) => void | Promise<void>;
  /**
   * How long the Backlot runs. `file`, the default: from before the first test of a file to after its last. `worker`:
   * it goes on running for the next file in the same worker that uses one; for vitest with `isolate: false`.
   */
  readonly scope?: 'file' | 'worker';
  /** The hooks to register with; the globals of the runner when absent. */
  readonly hooks?: RunnerHooks;
}

/** What `useBacklot` takes for a space of a server that runs already. */
export interface UseSpaceOptions<
  P extends readonly ProtocolName[] = readonly ProtocolName[],
> extends SpaceOptions<P> {
  /**
   * `true` or `file`: a space for the tests of a file, in which everything is put back before each test. `test`: another one for
   * each test.
   */
  readonly space: true | 'file' | 'test';
  /** Called in each space once it is made, and after each reset. */
  readonly setup?: (space: SpaceClient<P>) => void | Promise<void>;
  /** The hooks to register with; the globals of the runner when absent. */
  readonly hooks?: RunnerHooks;
}

/**
 * Makes a space of a server that runs already, whose url `BACKLOT_URL` or an option says, for the tests of a file or for each
 * test. Files and processes side by side have each their own, and do not see each other.
 *
 * @returns the space; its members are there in hooks and tests, not before
 * @throws BacklotError `invalid` when there are no hooks to register with
 */
export function useBacklot<const P extends readonly ProtocolName[] = readonly []>(
  options: UseSpaceOptions<P>,
): SpaceClient<P>;
/**
 * Starts a Backlot before the first test, puts everything back before each test, and stops it after the last.
 *
 * @returns the Backlot; its members are there in hooks and tests, not before
 * @throws BacklotError `invalid` when there are no hooks to register with
 */
export function useBacklot<
  const P extends readonly Protocol[] = readonly [],
  const S extends readonly ServiceName[] = readonly [],
>(options: UseBacklotOptions<P, S>): Backlot<P, S>;
export function useBacklot(options: object): unknown {
  return 'space' in options ? useSpace(options as UseSpaceOptions) : useOwn(options as UseBacklotOptions);
}

function useSpace({ space: scope, setup, hooks, ...rest }: UseSpaceOptions): SpaceClient {
  const { beforeAll, afterAll, beforeEach } = readHooks(hooks ?? (globalThis as Partial<RunnerHooks>));
  let space: SpaceClient | undefined;
  const renew = async (): Promise<void> => {
    if (scope === 'test' || space === undefined) {
      await space?.remove();
      space = undefined;
      space = await createSpace(rest);
    } else await space.reset();
    await setup?.(space);
  };
  // Hooks before all tests may use it as well.
  if (scope !== 'test')
    beforeAll(async () => {
      space = await createSpace(rest);
    });
  beforeEach(renew);
  afterAll(async () => {
    await space?.remove();
    space = undefined;
  });
  return proxyOf(() => space);
}

function useOwn<const P extends readonly Protocol[], const S extends readonly ServiceName[]>(
  options: UseBacklotOptions<P, S>,
): Backlot<P, S> {
  const { setup, scope = 'file', hooks, ...rest } = options;
  const { beforeAll, afterAll, beforeEach } = readHooks(hooks ?? (globalThis as Partial<RunnerHooks>));
  if (scope === 'worker') refuseJest();
  let prepared: Prepared<P, S> | undefined;
  let release: (() => Promise<void>) | undefined;
  const start = (): Promise<Prepared<P, S>> => prepare(rest, setup);

  beforeAll(async () => {
    if (scope === 'worker') {
      const shared = await takeShared(options, start);
      prepared = shared.value;
      release = () => shared.release();
    } else {
      const own = await start();
      prepared = own;
      release = () => own.backlot.stop();
    }
  });
  beforeEach(async () => prepared?.renew());
  afterAll(async () => {
    await release?.();
    prepared = undefined;
  });
  return proxyOf(() => prepared?.backlot);
}

interface Prepared<P extends readonly Protocol[], S extends readonly ServiceName[]> {
  readonly backlot: Backlot<P, S>;
  /** As it was after `setup`. */
  renew(): void;
  stop(): Promise<void>;
}

async function prepare<P extends readonly Protocol[], S extends readonly ServiceName[]>(
  options: BacklotOptions<P, S>,
  setup: UseBacklotOptions<P, S>['setup'],
): Promise<Prepared<P, S>> {
  const backlot = await startBacklot<P, S>(options);
  if (setup === undefined) return { backlot, renew: () => backlot.reset(), stop: () => backlot.stop() };
  try {
    await setup(backlot);
  } catch (thrown) {
    await backlot.stop();
    throw thrown;
  }
  const snapshot = backlot.snapshot();
  const renew = (): void => {
    // The journal, webhooks and time are not in a snapshot.
    backlot.reset();
    snapshot.restore();
  };
  return { backlot, renew, stop: () => backlot.stop() };
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
    'useBacklot found no beforeAll, afterAll and beforeEach (or before, after and beforeEach) to register with; give those of your runner as `hooks`, as in `hooks: { before, after, beforeEach }`, imported from node:test',
  );
}

function refuseJest(): void {
  if (process.env['JEST_WORKER_ID'] === undefined || process.env['VITEST'] !== undefined) return;
  throw new BacklotError(
    'invalid',
    '`scope: "worker"` does not work in jest, which gives each test file modules of its own; leave it out, and the Backlot starts once per file',
  );
}

/** Stands for a Backlot that starts later. */
function proxyOf<One extends object>(find: () => One | undefined): One {
  const get = (_: object, name: string | symbol): unknown => {
    const backlot = find();
    // Whoever looks whether it is a promise, or what to print, may do so at any time.
    if (backlot === undefined && (typeof name === 'symbol' || name === 'then' || name === 'toJSON'))
      return undefined;
    if (backlot !== undefined) return (backlot as Readonly<Record<string | symbol, unknown>>)[name];
    throw new BacklotError(
      'not_enabled',
      `backlot.${name as string} was read while the Backlot does not run; read it in a test or a hook`,
    );
  };
  return new Proxy({}, { get, has: (_, name) => Reflect.has(find() ?? {}, name) }) as One;
}
