import { patternField, Type } from '@backlot/core/plugin';

/** What `protocols.redis` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    mode: Type.Optional(
      Type.Union([Type.Literal('mock'), Type.Literal('stateful')], {
        default: 'mock',
        description:
          '`stateful` keeps data as a Redis does, and mocks answer before it; `mock` has mocks alone.',
      }),
    ),
    password: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The password of the user `default`; without it any login passes, and so does none.',
      }),
    ),
    max_memory: Type.Optional(
      Type.Integer({
        minimum: 1024,
        default: 256 * 1024 * 1024,
        description: 'Most bytes of stored data; beyond it commands that need more are answered with OOM.',
      }),
    ),
    max_request_bytes: Type.Optional(
      Type.Integer({
        minimum: 1024,
        maximum: 512 * 1024 * 1024,
        default: 64 * 1024 * 1024,
        description: 'Most bytes of one request, and of one stored string.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The types of an answer. */
export const RESPONSE_TYPES = [
  'string',
  'bulk',
  'integer',
  'double',
  'boolean',
  'array',
  'map',
  'set',
  'error',
  'nil',
  'null',
] as const;

/** The type of an answer. */
export type ResponseType = (typeof RESPONSE_TYPES)[number];

const ResponseSchema = Type.Object(
  {
    type: Type.Union(
      RESPONSE_TYPES.map((type) => Type.Literal(type)),
      {
        description:
          'The type of the answer: `string` is a simple string, `nil` and `null` are both no value. A client of RESP2 gets the form it knows.',
      },
    ),
    value: Type.Optional(
      Type.Unknown({
        description:
          'The value; texts are templates. Elements of `array`, `set` and `map` are plain values, or objects of `type` and `value`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The answer.' },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    command: Type.String({
      minLength: 1,
      description: 'The command, in any case, also with a subcommand (`CLIENT LIST`); `*` is any command.',
    }),
    key: Type.Optional(
      patternField(
        'A pattern for the first key (for PUBLISH and the like: the channel); absent is any, and none.',
      ),
    ),
    args: Type.Optional(
      Type.Array(patternField('A pattern.'), {
        description:
          'Patterns for the arguments behind the key, one by one; there may be more arguments than patterns.',
      }),
    ),
    response: ResponseSchema,
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    error: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The whole text of the error, its class in front: `LOADING the dataset is in memory`.',
      }),
    ),
  },
  { additionalProperties: false },
);
