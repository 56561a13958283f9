import {
  base64Field,
  delayField,
  DelaySchema,
  jsonField,
  patternField,
  shareField,
  textField,
  textsField,
  Type,
  type ValueOf,
} from '@backlot/core/plugin';
import { FRAMINGS } from './framing.js';

const strict = { additionalProperties: false };

/** What `protocols.websocket` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    share: shareField(
      '`http`: no port of its own, but upgrades on the port of HTTP, those that no HTTP mock takes.',
    ),
  },
  strict,
);

const SEND = 'A text message, as a template';
const SEND_BINARY = 'A binary message, in base64';

const ListedSchema = Type.Object(
  {
    body: textField({ description: `${SEND}.` }),
    json: jsonField('body'),
    body_base64: base64Field('body'),
    delay: Type.Optional(
      delayField(
        'Waits this long before it, once the one before it is sent: a duration, or how it is rolled.',
      ),
    ),
  },
  strict,
);

/** One message, or several that are sent one after the other. */
const messagesField = (description: string) =>
  textsField(ListedSchema, {
    maxItems: 10_000,
    description: `${description} Of a list, each is sent after its \`delay\`, in their order.`,
  });

const OnConnectSchema = Type.Object(
  {
    send: messagesField(`${SEND}, that a client is sent once it is connected.`),
    json: jsonField('send'),
    send_binary: Type.Optional(
      Type.String({
        description: `${SEND_BINARY}, that a client is sent once it is connected, after \`send\`.`,
      }),
    ),
    delay: Type.Optional(delayField('Waits this long before it is sent: a duration, or how it is rolled.')),
  },
  { ...strict, description: 'What a client is sent once it is connected.' },
);

const CloseSchema = Type.Union(
  [
    Type.Boolean(),
    Type.Object(
      {
        code: Type.Optional(
          Type.Integer({ default: 1000, description: 'The close code: 1000 to 1014 or 3000 to 4999.' }),
        ),
        reason: Type.Optional(
          Type.String({ description: 'The reason, a template; at most 123 bytes are sent.' }),
        ),
      },
      strict,
    ),
  ],
  {
    default: false,
    description: 'Closes the connection after the response: `true`, or the code and the reason.',
  },
);

const RuleSchema = Type.Object(
  {
    match: Type.Optional(
      patternField('The text of the message; without it and `match_binary` any message, also a binary one.'),
    ),
    match_binary: Type.Optional(Type.String({ description: 'The bytes of a binary message, in base64.' })),
    respond: messagesField(`${SEND}, that is sent back.`),
    json: jsonField('respond'),
    respond_binary: Type.Optional(
      Type.String({ description: `${SEND_BINARY}, that is sent back, after \`respond\`.` }),
    ),
    delay: Type.Optional(delayField('Waits this long before the response: a duration, or how it is rolled.')),
    close: Type.Optional(CloseSchema),
  },
  strict,
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      description:
        'The path: `{name}` captures a segment, `*` is any one, a trailing `/*` is everything below, `re:` starts a regular expression.',
    }),
    subprotocol: Type.Optional(
      Type.String({ description: 'Only for clients that offer this subprotocol; it is then agreed on.' }),
    ),
    framing: Type.Optional(
      Type.Union(
        FRAMINGS.map((name) => Type.Literal(name)),
        {
          description:
            'How a text message holds several: each ended by U+001E, in a list of JSON, or on a line of its own. Each is matched by itself, and answers are written the same way.',
        },
      ),
    ),
    on_connect: Type.Optional(OnConnectSchema),
    on_message: Type.Optional(
      Type.Array(RuleSchema, {
        description: 'How messages are answered: by the first rule that matches, in their order.',
      }),
    ),
  },
  strict,
);

/** A mock's own fields as values. */
export type WebsocketFields = ValueOf<typeof MockSchema>;
/** One rule of `on_message`. */
export type RuleFields = ValueOf<typeof RuleSchema>;

const Patched = {
  send: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.Union([Type.String(), ListedSchema])), Type.Null()], {
      description: '`on_connect.send`; `null` removes it.',
    }),
  ),
  delay: Type.Optional(
    Type.Union([DelaySchema, Type.Null()], { description: '`on_connect.delay`; `null` removes it.' }),
  ),
};

/** What PATCH takes. */
export const PatchSchema = Type.Object(
  {
    ...Patched,
    on_connect: Type.Optional(
      Type.Object(Patched, { ...strict, description: 'The same fields as in the mock.' }),
    ),
  },
  strict,
);

/** What is pushed into a connection: a text message, as it is, the JSON text of a value, or a binary message. */
export const StreamDataSchema = Type.Union(
  [
    Type.String(),
    Type.Object(
      {
        json: Type.Optional(Type.Unknown({ description: 'A text message: this value, written as JSON.' })),
        base64: Type.Optional(Type.String({ description: 'A binary message: the bytes in base64.' })),
      },
      { ...strict, minProperties: 1, maxProperties: 1 },
    ),
  ],
  {
    description: 'A text message, `{json}` for the JSON text of a value, or `{base64}` for a binary message.',
  },
);

/** See {@link StreamDataSchema}. */
export type StreamData = ValueOf<typeof StreamDataSchema>;

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    close_code: Type.Optional(
      Type.Integer({
        default: 1011,
        description: 'The connection is closed with this code in place of an answer.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'The reason that goes with it; at most 123 bytes.' })),
    status: Type.Optional(
      Type.Integer({
        minimum: 200,
        maximum: 599,
        description: 'Handshakes are refused with this HTTP status; 503 when only `body` or `json` is given.',
      }),
    ),
    body: textField({ description: 'The body of that answer.' }),
    json: jsonField('body', 'The body of that answer as a JSON value, in place of `body`.'),
  },
  strict,
);
