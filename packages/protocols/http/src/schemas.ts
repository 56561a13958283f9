import { FAULT_TIMING_FIELDS, PatternSchema, Type, WebhookSchema, type ValueOf } from '@backlot/core/plugin';
import { AuthSchema } from './auth/index.js';

const PatternMap = (description: string) =>
  Type.Optional(Type.Record(Type.String(), PatternSchema, { description }));

const StatusSchema = Type.Integer({
  minimum: 100,
  maximum: 599,
  default: 200,
  description: 'The status code. 101 is refused, because a mock cannot switch protocols.',
});

const HeadersSchema = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
  description: 'Header fields; a list sends the field once per value. Values are templates.',
});

/** The kind's own settings. */
export const ConfigSchema = Type.Object(
  {
    max_body_bytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 10_485_760,
        description: 'The largest request body; beyond it the answer is 413. 0 allows 1 GiB.',
      }),
    ),
    cors: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Lets web pages of any origin read the answers, and answers their preflight requests.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** Which requests a mock answers; all that is given must hold. */
const RequestSchema = Type.Object(
  {
    method: Type.Optional(
      Type.String({
        examples: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', '*'],
        description: 'The method; absent or `*` is any. `GET` answers HEAD as well.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        description:
          'A path pattern: `{name}` and `*` take one segment, a trailing `/*` all below, `re:` a regular expression.',
      }),
    ),
    path_regex: Type.Optional(
      Type.String({ description: 'A regular expression over the decoded path (RE2 syntax).' }),
    ),
    headers: PatternMap('Patterns by header name; names compare without case.'),
    query: PatternMap('Patterns by query parameter; of a repeated one, any value may match.'),
    body: Type.Optional(PatternSchema),
    body_json: PatternMap(
      'Patterns by place in a JSON body, such as `user.roles.0`; what is no text compares as its JSON.',
    ),
    auth: Type.Optional(AuthSchema),
    cookies: PatternMap('Patterns by cookie name.'),
    form: PatternMap('Patterns by field of an urlencoded or multipart form.'),
  },
  {
    additionalProperties: false,
    description: 'Which requests the mock answers; all that is given must hold.',
  },
);

/** One event of a streaming answer. */
const StreamEventSchema = Type.Object(
  {
    data: Type.Optional(Type.String({ default: '', description: 'The text; a template.' })),
    event: Type.Optional(Type.String({ description: 'The event name of a server-sent event.' })),
    id: Type.Optional(Type.String({ description: 'The id of a server-sent event.' })),
    delay: Type.Optional(Type.String({ description: 'Waits this long before the event.' })),
  },
  { additionalProperties: false },
);

/** A streaming answer. */
const StreamSchema = Type.Object(
  {
    events: Type.Optional(Type.Array(StreamEventSchema, { description: 'Sent in order.' })),
    keep_open: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Stays open after the last event, for `/api/streams/push`.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Answers as a stream: server-sent events when the content type is `text/event-stream`, else plain chunks.',
  },
);

const responseFields = {
  status: Type.Optional(StatusSchema),
  headers: Type.Optional(HeadersSchema),
  body: Type.Optional(
    Type.String({
      description: 'The body, a plain text; a template. The forms {file} and {dir} are not accepted here.',
    }),
  ),
  delay: Type.Optional(Type.String({ description: 'Waits this long before the answer.' })),
};

/** One entry of a sequence; what it leaves out comes from `response`. */
const SequenceEntrySchema = Type.Object(responseFields, { additionalProperties: false });

/** The answer of a mock. */
const ResponseSchema = Type.Object(
  { ...responseFields, stream: Type.Optional(StreamSchema) },
  { additionalProperties: false, description: 'The answer.' },
);

