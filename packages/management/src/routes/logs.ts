import {
  compilePattern,
  orderTrace,
  type Host,
  type JournalEntry,
  type JournalFilter,
  type JournalItem,
} from '@backlot/core';
import {
  BacklotError,
  Type,
  checkAt,
  runAtOnce,
  runInSlices,
  type ListAnswer,
  type RouteRequest,
} from '@backlot/core/plugin';
import type { Item } from '../gathering/gathering.js';
import { Pace } from '../answer/pace.js';
import { fieldFilters, type FieldTest } from './field-filters.js';
import { followJournal } from './follow-journal.js';
import { AfterSchema, LogEntrySchema, renderBare, renderItem } from './log-entry.js';
import { JoinedJournal } from './joined-journal.js';
import {
  CLEARED,
  ClearedSchema,
  answers,
  fails,
  paramOf,
  type ManagementRequest,
  type ManagementRoute,
} from './management-route.js';
import { journalsOf } from './named-journals.js';
import { select } from './select.js';

const tag = 'Logs';
const DEFAULT_LIMIT = 500;

/** Fields that are asked for by a filter of their own, and those that are made of the mocks of today. */
const FIELDS = fieldFilters(LogEntrySchema, {
  without: ['protocol', 'matched_id', 'unmatched', 'near_misses', 'replica'],
});

const FILTERS = {
  protocol: Type.String({ description: 'Only entries of this kind.' }),
  matched_id: Type.String({ description: 'Only entries of this mock.' }),
  mock_id: Type.String({ description: 'Only entries of mocks whose id fits this pattern.' }),
  matched: Type.Boolean({ description: 'True: only entries that a mock matched; false: as `unmatched`.' }),
  unmatched: Type.Boolean({ description: 'Only entries that no mock matched.' }),
  ...FIELDS.query,
  space: Type.String({
    description:
      'Entries of this space; a pattern: those of all spaces whose id fits, and nothing: those of the main world and of all spaces, in the order in which they appeared. Ids are those of one space each. Within a space only its own.',
  }),
  after: AfterSchema,
};

