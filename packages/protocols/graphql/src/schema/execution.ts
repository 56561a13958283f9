import type { Random } from '@backlot/core/plugin';
import {
  getArgumentValues,
  GraphQLError,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  locatedError,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type SelectionSetNode,
} from 'graphql';
import type { DeferPlan } from '../incremental/defer-plan.js';
import { NotedResult } from '../incremental/noted-result.js';
import { collectFields, type CollectScope, type Groups } from './collect-fields.js';
import { chooseType, identityOf } from './identity.js';
import type { LoadedSchema } from './load-schema.js';
import { briefly } from './briefly.js';
import { makeLeaf } from './made-leaf.js';
import { fieldValue } from './type-values.js';

/** What no mock gives, so that it is made. */
const MISSING = Symbol('missing');
/** How many items a made list has. */
const MADE_ITEMS = 2;
/** Fields and items between two offers to let others in. */
const STEP = 100;
/** Errors of fields that an answer lists. */
const MAX_ERRORS = 100;
const NO_ARGUMENTS = { args: {}, text: '' };

type Fields = Readonly<Record<string, unknown>>;
type Place = readonly (string | number)[];
type Steps<T> = Generator<undefined, T>;

/** An object that is answered: what is given of it, and the key from which the rest is made. */
interface ObjectNode {
  readonly type: GraphQLObjectType;
  readonly given: Fields | undefined;
  readonly key: string;
}

/** What an execution needs. */
export interface ExecutionParts {
  readonly loaded: LoadedSchema;
  readonly scope: CollectScope;
  readonly random: (...parts: string[]) => Random;
  /** How many fields and items the whole answer may have. */
  readonly maxFields: number;
  /** Places that the mock has errors for: what is missing there is null. */
  readonly failed: ReadonlySet<string>;
  /** What of the answer is delivered later, where the client wants it so. */
  readonly deferring?: DeferPlan<GraphQLObjectType> | undefined;
}

/** What one part of an answer holds. */
export interface PartialResult {
  readonly data: unknown;
  readonly errors: readonly GraphQLError[];
}

/**
 * Completes what a mock has given by the schema (GraphQL, section 6.4), as steps between which others may be let in. What
 * is missing is made from a key: that of an object with an id is the type and the id, so that it is the same wherever it is
 * met; that of another one is its place.
 */
export class Execution {
  readonly #parts: ExecutionParts;
  readonly #collected = new WeakMap<readonly FieldNode[], Map<GraphQLObjectType, Groups>>();
  readonly #arguments = new WeakMap<
    FieldNode,
    { readonly field: object; readonly args: Fields; readonly text: string }
  >();
  readonly #errors: GraphQLError[] = [];
  /** Of what the answer is made, where parts of it are delivered later. */
  readonly noted = new NotedResult();
  #count = 0;

  constructor(parts: ExecutionParts) {
    this.#parts = parts;
  }

