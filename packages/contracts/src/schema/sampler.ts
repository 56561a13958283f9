import type { ImportFile } from '@backlot/core/plugin';
import type { Chance } from '../shared/chance.js';
import { isTree, listOf, memberOf, treesOf, type Tree } from '../shared/values.js';
import { mergeSchemas } from './merge.js';
import type { References } from './references.js';
import { sampleNumber } from './sample-number.js';
import { sampleText } from './sample-text.js';

/** Schemas that are looked at for one sample; what is optional beyond is left out. */
const BUDGET = 3000;
/** Levels below which nothing optional is made. */
const DEEP = 12;
/** Levels of schemas in schemas. */
const DEEPEST = 60;
const MOST_ITEMS = 20;

/** Stands for a value that cannot be made, since it would go on for ever or the schema allows none. */
const NONE = Symbol('no value');

/** How values are made. */
export interface Sampling {
  /** Whether examples and defaults are taken where a schema has some; true when absent. */
  readonly usesExamples?: boolean;
  /** Whether texts that may be anything are as they usually stand under their names, in place of the names themselves. */
  readonly looksReal?: boolean;
  /** Whether only what must be there is made. */
  readonly onlyRequired?: boolean;
  /** Whether chance chooses among the values of a list, alternatives and lengths; else the first and the least is taken. */
  readonly varies?: boolean;
}

/** Makes a value of each schema: the same one for the same seed. */
export class Sampler {
  readonly #references: References;
  readonly #chance: Chance;
  readonly #sampling: Sampling;
  /** The schemas on the way, which tell where one is within itself. */
  #way: unknown[] = [];
  #left = 0;

  constructor(references: References, chance: Chance, sampling: Sampling = {}) {
    this.#sampling = sampling;
    this.#references = references;
    this.#chance = chance;
  }

  /**
   * A value that a schema describes.
   *
   * @param document - where its references begin
   * @param name - what it is called, for texts that may be anything
   * @returns undefined when there is none of bounded size
   */
  sample(schema: unknown, document: ImportFile, name = 'text'): unknown {
    this.#way = [];
    this.#left = BUDGET;
    const value = this.#value(schema, document, name);
    return value === NONE ? undefined : value;
  }

  #value(given: unknown, from: ImportFile, name: string): unknown {
    if (given === true || given === undefined) return {};
    if (!isTree(given) || this.#way.length > DEEPEST) return NONE;
    this.#left -= 1;
    const { value: schema, document } = this.#references.follow({ value: given, document: from });
    if (!isTree(schema)) return schema === true ? {} : NONE;
    // A schema within itself is made no further: whoever holds it leaves it out.
    if (this.#way.includes(schema)) return NONE;
    this.#way.push(schema);
    try {
      return this.#ofSchema(withSiblings(given, schema), document, name);
    } finally {
      this.#way.pop();
    }
  }

  #ofSchema(schema: Tree, document: ImportFile, name: string): unknown {
    const given = this.#givenValue(schema);
    if (given !== NONE) return given;
    if (Array.isArray(schema['allOf'])) {
      const parts = listOf(schema['allOf'])
        .slice(0, 100)
        .map((part) => this.#references.follow({ value: part, document }));
      const { allOf: _all, ...own } = schema;
      const documents = parts.map((part) => part.document);
      // Parts of other documents have references of their own, which are followed from there.
      const base = documents.find((one) => one !== document) ?? document;
      const wasWithin = parts.some(({ value }) => this.#way.includes(value));
      if (wasWithin) return NONE;
      return this.#nested(
        parts.map(({ value }) => value),
        () =>
          this.#ofSchema(
            parts.reduce<Tree>((merged, { value }) => mergeSchemas(merged, value), own),
            base,
            name,
          ),
      );
    }
    for (const word of ['oneOf', 'anyOf'] as const) {
      if (Array.isArray(schema[word])) return this.#alternative(schema, word, document, name);
    }
    return this.#ofType(typeOf(schema), schema, document, name);
  }

  /** What the schema itself gives as a value. */
  #givenValue(schema: Tree): unknown {
    if (Object.hasOwn(schema, 'const')) return schema['const'];
    const { usesExamples = true, varies = false } = this.#sampling;
    if (usesExamples) {
      if (schema['example'] !== undefined) return schema['example'];
      const [example] = listOf(schema['examples']);
      if (example !== undefined) return example;
      if (schema['default'] !== undefined && schema['default'] !== null) return schema['default'];
    }
    const values = listOf(schema['enum']).filter((value) => value !== null);
    if (values.length > 0) return values[varies ? this.#chance.int(0, values.length - 1) : 0];
    return Array.isArray(schema['enum']) && schema['enum'].length > 0 ? null : NONE;
  }