/** The log of all kinds. */
export function logRoutes(): ManagementRoute[] {
  const wrong = fails('A filter is not valid.');
  const noSpace = fails('There is no such space; the text says how it ended when there was one.');
  return [
    {
      method: 'GET',
      path: '/api/logs',
      name: 'listLogs',
      gather: { as: 'list', time: 'timestamp', isNewest: true, start: '0', arrange: inOrderOfTrace },
      tag,
      summary: 'The newest log entries, oldest first.',
      description:
        'Every field of an entry is a filter: its value is a pattern. With the id of one trace as `trace`, and without `after`, each entry stands below the span that it is a part of.',
      query: {
        ...FILTERS,
        limit: Type.Integer({
          minimum: 0,
          default: DEFAULT_LIMIT,
          description: 'The newest so many; with `after`, the first so many after it.',
        }),
      },
      responses: { 200: answers('The entries.', Type.Array(LogEntrySchema)), 400: wrong, 404: noSpace },
      async handle(request, host) {
        const limit = Number(request.query['limit'] ?? DEFAULT_LIMIT);
        const filter = readFilter(request);
        const test = readFields(request, host);
        const { journal } = journalsOf(request, host);
        const shown = (found: readonly JournalItem[]): ListAnswer => ({
          list: isOfOneTrace(request.query) ? inTraceOrder(found) : found,
          show: renderItem,
        });
        if (journal instanceof JoinedJournal)
          return shown(await runInSlices(journal.latest(filter, limit, renderBare, test), request.signal));
        if (test === undefined) return { list: journal.items({ ...filter, limit }), show: renderItem };
        const most = filter.after === undefined ? { newest: limit } : { oldest: limit };
        const items = journal.items(filter);
        return shown(await select(items, renderBare, test, { ...most, signal: request.signal }));
      },
    },
    {
      method: 'GET',
      path: '/api/logs/{id}',
      name: 'getLogEntry',
      gather: { as: 'one', param: 'id' },
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
      gather: { as: 'sums', fields: ['count'] },
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
        404: noSpace,
      },
      async handle(request, host) {
        const filter = readFilter(request);
        const test = readFields(request, host);
        const { journal } = journalsOf(request, host);
        if (test !== undefined) {
          const { signal } = request;
          const found =
            journal instanceof JoinedJournal
              ? await runInSlices(journal.latest(filter, Infinity, renderBare, test), signal)
              : await select(journal.items(filter), renderBare, test, { signal });
          return { body: { count: found.length, complete: false } };
        }
        const { count, complete } = journal.count(filter);
        return { body: complete ? { count } : { count, complete } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/logs',
      name: 'clearLogs',
      reach: 'command',
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
      gather: { as: 'entries' },
      tag,
      summary: 'Log entries as they appear, as server-sent events.',
      description:
        'One unnamed event per entry. `Last-Event-ID` or `after` resumes from what is still held. A reader that is ' +
        'too slow gets an event `dropped` with the count of entries that it missed. With `rate` those beyond it are left out, ' +
        'and an event `skipped` has their count: what is left out costs the server nothing.',
      query: {
        ...FILTERS,
        rate: Type.Integer({
          minimum: 10,
          maximum: 100_000,
          description:
            'How many entries are sent a second at most, as they appear; all when absent. While more than ten times as many appear, a quarter.',
        }),
        burst: Type.Integer({
          minimum: 0,
          maximum: 100_000,
          default: 0,
          description: 'With `rate`: how many are sent at once when few have appeared for a while.',
        }),
      },
      responses: {
        200: { description: 'The events.', contentType: 'text/event-stream' },
        400: wrong,
        404: noSpace,
      },
      handle(request, host) {
        const { after, ...filter } = readFilter(request);
        const from = lastEventId(request) ?? after;
        const test = readFields(request, host);
        const fits = test && ((item: JournalItem): boolean => runAtOnce(test(renderBare(item))));
        const { rate, burst = '0' } = request.query;
        const { journal, space } = journalsOf(request, host);
        return {
          events: (sink) => {
            const pace = rate === undefined ? undefined : new Pace(Number(rate), Number(burst));
            const end = followJournal(journal, filter, from, sink, fits, pace);
            const forget = space?.onEnd(() => sink.end());
            return () => {
              forget?.();
              end();
            };
          },
        };
      },
    },
  ];
}

/** The id of one trace. */
const TRACE = /^[\da-f]{32}$/;

/** Whether the whole of one trace is asked for. */
function isOfOneTrace({ after, trace }: RouteRequest['query']): boolean {
  return after === undefined && trace !== undefined && TRACE.test(trace);
}

/** Those of several replicas, in the order in which those of one would be. */
function inOrderOfTrace(entries: readonly Item[], query: RouteRequest['query']): readonly Item[] {
  if (!isOfOneTrace(query)) return entries;
  return orderTrace(entries as readonly (Item & JournalEntry)[]).map(({ entry }) => entry);
}

/** The entries of one trace, each below the span that it is a part of. */
function inTraceOrder(items: readonly JournalItem[]): readonly JournalItem[] {
  // Of the same time are those in the order in which they appeared, also of spaces, which number their own.
  const lines = items.map((item, index) => ({ ...item.render('bodies'), id: String(index), item }));
  return orderTrace(lines).map(({ entry }) => entry.item);
}

function readFilter({ query }: RouteRequest): JournalFilter {
  const { protocol, matched_id: matchedId, after } = query;
  return {
    ...(protocol === undefined || protocol === '' ? {} : { protocol }),
    ...(matchedId === undefined || matchedId === '' ? {} : { matchedId }),
    ...(query['unmatched'] === 'true' || query['matched'] === 'false' ? { unmatched: true } : {}),
    ...(query['matched'] === 'true' ? { unmatched: false } : {}),
    ...(after === undefined ? {} : { after }),
  };
}

/** The fields that entries must have; undefined when none are named. */
function readFields({ query, main }: ManagementRequest, host: Host): FieldTest | undefined {
  const { mock_id: mockId, rate: _rate, burst: _burst, space, ...others } = query;
  // Of the main world it says which journals are read.
  const fields = host === main || space === undefined ? others : { ...others, space };
  const test = FIELDS.compile(fields, host.clock.now());
  const pattern = mockId === undefined ? undefined : checkAt('/mock_id', () => compilePattern(mockId));
  if (pattern === undefined || pattern.any) return test;
  return function* (entry) {
    if (!pattern.test((entry as JournalEntry).matched_id)) return false;
    return test === undefined || (yield* test(entry));
  };
}

/**
 * The header `Last-Event-ID`, which a browser sends when it connects again; ignored when it is not an id of an entry.
 */
function lastEventId({ headers }: RouteRequest): string | undefined {
  const value = headers['last-event-id'];
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? value : undefined;
}
