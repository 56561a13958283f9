import { base64Field, jsonField, patternField, placesField, textField, Type } from '@backlot/core/plugin';

/** 1 MiB, the most that is gathered for a message. */
const MAX_FRAME = 1_048_576;

/** What `protocols.tcp` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    framing: Type.Optional(
      Type.Union(
        (['line', 'length-prefix', 'delimiter', 'fixed', 'json', 'nest'] as const).map((name) =>
          Type.Literal(name),
        ),
        {
          description:
            'What a message is: a line, bytes after their length, what ends with `delimiter`, `frame_size` bytes, a JSON object or list, or a message of the TCP transport of Nest. Absent: the mocks decide.',
        },
      ),
    ),
    length_bytes: Type.Optional(
      Type.Union([Type.Literal(1), Type.Literal(2), Type.Literal(4)], {
        description:
          '`length-prefix`: how many bytes the length has, most significant first, 4 when absent; it counts the bytes after it.',
      }),
    ),
    frame_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_FRAME,
        description: '`fixed`: how many bytes every message has.',
      }),
    ),
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'What ends a message, such as a line feed; it is not part of the message. Absent: the mocks decide what a message is.',
      }),
    ),
    idle_timeout: Type.Optional(
      Type.String({
        default: '30s',
        description:
          'How long a connection may be without traffic before it is closed, a duration such as `30s`; `0` is for ever.',
      }),
    ),
    close_unmatched: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether a message that no mock matches closes the connection.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    match: Type.Optional(
      patternField(
        'The message: a pattern for its text, or `hex:` followed by its bytes in hexadecimal; absent is any message.',
      ),
    ),
    body_json: Type.Optional(
      placesField(
        'Patterns or values by place in a message that is JSON, such as `pattern.cmd` or `items.*.id`; for a pattern what is no text compares as its JSON.',
      ),
    ),
    connection_state: Type.Optional(
      placesField(
        'Patterns or values by name of what the connection remembers, which `set_connection_state` of mocks has set.',
      ),
    ),
    set_connection_state: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Union([Type.String(), Type.Null()]), {
        description:
          'What the connection remembers from this message on, by name: templates; `null` forgets. No other connection sees it, and it ends with the connection.',
      }),
    ),
    response: textField({
      description:
        'What is sent back: a template, or `hex:` followed by bytes in hexadecimal; absent is nothing.',
    }),
    json: jsonField('response'),
    response_base64: base64Field('response'),
    close: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the connection is closed after the response.' }),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    response: textField({
      description:
        'What is sent in place of the answer: text, or `hex:` followed by bytes; the connection stays open.',
    }),
    json: jsonField(
      'response',
      'What is sent in place of the answer as a JSON value, in place of `response`.',
    ),
    response_base64: base64Field('response', 'The bytes in base64 that are sent, in place of `response`.'),
    reset: Type.Optional(
      Type.Boolean({ description: 'Reset the connection (TCP RST); with something to send, after it.' }),
    ),
  },
  { additionalProperties: false },
);