/** The fault of one mock. */
const MockFaultSchema = Type.Object(
  {
    ...FAULT_TIMING_FIELDS,
    status_override: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 599, description: 'The status of the error.' }),
    ),
    status: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 599, description: 'The same as `status_override`.' }),
    ),
    body: Type.Optional(Type.String({ description: 'The body of the error.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'Further headers of the error.',
      }),
    ),
    abort: Type.Optional(Type.Boolean({ description: 'Resets the connection instead of an answer.' })),
    truncate_body: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Announces the whole body, sends so many bytes of it and drops the connection.',
      }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: 'Accepted and ignored.' })),
  },
  {
    additionalProperties: false,
    description: 'A fault of this mock alone; with nothing but delays it only slows the answer down.',
  },
);

/** An HTTP mock without core's own fields. */
export const MockSchema = Type.Object(
  {
    request: RequestSchema,
    response: Type.Optional(ResponseSchema),
    sequence: Type.Optional(
      Type.Array(SequenceEntrySchema, {
        description: 'One answer per call; what an entry leaves out comes from `response`.',
      }),
    ),
    sequence_exhausted: Type.Optional(
      Type.Union([Type.Literal('hold_last'), Type.Literal('loop'), Type.Literal('not_found')], {
        default: 'hold_last',
        description: 'After the last entry: keep answering it, begin again, or answer 404.',
      }),
    ),
    stream: Type.Optional(StreamSchema),
    fault: Type.Optional(MockFaultSchema),
    webhooks: Type.Optional(
      Type.Array(WebhookSchema, { description: 'Requests sent in the background when the mock matches.' }),
    ),
  },
  { additionalProperties: false },
);

/** The fault of the kind. */
export const FaultSchema = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 599, description: 'The status of the error; 503 when absent.' }),
    ),
    status_override: Type.Optional(
      Type.Integer({ minimum: 200, maximum: 599, description: 'The same as `status`.' }),
    ),
    body: Type.Optional(
      Type.String({ description: 'The body of the error; `{"error":"fault injected"}` when absent.' }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'Headers of the error.',
      }),
    ),
    abort: Type.Optional(Type.Boolean({ description: 'Resets the connection instead of an answer.' })),
    truncate_body: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Announces the whole body, sends so many bytes of it and drops the connection.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** What PATCH takes, flat or under `response`; `null` takes a field away. */
const patchFields = {
  status: Type.Optional(
    Type.Union([StatusSchema, Type.Null()], { description: 'The status code; `null` is the default again.' }),
  ),
  headers: Type.Optional(
    Type.Union(
      [
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])),
        Type.Null(),
      ],
      {
        description:
          'Merged into the headers; a value of `null` takes that header away, `null` alone takes all away.',
      },
    ),
  ),
  body: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'The body; `null` takes it away.' }),
  ),
  delay: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'The delay; `null` takes it away.' }),
  ),
};

/** The body of PATCH. */
export const PatchSchema = Type.Object(
  {
    ...patchFields,
    response: Type.Optional(
      Type.Object(patchFields, { additionalProperties: false, description: 'The same fields again.' }),
    ),
  },
  { additionalProperties: false, description: 'Changes the answer until the next PUT, PATCH or reset.' },
);

/** What is pushed into an open stream: a text, sent as it is. */
export const StreamDataSchema = Type.String({
  description: 'The text to send; framed as a server-sent event where the stream is one.',
});

/** See {@link MockSchema}. */
export type HttpMock = ValueOf<typeof MockSchema>;
/** See {@link RequestSchema}. */
export type RequestDefinition = ValueOf<typeof RequestSchema>;
/** See {@link ResponseSchema}. */
export type ResponseDefinition = ValueOf<typeof ResponseSchema>;
/** See {@link StreamSchema}. */
export type StreamDefinition = ValueOf<typeof StreamSchema>;
/** See {@link MockFaultSchema}. */
export type MockFaultDefinition = ValueOf<typeof MockFaultSchema>;
/** See {@link FaultSchema}. */
export type FaultFields = ValueOf<typeof FaultSchema>;
