import { isUint8Array } from 'node:util/types';
import type { TSchema } from '../contract/schema.js';
import { ownMemory } from '../journal/retain.js';
import { frozenCopy } from '../validation/freeze.js';
import { isObject } from '../validation/pointer.js';

/** What a function has returned, in both forms that are needed of it. */
export interface ReturnedFields {
  /** With bytes as bytes, where their base64 would stand. */
  readonly whole: Fields;
  /** The same as JSON has it, to be checked: with an empty text for bytes. */
  readonly shown: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

/** What is read of a schema: which fields there are. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

/** A field that says bytes: by its name one of base64. */
const SAYS_BYTES = /(?:^|_)(?:base64|binary)$/;
const MAX_DEPTH = 200;

/**
 * Puts bytes that a function has returned where their base64 would stand: those in the place of a text `body` into
 * `body_base64`. They are copied, since the function may go on with them.
 *
 * @param schema - which fields there are
 * @throws Error for bytes where no base64 may stand, and where both are given
 */
export function placeBytes(fields: Fields, schema: TSchema): ReturnedFields {
  if (holdsBytes(fields, MAX_DEPTH)) {
    const schemas = [schema as SchemaNode];
    const whole = new Placing(ownCopy).fields(fields, schemas, '');
    return { whole, shown: new Placing(() => '').fields(fields, schemas, '') };
  }
  const copy = frozenCopy(fields);
  return { whole: copy, shown: copy };
}

function holdsBytes(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  if (isUint8Array(value)) return true;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return inner.some((each) => holdsBytes(each, depth - 1));
}

/** A frozen copy with something in the places of bytes. */
class Placing {
  readonly #put: (bytes: Uint8Array) => unknown;

  constructor(put: (bytes: Uint8Array) => unknown) {
    this.#put = put;
  }

  /** @param schemas - those that the fields may be of */
  fields(fields: Fields, schemas: readonly SchemaNode[], at: string): Fields {
    const choices = schemas.flatMap(choicesOf);
    const isField = (name: string): boolean =>
      choices.some(({ properties }) => properties !== undefined && Object.hasOwn(properties, name));
    const placed = Object.entries(fields).map(([name, value]): [string, unknown] => {
      if (isUint8Array(value)) {
        const own = SAYS_BYTES.test(name) ? name : `${name}_base64`;
        if (!isField(own)) throw new Error(`${at}/${name} takes no bytes`);
        if (own !== name && fields[own] !== undefined)
          throw new Error(`${at}/${name} holds bytes, beside which ${own} cannot stand; leave one out`);
        return [own, this.#put(value)];
      }
      const inner = choices.flatMap(({ properties }) => properties?.[name] ?? []);
      return [name, this.#value(value, inner, `${at}/${name}`)];
    });
    return Object.freeze(Object.fromEntries(placed));
  }

  #value(value: unknown, schemas: readonly SchemaNode[], at: string): unknown {
    if (!holdsBytes(value, MAX_DEPTH)) return frozenCopy(value);
    if (isObject(value) && !isUint8Array(value)) return this.fields(value, schemas, at);
    if (!Array.isArray(value)) throw new Error(`${at} takes no bytes`);
    const items = schemas.flatMap(choicesOf).flatMap((schema) => schema.items ?? []);
    return Object.freeze(
      value.map((item: unknown, index) => this.#value(item, items, `${at}/${String(index)}`)),
    );
  }
}

function choicesOf(schema: SchemaNode): readonly SchemaNode[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(choicesOf)];
}

function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return ownMemory(copy);
}
