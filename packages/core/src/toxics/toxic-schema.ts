import {
  Type,
  type TNumber,
  type TObject,
  type TOptional,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';
import {
  TOXIC_TYPES,
  toxicTypesOf,
  type ToxicAttribute,
  type ToxicTypeName,
  type Transport,
} from './toxic-types.js';

const closed = { additionalProperties: false };

/** The fields that toxics of all types have. */
const FIELDS = {
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[^/?#]*$',
      description:
        'The name, unique among the toxics of the kind; `<type>_<stream>` when absent, such as `latency_downstream`.',
    }),
  ),
  stream: Type.Optional(
    Type.Union([Type.Literal('upstream'), Type.Literal('downstream')], {
      default: 'downstream',
      description: '`upstream`: from clients to Backlot. `downstream`: from Backlot to clients.',
    }),
  ),
  toxicity: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 1,
      description: 'How likely it acts on a connection; on a datagram, where it is for datagrams.',
    }),
  ),
  client: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'Acts on this client alone: an address, an address with a port, or a range such as `10.0.0.0/8`.',
    }),
  ),
  ttl: Type.Optional(
    Type.String({
      description: 'How long it lasts, such as `30s`, by the clock of the host; for ever when absent.',
    }),
  ),
  expires_at: Type.Optional(
    Type.String({ description: 'Answers only, and ignored where a toxic is set: when its `ttl` is over.' }),
  ),
};

/** The attributes of several types in one object, each with the types that have it. */
function attributesOf(types: readonly string[]): TObject {
  const found = new Map<string, { schema: TSchema; types: string[] }>();
  for (const type of types) {
    for (const [name, schema] of Object.entries(TOXIC_TYPES[type]?.attributes.properties ?? {})) {
      const known = found.get(name);
      if (known === undefined) found.set(name, { schema, types: [type] });
      else known.types.push(type);
    }
  }
  const properties: Record<string, TSchema> = {};
  for (const [name, { schema, types: having }] of found) {
    const texts = having.map((type) => {
      const { description } = TOXIC_TYPES[type]?.attributes.properties[name] ?? {};
      return `\`${type}\`: ${String(description)}`;
    });
    // Defaults and limits are those of each type, which is checked by itself.
    properties[name] = Type.Optional(
      schema['type'] === 'integer'
        ? Type.Integer({ minimum: 0, description: texts.join(' ') })
        : Type.Number({ minimum: 0, description: texts.join(' ') }),
    );
  }
  return Type.Object(properties, closed);
}

/** A toxic as a schema. */
export type ToxicObject = TObject<
  typeof FIELDS & {
    readonly type: TUnsafe<ToxicTypeName>;
    readonly attributes: TOptional<TObject<Record<ToxicAttribute, TOptional<TNumber>>>>;
  }
>;

function schemaFor(types: readonly string[]): ToxicObject {
  const summaries = types.map((type) => `\`${type}\`: ${TOXIC_TYPES[type]?.summary ?? ''}`);
  return Type.Object(
    {
      name: FIELDS.name,
      type: Type.Union(
        types.map((type) => Type.Literal(type)),
        { description: summaries.join(' ') },
      ),
      stream: FIELDS.stream,
      toxicity: FIELDS.toxicity,
      attributes: Type.Optional({
        ...attributesOf(types),
        description: 'The attributes of the type; those that are absent have their defaults.',
      } as TObject),
      client: FIELDS.client,
      ttl: FIELDS.ttl,
      expires_at: FIELDS.expires_at,
    },
    closed,
  ) as unknown as ToxicObject;
}

/** A toxic of any kind, as a configuration and a scenario name it. */
export const ToxicSchema = schemaFor(Object.keys(TOXIC_TYPES));

const byTransport: Readonly<Record<Transport, TObject>> = {
  stream: schemaFor(toxicTypesOf('stream')),
  datagram: schemaFor(toxicTypesOf('datagram')),
  both: ToxicSchema,
};

/** A toxic of a kind of a transport. */
export function toxicSchemaOf(transport: Transport): TObject {
  return byTransport[transport];
}

const byType = new Map<string, TObject>();

/** A toxic of one type, with the defaults of its attributes. */
export function toxicSchemaOfType(type: string): TObject | undefined {
  const declared = Object.hasOwn(TOXIC_TYPES, type) ? TOXIC_TYPES[type] : undefined;
  if (declared === undefined) return undefined;
  let schema = byType.get(type);
  if (schema === undefined) {
    const { attributes } = declared;
    const needed = Array.isArray(attributes.required) && attributes.required.length > 0;
    schema = Type.Object(
      {
        ...FIELDS,
        type: Type.Literal(type),
        attributes: needed ? attributes : Type.Optional({ ...attributes, default: {} } as TObject),
      },
      closed,
    );
    byType.set(type, schema);
  }
  return schema;
}