  #nested(schemas: readonly unknown[], make: () => unknown): unknown {
    const length = this.#way.length;
    this.#way.push(...schemas);
    try {
      return this.#way.length > DEEPEST * 4 ? NONE : make();
    } finally {
      this.#way.length = length;
    }
  }

  #alternative(schema: Tree, word: 'oneOf' | 'anyOf', document: ImportFile, name: string): unknown {
    const { [word]: alternatives, ...own } = schema;
    for (const alternative of listOf(alternatives).slice(0, 100)) {
      const followed = this.#references.follow({ value: alternative, document });
      if (!isTree(followed.value) || this.#way.includes(followed.value)) continue;
      if (followed.value['type'] === 'null') continue;
      const value = this.#nested([followed.value], () =>
        this.#ofSchema(mergeSchemas(own, followed.value), followed.document, name),
      );
      if (value !== NONE) return discriminated(value, schema, alternative);
    }
    return schema['nullable'] === true || treesOf(alternatives).some(({ type }) => type === 'null')
      ? null
      : NONE;
  }

  #ofType(type: string | undefined, schema: Tree, document: ImportFile, name: string): unknown {
    switch (type) {
      case 'object':
        return this.#object(schema, document);
      case 'array':
        return this.#array(schema, document, name);
      case 'string':
        return sampleText(schema, name, this.#chance, this.#sampling.looksReal) ?? NONE;
      case 'integer':
      case 'number':
        return sampleNumber(schema, type === 'integer', this.#chance) ?? NONE;
      case 'boolean':
        return this.#sampling.varies !== true || this.#chance.int(0, 1) === 1;
      case 'null':
        return null;
      case undefined:
        return {};
      default:
        return NONE;
    }
  }

  #object(schema: Tree, document: ImportFile): unknown {
    const properties = isTree(schema['properties']) ? schema['properties'] : {};
    const required = new Set(listOf(schema['required']).filter((one) => typeof one === 'string'));
    const object: [string, unknown][] = [];
    for (const [name, property] of Object.entries(properties)) {
      const isNeeded = required.delete(name);
      if (!isNeeded && (this.#left < 0 || this.#way.length > DEEP || this.#sampling.onlyRequired === true))
        continue;
      if (memberOf(property, 'writeOnly') === true && !isNeeded) continue;
      const value = this.#value(property, document, name);
      if (value !== NONE) object.push([name, value]);
      else if (isNeeded) {
        if (memberOf(property, 'nullable') !== true) return NONE;
        object.push([name, null]);
      }
      if (this.#left < -BUDGET) return NONE;
    }
    const further = schema['additionalProperties'];
    const least = Math.min(Number(schema['minProperties'] ?? 0) || 0, MOST_ITEMS);
    const missing = [...required, ...Array.from({ length: least }, (_, index) => `key${index + 1}`)];
    const wanted =
      required.size > 0
        ? missing.slice(0, Math.max(required.size, least - object.length))
        : missing.slice(0, Math.max(0, least - object.length));
    if (wanted.length === 0 && object.length === 0 && isTree(further) && this.#left > 0) wanted.push('key1');
    for (const name of wanted.slice(0, 100)) {
      const value = this.#value(further === false || further === undefined ? true : further, document, name);
      if (value !== NONE) object.push([name, value]);
      else if (required.has(name)) return NONE;
    }
    return Object.fromEntries(object);
  }

  #array(schema: Tree, document: ImportFile, name: string): unknown {
    const least = Number(schema['minItems'] ?? 0) || 0;
    if (least > MOST_ITEMS) return NONE;
    const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : MOST_ITEMS;
    const usual = this.#left > 0 && this.#way.length <= DEEP && this.#sampling.onlyRequired !== true ? 1 : 0;
    const wished =
      usual === 1 && this.#sampling.varies === true && this.#way.length <= 6 ? this.#chance.int(1, 3) : usual;
    const count = Math.min(Math.max(least, wished), most);
    const prefix = listOf(schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : []));
    const items = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    const list: unknown[] = [];
    const texts = new Set<string>();
    for (let index = 0; index < Math.max(count, Math.min(prefix.length, most)); index += 1) {
      const item = prefix[index] ?? items;
      let value = this.#value(item, document, singular(name));
      if (schema['uniqueItems'] === true) value = this.#unlike(value, item, document, name, texts);
      if (value === NONE) return list.length >= least ? list : NONE;
      list.push(value);
    }
    return list;
  }

  /** A value that is not there yet, among the first few that a schema gives. */
  #unlike(first: unknown, schema: unknown, document: ImportFile, name: string, texts: Set<string>): unknown {
    const values = listOf(memberOf(schema, 'enum'));
    let value = first;
    for (let turn = 0; turn < MOST_ITEMS * 2 && value !== NONE; turn += 1) {
      const text = JSON.stringify(value);
      if (!texts.has(text)) {
        texts.add(text);
        return value;
      }
      value = turn < values.length ? values[turn] : this.#value(schema, document, `${name}${turn + 2}`);
    }
    return NONE;
  }
}

function typeOf(schema: Tree): string | undefined {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type))
    return type.find((one): one is string => typeof one === 'string' && one !== 'null') ?? 'null';
  if (
    isTree(schema['properties']) ||
    Array.isArray(schema['required']) ||
    isTree(schema['additionalProperties'])
  )
    return 'object';
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
  if (schema['pattern'] !== undefined || schema['format'] !== undefined || schema['minLength'] !== undefined)
    return 'string';
  return schema['minimum'] !== undefined || schema['maximum'] !== undefined ? 'number' : undefined;
}

/** A referenced schema with what stands beside the reference. */
function withSiblings(given: Tree, schema: Tree): Tree {
  if (given === schema || !Object.hasOwn(given, '$ref')) return schema;
  const { $ref: _reference, ...beside } = given;
  return Object.keys(beside).length === 0 ? schema : mergeSchemas(schema, beside);
}

/** A value of an alternative, with the name by which a discriminator tells it. */
function discriminated(value: unknown, schema: Tree, alternative: unknown): unknown {
  const discriminator = memberOf(schema, 'discriminator');
  const property = memberOf(discriminator, 'propertyName');
  const reference = memberOf(alternative, '$ref');
  if (typeof property !== 'string' || typeof reference !== 'string' || !isTree(value)) return value;
  const mapping = memberOf(discriminator, 'mapping');
  const named = isTree(mapping)
    ? Object.entries(mapping).find(([, target]) => target === reference)?.[0]
    : undefined;
  return { ...value, [property]: named ?? reference.slice(reference.lastIndexOf('/') + 1) };
}

function singular(name: string): string {
  return name.length > 3 && name.endsWith('s') ? name.slice(0, -1) : name;
}
