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
  },
  { additionalProperties: false },
);
