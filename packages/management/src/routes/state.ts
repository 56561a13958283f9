import type { Host } from '@backlot/core';
import { Type, checkAt, invalid, parseDuration } from '@backlot/core/plugin';
import { LimitSchema, pageOfEntries } from '../answer/pages.js';
import { answers, fails, paramOf, type ManagementRoute } from './management-route.js';

const tag = 'State';

/** With more keys than this, setting some answers those alone. */
const MAX_ANSWERED = 1000;

/** Keys and their values. */
export const StateSchema = Type.Record(Type.String(), Type.String(), {
  description: 'Keys and their values.',
});

/** The shared key-value store. */
export function stateRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/state',
      name: 'getState',
      tag,
      summary: 'All keys that have not expired.',
      description:
        'In the order in which they came. `limit` and `after` ask for a part of very many: a client whose maps have an order ' +
        'of their own goes on after any key of the part before, and may see keys twice but misses none.',
      query: {
        limit: LimitSchema,
        after: Type.String({ description: 'Only what comes after this key; 400 when it is not there.' }),
      },
      responses: {
        200: answers('Keys and values.', StateSchema),
        400: fails('There is no key such as "after".'),
      },
      async handle({ query }, host) {
        return { entries: await pageOfEntries(host.state.entries(), query) };
      },
    },
    {
      method: 'POST',
      path: '/api/state',
      name: 'setState',
      tag,
      summary: 'Sets keys; without ttl they do not expire.',
      description:
        'Answers the whole map. A map of more than 1,000 keys is not copied for each change: the keys that were set are ' +
        'answered then, and `GET /api/state` has all of them.',
      query: { ttl: Type.String({ description: 'How long all keys of this request live, as in `30s`.' }) },
      body: StateSchema,
      hostChecksBody: true,
      examples: [{ 'shop:open': 'yes' }],
      responses: {
        200: answers(
          'All keys and values; those of the request alone when there are more than 1,000.',
          StateSchema,
        ),
        400: fails('A value is no text, or the ttl is no duration above zero; nothing was stored.'),
        413: fails('There would be more than 1,000,000 keys, or 64 Mi characters; nothing was stored.'),
      },
      async handle({ query, body }, host) {
        const { ttl } = query;
        const values = body as Readonly<Record<string, string>>;
        const life = ttl === undefined ? undefined : checkAt('/ttl', () => readTtl(ttl));
        await host.state.setAllInSlices(values, life);
        const { state } = host;
        return { entries: state.size > MAX_ANSWERED ? liveOf(values, host) : state.entries() };
      },
    },
    {
      method: 'DELETE',
      path: '/api/state',
      name: 'clearState',
      tag,
      summary: 'Deletes the keys that start with a prefix; all of them without one.',
      query: { prefix: Type.String({ description: 'What the keys start with.' }) },
      responses: {
        200: answers(
          'They are gone.',
          Type.Object({
            status: Type.Literal('cleared'),
            reset_prefix: Type.Optional(Type.String()),
            deleted: Type.Integer({ description: 'How many.' }),
          }),
        ),
      },
      async handle({ query }, host) {
        const { prefix } = query;
        const count = await host.state.deletePrefixInSlices(prefix ?? '');
        return {
          body: {
            status: 'cleared',
            ...(prefix === undefined ? {} : { reset_prefix: prefix }),
            deleted: count,
          },
        };
      },
    },
    {
      method: 'DELETE',
      path: '/api/state/{key}',
      name: 'deleteStateKey',
      tag,
      summary: 'Deletes one key, also when it is not there.',
      responses: {
        200: answers('It is gone.', Type.Object({ deleted: Type.String({ description: 'The key.' }) })),
      },
      handle(request, host) {
        const key = paramOf(request, 'key');
        host.state.delete(key);
        return { body: { deleted: key } };
      },
    },
  ];
}

/** The live ones of keys that were set, each looked for when it is asked for. */
function* liveOf(
  values: Readonly<Record<string, string>>,
  { state }: Host,
): Generator<readonly [string, string]> {
  for (const key of Object.keys(values)) {
    const [found] = Object.entries(state.pick([key]));
    if (found !== undefined) yield found;
  }
}

function readTtl(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds > 0) return milliseconds;
  throw invalid(
    `ttl ${JSON.stringify(text)} is not above zero; use a duration such as "30s", or leave it out`,
  );
}
