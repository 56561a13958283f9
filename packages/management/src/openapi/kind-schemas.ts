import { faultSchemaOf, itemSchemaOf, mockSchemaOf } from '@backlot/core';
import {
  Type,
  type CaptureDeclaration,
  type ItemListDeclaration,
  type Protocol,
  type TObject,
} from '@backlot/core/plugin';

interface KindSchemas {
  readonly mock: TObject;
  readonly fault: TObject | undefined;
  readonly items: Map<string, TObject>;
}

/** What a list adds to an item whose texts were cut. */
export const TruncatedSchema = Type.Record(Type.String(), Type.Integer(), {
  description:
    'In lists only: the fields whose texts were cut, with the characters that they have. By its id an item is answered whole.',
});

// One value per schema, so that the description can name it once and refer to it from everywhere.
const made = new WeakMap<Protocol, KindSchemas>();

function schemasOf(protocol: Protocol): KindSchemas {
  let schemas = made.get(protocol);
  if (schemas === undefined) {
    schemas = { mock: mockSchemaOf(protocol), fault: faultSchemaOf(protocol), items: new Map() };
    made.set(protocol, schemas);
  }
  return schemas;
}

/** The schema of a kind's mocks: the fields of all kinds and its own. */
export function mockSchema(protocol: Protocol): TObject {
  return schemasOf(protocol).mock;
}

/** The schema of a kind's fault; `undefined` when it cannot be faulted. */
export function faultSchema(protocol: Protocol): TObject | undefined {
  return schemasOf(protocol).fault;
}

/** The schema of an item of a list. */
export function itemSchema(protocol: Protocol, key: string, itemList: ItemListDeclaration): TObject {
  const { items } = schemasOf(protocol);
  let schema = items.get(key);
  if (schema === undefined) {
    schema = itemSchemaOf(itemList);
    items.set(key, schema);
  }
  return schema;
}

const captures = new WeakMap<CaptureDeclaration<TObject>, TObject>();

/** The schema of what a kind has captured, as lists show it. */
export function captureSchema(capture: CaptureDeclaration<TObject>): TObject {
  let schema = captures.get(capture);
  if (schema === undefined) {
    const { schema: own } = capture;
    schema = { ...own, properties: { ...own.properties, truncated: Type.Optional(TruncatedSchema) } };
    captures.set(capture, schema);
  }
  return schema;
}
