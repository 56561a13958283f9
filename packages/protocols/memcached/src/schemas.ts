import { base64Field, jsonField, patternField, textField, Type } from '@backlot/core/plugin';

const pattern = (description: string) => Type.Optional(patternField(description));

/** An item that is there from the start. */
const ItemSchema = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 250,
      description: 'The key: without spaces and control characters.',
    }),
    value: Type.Optional(Type.String({ description: 'What is sent, as a text.' })),
    json: Type.Optional(Type.Unknown({ description: 'A JSON value, in place of `value`.' })),
    value_base64: Type.Optional(Type.String({ description: 'Bytes in base64, in place of `value`.' })),
    flags: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4_294_967_295,
        default: 0,
        description: 'The flags of the client.',
      }),
    ),
    ttl: Type.Optional(Type.String({ description: 'How long it stays, a duration: `1h`.' })),
  },
  { additionalProperties: false },
);

/** What `protocols.memcached` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    mode: Type.Optional(
      Type.Union([Type.Literal('stateful'), Type.Literal('mock')], {
        default: 'stateful',
        description:
          'How a command that no mock matches is answered: `stateful` stores and finds data as memcached does, `mock` stores and finds nothing.',
      }),
    ),
    max_memory: Type.Optional(
      Type.Integer({
        minimum: 1024 * 1024,
        maximum: 16 * 1024 * 1024 * 1024,
        description:
          'The most bytes that all items take together; 64 MiB when absent. Only in mode `stateful`.',
      }),
    ),
    max_item_bytes: Type.Optional(
      Type.Integer({
        minimum: 1024,
        maximum: 134_217_728,
        default: 1_048_576,
        description:
          'The most bytes of one item, its key and 59 bytes for itself included; larger ones are `SERVER_ERROR object too large for cache`.',
      }),
    ),
    items: Type.Optional(
      Type.Array(ItemSchema, {
        description: 'Items that are there from the start, and after a reset. Only in mode `stateful`.',
      }),
    ),
    evictions: Type.Optional(
      Type.Boolean({
        description:
          'Whether the items that were used longest ago make room for new ones, as they do when absent; else storing is `SERVER_ERROR out of memory storing object`. Only in mode `stateful`.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    command: pattern(
      'The command in the words of the text protocol (`get`, `set`, `mg` ...); absent is any command.',
    ),
    key: pattern('The key; of `stats` what stands behind it. Absent is any key.'),
    response: Type.Optional(
      Type.Object(
        {
          value: textField({
            description:
              'What is read, or the number that was counted; of `stats` a name and a value per line. A template; empty when absent, and 0 for a number.',
          }),
          json: jsonField('value'),
          value_base64: base64Field('value'),
          flags: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 4_294_967_295,
              default: 0,
              description: 'The flags of what is read.',
            }),
          ),
          status: Type.Optional(
            Type.String({
              description:
                'How the command ends: `VALUE`, `END`, `STORED`, `NOT_STORED`, `EXISTS`, `NOT_FOUND`, `DELETED`, `TOUCHED` or `OK`, as far as the command can end so, or `SERVER_ERROR`, `CLIENT_ERROR` or `ERROR` with a text. When absent, the command succeeds.',
            }),
          ),
        },
        { additionalProperties: false, description: 'What is answered.' },
      ),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    error_type: Type.Optional(
      Type.Union([Type.Literal('SERVER_ERROR'), Type.Literal('CLIENT_ERROR'), Type.Literal('ERROR')], {
        default: 'SERVER_ERROR',
        description:
          'The class of the error; in the binary protocol 0x84 (internal error), 0x04 (invalid arguments) and 0x81 (unknown command).',
      }),
    ),
    message: Type.Optional(
      Type.String({
        pattern: '^[ -~]{0,1000}$',
        default: 'fault injected',
        description: 'The text of the error: one line of ASCII.',
      }),
    ),
  },
  { additionalProperties: false },
);
