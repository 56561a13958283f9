import { publishedSchema } from '@backlot/core';
import type { TSchema } from '@backlot/core/plugin';

type JsonObject = Record<string, unknown>;

/** Writes schemas as JSON, those with a name once, where a prefix says. */
export class SchemaWriter {
  readonly #names: ReadonlyMap<TSchema, string>;
  readonly #place: string;
  readonly #written = new Map<string, JsonObject>();

  /** @param place - where those with a name stand, as a reference begins */
  constructor(names: ReadonlyMap<TSchema, string>, place = '#/components/schemas/') {
    this.#names = names;
    this.#place = place;
  }

  /** The schema, or a reference to its name. */
  write(schema: TSchema): JsonObject {
    const published = publishedSchema(schema);
    if (published !== undefined) {
      const { description } = schema;
      const reference = this.#refer(published.name, published.schema);
      return description === undefined ? reference : { ...reference, description };
    }
    const name =
      this.#names.get(schema) ?? (typeof schema.$id === 'string' ? nameOfId(schema.$id) : undefined);
    return name === undefined ? this.#writeObject(schema) : this.#refer(name, schema);
  }

  #refer(name: string, schema: TSchema): JsonObject {
    if (!this.#written.has(name)) {
      // Marked before it is written: a schema may hold itself.
      this.#written.set(name, {});
      this.#written.set(name, this.#writeObject(schema));
    }
    return { $ref: `${this.#place}${name}` };
  }

  /** What was written under a name, in the order of the names. */
  components(): JsonObject {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #writeObject(schema: object): JsonObject {
    const written: JsonObject = {};
    for (const [key, value] of Object.entries(schema) as [string, unknown][]) {
      if (key === '$id' || value === undefined) continue;
      const isReference = key === '$ref' && typeof value === 'string' && !value.startsWith('#');
      define(written, key, isReference ? `${this.#place}${nameOfId(value)}` : this.#writeValue(key, value));
    }
    return written;
  }

  #writeValue(key: string, value: unknown): unknown {
    if (key === 'default' || key === 'const' || key === 'enum' || key === 'examples') return value;
    if (Array.isArray(value)) return value.map((entry: unknown) => this.#writeValue('', entry));
    return typeof value === 'object' && value !== null ? this.write(value as TSchema) : value;
  }
}

/** The name of a schema that refers to itself by an id. */
function nameOfId(id: string): string {
  return `Recursive${id.replaceAll(/[^A-Za-z0-9]+/g, '')}`;
}

function define(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
