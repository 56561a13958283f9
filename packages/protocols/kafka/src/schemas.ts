import { OPERATION, RESOURCE, type Operation, type Resource } from './broker/acl.js';
import { LEVELS } from './registry/compatibility.js';
import { jsonField, patternField, PatternSchema, Type } from '@backlot/core/plugin';

const MAX_PARTITION = 999;

const closed = { additionalProperties: false } as const;

const encoding = (of: string) =>
  Type.Optional(
    Type.Literal('base64', { description: `The ${of} is written in base64: bytes that are no text.` }),
  );

/** What a record of our own is made of, beside where it goes. */
const CONTENT_FIELDS = {
  key: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'The key, a template; none when absent.' }),
  ),
  key_encoding: encoding('key'),
  value: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: 'The value, a template; absent is null, a tombstone.',
    }),
  ),
  value_encoding: encoding('value'),
  json: jsonField('value'),
  schema: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The subject of the schema registry with whose latest schema the value, which is JSON, is encoded.',
    }),
  ),
  key_schema: Type.Optional(Type.String({ minLength: 1, description: 'The same for the key.' })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
      description: 'Headers by name, with one value or several; templates.',
    }),
  ),
};

const PARTITION_FIELD = {
  partition: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_PARTITION,
      description:
        'The partition; chosen by the key (murmur2) when absent, in turn without a key. A topic with fewer partitions gets more.',
    }),
  ),
};

/** A record that a mock puts into topics. */
export const RecordSchema = Type.Object({ ...CONTENT_FIELDS, ...PARTITION_FIELD }, closed);

/** The record that a mock answers with. */
export const ResponseSchema = Type.Object(
  {
    topic: Type.String({
      minLength: 1,
      description: 'The topic that the record is produced to; a template.',
    }),
    ...CONTENT_FIELDS,
    ...PARTITION_FIELD,
  },
  { ...closed, description: 'A record that is produced when one arrives that matches.' },
);

const OPERATIONS = Object.keys(OPERATION) as Operation[];
const RESOURCES = Object.keys(RESOURCE) as Resource[];

/** A rule of the access control lists. */
export const AclSchema = Type.Object(
  {
    principal: Type.Optional(
      Type.String({
        pattern: '^[^:]+:.',
        maxLength: 1000,
        default: 'User:*',
        description: 'Who it is about, such as `User:ann`; `User:*` is everybody who has logged in.',
      }),
    ),
    host: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        default: '*',
        description: 'The address of the client, `*` for all.',
      }),
    ),
    resource: Type.Union(
      RESOURCES.map((name) => Type.Literal(name)),
      { description: 'What it is about.' },
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'The name of the resource, `*` for all; of the cluster it is left out.',
      }),
    ),
    pattern: Type.Optional(
      Type.Union([Type.Literal('literal'), Type.Literal('prefixed')], {
        default: 'literal',
        description: 'Whether the name is meant as it is, or as the beginning of names.',
      }),
    ),
    operations: Type.Array(Type.Union(OPERATIONS.map((name) => Type.Literal(name))), {
      minItems: 1,
      description: 'What may or may not be done.',
    }),
    permission: Type.Optional(
      Type.Union([Type.Literal('allow'), Type.Literal('deny')], {
        default: 'allow',
        description: 'Whether it may be done; what denies counts more.',
      }),
    ),
  },
  closed,
);

/** A schema registry on a port of its own. */
export const RegistrySchema = Type.Object(
  {
    port: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        default: 8085,
        description: 'Where it listens by HTTP; 0 takes a free port.',
      }),
    ),
    compatibility: Type.Optional(
      Type.Union(
        LEVELS.map((level) => Type.Literal(level)),
        { default: 'BACKWARD', description: 'The level for subjects without one of their own.' },
      ),
    ),
    schemas: Type.Optional(
      Type.Array(
        Type.Object(
          {
            subject: Type.String({ minLength: 1, description: 'The subject, such as `orders-value`.' }),
            type: Type.Optional(
              Type.Union([Type.Literal('avro'), Type.Literal('json'), Type.Literal('protobuf')], {
                default: 'avro',
                description: 'What kind of schema it is.',
              }),
            ),
            schema: Type.Any({ description: 'The schema: its text or, of Avro and JSON Schema, the value.' }),
            references: Type.Optional(
              Type.Array(
                Type.Object(
                  {
                    name: Type.String({ description: 'The name by which the schema refers to it.' }),
                    subject: Type.String({ description: 'The subject that has it.' }),
                    version: Type.Integer({ minimum: 1, description: 'The version of the subject.' }),
                  },
                  closed,
                ),
                { description: 'Schemas of the registry that it refers to.' },
              ),
            ),
          },
          closed,
        ),
        { description: 'Schemas that are registered from the start, in this order.' },
      ),
    ),
  },
  { ...closed, description: 'A schema registry as that of Confluent; there is none when absent.' },
);

