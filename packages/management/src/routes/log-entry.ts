import type { JournalEntry, JournalItem } from '@backlot/core';
import { Type } from '@backlot/core/plugin';

/** Why a mock did not match. */
export const NearMissSchema = Type.Object({ mock_id: Type.String(), reason: Type.String() });

/** Names the entry that those that are asked for come after, as a query parameter. */
export const AfterSchema = Type.String({
  pattern: '^[0-9]+$',
  description: 'Only entries after the one with this id; `0` begins with the oldest.',
});

/** What lists show of an entry. */
export function renderItem(item: JournalItem): JournalEntry {
  return item.render();
}

/** What filters look at. */
export function renderBare(item: JournalItem): JournalEntry {
  return item.render('near_misses');
}

const values = Type.Record(Type.String(), Type.Unknown());

const attributes = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** A span of an application. */
export const SpanSchema = Type.Object(
  {
    trace: Type.String({ description: 'The id of its trace.' }),
    id: Type.String(),
    parent: Type.Optional(Type.String({ description: 'The id of the span that it is a part of.' })),
    name: Type.String(),
    kind: Type.String({ description: '`internal`, `server`, `client`, `producer` or `consumer`.' }),
    service: Type.String({ description: '`service.name` of what made it.' }),
    status: Type.String({ description: '`unset`, `ok` or `error`.' }),
    message: Type.Optional(Type.String({ description: 'Why it ended so.' })),
    start: Type.String({ description: 'Nanoseconds since 1970.' }),
    end: Type.String({ description: 'Nanoseconds since 1970.' }),
    attributes: attributes('Plain values by name.'),
    resource: attributes('The attributes of what made it.'),
    scope: Type.Object(
      { name: Type.String(), version: Type.Optional(Type.String()) },
      { description: 'The library that made it.' },
    ),
    events: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String(), time: Type.String(), attributes: attributes('Its own.') }),
      ),
    ),
    links: Type.Optional(
      Type.Array(
        Type.Object({ trace: Type.String(), id: Type.String(), attributes: attributes('Its own.') }),
      ),
    ),
    dropped: Type.Optional(Type.Integer({ description: 'How much of it was left out or cut.' })),
  },
  { description: 'There when it is no message but a span of an application.' },
);

/** One entry of the log. */
export const LogEntrySchema = Type.Object({
  id: Type.String({ description: 'Ids increase.' }),
  timestamp: Type.String(),
  space: Type.Optional(Type.String({ description: 'The space that it belongs to; absent for none.' })),
  replica: Type.Optional(
    Type.String({ description: 'The replica in whose log it is, where the answer is of several.' }),
  ),
  protocol: Type.String({ description: 'The kind of protocol; `span` for a span of an application.' }),
  method: Type.String({ description: "The kind's own verb." }),
  path: Type.String({ description: "The kind's own target." }),
  status: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
  duration_ms: Type.Integer({
    minimum: 0,
    description: 'Whole milliseconds from the message to the end of its answer; 0 before that end.',
  }),
  delays: Type.Optional(
    Type.Object(
      {
        mock_ms: Type.Optional(
          Type.Integer({ description: 'By the mock, or by the slowest of those that answered together.' }),
        ),
        fault_ms: Type.Optional(
          Type.Integer({ description: 'By the fault of the protocol and that of the mock.' }),
        ),
      },
      { description: 'For how long the answer was delayed on purpose, in milliseconds.' },
    ),
  ),
  trace: Type.Optional(
    Type.String({ description: 'The id of its trace, of the header `traceparent` (W3C Trace Context).' }),
  ),
  headers: Type.Optional(values),
  query: Type.Optional(values),
  body: Type.Optional(Type.String()),
  body_encoding: Type.Optional(Type.Literal('base64', { description: 'When the body is not text.' })),
  body_truncated: Type.Optional(Type.Boolean({ description: 'Only the first 64 KiB are kept.' })),
  matched_id: Type.Optional(Type.String({ description: 'The mock that matched.' })),
  path_params: Type.Optional(values),
  fault: Type.Optional(Type.Boolean({ description: 'A fault hit it.' })),
  remote: Type.Optional(Type.String()),
  response: Type.Optional(
    Type.Object(
      {
        status: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
        headers: Type.Optional(values),
        body: Type.Optional(Type.String()),
      },
      { additionalProperties: true },
    ),
  ),
  unmatched: Type.Optional(
    Type.Boolean({
      description:
        'A mock was looked for and none matched, unless data of the protocol, or the protocol by itself, has answered.',
    }),
  ),
  missed: Type.Optional(
    Type.Boolean({
      description:
        'A mock was looked for, none matched, and the protocol has no other answer, as brokers and stores have.',
    }),
  ),
  near_misses: Type.Optional(Type.Array(NearMissSchema)),
  upstream: Type.Optional(
    Type.Object(
      {
        answered: Type.Optional(Type.Boolean({ description: 'Whether the answer is that of the upstream.' })),
        recorded_id: Type.Optional(Type.String({ description: 'The mock that was made of it.' })),
        patterns: Type.Optional(
          Type.Array(Type.String(), {
            description: 'What of the message became a pattern in that mock, and by which rule.',
          }),
        ),
        differences: Type.Optional(
          Type.Array(Type.String(), {
            description: 'Where the upstream answers otherwise than the mock; empty where it does not.',
          }),
        ),
      },
      { description: 'What the upstream has to do with it; absent when it was not asked.' },
    ),
  ),
  contract: Type.Optional(
    Type.Object(
      {
        operation: Type.Optional(
          Type.String({
            description: 'The operation that it is one of; absent where the contract has none.',
          }),
        ),
        violations: Type.Optional(
          Type.Array(
            Type.Object({
              in: Type.Union([Type.Literal('request'), Type.Literal('answer')]),
              path: Type.String({ description: 'A JSON pointer into the message, such as `/body/name`.' }),
              message: Type.String({ description: 'What would be right.' }),
              value: Type.Optional(Type.Unknown({ description: 'What stands there, where it is short.' })),
            }),
            { description: 'What is not allowed; absent where everything is.' },
          ),
        ),
        unchecked: Type.Optional(
          Type.Array(Type.Union([Type.Literal('request'), Type.Literal('answer')]), {
            description: 'Whose body is too long to be held to its schema.',
          }),
        ),
      },
      { description: 'What the contract has to do with it; absent where there is none.' },
    ),
  ),
  aborted: Type.Optional(Type.Boolean({ description: 'The client left first.' })),
  span: Type.Optional(SpanSchema),
});
