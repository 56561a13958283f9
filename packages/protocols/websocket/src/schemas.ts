import { patternField, Type, type ValueOf } from '@backlot/core/plugin';

const strict = { additionalProperties: false };

/** What `protocols.websocket` may hold beside core's fields. */
export const ConfigSchema = Type.Object({}, strict);

const SEND = 'A text message, as a template';
const SEND_BINARY = 'A binary message, in base64';

const OnConnectSchema = Type.Object(
  {
    send: Type.Optional(Type.String({ description: `${SEND}, that a client is sent once it is connected.` })),
    send_binary: Type.Optional(
      Type.String({
        description: `${SEND_BINARY}, that a client is sent once it is connected, after \`send\`.`,
      }),
    ),
    delay: Type.Optional(Type.String({ description: 'Waits this long before it is sent.' })),
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
    respond: Type.Optional(Type.String({ description: `${SEND}, that is sent back.` })),
    respond_binary: Type.Optional(
      Type.String({ description: `${SEND_BINARY}, that is sent back, after \`respond\`.` }),
    ),
    delay: Type.Optional(Type.String({ description: 'Waits this long before the response.' })),
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
    on_connect: Type.Optional(OnConnectSchema),
    on_message: Type.Optional(
      Type.Array(RuleSchema, {
        description: 'What messages are answered with; the first rule that matches.',
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
    Type.Union([Type.String(), Type.Null()], { description: '`on_connect.send`; `null` removes it.' }),
  ),
  delay: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: '`on_connect.delay`; `null` removes it.' }),
  ),
};

/** What PATCH takes. */
export const PatchSchema = Type.Object(
  {
    ...Patched,
    on_connect: Type.Optional(Type.Object(Patched, { ...strict, description: 'The same fields.' })),
  },
  strict,
);

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
        description: 'Handshakes are refused with this HTTP status; 503 when only `body` is given.',
      }),
    ),
    body: Type.Optional(Type.String({ description: 'The body of that answer.' })),
  },
  strict,
);
