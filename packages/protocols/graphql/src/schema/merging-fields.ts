import {
  getNamedType,
  GraphQLError,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** How deep fields may be nested, through fragments. */
const MAX_DEPTH = 100;
/** Selections that are looked at: fragments can lead to the same ones again and again. */
const MAX_LOOKS = 50_000;

interface Entry {
  readonly parent: GraphQLNamedType | undefined;
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown> | undefined;
}

type Sets = readonly { readonly type: GraphQLNamedType | undefined; readonly set: SelectionSetNode }[];

/**
 * Finds fields that cannot be merged (GraphQL, section 5.3.2) and fields that are nested too deep. In place of the rule of
 * graphql-js, whose work grows with the square of the fields of one name.
 *
 * @returns the first problem
 */
export function findConflict(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  operation: OperationDefinitionNode,
): GraphQLError | undefined {
  let looks = 0;
  try {
    check(
      [{ type: schema.getRootType(operation.operation) ?? undefined, set: operation.selectionSet }],
      true,
      1,
    );
    return undefined;
  } catch (thrown) {
    if (thrown instanceof GraphQLError) return thrown;
    throw thrown;
  }

  function check(sets: Sets, comparesNames: boolean, depth: number): void {
    if (depth > MAX_DEPTH) throw new GraphQLError(`the fields are nested deeper than ${MAX_DEPTH} levels`);
    for (const [key, entries] of group(sets)) {
      const [first] = entries;
      if (first === undefined) continue;
      for (const entry of entries)
        if (!haveOneShape(first.field?.type, entry.field?.type))
          fail(key, first, entry, 'they return conflicting types');
      const parts = comparesNames ? partition(entries) : [];
      for (const part of parts) {
        const [one] = part;
        for (const entry of part) if (one !== undefined) compare(key, one, entry);
        descend(part, true, depth);
      }
      // Fields of types that exclude each other may differ, but what they answer must have one shape.
      if (parts.length !== 1) descend(entries, false, depth);
    }
  }

  function descend(entries: readonly Entry[], comparesNames: boolean, depth: number): void {
    const inner = entries.flatMap(({ field, node }) =>
      node.selectionSet === undefined
        ? []
        : [{ type: field && getNamedType(field.type), set: node.selectionSet }],
    );
    if (inner.length > 0) check(inner, comparesNames, depth + 1);
  }

  function group(sets: Sets): Map<string, Entry[]> {
    const groups = new Map<string, Entry[]>();
    const seen = new Set<string>();
    const collect = (parent: GraphQLNamedType | undefined, { selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        looks += 1;
        if (looks > MAX_LOOKS)
          throw new GraphQLError(`the operation selects more than ${MAX_LOOKS} fields through its fragments`);
        if (selection.kind === Kind.FIELD) {
          const key = selection.alias?.value ?? selection.name.value;
          const entry = { parent, node: selection, field: fieldOf(parent, selection.name.value) };
          const known = groups.get(key);
          if (known === undefined) groups.set(key, [entry]);
          else known.push(entry);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          const condition = selection.typeCondition?.name.value;
          collect(condition === undefined ? parent : schema.getType(condition), selection.selectionSet);
        } else if (!seen.has(selection.name.value)) {
          seen.add(selection.name.value);
          const fragment = fragments.get(selection.name.value);
          if (fragment !== undefined)
            collect(schema.getType(fragment.typeCondition.name.value), fragment.selectionSet);
        }
      }
    };
    for (const { type, set } of sets) collect(type, set);
    return groups;
  }
}

function fieldOf(parent: GraphQLNamedType | undefined, name: string): Entry['field'] {
  if (name === '__schema') return SchemaMetaFieldDef;
  if (name === '__type') return TypeMetaFieldDef;
  return parent !== undefined && 'getFields' in parent
    ? (parent.getFields()[name] as Entry['field'])
    : undefined;
}

/** Entries that may be of one object: those of each object type, with those of abstract types. */
function partition(entries: readonly Entry[]): (readonly Entry[])[] {
  const shared = entries.filter(({ parent }) => !isObjectType(parent));
  const byType = new Map<GraphQLNamedType, Entry[]>();
  for (const entry of entries) {
    if (entry.parent === undefined || !isObjectType(entry.parent)) continue;
    const known = byType.get(entry.parent);
    if (known === undefined) byType.set(entry.parent, [...shared, entry]);
    else known.push(entry);
  }
  return byType.size === 0 ? [shared] : [...byType.values()];
}

function compare(key: string, one: Entry, other: Entry): void {
  if (one === other) return;
  const [name, otherName] = [one.node.name.value, other.node.name.value];
  if (name !== otherName) fail(key, one, other, `"${name}" and "${otherName}" are different fields`);
  if (argumentsOf(one.node) !== argumentsOf(other.node))
    fail(key, one, other, 'they have differing arguments');
}

function argumentsOf({ arguments: list = [] }: FieldNode): string {
  return list.length === 0
    ? ''
    : list
        .map((each) => `${each.name.value}:${print(each.value)}`)
        .sort()
        .join();
}

function haveOneShape(one: GraphQLOutputType | undefined, other: GraphQLOutputType | undefined): boolean {
  if (one === other || one === undefined || other === undefined) return true;
  if (isNonNullType(one) || isNonNullType(other))
    return isNonNullType(one) && isNonNullType(other) && haveOneShape(one.ofType, other.ofType);
  if (isListType(one) || isListType(other))
    return isListType(one) && isListType(other) && haveOneShape(one.ofType, other.ofType);
  if (isLeafType(one) || isLeafType(other)) return false;
  return isCompositeType(one) && isCompositeType(other);
}

function fail(key: string, one: Entry, other: Entry, reason: string): never {
  throw new GraphQLError(
    `Fields "${key}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`,
    { nodes: [one.node, other.node] },
  );
}
