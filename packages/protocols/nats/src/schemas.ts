import { JetStreamSchema } from './jetstream/schemas.js';
import {
  base64Field,
  delayField,
  jsonField,
  patternField,
  PatternSchema,
  textField,
  Type,
} from '@backlot/core/plugin';

const UserSchema = Type.Object(
  {
    username: Type.Optional(
      Type.String({ minLength: 1, description: 'The name to log in with; together with `password`.' }),
    ),
    password: Type.Optional(Type.String({ description: 'The password.' })),
    token: Type.Optional(
      Type.String({ minLength: 1, description: 'A token to log in with, in place of name and password.' }),
    ),
  },
  { additionalProperties: false },
);

/** What `protocols.nats` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    users: Type.Optional(
      Type.Array(UserSchema, {
        description: 'Who may log in; without it any login passes, and so does none.',
      }),
    ),
    max_payload: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64 * 1024 * 1024,
        default: 1024 * 1024,
        description:
          'The most bytes of a message, headers included, which INFO tells clients; a larger one ends the connection.',
      }),
    ),
    max_control_line: Type.Optional(
      Type.Integer({
        minimum: 64,
        maximum: 64 * 1024,
        default: 4096,
        description: 'The most bytes of a line of the protocol, without the name of the operation.',
      }),
    ),
    max_pending: Type.Optional(
      Type.Integer({
        minimum: 1024,
        default: 64 * 1024 * 1024,
        description:
          'The most bytes that may wait for a client to read them; beyond it the connection is closed as that of a slow consumer.',
      }),
    ),
    max_subscriptions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 50_000,
        description:
          'The most subscriptions of a connection; a further one is refused with the error that the maximum is exceeded.',
      }),
    ),
    ping_interval: Type.Optional(
      Type.String({
        default: '2m',
        description:
          'How long a client may send nothing before it gets a PING, a duration such as `2m`; `0` sends none.',
      }),
    ),
    ping_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 2,
        description:
          'How many PINGs in a row a client may leave unanswered; with one more the connection is closed as stale.',
      }),
    ),
    jetstream: Type.Optional(JetStreamSchema),
    allow_non_tls: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'With TLS: whether clients may go on without upgrading to it.',
      }),
    ),
  },
  { additionalProperties: false },
);

const ResponseSchema = Type.Object(
  {
    subject: Type.Optional(
      Type.String({
        description:
          "Where the answer is published, a template; absent or empty is the message's reply subject.",
      }),
    ),
    payload: textField({
      default: '',
      description:
        'The payload of the answer, a template; `{{request.raw_body}}` alone gives the bytes back.',
    }),
    json: jsonField('payload'),
    payload_base64: base64Field('payload'),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description:
          'Headers of the answer, values are templates; `Status` with three digits becomes its status line.',
      }),
    ),
    delay: Type.Optional(
      delayField(
        'Waits this long before the answer: a duration, or how it is rolled; comes on top of the `delay` of the mock.',
      ),
    ),
  },
  {
    additionalProperties: false,
    description: 'The answer; when absent, the message is counted and not answered.',
  },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    subject: patternField(
      'The subject: `*` is one word, `>` at the end one or more, `{name}` one word with a name; or `re:` or a pattern object.',
    ),
    queue_group: Type.Optional(
      Type.String({
        description:
          'The queue group of which the mock is a member: each message goes to one of its members; empty is none.',
      }),
    ),
    payload: Type.Optional(patternField('A pattern for the payload, read as UTF-8.')),
    headers: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description: 'Patterns for headers by name, in any case.',
      }),
    ),
    response: Type.Optional(ResponseSchema),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    drop: Type.Optional(
      Type.Boolean({
        description:
          'Whether the message is lost: no subscriber gets it, no mock answers, and its sender is not told. With `false` it is delivered. For messages alone.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A captured message. */
export const CaptureSchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the captured message, unique among all.' }),
    subject: Type.String({ description: 'The subject to which it was published.' }),
    reply: Type.Optional(Type.String({ description: 'The reply subject, when there is one.' })),
    payload: Type.String({ description: 'The payload: text, or base64 as `payload_encoding` says.' }),
    payload_encoding: Type.Optional(
      Type.Literal('base64', {
        description: '`base64` when the payload is not UTF-8 and is written so; absent otherwise.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'The headers, when there are any.',
      }),
    ),
    timestamp: Type.String({
      format: 'date-time',
      description: 'When it arrived: RFC 3339, UTC, with milliseconds.',
    }),
  },
  { additionalProperties: false },
);
