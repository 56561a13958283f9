type Node = Readonly<Record<string, unknown>>;

const MAX_PROBLEMS = 20;
/** Pairs of schemas that are compared at most. */
const MAX_STEPS = 20_000;
const MAX_DEPTH = 100;

/** Bounds: a reader must not have a narrower one than the writer. */
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
/** What a reader may only have as the writer has it. */
const EXACT = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'const', 'not', 'patternProperties'];

/** Whether one JSON Schema takes all that another one does, by the rules that Confluent's registry has for open and closed content. */
export class JsonComparison {
  readonly #reader: unknown;
  readonly #writer: unknown;
  #problems: string[] = [];
  #steps = 0;

  constructor(reader: unknown, writer: unknown) {
    this.#reader = reader;
    this.#writer = writer;
  }

  /** Why it does not; empty when it does. */
  problems(): readonly string[] {
    this.#problems = [];
    this.#steps = 0;
    this.#compare(this.#reader, this.#writer, '#', 0);
    return this.#problems.slice(0, MAX_PROBLEMS);
  }

  #compare(readerGiven: unknown, writerGiven: unknown, at: string, depth: number): void {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS || depth > MAX_DEPTH) {
      if (this.#problems.length < MAX_PROBLEMS) this.#add(at, 'the schemas are too large to be compared');
      return;
    }
    if (this.#problems.length >= MAX_PROBLEMS) return;
    const reader = resolve(this.#reader, readerGiven);
    const writer = resolve(this.#writer, writerGiven);
    if (reader === true || isEmpty(reader) || writer === false) return;
    if (reader === false) return this.#add(at, 'nothing is taken any more');
    const ours = asNode(reader);
    const theirs = asNode(writer);
    if (JSON.stringify(ours) === JSON.stringify(theirs) && !hasReference(ours)) return;
    this.#compareTypes(ours, theirs, at);
    this.#compareValues(ours, theirs, at);
    this.#compareChoices(ours, theirs, at, depth);
    this.#compareProperties(ours, theirs, at, depth);
    if (ours['items'] !== undefined)
      this.#compare(ours['items'], theirs['items'] ?? true, `${at}/items`, depth + 1);
  }

  #compareTypes(reader: Node, writer: Node, at: string): void {
    if (reader['type'] === undefined) return;
    const taken = listOf(reader['type']);
    const given = writer['type'] === undefined ? impliedTypes(writer) : listOf(writer['type']);
    if (given === undefined) return this.#add(at, `the type has been narrowed to ${taken.join(', ')}`);
    const lost = given.filter(
      (type) => !taken.includes(type) && !(type === 'integer' && taken.includes('number')),
    );
    if (lost.length > 0) this.#add(at, `the type ${lost.join(', ')} is not taken any more`);
  }

  #compareValues(reader: Node, writer: Node, at: string): void {
    if (Array.isArray(reader['enum'])) {
      const taken = new Set(reader['enum'].map((value) => JSON.stringify(value)));
      const given = Array.isArray(writer['enum']) ? writer['enum'] : undefined;
      if (given === undefined) this.#add(at, 'an enum was added');
      else if (given.some((value) => !taken.has(JSON.stringify(value))))
        this.#add(at, 'values of the enum were removed');
    }
    for (const name of UPPER) this.#compareBound(reader, writer, name, at, (ours, theirs) => ours >= theirs);
    for (const name of LOWER) this.#compareBound(reader, writer, name, at, (ours, theirs) => ours <= theirs);
    for (const name of EXACT) {
      if (reader[name] === undefined || JSON.stringify(reader[name]) === JSON.stringify(writer[name]))
        continue;
      this.#add(at, `${name} was added or changed`);
    }
  }

