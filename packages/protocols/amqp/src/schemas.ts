import { base64Field, jsonField, patternField, PatternSchema, textField, Type } from '@backlot/core/plugin';

const Name = (description: string, minLength = 1) => Type.String({ minLength, maxLength: 255, description });
const Arguments = Type.Optional(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Arguments as a client would give them, such as `x-message-ttl`.',
  }),
);
const pattern = (description: string) => Type.Optional(patternField(description));

/** An exchange as it is given. */
export const ExchangeSchema = Type.Object(
  {
    name: Name('The name of the exchange.'),
    type: Type.Optional(
      Type.Union(
        [
          Type.Literal('direct'),
          Type.Literal('fanout'),
          Type.Literal('topic'),
          Type.Literal('headers'),
          Type.Literal('x-delayed-message'),
        ],
        {
          default: 'direct',
          description:
            'The type of the exchange: how it chooses the bindings that a message follows. `x-delayed-message` holds back messages with an `x-delay` and then chooses as its argument `x-delayed-type` says.',
        },
      ),
    ),
    durable: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether it is declared as durable; a client that declares it again must give the same value.',
      }),
    ),
    auto_delete: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the exchange is deleted when its last binding is removed.',
      }),
    ),
    internal: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether clients may not publish to it.' }),
    ),
    arguments: Arguments,
  },
  { additionalProperties: false },
);

/** A queue as it is given. */
export const QueueSchema = Type.Object(
  {
    name: Name('The name of the queue.'),
    durable: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether it is declared as durable; a client that declares it again must give the same value.',
      }),
    ),
    auto_delete: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the queue is deleted when its last consumer leaves.',
      }),
    ),
    arguments: Arguments,
  },
  { additionalProperties: false },
);

const BindingSchema = Type.Object(
  {
    exchange: Name('Where messages come from; made as a direct exchange when nothing declares it.'),
    queue: Type.Optional(Name('The queue they go to; made when nothing declares it.')),
    to_exchange: Type.Optional(Name('The exchange they go to, in place of `queue`.')),
    routing_key: Type.Optional(
      Name('The binding key, with `*` and `#` where the exchange is a topic one; absent is every key.', 0),
    ),
    routing_key_pattern: Type.Optional(Name('Another name for `routing_key`.', 0)),
    arguments: Arguments,
  },
  { additionalProperties: false },
);

const UserSchema = Type.Object(
  {
    username: Type.String({ description: 'The name with which a client logs in.' }),
    password: Type.String({ description: 'The password with which a client logs in.' }),
  },
  { additionalProperties: false },
);

/** What `protocols.amqp` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    exchanges: Type.Optional(
      Type.Array(ExchangeSchema, { description: 'Exchanges that are there from the start.' }),
    ),
    queues: Type.Optional(Type.Array(QueueSchema, { description: 'Queues that are there from the start.' })),
    bindings: Type.Optional(
      Type.Array(BindingSchema, { description: 'Bindings that are there from the start.' }),
    ),
    users: Type.Optional(
      Type.Array(UserSchema, { description: 'Who may log in; without it any login passes.' }),
    ),
  },
  { additionalProperties: false },
);

/** The properties of a message as they are given. */
export const PropertiesSchema = Type.Object(
  {
    content_type: Type.Optional(
      Type.String({
        description:
          'The media type; when absent, `application/json` for a body that is JSON and `text/plain` for another.',
      }),
    ),
    content_encoding: Type.Optional(Type.String({ description: 'The encoding of the body.' })),
    headers: Type.Optional(
      Type.Record(Type.String({ maxLength: 255 }), Type.Unknown(), { description: 'Headers by name.' }),
    ),
    delivery_mode: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2, description: '1 is transient, 2 persistent.' }),
    ),
    priority: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 255,
        description:
          'The priority: a queue declared with `x-max-priority` delivers messages of a higher one first.',
      }),
    ),
    correlation_id: Type.Optional(
      Type.String({
        description:
          'The correlation id; when absent, that of the message if the response goes to its `reply_to`.',
      }),
    ),
    reply_to: Type.Optional(Type.String({ description: 'The queue to which the receiver is to answer.' })),
    expiration: Type.Optional(
      Type.String({
        description: 'How long a queue holds it before it drops it: a text of a number of milliseconds.',
      }),
    ),
    message_id: Type.Optional(Type.String({ description: 'The id of the message.' })),
    timestamp: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The time of the message in seconds since 1970-01-01 UTC.' }),
    ),
    type: Type.Optional(
      Type.String({ description: 'The type of the message, as the applications name it.' }),
    ),
    user_id: Type.Optional(Type.String({ description: 'The user that publishes it.' })),
    app_id: Type.Optional(Type.String({ description: 'The application that publishes it.' })),
  },
  { additionalProperties: false, description: 'Properties; texts are templates.' },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    exchange: pattern(
      'The exchange that a message is published to; absent is any, the default one is `re:^$`.',
    ),
    routing_key: pattern(
      'The routing key: words with `*` and `#` as in a topic binding, `{name}` for a word with a name, or a pattern; absent is any.',
    ),
    queue: pattern('A queue that the message is routed to; absent is any or none.'),
    body: pattern('The body as text.'),
    headers: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description:
          'Patterns for headers and properties by name, in any case, such as `x-user` or `correlation_id`; what is no text compares as its JSON.',
      }),
    ),
    response: Type.Optional(
      Type.Object(
        {
          exchange: Type.Optional(
            Type.String({
              description: 'Where it is published; the default exchange when absent; a template.',
            }),
          ),
          routing_key: Type.Optional(
            Type.String({
              description:
                "Its routing key, a template; absent: the message's `reply_to` when `exchange` is absent too, else the mock's `queue`, else the message's routing key.",
            }),
          ),
          body: textField({ default: '', description: 'Its body; a template.' }),
          json: jsonField('body'),
          body_base64: base64Field('body'),
          properties: Type.Optional(PropertiesSchema),
        },
        {
          additionalProperties: false,
          description: 'The message that is published in answer; absent: the message is only counted.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    reply_code: Type.Optional(
      Type.Integer({
        minimum: 300,
        maximum: 599,
        description:
          'Close the channel with this code, such as 404; 320, 402, 501 to 506, 530, 540 and 541 close the connection.',
      }),
    ),
    reply_text: Type.Optional(
      Type.String({
        description: 'The text beside `reply_code`, which is 541 when absent, and 403 for logins.',
      }),
    ),
    blocked: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'The broker is short of something, such as `low on memory`: a connection that begins to publish is told so by connection.blocked, if it understands that, and nothing more is read of it until the fault is lifted. No other message is affected.',
      }),
    ),
    drop: Type.Optional(
      Type.Boolean({
        description:
          'Whether the message is lost: no queue gets it, no mock answers, and a publisher that waits for a confirm gets a nack. With `false` it is routed.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A captured message. */
export const CaptureSchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the captured message, unique among all.' }),
    exchange: Type.String({ description: 'The exchange it was published to; `""` is the default one.' }),
    routing_key: Type.String({ description: 'Its routing key.' }),
    body: Type.String({ description: 'Its body.' }),
    body_encoding: Type.Optional(
      Type.Literal('base64', {
        description: '`base64` when the body is not UTF-8 and is written so; absent otherwise.',
      }),
    ),
    properties: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Its properties under the names of the protocol, `headers` among them.',
    }),
    timestamp: Type.String({ description: 'When it arrived: RFC 3339, UTC, with milliseconds.' }),
  },
  { additionalProperties: false },
);
