import { runAtOnce, type Random } from '@backlot/core/plugin';
import {
  getVariableValues,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type FragmentDefinitionNode,
  type NamedTypeNode,
  type OperationDefinitionNode,
} from 'graphql';
import { failureOf, type Failure } from '../answer/failure.js';
import type { GivenResult } from '../answer/result.js';
import { DocumentCache } from '../document/document-cache.js';
import { DeferPlan } from '../incremental/defer-plan.js';
import { INCREMENTAL_RULES } from '../incremental/rules.js';
import { writePayloads, type IncrementalFormat } from '../incremental/payloads.js';
import { appliesTo } from './collect-fields.js';
import { findExcess } from './excess.js';
import { Execution } from './execution.js';
import { InvalidOperation } from './invalid-operation.js';
import type { LoadedSchema } from './load-schema.js';
import { findConflict } from './merging-fields.js';
import { writeJson } from './write-json.js';

/** Fields and items of an answer. */
const MAX_FIELDS = 100_000;
/** Of an answer about the schema, which is made once and kept. */
const MAX_INTROSPECTION_FIELDS = 2_000_000;
/** Of what is sent to a subscription, which is made in one go. */
const MAX_EVENT_FIELDS = 5000;
/** Validation ends with so many errors: the suggestions of each cost time. */
const MAX_ERRORS = 10;
/** A checked document keeps its places, which are much larger than its text. */
const MAX_DOCUMENTS_TEXT = 512 * 1024;
const MAX_MESSAGE = 1000;
const MAX_KEPT = 16;
const MAX_KEPT_TEXT = 16 * 1024 * 1024;

const RULES = [
  ...specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule),
  ...INCREMENTAL_RULES,
];

interface CheckedDocument {
  readonly text: string;
  readonly tree: DocumentNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly errors: readonly GraphQLError[];
}

/** An operation that fits the schema, with its variables coerced. */
export interface Plan {
  readonly text: string;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** An operation that was carried out. */
interface Executed {
  readonly execution: Execution;
  readonly data: unknown;
  readonly errors: readonly Failure[];
  /** What the answer holds beside them. */
  readonly more: Pick<GivenResult, 'extensions'>;
}

/** Checks operations against a schema, and completes answers by it. */
export class SchemaEngine {
  readonly #loaded: LoadedSchema;
  readonly #schema: GraphQLSchema;
  readonly #random: (...parts: string[]) => Random;
  readonly #documents = new DocumentCache((text) => this.#check(text), MAX_DOCUMENTS_TEXT);
  readonly #kept = new Map<string, string>();
  #keptSize = 0;

  constructor(loaded: LoadedSchema, random: (...parts: string[]) => Random) {
    this.#loaded = loaded;
    this.#random = random;
    this.#schema = loaded.schema;
  }

  /**
   * Checks an operation.
   *
   * @param text - the document, which has been read
   * @throws InvalidOperation
   */
  plan(text: string, name: string | undefined, given: Readonly<Record<string, unknown>> | undefined): Plan {
    const { operation, fragments } = this.find(text, name);
    const values = getVariableValues(this.#schema, operation.variableDefinitions ?? [], given ?? {}, {
      maxErrors: MAX_ERRORS,
    });
    if (values.errors !== undefined)
      throw new InvalidOperation(values.errors.map((error) => withCode(error, 'BAD_USER_INPUT')));
    return { text, operation, fragments, variables: values.coerced };
  }

  /**
   * Checks an operation, whatever its variables are.
   *
   * @throws InvalidOperation
   */
  find(text: string, name: string | undefined): Pick<Plan, 'operation' | 'fragments'> {
    const { tree, fragments, errors } = this.#documents.read(text);
    if (errors.length > 0) throw new InvalidOperation(errors);
    const operations = tree.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
    const operation = operations.find((each) => operations.length === 1 || each.name?.value === name);
    if (operation === undefined)
      throw new InvalidOperation([new GraphQLError('the document holds no such operation')]);
    return { operation, fragments };
  }

  /** The answer of an operation about the schema alone, which is kept. */
  *introspect(plan: Plan): Generator<undefined, string> {
    const key = JSON.stringify([plan.text, plan.operation.name?.value, plan.variables]);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const text = yield* this.#answer(plan, {}, MAX_INTROSPECTION_FIELDS);
    if (text.length + key.length > MAX_KEPT_TEXT / 4) return text;
    this.#kept.set(key, text);
    this.#keptSize += text.length + key.length;
    for (const [oldest, value] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#keptSize <= MAX_KEPT_TEXT) break;
      this.#kept.delete(oldest);
      this.#keptSize -= oldest.length + value.length;
    }
    return text;
  }

