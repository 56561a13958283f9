import {
  closedObject,
  delayField,
  DelaySchema,
  patternField,
  PatternSchema,
  placesField,
  shareField,
  Type,
  type AnswerOf,
  type FunctionName,
  type Given,
  type MockFields,
  type RespondFunction,
  type ValueOf,
} from '@backlot/core/plugin';

const PathSchema = (description: string) => Type.String({ minLength: 1, format: 'path', description });

/** The fields of a mock that are its answer. */
export const ANSWER_FIELDS = ['response', 'error', 'metadata', 'trailers', 'stream', 'keep_open'] as const;

/** A mock of a service: the same as those of `mocks`. */
type ServiceMock = MockFields &
  GrpcMock & {
    readonly respond?:
      RespondFunction<AnswerOf<Given<GrpcMock>, (typeof ANSWER_FIELDS)[number], never>> | FunctionName;
  };

/** One service of a configuration. */
const ServiceSchema = closedObject({
  proto: Type.Optional(
    PathSchema(
      'The `.proto` file, below the folder of the configuration; without it, or when it is not there, mocks answer as JSON text.',
    ),
  ),
  mocks: Type.Optional(
    Type.Array(Type.Unsafe<ServiceMock>(Type.Object({}, { additionalProperties: true })), {
      description: 'Mocks of the service; the same as those of `mocks`.',
    }),
  ),
});

/** What `protocols.grpc` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  share: shareField(
    '`http`: no port of its own, but the calls of gRPC on the port of HTTP, those that no HTTP mock takes.',
  ),
  services: Type.Optional(Type.Array(ServiceSchema, { description: 'Services with their `.proto` files.' })),
  protos: Type.Optional(
    Type.Array(PathSchema('A `.proto` file.'), {
      description: '`.proto` files whose services are served, below the folder of the configuration.',
    }),
  ),
  descriptor_sets: Type.Optional(
    Type.Array(PathSchema('A descriptor set.'), {
      description: 'Files that `protoc --descriptor_set_out` has written, with `--include_imports`.',
    }),
  ),
  sources: Type.Optional(
    Type.Array(
      closedObject({
        name: Type.String({
          minLength: 1,
          description: 'The path by which others import it: `acme/users.proto`.',
        }),
        content: Type.String({ description: 'The text of the file.' }),
      }),
      { description: 'The texts of `.proto` files, which import each other alone, and google/protobuf.' },
    ),
  ),
  descriptors: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Descriptor sets in base64, in place of `descriptor_sets`.',
    }),
  ),
  unmatched: Type.Optional(
    Type.Union([Type.Literal('error'), Type.Literal('made')], {
      default: 'error',
      description:
        'How a call is answered that no mock matches: with `UNIMPLEMENTED`, or with a message that is `made` by the type of the method, where a schema has it.',
    }),
  ),
  max_message_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 256 * 1024 * 1024,
      default: 4 * 1024 * 1024,
      description:
        'The most bytes of a request message after decompression; a larger one ends its call with RESOURCE_EXHAUSTED.',
    }),
  ),
  cors: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Lets web pages of any origin read the answers, and answers their preflight requests.',
    }),
  ),
});

const JsonObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** A message as JSON, or a text that is one tag and inserts such an object: its type stays what it is. */
const Message = (description: string) =>
  Type.Union([JsonObject(description), Type.String({ pattern: '^\\{\\{[^]*\\}\\}$' })], { description });

const MetadataSchema = (description: string) =>
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), { description });

const ErrorSchema = closedObject(
  {
    code: Type.Union([Type.String(), Type.Integer()], {
      description: 'The status: a name such as `NOT_FOUND`, or its number.',
    }),
    message: Type.Optional(Type.String({ default: '', description: 'The text of the status; a template.' })),
    details: Type.Optional(
      Type.Array(JsonObject('A message with its type as `@type`.'), {
        description: 'Error details: messages with `@type`, such as `google.rpc.ErrorInfo`.',
      }),
    ),
  },
  { description: 'Ends the call with this status in place of the response, or after the stream.' },
);

const EntrySchema = closedObject({
  response: Message(
    'The message, as JSON; texts are templates. A text that is one tag, such as `{{row}}`, inserts it whole.',
  ),
  delay: Type.Optional(delayField('Waits this long before the message: a duration, or how it is rolled.')),
});

