import type { TSchema } from '@backlot/core/plugin';
import type { FileContent } from './body-files.js';
import { pointTo } from './pointer.js';

/** What {@link readValues} asks about values that are not of the form the schema wants. */
export interface ValueReader {
  /** The text of a scalar as it was written, for a place that wants a text. */
  text(pointer: string, value: number | boolean): string;
  /** What a text becomes at a place that wants a number or a truth value: the text itself when it is none of them. */
  typed(pointer: string, value: string): string | number | boolean;
  /** What stands for a text that names a file. */
  path(pointer: string, value: string): string;
  /**
   * What stands for an object at a place that wants a text, `{file: NAME}`; `undefined` when it is no such form.
   *
   * @param takesBytes - whether a field beside that place takes what is no text
   */
  file(
    pointer: string,
    value: Readonly<Record<string, unknown>>,
    takesBytes: boolean,
  ): FileContent | undefined;
}

/** The body of a scenario's patch has no type of its own: it takes the place of a body that has one. */
const PATCH_BODY = /^\/scenarios\/\d+\/patches\/\d+\/body$/;

/** The patterns that a schema writes for every name. */
const ANY_NAME: ReadonlySet<string> = new Set(['^(.*)$', '^.*$']);

/** How deep a file may be nested. */
const MAX_DEPTH = 100;

/** How deep the lists stand whose items are read one by one: those of mocks, rows and patches. */
const LIST_DEPTH = 3;

/**
 * Reads a value, in steps, by its schema as people mean it: where a text is wanted, `5` and `true` are the texts that were
 * written, and where a number or a truth value is wanted, a text that a name stands for; a key without a value is as if absent, and a block without content is empty. Everything else is left as it
 * is, for the schema to judge.
 */
export function* readValueSteps(
  value: unknown,
  schema: TSchema,
  reader: ValueReader,
): Generator<undefined, unknown> {
  const definitions = new Map<string, TSchema>();
  /** Lists whose items are still to be read. */
  const waiting: { items: unknown[]; schemas: readonly TSchema[]; pointer: string; copy: unknown[] }[] = [];
  const whole = read(value, branchesOf(schema, definitions), '');
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { items, schemas, pointer, copy } = next;
    for (const [index, item] of items.entries()) {
      copy[index] = read(item, schemas, pointTo(pointer, index));
      yield;
    }
  }
  return whole;

  function read(current: unknown, schemas: readonly TSchema[], pointer: string): unknown {
    if (typeof current === 'number' || typeof current === 'boolean') {
      const wantsText = accepts(schemas, 'string') && !accepts(schemas, typeof current);
      return wantsText ? reader.text(pointer, current) : current;
    }
    if (typeof current === 'string') {
      if (schemas.some((branch) => branch['format'] === 'path')) return reader.path(pointer, current);
      return wantsNoText(schemas) ? reader.typed(pointer, current) : current;
    }
    if (Array.isArray(current)) {
      const ofItems = itemsOf(schemas, definitions);
      if (depthOf(pointer) > LIST_DEPTH)
        return current.map((item, index) => read(item, ofItems, pointTo(pointer, index)));
      const copy: unknown[] = [];
      waiting.push({ items: current, schemas: ofItems, pointer, copy });
      return copy;
    }
    if (typeof current !== 'object' || current === null) return current;
    if (
      pointer.endsWith('/body') &&
      (schemas.some((branch) => branch['type'] === 'string') || PATCH_BODY.test(pointer))
    ) {
      const text = reader.file(pointer, current as Record<string, unknown>, false);
      if (text !== undefined) return text;
    }
    // A state of very many keys: nothing in it is read in another way than it is written.
    if (isMapOfTexts(schemas, definitions) && hasOnlyTexts(current)) return current;
    const copy: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(current)) {
      const wanted = fieldsOf(schemas, name, definitions);
      if (inner === null && wanted.length > 0 && !accepts(wanted, 'null')) {
        if (wanted.some((branch) => branch['type'] === 'object')) define(copy, name, {});
        continue;
      }
      const bytes = `${name}_base64`;
      if (isObject(inner) && schemas.some((branch) => hasField(branch, bytes))) {
        const content = reader.file(pointTo(pointer, name), inner, true);
        if (content !== undefined) {
          if (typeof content === 'string') define(copy, name, content);
          else define(copy, bytes, content.base64);
          continue;
        }
      }
      define(copy, name, read(inner, wanted, pointTo(pointer, name)));
    }
    return copy;
  }
}

function depthOf(pointer: string): number {
  return pointer.split('/').length - 1;
}

function hasField(schema: TSchema, name: string): boolean {
  const properties = schema['properties'] as object | undefined;
  return properties !== undefined && Object.hasOwn(properties, name);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') {
    target[name] = value;
    return;
  }
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}

