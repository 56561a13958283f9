import { invalid } from '../errors.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { showSource } from './check.js';

/** The keyword that counts how often a part of a schema is gone into. */
export const STEPS = 'x-backlot-steps';

const MAX_SCHEMA_DEPTH = 64;

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS = [
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
];
/** Keywords whose value is an object of schemas by name. */
const NAMED_SCHEMAS = [
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
];
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
/** Keywords whose schemas are asked of the same value as the schema around them. */
const SAME_VALUE = [
  'allOf',
  'anyOf',
  'dependencies',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
];

/** A schema that is ready to be compiled. */
export interface MeteredSchema {
  /** The schema with {@link STEPS} in each of its parts. */
  readonly schema: Record<string, unknown>;
  readonly dialect: '07' | '2019' | '2020';
  /** How many keywords and values it has. */
  readonly size: number;
}

/**
 * Copies a schema, so that it counts how often each of its parts is gone into: references may go in circles, and twice at
 * each level.
 *
 * @throws invalid for what refers to another document, to a place that is no schema, or in a circle that goes into no
 * part of the value, which would be asked forever (JSON Schema Core 2020-12, section 7.7.1)
 */
export function meteredSchema(source: unknown): MeteredSchema {
  if (!isObject(source))
    throw invalid(`pattern field "json_schema" is ${showSource(source)}; it must be a schema`);
  const { $schema: dialect, $id: _id, ...rest } = source;
  const copy = new SchemaCopy();
  const schema = copy.copy(rest, '', 0) as Record<string, unknown>;
  copy.checkReferences();
  copy.checkCircles();
  return { schema, dialect: readDialect(dialect), size: copy.size };
}

function readDialect(name: unknown): MeteredSchema['dialect'] {
  const text = typeof name === 'string' ? name : name === undefined ? '2020-12' : '';
  if (text.includes('2020-12')) return '2020';
  if (text.includes('2019-09')) return '2019';
  if (/draft-0[67]\//.test(text)) return '07';
  throw invalid(
    `JSON Schema names the dialect ${showSource(name)}; known are draft-06, draft-07, 2019-09 and 2020-12`,
  );
}

class SchemaCopy {
  size = 0;
  /** Where schemas stand, and what else references name them by. */
  readonly #places = new Map<string, string>([['#', '#']]);
  readonly #references = new Set<string>();
  /** What is asked of the same value as the schema at a place, by places and references. */
  readonly #asked = new Map<string, string[]>();

  copy(source: unknown, at: string, depth: number, around?: string): unknown {
    if (typeof source === 'boolean') this.#places.set(`#${at}`, `#${at}`);
    if (!isObject(source)) return source;
    if (depth > MAX_SCHEMA_DEPTH)
      throw invalid(`JSON Schema is nested deeper than ${MAX_SCHEMA_DEPTH} levels`);
    this.#places.set(`#${at}`, `#${at}`);
    if (around !== undefined) this.#asked.get(around)?.push(`#${at}`);
    this.#note(source, `#${at}`);
    let weight = 1;
    const made: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(source)) {
      const place = pointTo(at, keyword);
      const list = Array.isArray(value) ? (value as readonly unknown[]) : undefined;
      const same = SAME_VALUE.includes(keyword) ? `#${at}` : undefined;
      weight += 1 + (list?.length ?? 0);
      if (SCHEMAS.includes(keyword)) {
        made[keyword] =
          list?.map((each, index) => this.copy(each, pointTo(place, index), depth + 1, same)) ??
          this.copy(value, place, depth + 1, same);
      } else if (NAMED_SCHEMAS.includes(keyword) && isObject(value)) {
        const entries = Object.entries(value);
        if (keyword !== '$defs' && keyword !== 'definitions') weight += entries.length;
        made[keyword] = Object.fromEntries(
          entries.map(([name, each]) => [name, this.copy(each, pointTo(place, name), depth + 1, same)]),
        );
      } else made[keyword] = value;
    }
    this.size += weight;
    return { ...made, [STEPS]: weight };
  }

  checkReferences(): void {
    for (const reference of this.#references) {
      if (!reference.startsWith('#'))
        throw invalid(
          `JSON Schema refers to ${showSource(reference)}, another document; put what it means below "$defs" and refer to "#/$defs/name"`,
        );
      if (!this.#places.has(decoded(reference)))
        throw invalid(
          `JSON Schema refers to ${showSource(reference)}, where there is no schema; put it below "$defs"`,
        );
    }
  }

  /** Follows what is asked of one value, so far as it has not been followed without coming back. */
  checkCircles(): void {
    const done = new Set<string>();
    const begun = new Set<string>();
    const left = [...this.#asked.keys()].toReversed();
    for (let at = left.pop(); at !== undefined; at = left.pop()) {
      if (done.has(at)) continue;
      if (begun.has(at)) {
        done.add(at);
        continue;
      }
      begun.add(at);
      left.push(at);
      for (const next of this.#asked.get(at) ?? []) {
        const place = this.#places.get(decoded(next)) ?? next;
        if (done.has(place)) continue;
        if (begun.has(place))
          throw invalid(
            `JSON Schema asks ${showSource(place)} again of the same value by way of ${showSource(at)}, which has no end; let the reference stand below a keyword that goes into the value, such as "items" or "properties"`,
          );
        left.push(place);
      }
    }
  }

  #note(source: Readonly<Record<string, unknown>>, place: string): void {
    const asked: string[] = [];
    this.#asked.set(place, asked);
    for (const keyword of REFERENCES) {
      const reference = source[keyword];
      if (typeof reference !== 'string') continue;
      this.#references.add(reference);
      asked.push(reference);
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = source[keyword];
      if (typeof anchor === 'string') this.#places.set(`#${anchor}`, place);
    }
    const id = source['$id'];
    if (id !== undefined)
      throw invalid(
        `JSON Schema has a part with an "$id" of its own, ${showSource(id)}; give it an "$anchor" instead`,
      );
    if (Object.hasOwn(source, STEPS)) throw invalid(`JSON Schema has an unknown keyword "${STEPS}"`);
  }
}

/** A reference as places are written. */
function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    // It stays as it is, and is none of the places.
    return reference;
  }
}