const RuleSchema = closedObject({
  match: Type.Optional(
    placesField('Places in the request message and the pattern for each; without it any message.'),
  ),
  respond: Type.Optional(
    Type.Union([Message('The message, as JSON; texts are templates.'), Type.Array(EntrySchema)], {
      description:
        'The message that is sent back, as JSON, or a list of `{response, delay}`, sent in their order; nothing when absent.',
    }),
  ),
  delay: Type.Optional(delayField('Waits this long before the answer: a duration, or how it is rolled.')),
  error: Type.Optional(ErrorSchema),
  close: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Ends the call with `OK` and the trailers after the answer.',
    }),
  ),
});

/** A mock's own fields. */
export const MockSchema = closedObject({
  method: Type.String({
    minLength: 1,
    description:
      'The method: `Method`, `Service/Method` or `package.Service/Method`; `*` in it stands for any run of characters, `re:` starts a regular expression.',
  }),
  host: Type.Optional(
    patternField(
      'The host that the call is for, in small letters and without the port of its scheme, such as `api.example.com` or `localhost:50051`.',
    ),
  ),
  match: Type.Optional(
    placesField(
      'Places in the first request message, such as `user.tags.0` or `tags.*`, and the pattern or value for each.',
    ),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), PatternSchema, {
      description:
        'Patterns for the metadata of the request by key, in any case; values of keys that end in `-bin` are compared as base64.',
    }),
  ),
  deadline: Type.Optional(
    patternField(
      'Within how many milliseconds the client wants the answer, such as `{lt: 500}`; `{absent: true}` is a call without a deadline.',
    ),
  ),
  peer: Type.Optional(patternField('The address of the client, such as `10.0.0.7:*`.')),
  response: Type.Optional(
    Message(
      'The message of a call with one answer, as JSON; texts are templates. A text that is one tag, such as `{{row}}`, inserts it whole. Empty when absent.',
    ),
  ),
  error: Type.Optional(ErrorSchema),
  metadata: Type.Optional(
    MetadataSchema(
      'Metadata of the answer, before its message; values are templates, those of `-bin` keys base64.',
    ),
  ),
  trailers: Type.Optional(
    MetadataSchema(
      'Metadata after the answer, beside the status; `grpc-retry-pushback-ms` tells a client that retries when to do so.',
    ),
  ),
  stream: Type.Optional(Type.Array(EntrySchema, { description: 'The messages of a streaming answer.' })),
  on_message: Type.Optional(
    Type.Array(RuleSchema, {
      maxItems: 1000,
      description:
        'How each request message of a method with streams in both directions is answered: by the first rule that matches, in their order.',
    }),
  ),
  keep_open: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether a streaming answer stays open after its messages, for `/api/streams`.',
    }),
  ),
});

/** See {@link MockSchema}. */
export type GrpcMock = ValueOf<typeof MockSchema>;

/** A fault's own fields. */
export const FaultSchema = closedObject({
  code: Type.Optional(
    Type.Union([Type.String(), Type.Integer()], {
      description: 'The status: a name such as `UNAVAILABLE`, or its number.',
    }),
  ),
  message: Type.Optional(Type.String({ description: 'The text of the status.' })),
  retry_delay: Type.Optional(
    Type.String({
      description:
        'When to come again, a duration such as `1s`: a `google.rpc.RetryInfo` in the details of the status.',
    }),
  ),
  status: Type.Optional(
    Type.Integer({
      minimum: 200,
      maximum: 599,
      description: 'An HTTP status in place of gRPC, as a proxy answers; 503 when only `body` is given.',
    }),
  ),
  body: Type.Optional(Type.String({ description: 'The body of that HTTP answer.' })),
});

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

/** What PATCH takes; `null` removes a field. */
export const PatchSchema = closedObject({
  response: nullable(
    Message('The message of the answer, as JSON.'),
    'In place of the response; `null` removes it.',
  ),
  error: nullable(ErrorSchema, 'In place of the error; `null` removes it.'),
  delay: nullable(DelaySchema, 'In place of the delay; `null` removes it.'),
});

/** What a push into a stream takes: a message as JSON, or the text of one. */
export const StreamDataSchema = Type.Union([JsonObject('The message, as JSON.'), Type.String()], {
  description: 'A message shaped like the response of a stream entry, or its JSON text.',
});