  /** The data of the answer, and the errors of its fields. */
  *root(
    type: GraphQLObjectType,
    selectionSet: SelectionSetNode,
    given: Fields | undefined,
  ): Steps<PartialResult> {
    const { scope, deferring } = this.#parts;
    const groups =
      deferring === undefined
        ? collectFields(scope, type, [selectionSet])
        : deferring.root(type, selectionSet);
    try {
      const data = yield* this.#object({ type, given, key: type.name }, groups, []);
      return { data, errors: this.#errors };
    } catch (thrown) {
      if (!(thrown instanceof GraphQLError)) throw thrown;
      return { data: null, errors: [...this.#errors, thrown] };
    }
  }

  *#object(node: ObjectNode, groups: Groups, path: Place): Steps<Fields> {
    const { deferring } = this.#parts;
    const data = Object.create(null) as Record<string, unknown>;
    if (deferring !== undefined) this.noted.note(data, groups);
    for (const [key, nodes] of groups) {
      if (this.#countOne()) yield;
      try {
        const value = yield* this.#field(node, key, nodes, [...path, key]);
        if (value !== undefined) data[key] = value;
      } catch (thrown) {
        // What is delivered later fails alone.
        if (!isOfField(thrown) || deferring?.deliveryOf(nodes).isLater !== true) throw thrown;
        this.noted.fail(data, key, thrown);
      }
    }
    return data;
  }

  *#field(node: ObjectNode, key: string, nodes: readonly FieldNode[], path: Place): Steps<unknown> {
    const [first] = nodes;
    const name = first?.name.value ?? '';
    if (first === undefined || name === '__typename') return node.type.name;
    const field = this.#definition(node.type, name);
    if (field === undefined) return undefined;
    try {
      const { args, text } = this.#argumentsOf(field, first);
      const given = this.#given(node, field, args, key, path);
      const place = `${node.key}.${name}${text}`;
      return yield* this.#complete(field.type, { given, key: place, field: name, args, nodes, path });
    } catch (thrown) {
      return this.#failed(thrown, field.type, nodes, path);
    }
  }

  #definition(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === '__schema') return SchemaMetaFieldDef;
    if (name === '__type') return TypeMetaFieldDef;
    return type.getFields()[name];
  }

  #given(
    { type, given, key }: ObjectNode,
    field: GraphQLField<unknown, unknown>,
    args: Fields,
    alias: string,
    path: Place,
  ): unknown {
    const { loaded, scope, failed } = this.#parts;
    const { name } = field;
    if (name.startsWith('__') || type.name.startsWith('__'))
      return field.resolve?.(given, args, undefined, { schema: scope.schema } as GraphQLResolveInfo);
    const holds = (member: string): boolean => given !== undefined && Object.hasOwn(given, member);
    const own = holds(name) ? given?.[name] : undefined;
    if (name === '_entities' && key === scope.schema.getQueryType()?.name)
      return withRepresentations(args, own);
    // Mocks may also be written by the names that their clients ask for.
    if (alias !== name && holds(alias) && type.getFields()[alias] === undefined) return given?.[alias];
    if (own !== undefined) return own;
    if (failed.size > 0 && failed.has(JSON.stringify(path))) return null;
    const configured = fieldValue(loaded.values, type, name);
    if (configured !== undefined) return configured;
    if (name === '_service' && key === scope.schema.getQueryType()?.name) return { sdl: loaded.sdl };
    return MISSING;
  }

  *#complete(type: GraphQLOutputType, value: Value): Steps<unknown> {
    if (isNonNullType(type)) {
      const completed = yield* this.#complete(type.ofType, value);
      if (completed === null || completed === undefined)
        throw new Error(`Cannot return null for non-nullable field ${value.field}.`);
      return completed;
    }
    const { given } = value;
    if (given === null || given === undefined) return null;
    if (isListType(type)) return yield* this.#list(type.ofType, value);
    if (isLeafType(type)) {
      const { values } = this.#parts.loaded;
      if (given === MISSING && Object.hasOwn(values, type.name)) {
        return values[type.name] === null ? null : type.serialize(values[type.name]);
      }
      const leaf = given === MISSING ? makeLeaf(type, value.field, this.#parts.random(value.key)) : given;
      return leaf === null ? null : type.serialize(leaf);
    }
    if (given !== MISSING && (typeof given !== 'object' || Array.isArray(given)))
      throw new Error(`Expected an object for ${type.name}, found ${JSON.stringify(given).slice(0, 100)}.`);
    const fields = given === MISSING ? undefined : (given as Fields);
    const concrete = isAbstractType(type)
      ? chooseType(this.#parts.scope.schema, type, fields, this.#parts.random(value.key, 'type'))
      : type;
    const node = this.#identify(concrete, fields, value);
    return yield* this.#object(node, this.#collect(concrete, value.nodes), value.path);
  }

  *#list(itemType: GraphQLOutputType, value: Value): Steps<unknown> {
    const { given, path, key } = value;
    if (given !== MISSING && !Array.isArray(given))
      throw new Error(`Expected a list for ${value.field}, found ${JSON.stringify(given).slice(0, 100)}.`);
    const all: readonly unknown[] =
      given === MISSING ? new Array<unknown>(MADE_ITEMS).fill(MISSING) : (given as unknown[]);
    const item = (index: number): Steps<unknown> =>
      this.#item(itemType, { ...value, given: all[index], key: `${key}[${index}]`, path: [...path, index] });
    const items: unknown[] = [];
    // Only a list that is itself the value of a field is delivered in parts.
    const streamed =
      typeof path.at(-1) === 'string' ? this.#parts.deferring?.streamOf(value.nodes) : undefined;
    let failure: GraphQLError | undefined;
    for (let index = 0; index < all.length && failure === undefined; index += 1) {
      try {
        items.push(yield* item(index));
      } catch (thrown) {
        if (!isOfField(thrown) || streamed === undefined || index < streamed.initialCount) throw thrown;
        failure = thrown;
      }
    }
    if (streamed !== undefined)
      this.noted.noteList(items, { nodes: value.nodes, ...(failure === undefined ? {} : { failure }) });
    return items;
  }

