import {
  Kind,
  parse,
  type FieldNode,
  type FragmentDefinitionNode,
  type NamedTypeNode,
  type OperationDefinitionNode,
} from 'graphql';
import { DeferPlan } from './defer-plan.js';
import { withDefaults } from './directives.js';
import { NotedResult } from './noted-result.js';

/** Values between two offers to let others in. */
const STEP = 200;

/** A result, and what is known of how to deliver it. */
export interface DeliverableResult {
  readonly data: unknown;
  readonly plan: Pick<DeferPlan<unknown>, 'deliveryOf' | 'openedBy' | 'streamOf'>;
  readonly noted: NotedResult;
}

/**
 * Finds out how the data of a mock is delivered where no schema says what types there are: a fragment is for an object unless
 * the object has another `__typename`.
 *
 * @param text - the document, which has been read
 * @param name - the name of the operation
 */
export function* untypedResult(
  text: string,
  name: string | undefined,
  given: Readonly<Record<string, unknown>>,
  data: unknown,
): Generator<undefined, DeliverableResult> {
  const { definitions } = parse(text, { noLocation: true });
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const each of definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
    else if (each.kind === Kind.OPERATION_DEFINITION) operations.push(each);
  }
  const operation = operations.find((each) => operations.length === 1 || each.name?.value === name);
  const noted = new NotedResult();
  const variables = operation === undefined ? given : withDefaults(operation, given);
  const plan = new DeferPlan<string | undefined>({ fragments, variables, applies });
  if (operation === undefined || !isObject(data)) return { data, plan, noted };
  let count = 0;
  const copied = yield* copyObject(data, plan.root(typeName(data), operation.selectionSet));
  return { data: copied, plan, noted };

  /** A copy, since a mock may hold one object at several places. */
  function* copyObject(
    value: Readonly<Record<string, unknown>>,
    groups: ReadonlyMap<string, readonly FieldNode[]>,
  ): Generator<undefined, object> {
    const made = Object.assign(Object.create(null) as Record<string, unknown>, value);
    noted.note(made, groups);
    for (const [key, nodes] of groups)
      if (Object.hasOwn(value, key)) made[key] = yield* copy(value[key], nodes, true);
    return made;
  }

  function* copy(
    value: unknown,
    nodes: readonly FieldNode[],
    isWhole: boolean,
  ): Generator<undefined, unknown> {
    count += 1;
    if (count % STEP === 0) yield;
    if (Array.isArray(value)) {
      const list: unknown[] = [];
      for (const item of value) list.push(yield* copy(item, nodes, false));
      if (isWhole) noted.noteList(list, { nodes });
      return list;
    }
    if (!isObject(value)) return value;
    return yield* copyObject(value, plan.collect(typeName(value), nodes));
  }
}

function applies(condition: NamedTypeNode | undefined, type: string | undefined): boolean {
  return condition === undefined || type === undefined || condition.name.value === type;
}

function typeName(value: Readonly<Record<string, unknown>>): string | undefined {
  const name = value['__typename'];
  return typeof name === 'string' ? name : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