  #compareBound(
    reader: Node,
    writer: Node,
    name: string,
    at: string,
    isWide: (ours: number, theirs: number) => boolean,
  ): void {
    const ours = reader[name];
    const theirs = writer[name];
    if (typeof ours !== 'number' || (typeof theirs === 'number' && isWide(ours, theirs))) return;
    this.#add(at, `${name} was ${theirs === undefined ? 'added' : 'narrowed'}`);
  }

  /** Each alternative of the writer has to be taken by one of the reader. */
  #compareChoices(reader: Node, writer: Node, at: string, depth: number): void {
    for (const part of asList(reader['allOf'])) {
      const others = asList(writer['allOf']);
      if (!this.#isTakenBySome([writer, ...others], (other) => this.#takes(part, other, depth)))
        this.#add(at, 'a part of allOf was added or narrowed');
    }
    const taken = [...asList(reader['oneOf']), ...asList(reader['anyOf'])];
    if (taken.length === 0) return;
    const alternatives = [...asList(writer['oneOf']), ...asList(writer['anyOf'])];
    for (const given of alternatives.length > 0 ? alternatives : [writer]) {
      if (!this.#isTakenBySome(taken, (one) => this.#takes(one, given, depth)))
        this.#add(at, 'an alternative was removed or narrowed');
    }
  }

  #isTakenBySome(list: readonly unknown[], test: (one: unknown) => boolean): boolean {
    return list.some(test);
  }

  #takes(reader: unknown, writer: unknown, depth: number): boolean {
    const before = this.#problems;
    this.#problems = [];
    this.#compare(reader, writer, '#', depth + 1);
    const isTaken = this.#problems.length === 0;
    this.#problems = before;
    return isTaken;
  }

  #compareProperties(reader: Node, writer: Node, at: string, depth: number): void {
    const ours = asNode(reader['properties']);
    const theirs = asNode(writer['properties']);
    const others = reader['additionalProperties'];
    const theirOthers = writer['additionalProperties'] ?? true;
    const required = asList(writer['required']);
    for (const name of asList(reader['required'])) {
      const property = asNode(own(ours, String(name)));
      if (!required.includes(name) && property['default'] === undefined)
        this.#add(at, `the property ${JSON.stringify(name)} has become required`);
    }
    for (const [name, schema] of Object.entries(ours)) {
      const before = Object.hasOwn(theirs, name) ? theirs[name] : theirOthers;
      if (before === true && !Object.hasOwn(theirs, name) && !isEmpty(schema) && schema !== true)
        this.#add(at, `the property ${JSON.stringify(name)} was added to open content`);
      else this.#compare(schema, before, `${at}/properties/${name}`, depth + 1);
    }
    if (others === undefined || others === true) return;
    for (const [name, schema] of Object.entries(theirs)) {
      if (Object.hasOwn(ours, name)) continue;
      if (others === false)
        this.#add(at, `the property ${JSON.stringify(name)} was removed from closed content`);
      else this.#compare(others, schema, `${at}/properties/${name}`, depth + 1);
    }
    if (others === false && theirOthers !== false) this.#add(at, 'other properties are not taken any more');
    else this.#compare(others, theirOthers, `${at}/additionalProperties`, depth + 1);
  }

  #add(at: string, problem: string): void {
    this.#problems.push(`${at}: ${problem}`);
  }
}

/** What a reference within the schema leads to; another one stays as it is. */
function resolve(root: unknown, given: unknown): unknown {
  let schema = given;
  for (let left = 10; left > 0; left -= 1) {
    const reference = asNode(schema)['$ref'];
    if (typeof reference !== 'string' || !reference.startsWith('#')) return schema;
    schema = reference
      .slice(1)
      .split('/')
      .slice(1)
      .reduce(
        (node: unknown, part) => own(asNode(node), part.replaceAll('~1', '/').replaceAll('~0', '~')),
        root,
      );
  }
  return schema;
}

function hasReference(node: Node): boolean {
  return JSON.stringify(node).includes('"$ref":"#');
}

function impliedTypes(writer: Node): readonly unknown[] | undefined {
  if (!Array.isArray(writer['enum'])) return undefined;
  return [...new Set(writer['enum'].map((value) => (value === null ? 'null' : typeof value)))];
}

function own(node: Node, name: string): unknown {
  return Object.hasOwn(node, name) ? node[name] : undefined;
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
