import {
  base64Field,
  delayField,
  jsonField,
  patternField,
  PatternSchema,
  textField,
  Type,
} from '@backlot/core/plugin';

/** A quality of service. */
const describeQos = (description: string) =>
  Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2)], { default: 0, description });

const available = (what: string) =>
  Type.Optional(Type.Boolean({ default: true, description: `Whether ${what} are there.` }));

const LimitsSchema = Type.Object(
  {
    receive_maximum: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 1000,
        description: 'Messages of QoS 1 and 2 that a client may have open.',
      }),
    ),
    maximum_packet_size: Type.Optional(
      Type.Integer({
        minimum: 64,
        maximum: 10_485_760,
        default: 10_485_760,
        description: 'The most bytes of a packet that a client may send.',
      }),
    ),
    topic_alias_maximum: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1000,
        default: 32,
        description: 'Names that a client may give to topics.',
      }),
    ),
    maximum_qos: Type.Optional(
      Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2)], {
        default: 2,
        description: 'The highest quality of service that is taken; subscriptions are granted no more.',
      }),
    ),
    retain_available: available('retained messages'),
    wildcard_subscription_available: available('subscriptions with wildcards'),
    subscription_identifiers_available: available('subscription identifiers'),
    shared_subscription_available: available('shared subscriptions'),
    server_keep_alive: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description: 'The keep-alive in seconds, in place of what the client asks for; 0 is none.',
      }),
    ),
    session_expiry_maximum: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 4_294_967_295,
        description: 'The longest time, in seconds, that a session is kept without its client.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'What clients of MQTT 5 are told in their CONNACK, and held to.',
  },
);

/** What `protocols.mqtt` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    users: Type.Optional(
      Type.Array(
        Type.Object(
          {
            username: Type.String({ minLength: 1, description: 'The user name of the CONNECT.' }),
            password: Type.String({ description: 'The password of the CONNECT.' }),
          },
          { additionalProperties: false },
        ),
        { description: 'Who may connect; without it any login passes.' },
      ),
    ),
    limits: Type.Optional(LimitsSchema),
  },
  { additionalProperties: false },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    topic: patternField(
      'The topic of the message: `+` is one level, `{name}` one level that is captured, a last `#` the level before it and ' +
        'everything below; or a pattern.',
    ),
    payload: Type.Optional(patternField('The payload as text, as a pattern; absent is any.')),
    user_properties: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description:
          'MQTT 5: patterns for user properties by name, in any case; of one that came more than once any value may match.',
      }),
    ),
    content_type: Type.Optional(
      patternField('MQTT 5: the content type, as a pattern; absent is any or none.'),
    ),
    response_topic: Type.Optional(
      patternField('MQTT 5: the response topic, as a pattern; absent is any or none.'),
    ),
    correlation_data: Type.Optional(
      patternField(
        'MQTT 5: the correlation data, as a pattern; data that are no text are compared as base64. Absent is any or none.',
      ),
    ),
    response: Type.Optional(
      Type.Object(
        {
          topic: Type.Optional(
            Type.String({
              description:
                'Where the answer is published, a template; absent or empty is the response topic of the message, or its ' +
                'topic and `/response`.',
            }),
          ),
          payload: textField({ default: '', description: 'The payload of the answer; a template.' }),
          json: jsonField('payload'),
          payload_base64: base64Field('payload'),
          qos: Type.Optional(describeQos('The quality of service of the answer: 0, 1 or 2.')),
          retain: Type.Optional(
            Type.Boolean({
              default: false,
              description: 'Whether the answer is retained, so that later subscribers get it.',
            }),
          ),
          content_type: Type.Optional(
            Type.String({ description: 'MQTT 5: the content type of the answer; a template.' }),
          ),
          response_topic: Type.Optional(
            Type.String({ description: 'MQTT 5: the response topic of the answer; a template.' }),
          ),
          correlation_data: Type.Optional(
            Type.String({
              description:
                'MQTT 5: the correlation data of the answer, a template; absent are those of the message, and empty is none.',
            }),
          ),
          user_properties: Type.Optional(
            Type.Record(
              Type.String({ minLength: 1 }),
              Type.Union([Type.String(), Type.Array(Type.String())]),
              {
                description:
                  'MQTT 5: the user properties of the answer; the values are templates, a list gives a name more than once.',
              },
            ),
          ),
          message_expiry: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 4_294_967_295,
              description: 'MQTT 5: in how many seconds the answer expires; absent is never.',
            }),
          ),
          payload_format_indicator: Type.Optional(
            Type.Boolean({ description: 'MQTT 5: whether the answer says that its payload is text.' }),
          ),
          delay: Type.Optional(
            delayField('Waits this long before the answer is published: a duration, or how it is rolled.'),
          ),
        },
        {
          additionalProperties: false,
          description: 'The message that is published in answer; absent: none, the mock only counts.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    reason_code: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 255,
        description:
          'The reason code of the PUBACK or PUBREC that an MQTT 5 client gets: 0, 16, 128, 131, 135, 144, 145, 151 or 153. ' +
          'With a code of 128 or more the message is delivered to no subscriber.',
      }),
    ),
    drop: Type.Optional(
      Type.Boolean({
        description: 'Whether the answer of the mock is dropped; with `false` it is published.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A message that a client published. */
export const CaptureSchema = Type.Object(
  {
    id: Type.String({ description: 'Unique among all captured messages.' }),
    topic: Type.String({ description: 'The topic.' }),
    payload: Type.String({ description: 'The payload, as text or in base64.' }),
    payload_encoding: Type.Union([Type.Literal('text'), Type.Literal('base64')], {
      description: '`base64` when the payload is not text.',
    }),
    qos: describeQos('The quality of service it was sent with.'),
    retain: Type.Boolean({ description: 'Whether it was to be retained.' }),
    timestamp: Type.String({ description: 'When it arrived: RFC 3339, UTC, with milliseconds.' }),
    client_id: Type.String({ description: 'The client that published it.' }),
    content_type: Type.Optional(Type.String({ description: 'MQTT 5: its content type.' })),
    response_topic: Type.Optional(Type.String({ description: 'MQTT 5: where its answer is wanted.' })),
    correlation_data: Type.Optional(
      Type.String({ description: 'MQTT 5: its correlation data; in base64 when they are no text.' }),
    ),
    user_properties: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'MQTT 5: its user properties, each with the values in their order.',
      }),
    ),
  },
  { additionalProperties: false },
);
