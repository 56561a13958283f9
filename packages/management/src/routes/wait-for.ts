import type { Kind } from '@backlot/core';
import { Type, checkAt, parseDuration, type TSchema } from '@backlot/core/plugin';
import type { GatheredList } from '../gathering/gathering.js';
import type { FieldFilters, FieldTest } from './field-filters.js';
import { NOT_ENABLED, answers, checkEnabled, fails, type ManagementRoute } from './management-route.js';

const MAX_WAIT = 5 * 60_000;

/** What a wait takes: how often, `least` at least, how long, and further fields. */
export function waitSchema<Fields extends Record<string, TSchema>>(what: string, fields: Fields, least = 1) {
  return Type.Object(
    {
      count: Type.Optional(
        Type.Integer({ minimum: least, default: 1, description: `How many ${what} to wait for.` }),
      ),
      timeout: Type.Optional(
        Type.String({ default: '10s', description: 'How long to wait, as in `10s`; at most 5m.' }),
      ),
      ...fields,
    },
    { additionalProperties: false },
  );
}

/** What was given to a wait. */
export interface GivenWait {
  readonly count?: number;
  readonly timeout?: string;
}

/** How many, and milliseconds. @throws BacklotError `invalid` for a time that is none */
export function readWait(body: unknown): { readonly count: number; readonly timeout: number } {
  const { count = 1, timeout = '10s' } = (body ?? {}) as GivenWait;
  return { count, timeout: checkAt('/timeout', () => readTimeout(timeout)) };
}

/** How waits fail. */
export const WAIT_FAILS = {
  400: fails('The body is not valid.'),
  409: fails('A reset or a clear came first.'),
};

/** Waiting for what a kind has, with the fields that it is chosen by. */
export interface FilteredWait {
  readonly path: string;
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  /** What is waited for, in the plural. */
  readonly what: string;
  readonly least?: number;
  readonly examples?: readonly unknown[];
  readonly schema: TSchema;
  readonly filters: FieldFilters;
  /** How the lists of several replicas become one; each has to be asked by itself when absent. */
  readonly gathered?: GatheredList;
  /** Waits for so many that a test accepts. */
  wait(
    test: FieldTest,
    count: number,
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly unknown[]>;
}

/** The route that waits until so many of what a kind has fit. */
export function filteredWaitRoute(kind: Kind, given: FilteredWait): ManagementRoute {
  const { path, name, tag, summary, what, least, examples, schema, filters, gathered } = given;
  return {
    method: 'POST',
    path,
    name,
    ...(gathered === undefined ? {} : { gather: { as: 'wait', list: gathered } as const }),
    tag,
    summary,
    body: waitSchema(what, { where: Type.Optional(filters.body) }, least),
    bodyOptional: true,
    ...(examples === undefined ? {} : { examples }),
    responses: {
      200: answers('The first so many that fit.', Type.Array(schema)),
      ...WAIT_FAILS,
      408: fails('The time is over: `want` and `got` say how far it came.'),
      503: NOT_ENABLED,
    },
    async handle({ body, signal }, host) {
      const { count, timeout } = readWait(body);
      const { where = {} } = (body ?? {}) as { where?: Readonly<Record<string, unknown>> };
      const test = filters.compile(where, host.clock.now(), '/where') ?? fitsAlways;
      checkEnabled(kind);
      return { list: await given.wait(test, count, timeout, signal) };
    },
  };
}

function* fitsAlways(): Generator<void, boolean> {
  return true;
}

/** The time to wait in milliseconds; what is longer than can be waited is cut, however long it is. */
function readTimeout(text: string): number {
  try {
    return Math.min(parseDuration(text), MAX_WAIT);
  } catch (thrown) {
    // Longer than a duration can be, or no duration: with small numbers only the latter is still refused.
    if (isDuration(text.replaceAll(/\d{5,}/g, '9999'))) return MAX_WAIT;
    throw thrown;
  }
}

function isDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch {
    return false;
  }
}
