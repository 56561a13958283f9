import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isAbstractType,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
  type TypeNode,
} from 'graphql';

/** Fields by the name under which they are answered. */
export type Groups = ReadonlyMap<string, readonly FieldNode[]>;

/** What collecting depends on. */
export interface CollectScope {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Collects the fields of an object through fragments (GraphQL, section 6.3.2). */
export function collectFields(
  scope: CollectScope,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Groups {
  const seen = new Set<string>();
  const groups = new Map<string, FieldNode[]>();
  const collect = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (isLeftOut(selection, scope.variables)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const known = groups.get(key);
        if (known === undefined) groups.set(key, [selection]);
        else known.push(selection);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (seen.has(selection.name.value)) continue;
        seen.add(selection.name.value);
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : scope.fragments.get(selection.name.value);
      if (fragment === undefined || !appliesTo(scope.schema, fragment.typeCondition, type)) continue;
      collect(fragment.selectionSet.selections);
    }
  };
  for (const { selections } of sets) collect(selections);
  return groups;
}

function isLeftOut(selection: SelectionNode, variables: Readonly<Record<string, unknown>>): boolean {
  if (selection.directives === undefined || selection.directives.length === 0) return false;
  if (getDirectiveValues(GraphQLSkipDirective, selection, variables)?.['if'] === true) return true;
  return getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.['if'] === false;
}

/** Whether a fragment with a condition is for objects of a type. */
export function appliesTo(
  schema: GraphQLSchema,
  condition: Extract<TypeNode, { kind: Kind.NAMED_TYPE }> | undefined,
  type: GraphQLObjectType,
): boolean {
  if (condition === undefined || condition.name.value === type.name) return true;
  const wanted = schema.getType(condition.name.value);
  return isAbstractType(wanted) && schema.isSubType(wanted, type);
}
