import { Type, WebhookSchema, type ValueOf } from '@backlot/core/plugin';
import { MockFaultSchema } from './schemas/fault.js';
import { ProxySchema } from './schemas/proxy.js';
import { RequestSchema } from './schemas/request.js';
import { ResponseSchema, SequenceEntrySchema, StreamSchema } from './schemas/response.js';
import { UnmatchedSchema } from './schemas/unmatched.js';

/** A coding that can be taken off a body. */
const CodingSchema = Type.Union([
  Type.Literal('gzip'),
  Type.Literal('deflate'),
  Type.Literal('br'),
  Type.Literal('aws-chunked'),
]);

/** Requests that are seen as those below a path. */
const MountSchema = Type.Object(
  {
    path: Type.String({
      pattern: '^(/[^/?#*{}]+)+$',
      description: 'What is put before the path of the request.',
      examples: ['/stripe'],
    }),
    hosts: Type.Optional(
      Type.Array(Type.String({ pattern: '^(\\*\\.)?[^:/\\s*]+$' }), {
        maxItems: 1000,
        description:
          'Names of the header `Host`, without a port; letters compare without case. `*.` stands for any name below one.',
        examples: ['stripe.localhost', '*.s3.localhost'],
      }),
    ),
    decode: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(CodingSchema, { maxItems: 10 })], {
        description:
          'Which codings of a body are taken off for requests below the path, in place of `decode` of the listener.',
      }),
    ),
    port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        description: 'A further port to listen on, for such requests alone; 0 takes a free one.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The kind's own settings. */
export const ConfigSchema = Type.Object(
  {
    max_body_bytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 10_485_760,
        description:
          'The most bytes of a request body; a larger one is answered with 413. 0 stands for 1 GiB.',
      }),
    ),
    decode: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(CodingSchema, { maxItems: 10 })], {
        default: true,
        description:
          'Whether a request body whose `Content-Encoding` is gzip, deflate, br or aws-chunked is decoded before mocks, templates and the journal see it; a list names the codings that are.',
      }),
    ),
    cors: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Lets web pages of any origin read the answers, and answers their preflight requests.',
      }),
    ),
    unmatched: Type.Optional(UnmatchedSchema),
    mounts: Type.Optional(
      Type.Array(MountSchema, {
        maxItems: 1000,
        description: 'Host names and further ports whose requests are seen as requests below a path.',
      }),
    ),
    proxy: Type.Optional(ProxySchema),
  },
  { additionalProperties: false },
);

/** The real server that answers in the place of one mock. */
const MockUpstreamSchema = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Where the real server is; a path stands before that of the request.',
      examples: ['https://api.example.com'],
    }),
    mode: Type.Optional(
      Type.Union([Type.Literal('passthrough'), Type.Literal('record_new'), Type.Literal('diff')], {
        default: 'passthrough',
        description:
          '`passthrough`: it answers. `record_new`: it answers, and what it answers becomes mocks, which answer before this one. `diff`: the mock answers, and where the real server answers otherwise is noted.',
      }),
    ),
    verify: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether the certificate of the server is checked. Stands beside an url with TLS.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A real server that answers what the mock matches, in place of an answer of its own.',
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
    upstream: Type.Optional(MockUpstreamSchema),
    fault: Type.Optional(MockFaultSchema),
    webhooks: Type.Optional(
      Type.Array(WebhookSchema, { description: 'Requests sent in the background when the mock matches.' }),
    ),
  },
  { additionalProperties: false },
);

/** See {@link MockSchema}. */
export type HttpMock = ValueOf<typeof MockSchema>;
