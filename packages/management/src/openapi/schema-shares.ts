/** About how long a reference is, in characters. */
const REFERENCE = 40;
/** How many characters a name has to save: a document with fewer names is easier to read. */
const MIN_SAVED = 300;
/** What is shorter is written in each place, however often. */
const MIN_SIZE = 95;

/** Keywords whose value is one schema. */
const ONE = new Set(['items', 'additionalProperties', 'not', 'contains', 'propertyNames']);
/** Keywords whose value is a list of schemas. */
const LISTS = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems']);
/** Keywords whose value has schemas by name. */
const MAPS = new Set(['properties', 'patternProperties']);

/** A schema that is known once, however often it stands in a document. */
interface Node {
  /** Its keywords; those that hold schemas have nodes in their place. */
  readonly keywords: readonly (readonly [string, unknown])[];
  /** How long its own keywords are as JSON, without the schemas in it. */
  readonly own: number;
  /** The schemas in it, each as often as it stands there. */
  readonly inner: readonly number[];
  /** How long it is with all that is written in it; known once all schemas are. */
  size: number | undefined;
  /** In how many places of other schemas, each counted once, and of the document it stands. */
  uses: number;
  /** The field in which it was met first. */
  readonly field: string;
}

/**
 * Finds the schemas that a document holds several times, so that each is written once, under a name, and referred to. Two schemas are
 * the same when their JSON is.
 *
 * First every schema of the document is {@link add}ed; then each is {@link write}n.
 */
export class SchemaShares {
  readonly #place: string;
  readonly #ids = new Map<string, number>();
  readonly #nodes: Node[] = [];
  readonly #names = new Map<number, string>();
  readonly #taken: Set<string>;
  readonly #definitions = new Map<string, unknown>();

  /**
   * @param place - where schemas with a name stand, as a reference begins
   * @param taken - names that the document uses already
   */
  constructor(place: string, taken: Iterable<string> = []) {
    this.#place = place;
    this.#taken = new Set(taken);
  }

  /**
   * Makes a schema known.
   *
   * @param field - what it is the value of; its name is made of this
   * @param name - the name that it has in the document already: what is the same elsewhere refers to it
   */
  add(schema: unknown, field: string, name?: string): void {
    const id = this.#intern(schema, field);
    if (id === undefined) return;
    if (name === undefined) this.#use(id);
    else if (!this.#names.has(id)) this.#names.set(id, name);
    // The same under another name is written once more.
    else for (const each of this.#node(id).inner) this.#use(each);
  }

  /** A schema that was added, with references to those that stand in several places. */
  write(schema: unknown): unknown {
    const id = this.#intern(schema, '');
    return id === undefined ? schema : this.#refer(id);
  }

  /** The content of a schema that has a name already. */
  writeNamed(schema: unknown): unknown {
    const id = this.#intern(schema, '');
    return id === undefined ? schema : this.#writeNode(this.#node(id));
  }

  /** What was referred to so far and has no other place, in the order of the names. */
  definitions(): Record<string, unknown> {
    return Object.fromEntries([...this.#definitions].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #node(id: number): Node {
    const node = this.#nodes[id];
    if (node === undefined) throw new Error(`there is no schema ${id}`);
    return node;
  }

  #use(id: number): void {
    this.#node(id).uses += 1;
  }

  /** The number of a schema; undefined for what is none, such as `true`. */
  #intern(schema: unknown, field: string): number | undefined {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return undefined;
    const keywords: (readonly [string, unknown])[] = [];
    const inner: number[] = [];
    const internOne = (value: unknown, name: string): unknown => {
      const id = this.#intern(value, name);
      if (id === undefined) return value;
      inner.push(id);
      return { id };
    };
    for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
      if (ONE.has(keyword)) keywords.push([keyword, internOne(value, field)]);
      else if (LISTS.has(keyword) && Array.isArray(value))
        keywords.push([keyword, value.map((each) => internOne(each, field))]);
      else if (MAPS.has(keyword) && typeof value === 'object' && value !== null) {
        const isFields = keyword === 'properties';
        const written = Object.entries(value).map(
          ([name, each]) => [name, internOne(each, isFields ? name : field)] as const,
        );
        keywords.push([keyword, Object.fromEntries(written)]);
      } else keywords.push([keyword, value]);
    }
    const key = JSON.stringify(keywords);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#nodes.length;
    this.#ids.set(key, id);
    this.#nodes.push({ keywords, own: key.length, inner, size: undefined, uses: 0, field });
    for (const each of inner) this.#use(each);
    return id;
  }

  #sizeOf(id: number): number {
    const node = this.#node(id);
    node.size ??= node.inner.reduce(
      (sum, each) => sum + (this.#isShared(each) ? REFERENCE : this.#sizeOf(each)),
      node.own,
    );
    return node.size;
  }

  #isShared(id: number): boolean {
    if (this.#names.has(id)) return true;
    const { uses } = this.#node(id);
    const size = this.#sizeOf(id);
    return uses > 1 && size >= MIN_SIZE && (uses - 1) * (size - REFERENCE) >= MIN_SAVED;
  }

  #refer(id: number): unknown {
    const node = this.#node(id);
    if (!this.#isShared(id)) return this.#writeNode(node);
    let name = this.#names.get(id);
    if (name === undefined) {
      name = this.#nameFor(node.field);
      this.#names.set(id, name);
      this.#taken.add(name);
      this.#definitions.set(name, this.#writeNode(node));
    }
    return { $ref: `${this.#place}${name}` };
  }

  #writeNode({ keywords }: Node): unknown {
    const writeOne = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? this.#refer((value as { readonly id: number }).id)
        : value;
    return Object.fromEntries(
      keywords.map(([keyword, value]) => {
        if (ONE.has(keyword)) return [keyword, writeOne(value)];
        if (LISTS.has(keyword) && Array.isArray(value)) return [keyword, value.map(writeOne)];
        if (MAPS.has(keyword) && typeof value === 'object' && value !== null)
          return [
            keyword,
            Object.fromEntries(Object.entries(value).map(([name, each]) => [name, writeOne(each)])),
          ];
        return [keyword, value];
      }),
    );
  }

  #nameFor(field: string): string {
    const base = field
      .split(/[^A-Za-z0-9]+/)
      .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
      .join('');
    const first = base === '' ? 'Schema' : base;
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? first : `${first}${count}`;
      if (!this.#taken.has(name)) return name;
    }
  }
}

/**
 * Writes what stands several times in a schema once, under `$defs`.
 *
 * @param definitions - those that it refers to already
 */
export function shareSchemas(
  schema: Readonly<Record<string, unknown>>,
  definitions: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const shares = new SchemaShares('#/$defs/', Object.keys(definitions));
  for (const [name, each] of Object.entries(definitions)) shares.add(each, name, name);
  shares.add(schema, '');
  const written = shares.writeNamed(schema) as Record<string, unknown>;
  const named = Object.entries(definitions).map(([name, each]) => [name, shares.writeNamed(each)] as const);
  const all = [...named, ...Object.entries(shares.definitions())];
  if (all.length === 0) return written;
  return { ...written, $defs: Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1))) };
}
