import {
  GraphQLError,
  Kind,
  visit,
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
} from 'graphql';

const MAX_ALIASES = 1000;
const MAX_OPERATIONS = 100;
const MAX_FRAGMENTS = 500;
/** Fields, spreads and variables that all operations use together; those of a fragment count for each operation that uses it. */
const MAX_USED = 20_000;

/** What a definition has, without the fragments that it spreads. */
interface Counted {
  readonly used: number;
  readonly spreads: ReadonlySet<string>;
}

/**
 * What is too much of a document to be checked against a schema: rules follow the fragments of each operation anew, so that their
 * work is that of the operations times that of the fragments.
 */
export function findExcess(tree: DocumentNode): GraphQLError | undefined {
  const operations: DefinitionNode[] = [];
  const fragments = new Map<string, FragmentDefinitionNode>();
  let fragmentCount = 0;
  for (const each of tree.definitions) {
    if (each.kind === Kind.OPERATION_DEFINITION) operations.push(each);
    if (each.kind !== Kind.FRAGMENT_DEFINITION) continue;
    fragmentCount += 1;
    fragments.set(each.name.value, each);
  }
  if (operations.length > MAX_OPERATIONS) return excess(`${MAX_OPERATIONS} operations`);
  if (fragmentCount > MAX_FRAGMENTS) return excess(`${MAX_FRAGMENTS} fragments`);
  let aliases = 0;
  visit(tree, {
    Field: ({ alias }) => {
      if (alias !== undefined) aliases += 1;
    },
  });
  if (aliases > MAX_ALIASES) return excess(`${MAX_ALIASES} aliases`);
  return usesTooMuch(operations, fragments)
    ? new GraphQLError(
        `the operations of the document use more than ${MAX_USED} fields, spreads and variables together, where those of a fragment count for each operation; send fewer operations in one document`,
      )
    : undefined;
}

function excess(what: string): GraphQLError {
  return new GraphQLError(`the document has more than ${what}`);
}

function usesTooMuch(
  operations: readonly DefinitionNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): boolean {
  const counted = new Map<string, Counted>();
  let used = 0;
  for (const operation of operations) {
    const seen = new Set<string>();
    const waiting: Counted[] = [count(operation)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      used += next.used;
      if (used > MAX_USED) return true;
      for (const name of next.spreads) {
        const fragment = fragments.get(name);
        if (fragment === undefined || seen.has(name)) continue;
        seen.add(name);
        const known = counted.get(name) ?? count(fragment);
        counted.set(name, known);
        waiting.push(known);
      }
    }
  }
  return false;
}

function count(definition: DefinitionNode): Counted {
  let used = 0;
  const spreads = new Set<string>();
  const one = (): void => {
    used += 1;
  };
  visit(definition, {
    Field: one,
    InlineFragment: one,
    Variable: one,
    FragmentSpread: ({ name }) => {
      used += 1;
      spreads.add(name.value);
    },
  });
  return { used, spreads };
}
