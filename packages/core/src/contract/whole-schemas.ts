import { Type, type TObject, type TSchema } from '@sinclair/typebox';
import { delayField } from '../time/delay-schema.js';
import { ToxicSchema } from '../toxics/toxic-schema.js';
import type { ItemListDeclaration } from './item-lists.js';
import { matchSchemaOf } from './match-schema.js';
import { ContractSchema } from './contracts.js';
import type { Protocol } from './protocol.js';
import {
  CORE_CONFIG_FIELDS,
  CORE_FAULT_FIELDS,
  CORE_MOCK_FIELDS,
  LOGINLESS_FAULT_FIELDS,
  RespondSchema,
  STREAM_FAULT_FIELDS,
  StartTlsSchema,
  TLS_FAULT_FIELDS,
  TlsSchema,
} from './schema.js';

const closed = { additionalProperties: false };

/** Makes a derived schema once per declaration, so that hosts share what is compiled of it. */
function once<D extends object, R>(make: (declaration: D) => R): (declaration: D) => R {
  const made = new WeakMap<D, { readonly result: R }>();
  return (declaration) => {
    let known = made.get(declaration);
    if (known === undefined) made.set(declaration, (known = { result: make(declaration) }));
    return known.result;
  };
}

/** The schema of a kind's mocks: the fields of all kinds and its own in one flat object. */
export const mockSchemaOf = once((protocol: Protocol): TObject =>
  Type.Object(
    {
      ...CORE_MOCK_FIELDS,
      ...(protocol.mocks.answer === undefined ? {} : { respond: Type.Optional(RespondSchema) }),
      ...protocol.mocks.schema.properties,
    },
    closed,
  ),
);

/** The schema of what a function may give of a mock: the fields that are its answer. */
export const answerSchemaOf = once((protocol: Protocol): TObject => {
  const { answer, schema } = protocol.mocks;
  const fields = Object.entries(schema.properties).filter(([name]) => answer?.fields.includes(name));
  return Type.Object(Object.fromEntries(fields), closed);
});

/** The schema of a kind's fault: the fields of all kinds and its own; `undefined` for a kind without faults. */
export const faultSchemaOf = once((protocol: Protocol): TObject | undefined => {
  if (protocol.fault === undefined) return undefined;
  const { login = false } = protocol.fault;
  const streamed = login ? STREAM_FAULT_FIELDS : LOGINLESS_FAULT_FIELDS;
  const phase = protocol.meta.transport === 'datagram' ? {} : streamed;
  const match = Type.Optional(matchSchemaOf(protocol));
  const tls = mayUseTls(protocol) ? TLS_FAULT_FIELDS : {};
  return Type.Object(
    { ...protocol.fault.schema.properties, ...CORE_FAULT_FIELDS, match, ...phase, ...tls },
    closed,
  );
});

/** The name of the field that is the id of an item. */
export function idFieldOf(itemList: ItemListDeclaration): string {
  return itemList.idField ?? 'id';
}

/** The schema of an item of a list, its id included. */
export const itemSchemaOf = once((itemList: ItemListDeclaration): TObject => {
  if (itemList.idField !== undefined) return Type.Object(itemList.schema.properties, closed);
  return Type.Object({ id: CORE_MOCK_FIELDS.id, ...itemList.schema.properties }, closed);
});

/** Whether listeners of a kind may use TLS. */
export function mayUseTls({ meta }: Pick<Protocol, 'meta'>): boolean {
  return meta.tls !== undefined && meta.tls !== false;
}

function tlsField({ meta }: Protocol): Record<string, TObject> {
  if (!mayUseTls({ meta })) return {};
  return { tls: Type.Optional(meta.tls === 'starttls' ? StartTlsSchema : TlsSchema) };
}

function contractField({ contracts }: Protocol): Record<string, TSchema> {
  if (contracts === undefined) return {};
  const description = `${ContractSchema.description} Files: ${contracts.formats}.`;
  return { contract: Type.Optional(Type.Object(ContractSchema.properties, { ...closed, description })) };
}

/** The schema of a kind's configuration without its lists of mocks and items. */
export const configSchemaOf = once((protocol: Protocol): TObject =>
  Type.Object(
    {
      ...CORE_CONFIG_FIELDS,
      ...tlsField(protocol),
      ...contractField(protocol),
      ...protocol.config.properties,
    },
    closed,
  ),
);

