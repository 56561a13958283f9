import { PatternSchema, patternField, Type, type ValueOf } from '@backlot/core/plugin';

/** What `protocols.graphql` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    path: Type.Optional(
      Type.String({
        pattern: '^/[^?#\\s]*$',
        default: '/graphql',
        description: 'Where GraphQL is served, over HTTP and over WebSocket; any other path is a 404.',
      }),
    ),
    max_body_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1024 * 1024 * 1024,
        default: 10 * 1024 * 1024,
        description:
          'The largest request body, beyond which the answer is 413, and the largest WebSocket message, beyond which the connection is closed with 1009.',
      }),
    ),
    cors: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Lets web pages of any origin read the answers, and answers their preflight requests.',
      }),
    ),
    init_timeout: Type.Optional(
      Type.String({
        default: '3s',
        description:
          'How long a WebSocket client may take to send `connection_init` before it is closed with 4408; `0` waits for ever.',
      }),
    ),
  },
  { additionalProperties: false },
);

const OperationTypeSchema = Type.Union(
  [Type.Literal('query'), Type.Literal('mutation'), Type.Literal('subscription')],
  { description: 'The type of the operation; absent is any.' },
);

/** An error as GraphQL has it (GraphQL, section 7.1.2); older servers add entries of their own, so any are taken. */
const ErrorSchema = Type.Object(
  {
    message: Type.String({ description: 'What went wrong; a template.' }),
    path: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Integer()]), {
        description: 'The response field that failed.',
      }),
    ),
    locations: Type.Optional(
      Type.Array(
        Type.Object(
          {
            line: Type.Integer({ minimum: 1, description: 'The line, from 1.' }),
            column: Type.Integer({ minimum: 1, description: 'The column, from 1.' }),
          },
          { additionalProperties: false },
        ),
        { description: 'Places in the document.' },
      ),
    ),
    extensions: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Anything else, such as a `code`.' }),
    ),
  },
  { additionalProperties: true },
);

const StreamEntrySchema = Type.Object(
  {
    data: Type.String({
      description:
        'The whole execution result, such as `{"data": {"tick": 1}}`: a template that renders to a JSON object.',
    }),
    delay: Type.Optional(Type.String({ description: 'Waits this long before the entry.' })),
  },
  { additionalProperties: false },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    operation_type: Type.Optional(OperationTypeSchema),
    operation_name: Type.Optional(
      patternField('The name of the operation, as a pattern; absent is any, and operations without a name.'),
    ),
    variables: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description:
          'Patterns by place in the variables, such as `input.tags.0`; what is no text compares as its JSON.',
      }),
    ),
    response: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The `data` of the answer; its texts are templates. With no other keys than `data`, `errors` and `extensions` it is the whole answer.',
      }),
    ),
    errors: Type.Optional(
      Type.Array(ErrorSchema, {
        description: 'The `errors` of the answer; texts are templates. An empty list is as if absent.',
      }),
    ),
    stream: Type.Optional(
      Type.Array(StreamEntrySchema, {
        description: 'What a subscription is sent, in order, in place of `response`; it then stays open.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    status: Type.Optional(
      Type.Integer({
        minimum: 200,
        maximum: 599,
        description: 'The HTTP status of the error; 503 when absent.',
      }),
    ),
    body: Type.Optional(
      Type.String({
        description:
          'The body of the error; `{"error":"fault injected"}` when absent. Over WebSocket its `errors`, or its text as one.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'HTTP headers of the error.',
      }),
    ),
    abort: Type.Optional(Type.Boolean({ description: 'Resets the connection instead of an answer.' })),
    truncate_body: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Announces the whole body, sends so many bytes of it and drops the connection; over WebSocket drops it at once.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** What is pushed into an open subscription, sent as it is. */
export const StreamDataSchema = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
  description: 'The whole execution result, such as `{"data": {"tick": 1}}`: an object, or its JSON text.',
});

/** See {@link MockSchema}. */
export type GraphqlMock = ValueOf<typeof MockSchema>;
/** See {@link StreamDataSchema}. */
export type StreamData = ValueOf<typeof StreamDataSchema>;
