import { Type } from '@backlot/core/plugin';

const OriginSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'The name of the stream.' }),
    filter_subject: Type.Optional(
      Type.String({
        description: 'Copies only messages with these subjects, with wildcards; absent is all.',
      }),
    ),
    opt_start_seq: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Copies from this sequence on; absent: from the first message.',
      }),
    ),
    opt_start_time: Type.Optional(
      Type.String({ description: 'Copies what came at this time or later, a date of RFC 3339.' }),
    ),
  },
  { additionalProperties: false },
);

/** A stream as it is given. */
export const StreamSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'The name of the stream.' }),
    description: Type.Optional(Type.String({ description: 'What it is for.' })),
    subjects: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The subjects it takes, with wildcards; absent is its name.',
      }),
    ),
    mirror: Type.Optional(
      Type.Object(OriginSchema.properties, {
        additionalProperties: false,
        description: 'The stream of which this one is a copy, with the same sequences; it takes no subjects.',
      }),
    ),
    sources: Type.Optional(
      Type.Array(OriginSchema, {
        maxItems: 100,
        description: 'Streams whose messages are copied into this one, beside those of its own subjects.',
      }),
    ),
    retention: Type.Optional(
      Type.Union([Type.Literal('limits'), Type.Literal('interest'), Type.Literal('workqueue')], {
        default: 'limits',
        description:
          'Until when messages stay: its limits, all consumers have acknowledged them, or one consumer has.',
      }),
    ),
    discard: Type.Optional(
      Type.Union([Type.Literal('old'), Type.Literal('new')], {
        default: 'old',
        description:
          'What goes when it is full: its oldest messages, or the new one, whose publisher is told.',
      }),
    ),
    max_msgs: Type.Optional(
      Type.Integer({ minimum: -1, default: -1, description: 'The most messages; -1 is no limit.' }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({ minimum: -1, default: -1, description: 'The most bytes; -1 is no limit.' }),
    ),
    max_msgs_per_subject: Type.Optional(
      Type.Integer({
        minimum: -1,
        default: -1,
        description: 'The most messages of each subject; -1 is no limit.',
      }),
    ),
    max_msg_size: Type.Optional(
      Type.Integer({ minimum: -1, default: -1, description: 'The most bytes of a message; -1 is no limit.' }),
    ),
    max_consumers: Type.Optional(
      Type.Integer({ minimum: -1, default: -1, description: 'The most consumers; -1 is no limit.' }),
    ),
    max_age: Type.Optional(
      Type.String({ description: 'How long messages stay, a duration such as `24h`; absent: for ever.' }),
    ),
    duplicate_window: Type.Optional(
      Type.String({
        default: '2m',
        description: 'How long a second message with the same `Nats-Msg-Id` is left out, a duration.',
      }),
    ),
    allow_direct: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether messages may be read without a consumer, directly.',
      }),
    ),
    allow_rollup_hdrs: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether a message may take the place of earlier ones by the header `Nats-Rollup`.',
      }),
    ),
    deny_delete: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether deleting single messages is refused.' }),
    ),
    deny_purge: Type.Optional(Type.Boolean({ default: false, description: 'Whether purging is refused.' })),
  },
  { additionalProperties: false },
);

const BucketSchema = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The name of the bucket; its stream is `KV_` and this name.',
    }),
    description: Type.Optional(Type.String({ description: 'What it is for.' })),
    history: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 64,
        default: 1,
        description: 'How many values of a key are kept.',
      }),
    ),
    ttl: Type.Optional(
      Type.String({ description: 'How long values stay, a duration such as `1h`; absent: for ever.' }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({ minimum: -1, default: -1, description: 'The most bytes; -1 is no limit.' }),
    ),
  },
  { additionalProperties: false },
);

/** JetStream: whether it is there, and what it holds from the start. */
export const JetStreamSchema = Type.Union(
  [
    Type.Boolean(),
    Type.Object(
      {
        max_bytes: Type.Optional(
          Type.Integer({
            minimum: 1024,
            default: 256 * 1024 * 1024,
            description: 'The most bytes that all streams hold together; beyond it publishers are refused.',
          }),
        ),
        streams: Type.Optional(
          Type.Array(StreamSchema, {
            maxItems: 1_000,
            description: 'Streams that are there from the start.',
          }),
        ),
        buckets: Type.Optional(
          Type.Array(BucketSchema, {
            maxItems: 1_000,
            description: 'Buckets of keys and values that are there from the start.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  ],
  { default: false, description: 'JetStream: `true`, or an object with what it holds from the start.' },
);
