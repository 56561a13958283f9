import {
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { collectFields, type CollectScope, type Groups } from '../schema/collect-fields.js';

/** Values and selected fields of one answer that are looked at: more would hold up other clients. */
const MOST_VALUES = 25_000;
const MOST_FAULTS = 20;
const MOST_NAMES = 20;

type Fields = Readonly<Record<string, unknown>>;

/** What a schema does not allow in an answer. */
export interface DataFault {
  /** A JSON pointer into the answer: `/data/user/id`. */
  readonly path: string;
  readonly message: string;
  readonly value: unknown;
}

/** What is selected of an object; absent where the operation is not known, and each field may have been asked for. */
interface Selected {
  readonly scope: CollectScope;
  readonly nodes: readonly FieldNode[];
}

/** Holds the data of an answer to a schema. */
export class DataCheck {
  readonly faults: DataFault[] = [];
  readonly #schema: GraphQLSchema;
  /** What is selected of the objects of one type, which are as many as a list has. */
  readonly #collected = new WeakMap<readonly FieldNode[], Map<GraphQLObjectType, Groups>>();
  #count = 0;

  /** Whether there was too much to look at all of it. */
  get isUnchecked(): boolean {
    return this.#count > MOST_VALUES;
  }

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** @param groups - the fields that an operation asks for; absent where it is not known */
  root(type: GraphQLObjectType, data: Fields, groups?: Groups, scope?: CollectScope): void {
    this.#object(type, data, '/data', groups, scope);
  }

  #object(
    type: GraphQLObjectType,
    data: Fields,
    path: string,
    groups: Groups | undefined,
    scope: CollectScope | undefined,
  ): void {
    const fields = type.getFields();
    this.#count += groups?.size ?? 0;
    if (groups === undefined || scope === undefined) {
      // What has another name may be an alias.
      for (const [key, value] of Object.entries(data)) {
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
        if (field !== undefined) this.#value(field.type, value, stepTo(path, key), undefined);
      }
      return;
    }
    for (const [key, nodes] of groups) {
      if (this.#isOver) return;
      const name = nodes[0]?.name.value ?? key;
      const value = Object.hasOwn(data, key) ? data[key] : undefined;
      const at = stepTo(path, key);
      if (name.startsWith('__')) {
        // Of one type alone it is known without: clients ask for it by themselves everywhere.
        if (name === '__typename' && value !== undefined && value !== type.name)
          this.#fail(at, `must be "${type.name}"`, value);
        continue;
      }
      const field: GraphQLField<unknown, unknown> | undefined = fields[name];
      if (field === undefined) continue;
      if (value === undefined) this.#fail(at, 'must be there', undefined);
      else this.#value(field.type, value, at, { scope, nodes });
    }
  }

  #value(type: GraphQLOutputType, value: unknown, path: string, selected: Selected | undefined): void {
    this.#count += 1;
    if (this.#isOver) return;
    if (isNonNullType(type)) {
      if (value === null) this.#fail(path, `must not be null; it is of the type ${String(type)}`, value);
      else this.#value(type.ofType, value, path, selected);
    } else if (value === null) return;
    else if (isListType(type)) {
      if (!Array.isArray(value)) this.#fail(path, `must be a list of the type ${String(type)}`, value);
      else
        for (const [index, one] of value.entries()) {
          if (this.#isOver) return;
          this.#value(type.ofType, one, `${path}/${index}`, selected);
        }
    } else if (isLeafType(type)) {
      try {
        type.parseValue(value);
      } catch {
        this.#fail(
          path,
          isEnumType(type)
            ? `must be one of ${listed(type.getValues().map(({ name }) => name))}`
            : `must be of the type ${type.name}`,
          value,
        );
      }
    } else if (typeof value !== 'object' || Array.isArray(value))
      this.#fail(path, `must be an object of the type ${type.name}`, value);
    else {
      const data = value as Fields;
      const of = this.#typeOf(type, data, path, selected);
      if (of === undefined) return;
      this.#object(of, data, path, selected && this.#collect(selected, of), selected?.scope);
    }
  }

  get #isOver(): boolean {
    return this.#count > MOST_VALUES || this.faults.length >= MOST_FAULTS;
  }

  #collect({ scope, nodes }: Selected, type: GraphQLObjectType): Groups {
    const known = this.#collected.get(nodes) ?? new Map<GraphQLObjectType, Groups>();
    this.#collected.set(nodes, known);
    const groups =
      known.get(type) ??
      collectFields(
        scope,
        type,
        nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
      );
    known.set(type, groups);
    return groups;
  }

  /** The type of an object; of one that may be several it is known by `__typename` alone. */
  #typeOf(
    type: GraphQLOutputType,
    data: Fields,
    path: string,
    selected: Selected | undefined,
  ): GraphQLObjectType | undefined {
    if (isObjectType(type)) return type;
    if (!isAbstractType(type)) return undefined;
    const possible = this.#schema.getPossibleTypes(type);
    const name = data['__typename'];
    if (name === undefined && possible.length === 1) return possible[0];
    if (name === undefined) {
      if (selected !== undefined && asksForType(selected.nodes))
        this.#fail(`${path}/__typename`, `must be one of ${listed(possible.map((one) => one.name))}`, name);
      return undefined;
    }
    const found = possible.find((one) => one.name === name);
    if (found === undefined)
      this.#fail(`${path}/__typename`, `must be one of ${listed(possible.map((one) => one.name))}`, name);
    return found;
  }

  #fail(path: string, message: string, value: unknown): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push({ path, message, value });
  }
}

function asksForType(nodes: readonly FieldNode[]): boolean {
  return nodes.some(({ selectionSet }) =>
    selectionSet?.selections.some((one) => one.kind === Kind.FIELD && one.name.value === '__typename'),
  );
}

function stepTo(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => `"${name}"`);
  return names.length > MOST_NAMES
    ? `${shown.join(', ')} and ${names.length - MOST_NAMES} more`
    : shown.join(', ');
}
