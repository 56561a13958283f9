import type { CallsView, JournalItem, Kind } from '@backlot/core';
import { BacklotError, Type, type ListAnswer } from '@backlot/core/plugin';
import { LimitSchema } from '../answer/pages.js';
import type { GatheredList } from '../gathering/gathering.js';
import { fieldFilters } from './field-filters.js';
import { AfterSchema, LogEntrySchema, renderBare, renderItem } from './log-entry.js';
import {
  CLEARED,
  ClearedSchema,
  NOT_ENABLED,
  answers,
  checkEnabled,
  fails,
  paramOf,
  pascalCase,
  type ManagementRoute,
} from './management-route.js';
import { WAIT_FAILS, readWait, waitSchema } from './wait-for.js';

/** The calls of one mock. */
export const CallsSchema = Type.Object({
  mock_id: Type.String(),
  count: Type.Integer({ description: 'How often it has matched since counts were cleared.' }),
  calls: Type.Array(LogEntrySchema, { description: 'Its log entries, oldest first.' }),
});

/** The fields that calls are told apart by: those of log entries that calls of one mock do not share. */
const FIELDS = fieldFilters(LogEntrySchema, {
  without: ['protocol', 'matched_id', 'unmatched', 'near_misses', 'replica'],
});

/** What a wait takes. */
export const WaitSchema = waitSchema('calls', {
  where: Type.Optional(
    Type.Object(FIELDS.body.properties, {
      additionalProperties: false,
      description:
        'Only calls whose log entries have this: patterns by field; of a list, and of an object, one entry.',
    }),
  ),
});

/** Whether and how often the mocks of a kind were called. */
export function callRoutes(kind: Kind): ManagementRoute[] {
  const name = pascalCase(kind.kind);
  const path = `/api/calls/${kind.kind}`;
  const { title } = kind.protocol.meta;
  const tag = 'Call verification';
  const list: GatheredList = {
    ...{ as: 'list', time: 'timestamp', start: '0' },
    within: { name: 'calls', sums: ['count'] },
  };
  const ofMock: ManagementRoute = {
    method: 'GET',
    path: `${path}/{mockId}`,
    name: `get${name}Calls`,
    gather: list,
    tag,
    summary: `The calls of one mock of ${title}.`,
    description: 'Pages are of `calls`.',
    query: { limit: LimitSchema, after: AfterSchema },
    responses: {
      200: answers('Count and log entries.', CallsSchema),
      400: fails('A query parameter is not valid.'),
      404: fails('There is no such mock, and there are no calls of one that was deleted.'),
    },
    handle(request) {
      const { limit, after = '0' } = request.query;
      const filter = { after, ...(limit === undefined ? {} : { limit: Number(limit) }) };
      const view = kind.calls.items(paramOf(request, 'mockId'), filter);
      checkKnown(kind, view);
      return listCalls(view);
    },
  };
  return [
    ofMock,
    {
      method: 'POST',
      path: `${path}/{mockId}/wait`,
      name: `waitFor${name}Calls`,
      gather: { as: 'wait', list, counted: ofMock },
      tag,
      summary: `Waits until a mock of ${title} was called so many times.`,
      description:
        'With `where` only calls count whose log entries fit, those included that the log holds; `calls` are the first so many of them.',
      body: WaitSchema,
      bodyOptional: true,
      examples: [
        { count: 2, timeout: '5s' },
        { where: { path: '/pay', body: { json: { partial: { amount: 5 } } } } },
      ],
      responses: {
        200: answers('It was called so many times.', CallsSchema),
        ...WAIT_FAILS,
        408: fails('The time is over: `mock_id`, `want` and `got` say how far it came.'),
        503: NOT_ENABLED,
      },
      async handle(request, host) {
        const { count, timeout } = readWait(request.body);
        const { where = {} } = (request.body ?? {}) as { where?: Readonly<Record<string, unknown>> };
        const test = FIELDS.compile(where, host.clock.now(), '/where');
        checkEnabled(kind);
        const mockId = paramOf(request, 'mockId');
        if (test !== undefined) {
          const fits = (item: JournalItem): Iterator<unknown, boolean> => test(renderBare(item));
          const calls = await kind.calls.waitUntilFits(mockId, fits, count, timeout, request.signal);
          return listCalls({ ...kind.calls.items(mockId, { limit: 0 }), calls });
        }
        await kind.calls.waitUntilCalled(mockId, count, timeout, request.signal);
        return listCalls(kind.calls.items(mockId));
      },
    },
    {
      method: 'DELETE',
      path: `${path}/{mockId}`,
      name: `clear${name}CallsOfMock`,
      reach: 'command',
      tag,
      summary: `Clears the log entries of one mock and all call counts of ${title}.`,
      responses: { 200: answers('They are cleared.', ClearedSchema) },
      handle(request) {
        kind.calls.clear(paramOf(request, 'mockId'));
        return CLEARED;
      },
    },
    {
      method: 'DELETE',
      path,
      name: `clear${name}Calls`,
      reach: 'command',
      tag,
      summary: `Clears all log entries and call counts of ${title}.`,
      responses: { 200: answers('They are cleared.', ClearedSchema) },
      handle() {
        kind.calls.clearAll();
        return CLEARED;
      },
    },
  ];
}

/** A mock that was deleted is known as long as there is something to tell of it. */
function checkKnown(kind: Kind, { mock_id: id, count, calls }: CallsView<JournalItem>): void {
  if (count > 0 || calls.length > 0 || kind.mocks.has(id) || kind.calls.items(id).calls.length > 0) return;
  throw new BacklotError('not_found', `no ${kind.protocol.mocks.noun} "${id}" of ${kind.kind}`);
}

function listCalls({ calls, ...fields }: CallsView<JournalItem>): ListAnswer {
  return { list: calls, show: renderItem, within: { fields, name: 'calls' } };
}
