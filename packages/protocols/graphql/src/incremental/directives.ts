import {
  buildASTSchema,
  getDirectiveValues,
  Kind,
  parse,
  valueFromASTUntyped,
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  type GraphQLDirective,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

/** The directives of incremental delivery, which every schema has (GraphQL over HTTP, "Incremental Delivery"). */
const DEFINITIONS = parse(
  `directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int! = 0) on FIELD`,
  { noLocation: true },
).definitions as readonly DirectiveDefinitionNode[];

const known = buildASTSchema({ kind: Kind.DOCUMENT, definitions: DEFINITIONS }, { assumeValid: true });
const DEFER = known.getDirective('defer') as GraphQLDirective;
const STREAM = known.getDirective('stream') as GraphQLDirective;

type Variables = Readonly<Record<string, unknown>>;

/** Adds the directives to a schema that does not define them. */
export function withIncrementalDirectives(tree: DocumentNode): DocumentNode {
  const own = new Set(tree.definitions.filter(isDirective).map(({ name }) => name.value));
  const added = DEFINITIONS.filter(({ name }) => !own.has(name.value));
  return { ...tree, definitions: [...tree.definitions, ...added] };
}

function isDirective(definition: DefinitionNode): definition is DirectiveDefinitionNode {
  return definition.kind === Kind.DIRECTIVE_DEFINITION;
}

/** What an active `@defer` of a fragment says; `undefined` where there is none. */
export function deferOf(
  selection: SelectionNode,
  variables: Variables,
): { readonly label: string | undefined } | undefined {
  const values = getDirectiveValues(DEFER, selection, variables);
  return values === undefined || values['if'] === false ? undefined : { label: textOf(values['label']) };
}

/** What an active `@stream` of a field says; `undefined` where there is none. */
export function streamOf(
  selection: SelectionNode,
  variables: Variables,
): { readonly label: string | undefined; readonly initialCount: number } | undefined {
  const values = getDirectiveValues(STREAM, selection, variables);
  if (values === undefined || values['if'] === false) return undefined;
  const count = values['initialCount'];
  return {
    label: textOf(values['label']),
    initialCount: typeof count === 'number' && count > 0 ? Math.floor(count) : 0,
  };
}

/** The variables of an operation that no schema has coerced, with their defaults. */
export function withDefaults({ variableDefinitions }: OperationDefinitionNode, given: Variables): Variables {
  const variables: Record<string, unknown> = Object.assign(
    Object.create(null) as Record<string, unknown>,
    given,
  );
  for (const { variable, defaultValue } of variableDefinitions ?? []) {
    const name = variable.name.value;
    if (defaultValue !== undefined && variables[name] === undefined)
      variables[name] = valueFromASTUntyped(defaultValue);
  }
  return variables;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
