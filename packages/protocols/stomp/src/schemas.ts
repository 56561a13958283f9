import {
  base64Field,
  delayField,
  jsonField,
  patternField,
  PatternSchema,
  textField,
  Type,
} from '@backlot/core/plugin';

const DEFAULT_MAX_MESSAGE = 16 * 1024 * 1024;

/** What `protocols.stomp` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    users: Type.Optional(
      Type.Array(
        Type.Object(
          {
            username: Type.String({ minLength: 1, description: 'The header `login` of CONNECT.' }),
            password: Type.String({ description: 'The header `passcode` of CONNECT.' }),
          },
          { additionalProperties: false },
        ),
        { description: 'Who may log in; without users any login passes, and none is needed.' },
      ),
    ),
    wildcards: Type.Optional(
      Type.Union([Type.Literal('rabbitmq'), Type.Literal('activemq'), Type.Literal('none')], {
        default: 'rabbitmq',
        description:
          'Wildcards in the destinations of subscriptions to `/topic/...`, between dots: those of RabbitMQ (`*` one word, `#` any number), those of ActiveMQ (`*` one word, `>` at the end any number), or none.',
      }),
    ),
    max_message_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 67_108_864,
        default: DEFAULT_MAX_MESSAGE,
        description: 'The most bytes of the body of a message; a larger one is refused with an ERROR frame.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The limit on bodies when the configuration names none. */
export const MAX_MESSAGE_BYTES = DEFAULT_MAX_MESSAGE;

const ANSWER_FIELDS = {
  destination: Type.Optional(
    Type.String({
      description:
        'Where the answer is published; a template. Absent or empty: the `reply-to` header of the message, and without one where the message was sent; for SUBSCRIBE, that subscription alone.',
    }),
  ),
  body: textField({ default: '', description: 'The body; a template.' }),
  json: jsonField('body'),
  body_base64: base64Field('body'),
  content_type: Type.Optional(
    Type.String({
      description:
        'The content type; a template. `application/json`, `text/plain`, or for a body in base64 `application/octet-stream` when absent or empty.',
    }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String({ minLength: 1 }), Type.String(), {
      description: 'Further headers; the values are templates.',
    }),
  ),
};

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    command: Type.Optional(
      Type.Union([Type.Literal('SEND'), Type.Literal('SUBSCRIBE')], {
        default: 'SEND',
        description:
          'The frames that it is for: messages, or subscriptions, which are answered with messages to who has subscribed.',
      }),
    ),
    destination: Type.Optional(
      patternField('The destination of the message or of the subscription; absent is any.'),
    ),
    body: Type.Optional(
      patternField('The body of the message; one that is no text is compared as base64. Absent is any.'),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description: 'Patterns for headers by name, in any case.',
      }),
    ),
    response: Type.Optional(
      Type.Object(ANSWER_FIELDS, {
        additionalProperties: false,
        description: 'The message that is published as the answer; absent: none, the mock only counts.',
      }),
    ),
    fault: Type.Optional(
      Type.Object(
        {
          message: Type.Optional(
            Type.String({
              minLength: 1,
              default: 'fault injected',
              description: 'The text of the ERROR frame, after which the connection is closed.',
            }),
          ),
          error_rate: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: 1,
              default: 1,
              description: 'How often it fires: 0 is never, 1 always.',
            }),
          ),
        },
        {
          additionalProperties: false,
          description:
            'A fault of this mock alone: the message is not published, or the subscription is refused, with an ERROR frame.',
        },
      ),
    ),
    messages: Type.Optional(
      Type.Array(
        Type.Object(
          {
            ...ANSWER_FIELDS,
            delay: Type.Optional(
              delayField(
                'Waits this long before it, once the one before it is sent: a duration, or how it is rolled.',
              ),
            ),
          },
          { additionalProperties: false },
        ),
        {
          maxItems: 10_000,
          description:
            'Further messages, after `response`, one after the other. A reset, or the end of the subscription that they are for, ends them.',
        },
      ),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    message: Type.Optional(
      Type.String({
        minLength: 1,
        default: 'fault injected',
        description: 'The text of the ERROR frame, after which the connection is closed.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A captured message. */
export const CaptureSchema = Type.Object(
  {
    id: Type.String({ description: 'The `message-id` that receivers see.' }),
    destination: Type.String({ description: 'The destination to which it was sent.' }),
    body: Type.String({ description: 'The body; base64 when `body_encoding` says so.' }),
    body_encoding: Type.Optional(
      Type.Literal('base64', {
        description: '`base64` when the body is not UTF-8 and is written so; absent otherwise.',
      }),
    ),
    headers: Type.Record(Type.String(), Type.String(), { description: 'The headers as they were sent.' }),
    timestamp: Type.String({ description: 'When it arrived, RFC 3339 with milliseconds.' }),
  },
  { additionalProperties: false },
);