function branchesOf(schema: TSchema, definitions: Map<string, TSchema>): TSchema[] {
  if (typeof schema.$id === 'string') definitions.set(schema.$id, schema);
  const reference: unknown = schema['$ref'];
  if (typeof reference === 'string') {
    const found = definitions.get(reference);
    return found === undefined || typeof found['$ref'] === 'string'
      ? []
      : branchesOf({ ...found, $id: undefined } as unknown as TSchema, definitions);
  }
  const inner = [...list(schema['anyOf']), ...list(schema['oneOf']), ...list(schema['allOf'])];
  return inner.length === 0 ? [schema] : inner.flatMap((branch) => branchesOf(branch, definitions));
}

function list(value: unknown): TSchema[] {
  return Array.isArray(value) ? (value as TSchema[]) : [];
}

function fieldsOf(schemas: readonly TSchema[], name: string, definitions: Map<string, TSchema>): TSchema[] {
  return schemas.flatMap((schema) => {
    const properties = schema['properties'] as Record<string, TSchema> | undefined;
    if (properties !== undefined && Object.hasOwn(properties, name)) {
      const field = properties[name];
      return field === undefined ? [] : branchesOf(field, definitions);
    }
    for (const [pattern, field] of Object.entries(
      (schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {},
    )) {
      if (new RegExp(pattern, 'u').test(name)) return branchesOf(field, definitions);
    }
    const others: unknown = schema['additionalProperties'];
    return typeof others === 'object' && others !== null ? branchesOf(others as TSchema, definitions) : [];
  });
}

/** Whether an object of that form has any names, and texts alone that are taken as they are. */
function isMapOfTexts(schemas: readonly TSchema[], definitions: Map<string, TSchema>): boolean {
  const [schema, ...others] = schemas;
  if (schema === undefined || others.length > 0 || schema['properties'] !== undefined) return false;
  const patterns = Object.entries((schema['patternProperties'] as Record<string, TSchema> | undefined) ?? {});
  const [pattern, ofNames] = patterns[0] ?? [];
  const values: unknown = pattern === undefined ? schema['additionalProperties'] : ofNames;
  if (patterns.length > 1 || (pattern !== undefined && !ANY_NAME.has(pattern)) || !isSchema(values))
    return false;
  const branches = branchesOf(values, definitions);
  return branches.length > 0 && branches.every(({ type, format }) => type === 'string' && format !== 'path');
}

function isSchema(value: unknown): value is TSchema {
  return isObject(value);
}

function hasOnlyTexts(current: object): boolean {
  // Of what a parser made, every key is its own.
  for (const name in current)
    if (typeof (current as Readonly<Record<string, unknown>>)[name] !== 'string') return false;
  return true;
}

function itemsOf(schemas: readonly TSchema[], definitions: Map<string, TSchema>): TSchema[] {
  return schemas.flatMap((schema) => {
    const items: unknown = schema['items'];
    if (Array.isArray(items)) return (items as TSchema[]).flatMap((item) => branchesOf(item, definitions));
    return typeof items === 'object' && items !== null ? branchesOf(items as TSchema, definitions) : [];
  });
}

function accepts(schemas: readonly TSchema[], type: string): boolean {
  return schemas.some((schema) => {
    const own: unknown = schema['type'];
    if (own === undefined) return schema['const'] === undefined && schema['enum'] === undefined;
    if (own === type || (own === 'integer' && type === 'number')) return true;
    return Array.isArray(own) && own.includes(type);
  });
}

function wantsNoText(schemas: readonly TSchema[]): boolean {
  return (
    schemas.some(({ type }) => type === 'number' || type === 'integer' || type === 'boolean') &&
    !accepts(schemas, 'string')
  );
}

/** A value of a file, and where it stands. */
interface Nested {
  readonly value: unknown;
  readonly name: string;
  readonly parent: Nested | undefined;
  readonly depth: number;
}

/** The pointer of the first value that is nested too deeply, if any; finds it in steps and without recursion. */
export function* tooDeepSteps(value: unknown): Generator<undefined, string | undefined> {
  let seen = 0;
  const waiting: Nested[] = [{ value, name: '', parent: undefined, depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value: current, depth } = next;
    if (typeof current !== 'object' || current === null) continue;
    if (depth > MAX_DEPTH) return pointerOf(next);
    // Of what a parser made, every key is its own.
    for (const name in current) {
      const inner = (current as Record<string, unknown>)[name];
      if (typeof inner === 'object') waiting.push({ value: inner, name, parent: next, depth: depth + 1 });
      seen += 1;
      if (seen % 1000 === 0) yield;
    }
  }
  return undefined;
}

function pointerOf({ name, parent }: Nested): string {
  return parent === undefined ? '' : pointTo(pointerOf(parent), name);
}
