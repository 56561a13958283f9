import { PatternSchema, Type, type MockFields, type ValueOf } from '@backlot/core/plugin';

const closed = { additionalProperties: false };
const PathSchema = (description: string) => Type.String({ minLength: 1, format: 'path', description });

/** One service of a configuration. */
const ServiceSchema = Type.Object(
  {
    proto: Type.Optional(
      PathSchema(
        'The `.proto` file, below the folder of the configuration; without it, or when it is not there, mocks answer as JSON text.',
      ),
    ),
    mocks: Type.Optional(
      Type.Array(Type.Unsafe<MockFields & GrpcMock>(Type.Object({}, { additionalProperties: true })), {
        description: 'Mocks of the service; the same as those of `mocks`.',
      }),
    ),
  },
  closed,
);

/** What `protocols.grpc` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    services: Type.Optional(
      Type.Array(ServiceSchema, { description: 'Services with their `.proto` files.' }),
    ),
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
    max_message_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 256 * 1024 * 1024,
        default: 4 * 1024 * 1024,
        description: 'A larger request message, unpacked, ends its call with RESOURCE_EXHAUSTED.',
      }),
    ),
  },
  closed,
);

const JsonObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const MetadataSchema = (description: string) =>
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), { description });

const ErrorSchema = Type.Object(
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
  { ...closed, description: 'Ends the call with this status in place of the response, or after the stream.' },
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    method: Type.String({
      minLength: 1,
      description:
        'The method: `Method`, `Service/Method` or `package.Service/Method`; `*` in it stands for any run of characters, `re:` starts a regular expression.',
    }),
    match: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description: 'Places in the first request message (`user.tags.0`) and the pattern for each.',
      }),
    ),
    response: Type.Optional(
      JsonObject('The message of a call with one answer, as JSON; texts are templates. Empty when absent.'),
    ),
    error: Type.Optional(ErrorSchema),
    metadata: Type.Optional(
      MetadataSchema('Metadata before the answer; values are templates, those of `-bin` keys base64.'),
    ),
    trailers: Type.Optional(MetadataSchema('Metadata after the answer, beside the status.')),
    stream: Type.Optional(
      Type.Array(
        Type.Object(
          {
            response: JsonObject('The message, as JSON; texts are templates.'),
            delay: Type.Optional(Type.String({ description: 'Waits this long before the message.' })),
          },
          closed,
        ),
        { description: 'The messages of a streaming answer.' },
      ),
    ),
    keep_open: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether a streaming answer stays open after its messages, for `/api/streams`.',
      }),
    ),
  },
  closed,
);

/** See {@link MockSchema}. */
export type GrpcMock = ValueOf<typeof MockSchema>;

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    code: Type.Optional(
      Type.Union([Type.String(), Type.Integer()], {
        description: 'The status: a name such as `UNAVAILABLE`, or its number.',
      }),
    ),
    message: Type.Optional(Type.String({ description: 'The text of the status.' })),
    status: Type.Optional(
      Type.Integer({
        minimum: 200,
        maximum: 599,
        description: 'An HTTP status in place of gRPC, as a proxy answers; 503 when only `body` is given.',
      }),
    ),
    body: Type.Optional(Type.String({ description: 'The body of that HTTP answer.' })),
  },
  closed,
);

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

/** What PATCH takes; `null` removes a field. */
export const PatchSchema = Type.Object(
  {
    response: nullable(JsonObject('As in the mock.'), 'In place of the response; `null` removes it.'),
    error: nullable(ErrorSchema, 'In place of the error; `null` removes it.'),
    delay: nullable(Type.String(), 'In place of the delay; `null` removes it.'),
  },
  closed,
);

/** What a push into a stream takes: a message as JSON, or the text of one. */
export const StreamDataSchema = Type.Union([JsonObject('The message, as JSON.'), Type.String()], {
  description: 'A message shaped like the response of a stream entry, or its JSON text.',
});
