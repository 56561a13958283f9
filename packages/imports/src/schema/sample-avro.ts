import { type Chance, isTree, listOf, textOf, type Tree } from '@backlot/contracts';

const DEEPEST = 40;
/** Types that are looked at for one sample. */
const BUDGET = 3000;

/** Stands for a type that has no value of bounded size, or is none. */
const NONE = Symbol('no value');

/**
 * A value of an Avro schema in the form in which it is written as JSON here: unions without the name of their type, bytes
 * as a text of one character a byte.
 *
 * @returns undefined when there is none of bounded size
 */
export function sampleAvro(schema: unknown, chance: Chance): unknown {
  const value = new AvroSampler(chance).sample(schema, '', '', 'text');
  return value === NONE ? undefined : value;
}

class AvroSampler {
  readonly #named = new Map<string, { readonly schema: Tree; readonly space: string }>();
  /** The records on the way, which tell where one is within itself. */
  readonly #way: Tree[] = [];
  #left = BUDGET;

  constructor(private readonly chance: Chance) {}

  sample(schema: unknown, space: string, logical: string, name: string): unknown {
    this.#left -= 1;
    if (this.#left < 0 || this.#way.length > DEEPEST) return NONE;
    if (Array.isArray(schema)) return this.#union(schema, space, name);
    if (isTree(schema)) return this.#ofTree(schema, space, name);
    return typeof schema === 'string' ? this.#ofName(schema, space, logical, name) : NONE;
  }

  #ofTree(schema: Tree, space: string, name: string): unknown {
    const { type } = schema;
    const logical = textOf(schema['logicalType']) ?? '';
    if (typeof type !== 'string') return this.sample(type, space, logical, name);
    switch (type) {
      case 'record':
      case 'error':
        return this.#record(schema, space);
      case 'enum': {
        this.#remember(schema, space);
        const [first] = listOf(schema['symbols']);
        return typeof first === 'string' ? first : NONE;
      }
      case 'fixed': {
        this.#remember(schema, space);
        const size = Number(schema['size']);
        return Number.isInteger(size) && size >= 0 && size <= 10_000 ? '\u0001'.repeat(size) : NONE;
      }
      case 'array': {
        const item = this.sample(schema['items'], space, '', name);
        return item === NONE ? [] : [item];
      }
      case 'map': {
        const item = this.sample(schema['values'], space, '', name);
        return item === NONE ? {} : { key: item };
      }
      default:
        return this.#ofName(type, space, logical, name);
    }
  }

  #record(schema: Tree, space: string): unknown {
    if (this.#way.includes(schema)) return NONE;
    const inner = this.#remember(schema, space);
    this.#way.push(schema);
    try {
      const fields: [string, unknown][] = [];
      for (const field of listOf(schema['fields'])) {
        if (!isTree(field) || typeof field['name'] !== 'string') return NONE;
        const value = this.sample(field['type'], inner, textOf(field['logicalType']) ?? '', field['name']);
        if (value !== NONE) fields.push([field['name'], value]);
        else if (Object.hasOwn(field, 'default')) fields.push([field['name'], field['default']]);
        else return NONE;
      }
      return Object.fromEntries(fields);
    } finally {
      this.#way.pop();
    }
  }

  /** The first type that is more than null; null where all others are endless. */
  #union(types: readonly unknown[], space: string, name: string): unknown {
    for (const type of types.slice(0, 100)) {
      if (type === 'null') continue;
      const value = this.sample(type, space, '', name);
      if (value !== NONE) return value;
    }
    return types.includes('null') ? null : NONE;
  }

  #ofName(type: string, space: string, logical: string, name: string): unknown {
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return true;
      case 'int':
        return logical === 'date' ? 19_737 + this.chance.int(0, 99) : this.chance.int(1, 99);
      case 'long':
        if (logical.includes('timestamp'))
          return (
            (1_705_276_800 + this.chance.int(0, 99)) *
            (logical.endsWith('micros') ? 1_000_000 : logical.endsWith('nanos') ? 1_000_000_000 : 1000)
          );
        return this.chance.int(1, 99);
      case 'float':
      case 'double':
        return this.chance.int(1, 99) + 0.5;
      case 'bytes':
        return '\u0001';
      case 'string':
        return logical === 'uuid' ? this.chance.uuid() : name;
      default: {
        const known =
          this.#named.get(type.includes('.') || space === '' ? type : `${space}.${type}`) ??
          this.#named.get(type);
        return known === undefined ? NONE : this.#ofTree(known.schema, known.space, name);
      }
    }
  }

  /** @returns the namespace of what is within */
  #remember(schema: Tree, space: string): string {
    const name = textOf(schema['name']) ?? '';
    const dot = name.lastIndexOf('.');
    const own = dot === -1 ? (textOf(schema['namespace']) ?? space) : name.slice(0, dot);
    const short = name.slice(dot + 1);
    this.#named.set(own === '' ? short : `${own}.${short}`, { schema, space: own });
    return own;
  }
}
