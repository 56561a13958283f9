import { Kind, OperationTypeNode, parse, type DefinitionNode, type DocumentNode } from 'graphql';

/** The directives of Apollo Federation, versions 1 and 2, as they are used; a schema does not have to define them. */
const DIRECTIVES = parse(`
  directive @key(fields: String!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
  directive @requires(fields: String!) on FIELD_DEFINITION
  directive @provides(fields: String!) on FIELD_DEFINITION
  directive @external(reason: String) on OBJECT | FIELD_DEFINITION
  directive @extends on OBJECT | INTERFACE
  directive @shareable repeatable on OBJECT | FIELD_DEFINITION
  directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ENUM | ENUM_VALUE | SCALAR | INPUT_OBJECT | INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION
  directive @override(from: String!, label: String) on FIELD_DEFINITION
  directive @tag(name: String!) repeatable on FIELD_DEFINITION | INTERFACE | OBJECT | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA
  directive @composeDirective(name: String!) repeatable on SCHEMA
  directive @interfaceObject on OBJECT
  directive @authenticated on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
  directive @requiresScopes(scopes: [[String!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
  directive @policy(policies: [[String!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
  directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
  directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION
  directive @link(url: String!, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
`).definitions;

const LINK_TYPES = 'enum link__Purpose { SECURITY EXECUTION } scalar link__Import';

/**
 * Adds what a subgraph of Apollo Federation has when the schema is one: the directives that it uses, `_service`, and
 * `_entities` when a type has a key. Another schema is given back as it is.
 */
export function withFederation(tree: DocumentNode): DocumentNode {
  const used = usedDirectives(tree.definitions);
  if (!used.has('key') && !used.has('link') && !used.has('external') && !used.has('extends')) return tree;
  const defined = new Set(tree.definitions.map((each) => ('name' in each ? (each.name?.value ?? '') : '')));
  const added: DefinitionNode[] = DIRECTIVES.filter(
    (each) =>
      each.kind === Kind.DIRECTIVE_DEFINITION && used.has(each.name.value) && !defined.has(each.name.value),
  );
  const entities = new Set<string>();
  for (const each of tree.definitions) {
    if (each.kind !== Kind.OBJECT_TYPE_DEFINITION && each.kind !== Kind.OBJECT_TYPE_EXTENSION) continue;
    if (each.directives?.some(({ name }) => name.value === 'key') === true) entities.add(each.name.value);
  }
  const query = queryName(tree.definitions);
  const hasQuery = defined.has(query);
  const texts = [
    used.has('link') && !defined.has('link') ? LINK_TYPES : '',
    defined.has('_Any') ? '' : 'scalar _Any',
    'type _Service { sdl: String }',
    entities.size === 0 ? '' : `union _Entity = ${[...entities].join(' | ')}`,
    `${hasQuery ? 'extend ' : ''}type ${query} { _service: _Service! ${entities.size === 0 ? '' : '_entities(representations: [_Any!]!): [_Entity]!'} }`,
  ];
  return {
    ...tree,
    definitions: [...tree.definitions, ...added, ...parse(texts.join('\n')).definitions],
  };
}

function queryName(definitions: readonly DefinitionNode[]): string {
  for (const each of definitions) {
    if (each.kind !== Kind.SCHEMA_DEFINITION && each.kind !== Kind.SCHEMA_EXTENSION) continue;
    const found = each.operationTypes?.find(({ operation }) => operation === OperationTypeNode.QUERY);
    if (found !== undefined) return found.type.name.value;
  }
  return 'Query';
}

function usedDirectives(definitions: readonly DefinitionNode[]): Set<string> {
  const used = new Set<string>();
  const note = (node: {
    readonly directives?: readonly { readonly name: { readonly value: string } }[];
  }): void => {
    for (const { name } of node.directives ?? []) used.add(name.value);
  };
  for (const definition of definitions) {
    if ('directives' in definition) note(definition);
    if (!('fields' in definition)) continue;
    for (const field of definition.fields ?? []) {
      note(field);
      if ('arguments' in field) field.arguments?.forEach(note);
    }
  }
  return used;
}