  *#item(type: GraphQLOutputType, value: Value): Steps<unknown> {
    if (this.#countOne()) yield;
    try {
      return yield* this.#complete(type, value);
    } catch (thrown) {
      return this.#failed(thrown, type, value.nodes, value.path);
    }
  }

  /** Counts a field or an item. Gives whether others should be let in. */
  #countOne(): boolean {
    this.#count += 1;
    const { maxFields } = this.#parts;
    if (this.#count > maxFields)
      throw new TooManyFields(`the answer has more than ${maxFields} fields; ask for less`);
    return this.#count % STEP === 0;
  }

  /** Null in place of what could not be completed; where null is not allowed, the object around it fails as well. */
  #failed(thrown: unknown, type: GraphQLOutputType, nodes: readonly FieldNode[], path: Place): null {
    if (thrown instanceof TooManyFields) throw thrown;
    // To find the line of an error, the document is read again up to it.
    const isFull = this.#errors.length >= MAX_ERRORS;
    const error = isFull ? LEFT_OUT : locatedError(thrown, nodes, path);
    if (isNonNullType(type)) throw error;
    if (!isFull || this.#errors.length === MAX_ERRORS) this.#errors.push(error);
    return null;
  }

  #argumentsOf(
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
  ): { readonly args: Fields; readonly text: string } {
    if (field.args.length === 0) return NO_ARGUMENTS;
    let known = this.#arguments.get(node);
    if (known?.field !== field) {
      const args = getArgumentValues(field, node, this.#parts.scope.variables);
      known = { field, args, text: Object.keys(args).length === 0 ? '' : briefly(args) };
      this.#arguments.set(node, known);
    }
    return known;
  }

  #identify(type: GraphQLObjectType, fields: Fields | undefined, { key, args }: Value): ObjectNode {
    if (type.name.startsWith('__')) return { type, given: fields, key };
    const make = (field: string): unknown => {
      const definition = type.getFields()[field];
      const leaf =
        definition === undefined
          ? undefined
          : isNonNullType(definition.type)
            ? definition.type.ofType
            : definition.type;
      return isLeafType(leaf) ? makeLeaf(leaf, field, this.#parts.random(`${key}.${field}`)) : undefined;
    };
    const identity = identityOf(type, fields, args, make);
    return identity === undefined
      ? { type, given: fields, key }
      : { type, given: { ...fields, ...identity.fields }, key: identity.key };
  }

  #collect(type: GraphQLObjectType, nodes: readonly FieldNode[]): Groups {
    const { deferring } = this.#parts;
    if (deferring !== undefined) return deferring.collect(type, nodes);
    let byType = this.#collected.get(nodes);
    if (byType === undefined) this.#collected.set(nodes, (byType = new Map<GraphQLObjectType, Groups>()));
    let collected = byType.get(type);
    if (collected === undefined) {
      const sets = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
      collected = collectFields(this.#parts.scope, type, sets);
      byType.set(type, collected);
    }
    return collected;
  }
}

/** A value on its way into the answer. */
interface Value {
  readonly given: unknown;
  readonly key: string;
  readonly field: string;
  readonly args: Fields;
  readonly nodes: readonly FieldNode[];
  readonly path: Place;
}

/** The whole answer fails, since it would be too large. */
class TooManyFields extends GraphQLError {}

function isOfField(thrown: unknown): thrown is GraphQLError {
  return thrown instanceof GraphQLError && !(thrown instanceof TooManyFields);
}

/** Stands last among the errors when there are more. */
const LEFT_OUT = new GraphQLError(`further errors are left out: there are more than ${MAX_ERRORS}`);

/** What a gateway has of entities is given back with what the mock gives for each of them. */
function withRepresentations({ representations }: Fields, given: unknown): unknown {
  if (!Array.isArray(representations)) return given;
  const mocked: readonly unknown[] = Array.isArray(given) ? given : [];
  return representations.map((each: unknown, index) => {
    const own = mocked[index];
    if (typeof each !== 'object' || own === null) return own === null ? null : each;
    return typeof own === 'object' ? { ...each, ...own } : each;
  });
}