/** What `protocols.kafka` may hold beside core's fields. */
export const ConfigSchema = Type.Object(
  {
    topics: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'The name of the topic.' }),
            partitions: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: MAX_PARTITION + 1,
                default: 1,
                description: 'How many partitions it has.',
              }),
            ),
          },
          closed,
        ),
        { description: 'Topics that are there from the start.' },
      ),
    ),
    acls: Type.Optional(
      Type.Array(AclSchema, {
        description:
          'Access control lists for who has logged in. What none of them is about is open to everybody.',
      }),
    ),
    schema_registry: Type.Optional(RegistrySchema),
    auto_create_topics: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether a topic is created when a client asks for one that does not exist.',
      }),
    ),
    advertised_host: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The host, or `host:port`, that clients are told to connect to; absent is the address they connected to and the port listened on.',
      }),
    ),
  },
  closed,
);

/** A mock's own fields. */
export const MockSchema = Type.Object(
  {
    topic: patternField('The topic, as a pattern. A topic that is named exactly is created at once.'),
    records: Type.Optional(
      Type.Array(RecordSchema, {
        description:
          'Records that are appended when a topic is created, and when the mock is created or replaced.',
      }),
    ),
    key: Type.Optional(patternField('A pattern for the key of a record that arrives.')),
    value: Type.Optional(patternField('A pattern for the value of a record that arrives.')),
    headers: Type.Optional(
      Type.Record(Type.String(), PatternSchema, {
        description:
          'Patterns for the headers of a record that arrives, by the name of the header in any case.',
      }),
    ),
    response: Type.Optional(ResponseSchema),
  },
  closed,
);

/** A fault's own fields. */
export const FaultSchema = Type.Object(
  {
    error_code: Type.Optional(
      Type.Union([Type.String(), Type.Integer({ minimum: -32_768, maximum: 32_767 })], {
        description: 'The error, by name or number, that answers what is produced.',
      }),
    ),
    fetch_error: Type.Optional(
      Type.Union([Type.String(), Type.Integer({ minimum: -32_768, maximum: 32_767 })], {
        description:
          'The error that answers what is fetched, while the fault is in effect. What is produced is answered as usual unless `error_code` is given too.',
      }),
    ),
    heartbeat_error: Type.Optional(
      Type.Union([Type.String(), Type.Integer({ minimum: -32_768, maximum: 32_767 })], {
        description:
          'The error that answers heartbeats and commits of members of groups, such as REBALANCE_IN_PROGRESS, while the fault is in effect.',
      }),
    ),
  },
  closed,
);

const capturedText = (what: string) =>
  Type.Union([Type.String(), Type.Null()], {
    description: `The ${what}; base64 when it is no UTF-8, null when there is none.`,
  });

const capturedEncoding = (what: string) =>
  Type.Optional(Type.Literal('base64', { description: `Set when the ${what} is in base64.` }));

const schemaId = (what: string) =>
  Type.Optional(
    Type.Integer({
      description: `The id of the schema by which the ${what} was decoded, which is shown as JSON.`,
    }),
  );

const headerValue = Type.Union([Type.String(), Type.Null()]);

/** A record that a client has produced. */
export const CaptureSchema = Type.Object(
  {
    id: Type.String({ description: 'The id of the captured record, unique among all.' }),
    topic: Type.String({ description: 'The topic.' }),
    partition: Type.Integer({ description: 'The partition.' }),
    offset: Type.Integer({ description: 'The offset in the partition.' }),
    key: capturedText('key'),
    key_encoding: capturedEncoding('key'),
    key_schema_id: schemaId('key'),
    value: capturedText('value'),
    value_encoding: capturedEncoding('value'),
    value_schema_id: schemaId('value'),
    headers: Type.Record(Type.String(), Type.Union([headerValue, Type.Array(headerValue)]), {
      description: 'Headers by name; a list where a name comes more than once.',
    }),
    headers_encoding: Type.Optional(
      Type.Record(Type.String(), Type.Literal('base64'), {
        description: 'The headers whose values are in base64, since one of them is no UTF-8.',
      }),
    ),
    timestamp: Type.String({ description: 'The time of the record.' }),
    transactional_id: Type.Optional(
      Type.String({ description: 'The transactional id of the producer, of a record in a transaction.' }),
    ),
    transaction: Type.Optional(
      Type.Union([Type.Literal('open'), Type.Literal('committed'), Type.Literal('aborted')], {
        description: 'What has become of the transaction that the record is a part of.',
      }),
    ),
  },
  closed,
);