/** The schema of a kind's whole block in a configuration file, lists of mocks and items included. */
export function settingsSchemaOf(protocol: Protocol): TObject {
  const lists = Object.values(protocol.itemLists ?? {}).map((itemList) => [
    itemList.configKey,
    Type.Optional(Type.Array(itemSchemaOf(itemList), { description: itemList.summary })),
  ]);
  const { shorthand } = protocol.mocks;
  const one = mockSchemaOf(protocol);
  const mocks = Type.Array(shorthand === undefined ? one : Type.Union([one, shorthand.schema]), {
    description: `The ${protocol.mocks.noun}s, first to be asked first.`,
  });
  const config = (protocol.mocks.furtherLists ?? []).reduce(
    (schema: TSchema, pointer) => placeList(schema, pointer.split('/').slice(1), mocks),
    configSchemaOf(protocol),
  ) as TObject;
  return Type.Object(
    {
      ...config.properties,
      [protocol.mocks.configKey]: Type.Optional(mocks),
      ...(Object.fromEntries(lists) as Record<string, TObject>),
    },
    { ...closed, description: protocol.meta.summary },
  );
}

/** The schema with a list where a pointer with `*` steps leads to. */
function placeList(schema: TSchema, steps: readonly string[], list: TSchema): TSchema {
  const [step, ...rest] = steps;
  if (step === undefined) return { ...schema, ...list };
  if (step === '*') return { ...schema, items: placeList(schema['items'] as TSchema, rest, list) };
  const properties = schema['properties'] as Readonly<Record<string, TSchema>>;
  const inner = properties[step];
  if (inner === undefined) throw new TypeError(`no field "${step}" in the configuration's schema`);
  return { ...schema, properties: { ...properties, [step]: placeList(inner, rest, list) } };
}

/** One change of a scenario to one mock. */
export const ScenarioPatchSchema = Type.Object(
  {
    mock_id: Type.String({
      minLength: 1,
      description: 'The id of the mock that is changed; the mock may be created later.',
    }),
    protocol: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The kind of the mock; when absent, the mocks of all kinds with that id.',
      }),
    ),
    disabled: Type.Optional(
      Type.Boolean({ description: 'With `true` the mock is as if it were not there.' }),
    ),
    delay: Type.Optional(delayField('In place of the delay of the mock.')),
    status: Type.Optional(Type.Unknown({ description: 'In place of the status of the response.' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Merged into the headers of the response.' }),
    ),
    body: Type.Optional(Type.Unknown({ description: 'In place of the body of the response.' })),
    merge: Type.Optional(
      Type.Object(
        {},
        { additionalProperties: true, description: 'A JSON merge patch (RFC 7396) on the whole mock.' },
      ),
    ),
  },
  closed,
);

/** A scenario as it is created; `active` counts in a configuration and is ignored elsewhere. */
export const ScenarioSchema = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'The id of the scenario; when absent, one is generated.',
      }),
    ),
    name: Type.Optional(Type.String({ description: 'A name for people.' })),
    description: Type.Optional(Type.String({ description: 'A description for people.' })),
    patches: Type.Optional(
      Type.Array(ScenarioPatchSchema, { description: 'Changes to mocks while it is active.' }),
    ),
    faults: Type.Optional(
      Type.Record(Type.String(), Type.Object({}, { additionalProperties: true }), {
        description: 'Faults by kind while it is active.',
      }),
    ),
    toxics: Type.Optional(
      Type.Record(Type.String(), Type.Array(ToxicSchema, { maxItems: 100 }), {
        description: 'Toxics by kind while it is active; they have no `ttl`.',
      }),
    ),
    incidents: Type.Optional(
      Type.Record(Type.String(), Type.Object({}, { additionalProperties: true }), {
        description:
          'Incidents by name, each with what is said of it, such as `for`: they begin when the scenario becomes active, and end with it at the latest.',
      }),
    ),
    active: Type.Optional(
      Type.Boolean({
        description: 'In a configuration: active from the start. In answers: whether it is active.',
      }),
    ),
    problems: Type.Optional(
      Type.Array(Type.Unknown(), {
        description: 'Answers only: patches that do not fit their mock, or whose mock is not there.',
      }),
    ),
  },
  closed,
);
