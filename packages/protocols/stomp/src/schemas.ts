import { base64Field, jsonField, patternField, PatternSchema, textField, Type } from '@backlot/core/plugin';

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

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    destination: Type.Optional(patternField('The destination that the message was sent to; absent is any.')),
    body: Type.Optional(
      patternField('The body of the message; one that is no text is compared as base64. Absent is any.'),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description: 'Patterns for headers by name, in any case.',
      }),
    ),
    response: Type.Optional(
      Type.Object(
        {
          destination: Type.Optional(
            Type.String({
              description:
                'Where the answer is published; a template. Absent or empty: the `reply-to` header of the message, and without one where the message was sent.',
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
        },
        {
          additionalProperties: false,
          description: 'The message that is published as the answer; absent: none, the mock only counts.',
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
