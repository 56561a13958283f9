import { loadText, MOST_BYTES } from '@backlot/contracts';
import {
  holdsTooMuch,
  invalid,
  messageOf,
  type ContractFindings,
  type ContractOperation,
  type ContractSource,
  type ContractViolation,
  type LoadedContract,
  type MockViolation,
} from '@backlot/core/plugin';
import {
  isInterfaceType,
  isObjectType,
  Kind,
  OperationTypeNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import type { GivenResult } from '../answer/result.js';
import type { CompiledGraphql } from '../matcher.js';
import type { GraphqlMessage } from '../message.js';
import { collectFields } from '../schema/collect-fields.js';
import { SchemaEngine, type Plan } from '../schema/engine.js';
import { InvalidOperation } from '../schema/invalid-operation.js';
import { loadSchema } from '../schema/load-schema.js';
import { DataCheck } from './check-data.js';

const LONGEST = 200;
/** Values in variables beyond which they are not checked. */
const MOST_VALUES_GIVEN = 10_000;

/** What was found of an operation: its plan, or why it is not allowed. */
export interface OperationFindings extends ContractFindings {
  readonly plan: Plan | undefined;
  readonly errors: readonly GraphQLError[];
}

/** A schema that operations, answers and mocks of GraphQL are held to. */
export class GraphqlContract implements LoadedContract {
  /** The fields of its types. */
  readonly operations: readonly ContractOperation[];
  readonly digest: string;
  readonly #schema: GraphQLSchema;
  readonly #engine: SchemaEngine;
  readonly #touched = new WeakMap<object, readonly string[]>();

  constructor(schema: GraphQLSchema, sdl: string, digest: string) {
    this.digest = digest;
    this.#schema = schema;
    this.#engine = new SchemaEngine({ schema, sdl, values: {} }, () => {
      throw new Error('a contract makes no values');
    });
    this.operations = Object.values(schema.getTypeMap()).flatMap((type) =>
      (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__')
        ? Object.keys(type.getFields()).map((field) => ({ name: `${type.name}.${field}`, answers: [] }))
        : [],
    );
  }

  /** What is wrong with an operation. */
  checkOperation(message: GraphqlMessage): OperationFindings {
    try {
      if (holdsTooMuch(message.variables, MOST_VALUES_GIVEN)) {
        const also = this.#fieldsOf(this.#engine.find(message.body, message.name));
        return { operation: also[0], also, violations: [], isUnchecked: true, plan: undefined, errors: [] };
      }
      const plan = this.#engine.plan(message.body, message.name, message.variables);
      const also = this.#fieldsOf(plan);
      return { operation: also[0], also, violations: [], plan, errors: [] };
    } catch (thrown) {
      if (!(thrown instanceof InvalidOperation)) throw thrown;
      const { errors } = thrown;
      return { violations: errors.map(violationOf), plan: undefined, errors };
    }
  }

  /**
   * What is wrong with an answer.
   *
   * @param text - the result, as JSON
   */
  checkResult(
    { operation, fragments, variables }: Plan,
    text: string,
  ): Pick<ContractFindings, 'violations' | 'isUnchecked'> {
    if (text.length > MOST_BYTES) return { violations: [], isUnchecked: true };
    const { data, errors } = JSON.parse(text) as GivenResult;
    const hasErrors = errors !== undefined && errors.length > 0;
    const type = this.#schema.getRootType(operation.operation);
    if (type === undefined || type === null) return { violations: [] };
    if (data === undefined || data === null)
      return {
        violations: hasErrors ? [] : [{ in: 'answer', path: '/data', message: 'must be there' }],
      };
    if (typeof data !== 'object' || Array.isArray(data)) {
      const message = `must be an object of the type ${type.name}`;
      return { violations: [{ in: 'answer', path: '/data', message }] };
    }
    const scope = { schema: this.#schema, fragments, variables };
    const check = new DataCheck(this.#schema);
    check.root(
      type,
      data as Readonly<Record<string, unknown>>,
      collectFields(scope, type, [operation.selectionSet]),
      scope,
    );
    return {
      violations: check.faults.map(({ path, message, value }) => ({
        in: 'answer',
        path,
        message,
        ...shown(value),
      })),
      isUnchecked: check.isUnchecked,
    };
  }

  checkMock(mock: Readonly<Record<string, unknown>>, compiled: unknown): readonly MockViolation[] {
    const { result, stream } = compiled as CompiledGraphql;
    const results =
      stream === undefined
        ? [{ at: '/response', text: result.constant }]
        : stream.map(({ data }, index) => ({
            at: `/stream/${index}`,
            text: data.constant ? data.source : undefined,
          }));
    return results.flatMap(({ at, text }) => {
      const data = text === undefined ? undefined : (JSON.parse(text) as GivenResult).data;
      if (typeof data !== 'object' || data === null || Array.isArray(data)) return [];
      const fields = data as Readonly<Record<string, unknown>>;
      const type = this.#rootFor(mock['operation_type'], stream !== undefined, fields);
      if (type === undefined) return [];
      const check = new DataCheck(this.#schema);
      check.root(type, fields);
      return check.faults.map(({ path, message }) => ({ path: at, message: `${path} ${message}` }));
    });
  }

  /** The root type that a mock answers for: the one that it names, or the first that has one of its fields. */
  #rootFor(
    named: unknown,
    isStream: boolean,
    data: Readonly<Record<string, unknown>>,
  ): GraphQLObjectType | undefined {
    const all = [OperationTypeNode.QUERY, OperationTypeNode.MUTATION, OperationTypeNode.SUBSCRIPTION];
    const wanted = isStream ? OperationTypeNode.SUBSCRIPTION : named;
    return all
      .filter((type) => wanted === undefined || type === wanted)
      .flatMap((type) => this.#schema.getRootType(type) ?? [])
      .find((type) => {
        const fields = type.getFields();
        return Object.keys(data).some((key) => Object.hasOwn(fields, key));
      });
  }

  /** The fields that an operation selects, those of the root first. */
  #fieldsOf({ operation, fragments }: Pick<Plan, 'operation' | 'fragments'>): readonly string[] {
    const known = this.#touched.get(operation);
    if (known !== undefined) return known;
    const found = new Set<string>();
    const info = new TypeInfo(this.#schema);
    const parts = new Set<string>();
    const look = (node: Parameters<typeof visit>[0]): void => {
      visit(
        node,
        visitWithTypeInfo(info, {
          Field: ({ name }) => {
            const parent = info.getParentType();
            if (parent && !name.value.startsWith('__')) found.add(`${parent.name}.${name.value}`);
          },
          FragmentSpread: ({ name }) => void parts.add(name.value),
        }),
      );
    };
    look(operation);
    // Those that a fragment adds to the set are come to as well.
    for (const name of parts) {
      const fragment = fragments.get(name);
      if (fragment !== undefined) look(fragment);
    }
    const fields = [...found];
    this.#touched.set(operation, fields);
    return fields;
  }
}

/** Reads the schema that the settings name. */
export async function loadGraphqlContract({ file }: ContractSource): Promise<GraphqlContract> {
  const { text, digest } = await loadText(file);
  try {
    const loaded = loadSchema({ sdl: text });
    if (loaded === undefined) throw invalid('it holds no schema');
    return new GraphqlContract(loaded.schema, loaded.sdl, digest);
  } catch (thrown) {
    throw invalid(`"${file}" is no schema that can be used: ${messageOf(thrown)}`);
  }
}

function violationOf({ message, nodes, extensions }: GraphQLError): ContractViolation {
  const isVariable = extensions['code'] === 'BAD_USER_INPUT';
  const node = nodes?.[0];
  const name = isVariable && node?.kind === Kind.VARIABLE_DEFINITION ? `/${node.variable.name.value}` : '';
  return {
    in: 'request',
    path: isVariable ? `/variables${name}` : '/document',
    message: message.slice(0, LONGEST),
  };
}

function shown(value: unknown): Pick<ContractViolation, 'value'> {
  if (typeof value === 'string') return { value: value.slice(0, LONGEST) };
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? { value } : {};
}
