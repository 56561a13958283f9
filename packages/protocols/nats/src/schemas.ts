import { PatternSchema, patternField, Type } from '@backlot/core/plugin';

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
        description: 'Most bytes of a message, headers included; clients are told.',
      }),
    ),
    max_control_line: Type.Optional(
      Type.Integer({
        minimum: 64,
        maximum: 64 * 1024,
        default: 4096,
        description: 'Most bytes of a line of the protocol, without the name of the operation.',
      }),
    ),
    max_pending: Type.Optional(
      Type.Integer({
        minimum: 1024,
        default: 64 * 1024 * 1024,
        description: 'Most bytes that may wait for a client to read them; then it is cut as a slow consumer.',
      }),
    ),
    max_subscriptions: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        default: 50_000,
        description: 'Most subscriptions of a connection; a further one is told that they are exceeded.',
      }),
    ),
    ping_interval: Type.Optional(
      Type.String({
        default: '2m',
        description: 'A client that has sent nothing for this long gets a PING; `0` never.',
      }),
    ),
    ping_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 2,
        description: 'A client that leaves more PINGs in a row unanswered is cut as stale.',
      }),
    ),
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
    payload: Type.Optional(
      Type.String({
        default: '',
        description:
          'The payload of the answer, a template; `{{request.raw_body}}` alone gives the bytes back.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description:
          'Headers of the answer, values are templates; `Status` with three digits becomes its status line.',
      }),
    ),
    delay: Type.Optional(
      Type.String({
        description: 'Waits this long before the answer; comes on top of the `delay` of the mock.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'The answer; absent: the message is taken and not answered.',
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
          'Lose the message: no subscriber gets it, no mock answers, and nobody is told. `false`: it passes.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A captured message. */
export const CaptureSchema = Type.Object(
  {
    id: Type.String({ description: 'Unique.' }),
    subject: Type.String({ description: 'Where it was published.' }),
    reply: Type.Optional(Type.String({ description: 'The reply subject, when there is one.' })),
    payload: Type.String({ description: 'The payload: text, or base64 as `payload_encoding` says.' }),
    payload_encoding: Type.Optional(
      Type.Literal('base64', { description: 'There when the payload is not UTF-8.' }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'The headers, when there are any.',
      }),
    ),
    timestamp: Type.String({ format: 'date-time', description: 'When it came.' }),
  },
  { additionalProperties: false },
);
