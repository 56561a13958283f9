import { ReactionSchema, TlsSchema, Type, type TObject, type TSchema } from '@backlot/core/plugin';
import { servicesSchema } from '../services/schema.js';
import { CollectionSchema, KeysSchema, ScenarioSchema, settingsSchemaOf, type Protocol } from '@backlot/core';

const closed = { additionalProperties: false } as const;

const CorsSchema = Type.Object(
  {
    allowed_origins: Type.Optional(
      Type.Array(Type.String(), { description: 'Origins whose pages may use the management port, or `*`.' }),
    ),
    enabled: Type.Optional(Type.Boolean({ description: 'Accepted and ignored.' })),
    allowed_methods: Type.Optional(Type.Array(Type.String(), { description: 'Accepted and ignored.' })),
    allowed_headers: Type.Optional(Type.Array(Type.String(), { description: 'Accepted and ignored.' })),
  },
  { ...closed, description: 'Which web pages may use the management port; none when absent.' },
);

/** The block `api`: the management port. */
const ApiSchema = Type.Object(
  {
    host: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The address to listen on; `localhost` is 127.0.0.1 and ::1.',
      }),
    ),
    port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65535,
        default: 9091,
        description: 'The port to listen on; 0 takes a free one.',
      }),
    ),
    token: Type.Optional(Type.String({ minLength: 1, description: 'Asked for as `Authorization: Bearer`.' })),
    token_file: Type.Optional(
      Type.String({ format: 'path', description: 'A file with that token, in place of `token`.' }),
    ),
    allowed_hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Host names with a dot under which the port may be reached.',
      }),
    ),
    cors: Type.Optional(CorsSchema),
    tls: Type.Optional(TlsSchema),
    ui: Type.Optional(
      Type.Boolean({ default: true, description: 'Whether there is the page, at the root of the port.' }),
    ),
    max_body_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: 10_485_760,
        description: 'The largest request body that is taken.',
      }),
    ),
  },
  { ...closed, description: 'The management port.' },
);

const WebhooksSchema = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether anything is sent.' })),
    allow_hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'The only hosts that may be called; all when absent.',
      }),
    ),
  },
  { ...closed, description: 'Outbound calls of mocks.' },
);

const LogsSchema = Type.Object(
  {
    max_entries: Type.Optional(
      Type.Integer({ minimum: 1, default: 10_000, description: 'How many entries are kept.' }),
    ),
    max_bytes: Type.Optional(
      Type.Integer({ minimum: 1, default: 67_108_864, description: 'How many bytes the entries may take.' }),
    ),
  },
  { ...closed, description: 'The journal of all traffic.' },
);

const SpacesSchema = Type.Object(
  {
    max: Type.Optional(
      Type.Integer({
        minimum: 0,
        default: 1000,
        description: 'How many there may be; the one that was not used for longest ends for another one.',
      }),
    ),
    ttl: Type.Optional(
      Type.String({
        default: '1h',
        description: 'How long one lives without being used, by real time, when it does not say.',
      }),
    ),
  },
  { ...closed, description: 'Spaces: worlds of their own for tests.' },
);

const MocklySchema = Type.Object(
  {
    api: Type.Optional(ApiSchema),
    ui: Type.Optional(Type.Unknown({ description: 'Accepted and ignored, with a notice.' })),
  },
  { ...closed, description: 'Where Mockly has its settings: the same `api` block as at the top.' },
);

const CertificateSchema = Type.Object(
  {
    hosts: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'Names and addresses that it is for, beside localhost, 127.0.0.1 and ::1.',
      }),
    ),
    keep: Type.Optional(
      Type.String({
        minLength: 1,
        format: 'path',
        description:
          'A folder in which it is kept for the next start; it is made anew at each start when absent.',
      }),
    ),
  },
  { ...closed, description: 'The certificate that is made for listeners whose `tls` names no files.' },
);

/** What stands at the top of the file beside the protocols and scenarios. */
const TOP_FIELDS = {
  include: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description:
        'Further files that are parts of the configuration, from the folder of this file; `*`, `?` and `**` as in `mocks/**/*.yaml`.',
    }),
  ),
  api: Type.Optional(ApiSchema),
  toxiproxy: Type.Optional(
    Type.Object(
      {
        port: Type.Integer({
          minimum: 0,
          maximum: 65535,
          description: 'The port to listen on, 8474 for Toxiproxy itself; 0 takes a free one.',
        }),
      },
      { ...closed, description: 'The API of Toxiproxy over the toxics of all protocols; none when absent.' },
    ),
  ),
  mockly: Type.Optional(MocklySchema),
  host: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The address for everything that names none; `localhost` when absent.',
    }),
  ),
  state: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'The state at the start and after a reset.' }),
  ),
  collections: Type.Optional(
    Type.Record(Type.String(), CollectionSchema, {
      description: 'Data that mocks of all protocols read and change, by the name of the collection.',
    }),
  ),
  tls: Type.Optional(CertificateSchema),
  webhooks: Type.Optional(WebhooksSchema),
  logs: Type.Optional(LogsSchema),
  spaces: Type.Optional(SpacesSchema),
  vars: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Values for `${NAME}` in this file and `{{vars.NAME}}` in templates.',
    }),
  ),
  keys: Type.Optional(KeysSchema),
  functions: Type.Optional(
    Type.Object(
      {
        timeout: Type.Optional(
          Type.String({ default: '30s', description: 'How long one may take for an answer, by real time.' }),
        ),
      },
      { ...closed, description: 'Functions that make answers; mocks name them by `respond`.' },
    ),
  ),
  seed: Type.Optional(Type.Integer({ description: 'Makes chance repeat: the same seed, the same values.' })),
  plugins: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'Packages (or `./` paths) of further protocols.',
    }),
  ),
  // They are checked when they are read, and what their mocks hold with those of the protocol.
  services: Type.Optional(Type.Unknown()),
};

/**
 * The top level of the file: what the app itself reads. Protocols and scenarios are only checked for their form here;
 * what they hold is checked by core.
 */
export const TopLevelSchema = Type.Object(
  {
    ...TOP_FIELDS,
    protocols: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    scenarios: Type.Optional(Type.Array(Type.Unknown())),
    reactions: Type.Optional(Type.Array(Type.Unknown())),
    collections: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);

/** The schema of the whole file, for reading it: with what the given protocols declare. */
export function fileSchema(protocols: readonly Protocol[]): TObject {
  const blocks = Object.fromEntries(
    protocols.map((protocol) => [protocol.kind, Type.Optional(settingsSchemaOf(protocol))]),
  );
  const http = protocols.find(({ kind }) => kind === 'http');
  return Type.Object(
    {
      ...TOP_FIELDS,
      services: Type.Optional(servicesSchema(http && mockItemsOf(http))),
      protocols: Type.Optional(
        Type.Object(blocks, { ...closed, description: 'The protocols; a block that is there is started.' }),
      ),
      scenarios: Type.Optional(
        Type.Array(ScenarioSchema, {
          description: 'Named sets of patches and faults, switched on and off at run time.',
        }),
      ),
      reactions: Type.Optional(
        Type.Array(ReactionSchema, { description: 'What causes what, over all protocols.' }),
      ),
    },
    { ...closed, patternProperties: { '^x-': { description: 'For the file itself, such as anchors.' } } },
  );
}

/** The schema of what stands in the list of mocks of a protocol. */
function mockItemsOf(protocol: Protocol): TSchema {
  const { properties } = settingsSchemaOf(protocol);
  return (properties[protocol.mocks.configKey] as TSchema)['items'] as TSchema;
}