  /**
   * The answer of an operation, as JSON.
   *
   * @param given - what a mock gives; what it leaves out is made
   */
  answer(plan: Plan, given: GivenResult): Generator<undefined, string> {
    return this.#answer(plan, given, MAX_FIELDS);
  }

  /** What is sent to a subscription, as JSON. */
  event(plan: Plan, given: GivenResult): string {
    return runAtOnce(this.#answer(plan, given, MAX_EVENT_FIELDS));
  }

  /**
   * The payloads of an operation of which parts are put off; one when nothing is.
   *
   * @param given - what a mock gives; what it leaves out is made
   */
  *payloads(plan: Plan, given: GivenResult, format: IncrementalFormat): Generator<undefined, string[]> {
    const { fragments, variables } = plan;
    const applies = (condition: NamedTypeNode | undefined, type: GraphQLObjectType): boolean =>
      appliesTo(this.#schema, condition, type);
    const deferring = new DeferPlan<GraphQLObjectType>({ fragments, variables, applies });
    const made = yield* this.#execute(plan, given, MAX_FIELDS, deferring);
    if (made === undefined) return [yield* writeJson(given)];
    const { execution, data, errors, more } = made;
    const result = { data, plan: deferring, noted: execution.noted };
    return yield* writePayloads(result, { errors, ...more }, format);
  }

  *#answer(plan: Plan, given: GivenResult, maxFields: number): Generator<undefined, string> {
    const made = yield* this.#execute(plan, given, maxFields);
    if (made === undefined) return yield* writeJson(given);
    const { data, errors, more } = made;
    return yield* writeJson({ ...(errors.length > 0 ? { errors } : {}), data, ...more });
  }

  /** @returns `undefined` when what is given is complete */
  *#execute(
    { operation, fragments, variables }: Plan,
    given: GivenResult,
    maxFields: number,
    deferring?: DeferPlan<GraphQLObjectType>,
  ): Generator<undefined, Executed | undefined> {
    const { data, errors: own = [], ...more } = given;
    const isComplete = data === null || (!('data' in given) && own.length > 0);
    const type = this.#schema.getRootType(operation.operation);
    if (isComplete || type === undefined || type === null) return undefined;
    if (data !== undefined && (typeof data !== 'object' || Array.isArray(data)))
      throw new Error(
        `data is ${JSON.stringify(data).slice(0, 100)}; it must be an object with the fields of ${type.name}`,
      );
    const execution = new Execution({
      loaded: this.#loaded,
      scope: { schema: this.#schema, fragments, variables },
      random: this.#random,
      maxFields,
      failed: new Set(own.flatMap(({ path }) => (path === undefined ? [] : [JSON.stringify(path)]))),
      deferring,
    });
    const made = yield* execution.root(
      type,
      operation.selectionSet,
      data as Record<string, unknown> | undefined,
    );
    return { execution, data: made.data, errors: [...own, ...made.errors.map(failureOf)], more };
  }

  #check(text: string): CheckedDocument {
    const tree = parse(text);
    const fragments = new Map<string, FragmentDefinitionNode>();
    const operations: OperationDefinitionNode[] = [];
    for (const each of tree.definitions) {
      if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
      else if (each.kind === Kind.OPERATION_DEFINITION) operations.push(each);
    }
    const tooMuch = findExcess(tree);
    let errors: readonly GraphQLError[] =
      tooMuch === undefined ? validate(this.#schema, tree, RULES, { maxErrors: MAX_ERRORS }) : [tooMuch];
    if (errors.length === 0) {
      errors = operations.flatMap((operation) => findConflict(this.#schema, fragments, operation) ?? []);
    }
    return {
      text,
      tree,
      fragments,
      errors: errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED')),
    };
  }
}

function withCode(error: GraphQLError, code: string): GraphQLError {
  // Messages quote what the client has sent, which may be megabytes.
  const { message, nodes } = error;
  const text = message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}...`;
  return new GraphQLError(text, { nodes: nodes ?? null, extensions: { code } });
}
