import type { CallsView, JournalItem, Kind } from '@backlot/core';
import { Type, checkAt, parseDuration, type ListAnswer } from '@backlot/core/plugin';
import { LimitSchema } from '../answer/pages.js';
import { AfterSchema, LogEntrySchema, renderItem } from './log-entry.js';
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

const MAX_WAIT = 5 * 60_000;

/** The calls of one mock. */
export const CallsSchema = Type.Object({
  mock_id: Type.String(),
  count: Type.Integer({ description: 'How often it has matched since counts were cleared.' }),
  calls: Type.Array(LogEntrySchema, { description: 'Its log entries, oldest first.' }),
});

/** What a wait takes. */
export const WaitSchema = Type.Object(
  {
    count: Type.Optional(
      Type.Integer({ minimum: 1, default: 1, description: 'How many calls to wait for.' }),
    ),
    timeout: Type.Optional(
      Type.String({ default: '10s', description: 'How long to wait, as in `10s`; at most 5m.' }),
    ),
  },
  { additionalProperties: false },
);

/** Whether and how often the mocks of a kind were called. */
export function callRoutes(kind: Kind): ManagementRoute[] {
  const name = pascalCase(kind.kind);
  const path = `/api/calls/${kind.kind}`;
  const { title } = kind.protocol.meta;
  const tag = 'Call verification';
  return [
    {
      method: 'GET',
      path: `${path}/{mockId}`,
      name: `get${name}Calls`,
      tag,
      summary: `The calls of one mock of ${title}; an id without calls has none.`,
      description: 'Pages are of `calls`.',
      query: { limit: LimitSchema, after: AfterSchema },
      responses: {
        200: answers('Count and log entries.', CallsSchema),
        400: fails('A query parameter is not valid.'),
      },
      handle(request) {
        const { limit, after = '0' } = request.query;
        const filter = { after, ...(limit === undefined ? {} : { limit: Number(limit) }) };
        return listCalls(kind.calls.items(paramOf(request, 'mockId'), filter));
      },
    },
    {
      method: 'POST',
      path: `${path}/{mockId}/wait`,
      name: `waitFor${name}Calls`,
      tag,
      summary: `Waits until a mock of ${title} was called so many times.`,
      body: WaitSchema,
      bodyOptional: true,
      examples: [{ count: 2, timeout: '5s' }],
      responses: {
        200: answers('It was called so many times.', CallsSchema),
        400: fails('The body is not valid.'),
        408: fails('The time is over: `mock_id`, `want` and `got` say how far it came.'),
        409: fails('A reset came first.'),
        503: NOT_ENABLED,
      },
      async handle(request) {
        const { count = 1, timeout = '10s' } = (request.body ?? {}) as { count?: number; timeout?: string };
        const milliseconds = checkAt('/timeout', () => readTimeout(timeout));
        checkEnabled(kind);
        const mockId = paramOf(request, 'mockId');
        await kind.calls.waitUntilCalled(mockId, count, milliseconds, request.signal);
        return listCalls(kind.calls.items(mockId));
      },
    },
    {
      method: 'DELETE',
      path: `${path}/{mockId}`,
      name: `clear${name}CallsOfMock`,
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

function listCalls({ calls, ...fields }: CallsView<JournalItem>): ListAnswer {
  return { list: calls, show: renderItem, within: { fields, name: 'calls' } };
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
