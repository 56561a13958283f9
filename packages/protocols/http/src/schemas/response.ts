import { base64Field, delayField, jsonField, textField, Type, type ValueOf } from '@backlot/core/plugin';
import { BrokenSchema } from './broken.js';

/** A status code of an answer. */
export const StatusSchema = Type.Integer({
  minimum: 100,
  maximum: 599,
  default: 200,
  description: 'The status code. 101 is refused, because a mock cannot switch protocols.',
});

const HeadersSchema = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
  description: 'Header fields; a list sends the field once per value. Values are templates.',
});

/** One event of a streaming answer. */
const StreamEventSchema = Type.Object(
  {
    data: textField({ default: '', description: 'The text; a template.' }),
    json: jsonField('data'),
    data_base64: base64Field('data'),
    event: Type.Optional(Type.String({ description: 'The event name of a server-sent event.' })),
    id: Type.Optional(Type.String({ description: 'The id of a server-sent event.' })),
    delay: Type.Optional(delayField('Waits this long before the event: a duration, or how it is rolled.')),
  },
  { additionalProperties: false },
);

/** A streaming answer. */
export const StreamSchema = Type.Object(
  {
    events: Type.Optional(
      Type.Array(StreamEventSchema, { description: 'The events, in the order in which they are sent.' }),
    ),
    keep_open: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the stream stays open after the last event, so that `/api/streams/push` can send more.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Answers as a stream: server-sent events when the content type is `text/event-stream`, else plain chunks.',
  },
);

const ChunksSchema = Type.Object(
  {
    count: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'How many pieces, of about the same size.',
    }),
    over: Type.String({
      description:
        'How long all pieces take together, a duration such as `2s`; they are sent at even intervals.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Sends the body slowly, in pieces; its `Content-Length` is sent as for any other body.',
  },
);

const responseFields = {
  status: Type.Optional(StatusSchema),
  headers: Type.Optional(HeadersSchema),
  body: textField({
    description:
      'The body, a plain text; a template. The forms {file} and {dir} are not accepted here, and a JSON value is ' +
      'given as `json`.',
  }),
  json: jsonField('body'),
  body_base64: base64Field('body'),
  compress: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Compresses the body with what `Accept-Encoding` allows: br, gzip or deflate.',
    }),
  ),
  ranges: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Answers a `Range` of the body with 206 or 416, when the status is 200 and the method GET.',
    }),
  ),
  delay: Type.Optional(delayField('Waits this long before the answer: a duration, or how it is rolled.')),
  chunks: Type.Optional(ChunksSchema),
  bytes_per_second: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Sends the body slowly: how many bytes of it are sent in a second. Give this or `chunks`.',
    }),
  ),
  broken: Type.Optional(BrokenSchema),
};

/** One entry of a sequence; what it leaves out comes from `response`. */
export const SequenceEntrySchema = Type.Object(responseFields, { additionalProperties: false });

/** The answer of a mock. */
export const ResponseSchema = Type.Object(
  { ...responseFields, stream: Type.Optional(StreamSchema) },
  { additionalProperties: false, description: 'The answer.' },
);

/** What is pushed into an open stream: a text, sent as it is, or an event. */
export const StreamDataSchema = Type.Union(
  [
    Type.String(),
    Type.Object(
      {
        data: Type.Unknown({ description: 'The text; any other JSON value is written as JSON.' }),
        event: Type.Optional(Type.String({ description: 'The event name of a server-sent event.' })),
        id: Type.Optional(Type.String({ description: 'The id of a server-sent event.' })),
      },
      { additionalProperties: false },
    ),
  ],
  {
    description:
      'The text to send, framed as a server-sent event where the stream is one; or `{event, id, data}` for such an event.',
  },
);

/** See {@link StreamDataSchema}. */
export type StreamData = ValueOf<typeof StreamDataSchema>;

/** See {@link ResponseSchema}. */
export type ResponseDefinition = ValueOf<typeof ResponseSchema>;
/** See {@link StreamSchema}. */
export type StreamDefinition = ValueOf<typeof StreamSchema>;
