import {
  base64Field,
  choiceOf,
  delayField,
  DelaySchema,
  jsonField,
  patternField,
  PlaceSchema,
  placesField,
  shareField,
  textField,
  textsField,
  Type,
  type ValueOf,
} from '@backlot/core/plugin';
import { DIALECTS, OTHER_KINDS } from './dialects/fields.js';
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
    event: Type.Optional(
      Type.String({ description: '`dialect: socket.io` and `phoenix`: the event, a template.' }),
    ),
    target: Type.Optional(
      Type.String({ description: '`dialect: signalr`: the method of the client, a template.' }),
    ),
    args: Type.Optional(
      Type.Array(Type.Unknown(), {
        description:
          '`dialect: socket.io` and `signalr`: the arguments, JSON values whose texts are templates.',
      }),
    ),
    payload: Type.Optional(
      Type.Unknown({
        description: '`dialect: phoenix`: the payload, a JSON value whose texts are templates.',
      }),
    ),
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
    reply: Type.Optional(
      Type.Unknown({ description: '`dialect: phoenix`: the response that a client joins the topic with.' }),
    ),
    error: Type.Optional(
      Type.Unknown({
        description:
          'In a dialect: the client is not let in, and this is why. socket.io: a text or `{message, data}`; signalr: a text; phoenix: the response.',
      }),
    ),
    delay: Type.Optional(delayField('Waits this long before it is sent: a duration, or how it is rolled.')),
  },
  { ...strict, description: 'What a client is sent once it is connected.' },
);

const OnCloseSchema = Type.Object(
  {
    code: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: 4999,
        description:
          'Only when the connection has ended with this close code, of whichever side closed first; 1006 when it was lost.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'The mock is for the end of connections, and nothing is sent: what else it does is done when a client has left. In a dialect: a namespace, a hub or a topic.',
  },
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
    event: Type.Optional(patternField('`dialect: socket.io` and `phoenix`: the event; without it any.')),
    target: Type.Optional(patternField('`dialect: signalr`: the method of the hub; without it any.')),
    args: Type.Optional(
      Type.Array(PlaceSchema, {
        description:
          '`dialect: socket.io` and `signalr`: patterns or values of the arguments, in their order; there may be more.',
      }),
    ),
    payload: Type.Optional(
      placesField('`dialect: phoenix`: patterns or values by place in the payload, such as `user.name`.'),
    ),
    ack: Type.Optional(
      Type.Array(Type.Unknown(), {
        description:
          '`dialect: socket.io`: what the acknowledgement is called with, where the client asks for one.',
      }),
    ),
    result: Type.Optional(
      Type.Unknown({
        description: '`dialect: signalr`: what the invocation gives, a JSON value with templates.',
      }),
    ),
    items: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: 10_000,
        description: '`dialect: signalr`: what a streaming invocation gives, one after the other.',
      }),
    ),
    interval: Type.Optional(delayField('`dialect: signalr`: waits this long before each of `items`.')),
    reply: Type.Optional(
      Type.Unknown({ description: '`dialect: phoenix`: the response of the reply, with the status `ok`.' }),
    ),
    error: Type.Optional(
      Type.Unknown({
        description:
          '`dialect: signalr`: the error that the invocation ends with, a text. `dialect: phoenix`: the response of the reply, with the status `error`.',
      }),
    ),
    send: Type.Optional(
      Type.Array(ListedSchema, {
        maxItems: 10_000,
        description:
          'In a dialect: events that the client is sent, after the answer, each after its `delay`.',
      }),
    ),
    delay: Type.Optional(delayField('Waits this long before the response: a duration, or how it is rolled.')),
    close: Type.Optional(CloseSchema),
  },
  strict,
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The path: `{name}` captures a segment, `*` is any one, a trailing `/*` is everything below, `re:` starts a regular expression. Without it `/socket.io/` in the dialect socket.io and `/socket/websocket` in phoenix; all others must have it.',
      }),
    ),
    host: Type.Optional(
      patternField(
        'The host that the client means, in small letters and without the port of its scheme, such as `api.example.com` or `localhost:8081`.',
      ),
    ),
    dialect: Type.Optional(
      choiceOf(DIALECTS, {
        description:
          'What is spoken on top: messages are then matched and answered in its terms, and what belongs to the protocol itself is done.',
        elsewhere: OTHER_KINDS,
      }),
    ),
    namespace: Type.Optional(
      Type.String({
        default: '/',
        description: '`dialect: socket.io`: the namespace, a pattern like that of a path.',
      }),
    ),
    topic: Type.Optional(patternField('`dialect: phoenix`: the topic; without it any.')),
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
    respond_on: Type.Optional(
      Type.Union([Type.Literal('message'), Type.Literal('connect')], {
        default: 'message',
        description:
          'When the function of `respond` is called: for each message, or when a client connects. Then it gives `on_connect`, and may go on sending.',
      }),
    ),
    on_connect: Type.Optional(OnConnectSchema),
    on_message: Type.Optional(
      Type.Array(RuleSchema, {
        description: 'How messages are answered: by the first rule that matches, in their order.',
      }),
    ),
    on_close: Type.Optional(OnCloseSchema),
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

/** What is pushed into a connection: a text message, as it is, the JSON text of a value, a binary message, or an event. */
export const StreamDataSchema = Type.Union(
  [
    Type.String(),
    Type.Object(
      {
        json: Type.Optional(Type.Unknown({ description: 'A text message: this value, written as JSON.' })),
        base64: Type.Optional(Type.String({ description: 'A binary message: the bytes in base64.' })),
        event: Type.Optional(
          Type.String({ description: 'The event, where the connection speaks socket.io or phoenix.' }),
        ),
        target: Type.Optional(
          Type.String({ description: 'The method of the client, where the connection speaks signalr.' }),
        ),
        args: Type.Optional(
          Type.Array(Type.Unknown(), { description: 'The arguments that go with `event` or `target`.' }),
        ),
        payload: Type.Optional(
          Type.Unknown({ description: 'The payload that goes with `event` in phoenix.' }),
        ),
      },
      { ...strict, minProperties: 1, maxProperties: 2 },
    ),
  ],
  {
    description:
      'A text message, `{json}` for the JSON text of a value, or `{base64}` for a binary message. In a dialect: `{event, args}` (socket.io), `{target, args}` (signalr) or `{event, payload}` (phoenix).',
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
