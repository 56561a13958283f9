import type { JournalFilter } from '@backlot/core';
import { BacklotError, Type, type RouteRequest } from '@backlot/core/plugin';
import { followJournal } from './follow-journal.js';
import { AfterSchema, LogEntrySchema, renderItem } from './log-entry.js';
import { CLEARED, ClearedSchema, answers, fails, paramOf, type ManagementRoute } from './management-route.js';

const tag = 'Logs';
const DEFAULT_LIMIT = 500;

const FILTERS = {
  protocol: Type.String({ description: 'Only entries of this kind.' }),
  matched_id: Type.String({ description: 'Only entries of this mock.' }),
  unmatched: Type.Boolean({ description: 'Only entries that no mock matched.' }),
  after: AfterSchema,
};

/** The log of all kinds. */
export function logRoutes(): ManagementRoute[] {
  const wrong = fails('A filter is not valid.');
  return [
    {
      method: 'GET',
      path: '/api/logs',
      name: 'listLogs',
      tag,
      summary: 'The newest log entries, oldest first.',
      query: {
        ...FILTERS,
        limit: Type.Integer({
          minimum: 0,
          default: DEFAULT_LIMIT,
          description: 'The newest so many; with `after`, the first so many after it.',
        }),
      },
      responses: { 200: answers('The entries.', Type.Array(LogEntrySchema)), 400: wrong },
      handle(request, host) {
        const limit = Number(request.query['limit'] ?? DEFAULT_LIMIT);
        return { list: host.journal.items({ ...readFilter(request), limit }), show: renderItem };
      },
    },
    {
      method: 'GET',
      path: '/api/logs/{id}',
      name: 'getLogEntry',
      tag,
      summary: 'One log entry.',
      responses: { 200: answers('The entry.', LogEntrySchema), 404: fails('The log does not hold it.') },
      handle(request, host) {
        const id = paramOf(request, 'id');
        const body = host.journal.find(id);
        if (body === undefined) throw new BacklotError('not_found', `no log entry "${id}"`);
        return { body };
      },
    },
    {
      method: 'GET',
      path: '/api/logs/count',
      name: 'countLogs',
      tag,
      summary: 'How many log entries there were since the last clear.',
      description: 'Exact in total, by protocol and by mock; other filters count what is still held.',
      query: FILTERS,
      responses: {
        200: answers(
          'The count.',
          Type.Object({
            count: Type.Integer(),
            complete: Type.Optional(
              Type.Literal(false, { description: 'Only what is still held was counted.' }),
            ),
          }),
        ),
        400: wrong,
      },
      handle(request, host) {
        const { count, complete } = host.journal.count(readFilter(request));
        return { body: complete ? { count } : { count, complete } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/logs',
      name: 'clearLogs',
      tag,
      summary: 'Clears the log.',
      responses: { 200: answers('The log is empty.', ClearedSchema) },
      handle(_request, host) {
        host.journal.clear();
        return CLEARED;
      },
    },
    {
      method: 'GET',
      path: '/api/logs/stream',
      name: 'followLogs',
      tag,
      summary: 'Log entries as they appear, as server-sent events.',
      description:
        'One unnamed event per entry. `Last-Event-ID` or `after` resumes from what is still held. A reader that is ' +
        'too slow gets an event `dropped` with the count of entries that it missed.',
      query: FILTERS,
      responses: { 200: { description: 'The events.', contentType: 'text/event-stream' }, 400: wrong },
      handle(request, host) {
        const { after, ...filter } = readFilter(request);
        const from = lastEventId(request) ?? after;
        return { events: (sink) => followJournal(host.journal, filter, from, sink) };
      },
    },
  ];
}

function readFilter({ query }: RouteRequest): JournalFilter {
  const { protocol, matched_id: matchedId, after } = query;
  return {
    ...(protocol === undefined || protocol === '' ? {} : { protocol }),
    ...(matchedId === undefined || matchedId === '' ? {} : { matchedId }),
    ...(query['unmatched'] === 'true' ? { unmatched: true } : {}),
    ...(after === undefined ? {} : { after }),
  };
}

/**
 * The header `Last-Event-ID`, which a browser sends when it connects again; ignored when it is not an id of an entry.
 */
function lastEventId({ headers }: RouteRequest): string | undefined {
  const value = headers['last-event-id'];
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? value : undefined;
}
