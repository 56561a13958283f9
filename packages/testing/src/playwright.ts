import type {
  BrowserContext,
  Fixtures,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestInfo,
  TestType,
  WorkerInfo,
  test as playwright,
} from '@playwright/test';
import {
  BacklotError,
  createSpace,
  type ProtocolName,
  type SpaceClient,
  type SpaceOptions,
} from '@backlot/client';
import { describeSpace, MOST_SHOWN } from './describe-space.js';
import { plainEquals } from './compare.js';
import type { BacklotMatchers } from './matcher-types.js';
import { matchers as all, type MatcherContext } from './matchers.js';
import { addSpaceHeaders, namesSpace } from './space-headers.js';

declare global {
  // It is the namespace by which Playwright lets others add matchers, and an interface is what merges.
  // oxlint-disable-next-line typescript/no-namespace
  namespace PlaywrightTest {
    // oxlint-disable-next-line typescript/no-empty-object-type
    interface Matchers<R, T = unknown> extends BacklotMatchers<R, T> {}
  }
}

/** Matchers for `expect.extend` of Playwright, whose answers are awaited. Their types are those of {@link BacklotMatchers}. */
export const matchers: Readonly<Record<never, never>> = Object.fromEntries(
  Object.entries(all).map(([name, matcher]) => [
    name,
    // Playwright does not give matchers the comparison that other runners do.
    function (this: Omit<MatcherContext, 'equals'>, ...given: never[]): unknown {
      const context: MatcherContext = { isNot: this.isNot ?? false, utils: this.utils, equals: plainEquals };
      return (matcher as (this: MatcherContext, ...args: never[]) => unknown).call(context, ...given);
    },
  ]),
);

/** What {@link withBacklot} takes. */
export interface PlaywrightOptions<P extends readonly ProtocolName[] = readonly ProtocolName[]> extends Omit<
  SpaceOptions<P>,
  'id'
> {
  /**
   * `test`, the default: another space for each test. `worker`: one for all tests of a worker, in which everything is put back
   * before each of them.
   */
  readonly scope?: 'test' | 'worker';
  /** Called before each test, in the space that it has. */
  readonly setup?: (space: SpaceClient<P>) => void | Promise<void>;
  /** Whether what pages and `request` send names the space, so that shared ports take it there; `true` when absent. */
  readonly pages?: boolean;
}

/** What each test has. */
export interface BacklotFixtures<P extends readonly ProtocolName[] = readonly ProtocolName[]> {
  /** The space of the test. */
  readonly backlot: SpaceClient<P>;
}

/** What each worker has. */
export interface BacklotWorkerFixtures<P extends readonly ProtocolName[] = readonly ProtocolName[]> {
  /** The space that the tests of a worker share; `undefined` where each has one of its own. */
  readonly backlotOfWorker: SpaceClient<P> | undefined;
}

type Use<T> = (value: T) => Promise<void>;
type Headers = PlaywrightTestOptions['extraHTTPHeaders'];

type BacklotFixturesOf<P extends readonly ProtocolName[]> = Fixtures<
  BacklotFixtures<P>,
  BacklotWorkerFixtures<P>,
  PlaywrightTestArgs & PlaywrightTestOptions,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions
>;

/**
 * Gives the tests of Playwright fixtures: each has a space of a server that runs, to which belongs what its pages ask for. The report of a
 * test that fails has what met no mock, and the traffic.
 *
 * @param test - what tests are declared with
 * @example
 * import { test as base } from '@playwright/test';
 * export const test = withBacklot(base, { protocols: ['http'] });
 */
export function withBacklot<
  Own extends PlaywrightTestArgs & PlaywrightTestOptions,
  OfWorker extends PlaywrightWorkerArgs & PlaywrightWorkerOptions,
  const P extends readonly ProtocolName[] = readonly [],
>(
  test: TestType<Own, OfWorker>,
  options: PlaywrightOptions<P> = {},
): TestType<Own & BacklotFixtures<P>, OfWorker & BacklotWorkerFixtures<P>> {
  // What `test` has beside Playwright's own is not touched.
  return (test as unknown as typeof playwright).extend(makeFixtures(options) as object) as never;
}

function makeFixtures<P extends readonly ProtocolName[]>(
  options: PlaywrightOptions<P>,
): BacklotFixturesOf<P> {
  const { scope = 'test', setup, pages = true, ...rest } = options;
  const fixtures: BacklotFixturesOf<P> = {
    backlotOfWorker: [
      // Playwright reads from the first parameter what a fixture needs.
      async ({}: object, use: Use<SpaceClient<P> | undefined>, _: WorkerInfo) => {
        if (scope === 'test') return use(undefined);
        await within(await createSpace(rest), use);
      },
      { scope: 'worker' },
    ],
    backlot: async (
      { backlotOfWorker }: BacklotWorkerFixtures<P>,
      use: Use<SpaceClient<P>>,
      info: TestInfo,
    ) => {
      const run = async (space: SpaceClient<P>): Promise<void> => {
        await setup?.(space);
        await use(space);
        if (info.status !== info.expectedStatus) await attachTraffic(space, info);
      };
      if (backlotOfWorker === undefined) return within(await createSpace(rest), run);
      await backlotOfWorker.reset();
      await run(backlotOfWorker);
    },
  };
  return pages ? { ...fixtures, ...headerFixtures<P>() } : fixtures;
}

/** Gives a space to `use`, and ends it afterwards in any case. */
async function within<Space extends SpaceClient>(space: Space, use: Use<Space>): Promise<void> {
  try {
    await use(space);
  } finally {
    await space.remove();
  }
}

function headerFixtures<P extends readonly ProtocolName[]>(): BacklotFixturesOf<P> {
  interface Given extends BacklotFixtures<P> {
    readonly extraHTTPHeaders: Headers;
  }
  return {
    // Those of the configuration come with them.
    extraHTTPHeaders: async ({ extraHTTPHeaders, backlot }: Given, use: Use<Headers>) =>
      use(addSpaceHeaders(extraHTTPHeaders ?? {}, backlot.id)),
    // `test.use({ extraHTTPHeaders })` of a file takes the place of the fixture above.
    context: async (
      { context, extraHTTPHeaders, backlot }: Given & { readonly context: BrowserContext },
      use: Use<BrowserContext>,
    ) => {
      if (!namesSpace(extraHTTPHeaders, backlot.id))
        await context.setExtraHTTPHeaders(addSpaceHeaders(extraHTTPHeaders ?? {}, backlot.id));
      await use(context);
    },
    request: async (
      { request, extraHTTPHeaders, backlot }: Given & Pick<PlaywrightTestArgs, 'request'>,
      use: Use<PlaywrightTestArgs['request']>,
    ) => {
      if (!namesSpace(extraHTTPHeaders, backlot.id))
        throw new BacklotError(
          'invalid',
          'test.use({ extraHTTPHeaders }) took the place of the headers that name the space, and those of `request` cannot be changed: set them under `use` of the configuration, or give them with each request',
        );
      await use(request);
    },
  };
}

/** Adds to the report of a test what met no mock, and what came. */
async function attachTraffic(space: SpaceClient, info: TestInfo): Promise<void> {
  const { unmatched, entries } = await describeSpace(space);
  if (unmatched !== '')
    await info.attach('Backlot: what met no mock', { body: unmatched, contentType: 'text/plain' });
  await info.attach(`Backlot: the last ${MOST_SHOWN} messages at most`, {
    body: JSON.stringify(entries, null, 2),
    contentType: 'application/json',
  });
}
