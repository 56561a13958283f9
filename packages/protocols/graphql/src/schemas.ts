import {
  closedObject,
  delayField,
  jsonField,
  patternField,
  placesField,
  shareField,
  textField,
  Type,
  type ValueOf,
} from '@backlot/core/plugin';
import { BROKEN_FORMS, type BrokenForm } from '@backlot/kit/http';

const SCHEMA_FILE = Type.String({ minLength: 1, format: 'path', description: 'A file of SDL.' });

/** What `protocols.graphql` may hold beside core's fields. */
export const ConfigSchema = closedObject({
  schema: Type.Optional(
    Type.Union([SCHEMA_FILE, Type.Array(SCHEMA_FILE, { minItems: 1, maxItems: 1000 })], {
      description:
        'The file with the schema in SDL, or several that make one schema. Operations are checked against it, and what no mock says is made by type.',
    }),
  ),
  sdl: Type.Optional(
    Type.String({ minLength: 1, description: 'The schema in SDL, in place of `schema` or beside it.' }),
  ),
  types: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'With a schema: values by the names of types, in place of those that are made. Of an object type or an interface a map of its fields, of a scalar or an enum a value.',
    }),
  ),
  path: Type.Optional(
    Type.String({
      pattern: '^/[^?#\\s]*$',
      default: '/graphql',
      description: 'Where GraphQL is served, over HTTP and over WebSocket; any other path is a 404.',
    }),
  ),
  share: shareField(
    '`http`: no port of its own, but requests to its path on the port of HTTP, those that no HTTP mock takes.',
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
  persisted_documents: Type.Optional(
    Type.String({
      minLength: 1,
      format: 'path',
      description:
        'A JSON file with documents by their ids, or a manifest of Apollo, which clients then name by `documentId` or `sha256Hash`.',
    }),
  ),
  unmatched: Type.Optional(
    Type.Union([Type.Literal('error'), Type.Literal('made')], {
      description:
        'How an operation is answered that no mock matches: with an `error`, or with values that are `made` by the schema, as by default where there is one.',
    }),
  ),
  init_timeout: Type.Optional(
    Type.String({
      default: '3s',
      description:
        'How long a WebSocket client may take to send `connection_init` before it is closed with 4408; `0` waits for ever.',
    }),
  ),
});

const OperationTypeSchema = Type.Union(
  [Type.Literal('query'), Type.Literal('mutation'), Type.Literal('subscription')],
  { description: 'The type of the operation; absent is any.' },
);

/** An error as GraphQL has it (GraphQL, section 7.1.2); older servers add entries of their own, so any are taken. */
const ErrorSchema = Type.Object(
  {
    message: Type.String({ description: 'The message of the error; a template.' }),
    path: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Integer()]), {
        description: 'The path to the field of the response that has failed: names, and indexes of lists.',
      }),
    ),
    locations: Type.Optional(
      Type.Array(
        closedObject({
          line: Type.Integer({ minimum: 1, description: 'The line, from 1.' }),
          column: Type.Integer({ minimum: 1, description: 'The column, from 1.' }),
        }),
        { description: 'The places in the document that the error is about.' },
      ),
    ),
    extensions: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'Further fields of the error, such as a `code`.',
      }),
    ),
  },
  { additionalProperties: true },
);

const StreamEntrySchema = closedObject({
  data: textField({
    description:
      'The whole execution result, such as `{"data": {"tick": 1}}`: a template that renders to a JSON object. Give this or `json`.',
  }),
  json: jsonField('data'),
  delay: Type.Optional(delayField('Waits this long before the entry: a duration, or how it is rolled.')),
});

/** A mock's own fields. */
export const MockSchema = closedObject({
  operation_type: Type.Optional(OperationTypeSchema),
  operation_name: Type.Optional(
    patternField('The name of the operation, as a pattern; absent is any, and operations without a name.'),
  ),
  document: Type.Optional(
    patternField(
      'The document, without white space, commas and comments that mean nothing. A text without `*` and `re:` is a document in any layout; a pattern is compared with the shortest one.',
    ),
  ),
  variables: Type.Optional(
    placesField(
      'Patterns or values by place in the variables, such as `input.tags.0` or `tags.*`; for a pattern what is no text compares as its JSON.',
    ),
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
  deferred_delay: Type.Optional(
    delayField(
      'What is waited for before each part of the answer that `@defer` and `@stream` put off, where the client takes parts: a duration, or how it is rolled.',
    ),
  ),
  stream: Type.Optional(
    Type.Array(StreamEntrySchema, {
      description: 'What a subscription is sent, in order, in place of `response`; it then stays open.',
    }),
  ),
});

/** A fault's own fields. */
export const FaultSchema = closedObject({
  status: Type.Optional(
    Type.Integer({
      minimum: 200,
      maximum: 599,
      description: 'The HTTP status of the error; 503 when absent.',
    }),
  ),
  body: textField({
    description:
      'The body of the error; `{"error":"fault injected"}` when absent. Over WebSocket its `errors`, or its text as one.',
  }),
  json: jsonField('body', 'The body of the error as a JSON value, in place of `body`.'),
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
        'Announces the whole body, sends this many bytes of it and closes the connection; over WebSocket it is closed at once.',
    }),
  ),
  broken: Type.Optional(
    Type.Unsafe<BrokenForm>({
      ...BROKEN_FORMS,
      description: `${BROKEN_FORMS.description} Over WebSocket all but \`reset\` drop it at once.`,
    }),
  ),
});

/** What is pushed into an open subscription, sent as it is. */
export const StreamDataSchema = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
  description: 'The whole execution result, such as `{"data": {"tick": 1}}`: an object, or its JSON text.',
});

/** See {@link MockSchema}. */
export type GraphqlMock = ValueOf<typeof MockSchema>;
/** See {@link StreamDataSchema}. */
export type StreamData = ValueOf<typeof StreamDataSchema>;
