import {
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { MAX_NESTING, nestingOf } from './nesting.js';
import type { Document, MetaField, Operation } from './operation.js';
import { shortestOrText } from './shortest-document.js';

/** Tokens of a document; what people and generators write has a few thousand at most. */
const MAX_TOKENS = 20_000;
/** Characters of a document: comments, white space and texts are no tokens, or one, however long. */
const MAX_LENGTH = 256 * 1024;
/** Root fields of an operation that are looked at for whether all ask about the schema. */
const MAX_META_FIELDS = 100;
/** Selections of one document that are looked at for that; fragments can lead to the same ones again and again. */
const MAX_LOOKS = 10_000;
/** What is written so in a text or a comment is found not to be one later. */
const INCREMENTAL = /@[\s,]*(?:defer|stream)\b/;

/**
 * Reads a document.
 *
 * @throws GraphQLError when it does not parse, is too long or too deep, or holds no operation
 */
export function readDocument(text: string): Document {
  if (text.length > MAX_LENGTH)
    throw new GraphQLError(`the document is longer than ${MAX_LENGTH} characters`);
  // The parser is recursive, so that a document of nothing but braces would use up the stack.
  if (nestingOf(text, MAX_TOKENS) > MAX_NESTING)
    throw new GraphQLError(`the document is nested deeper than ${MAX_NESTING} levels`);
  const tree = parse(text, { noLocation: true, maxTokens: MAX_TOKENS });
  const operations = tree.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map(describeBy(tree));
  if (operations.length === 0) throw new GraphQLError('the document holds no operation');
  let shortest: string | undefined;
  return {
    text,
    operations,
    isIncremental: INCREMENTAL.test(text),
    get shortest() {
      return (shortest ??= shortestOrText(text));
    },
  };
}

function describeBy(tree: DocumentNode): (definition: OperationDefinitionNode) => Operation {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of tree.definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);
  }
  const looks = { left: MAX_LOOKS };
  return (definition) => ({
    type: definition.operation,
    name: definition.name?.value,
    // A subscription has a source of events, which a question about the schema has not (GraphQL, section 5.2.4.1).
    metaFields:
      definition.operation === OperationTypeNode.SUBSCRIPTION
        ? undefined
        : metaFieldsOf(definition, fragments, looks),
  });
}

function metaFieldsOf(
  definition: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  looks: { left: number },
): MetaField[] | undefined {
  const fields: MetaField[] = [];
  const seen = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): boolean =>
    selections.every((selection) => {
      looks.left -= 1;
      if (looks.left < 0) return false;
      if (selection.kind === Kind.INLINE_FRAGMENT) return collect(selection.selectionSet);
      if (selection.kind === Kind.FIELD) {
        const field = metaField(selection);
        if (field === undefined || fields.length >= MAX_META_FIELDS) return false;
        fields.push(field);
        return true;
      }
      const name = selection.name.value;
      const fragment = fragments.get(name);
      if (fragment === undefined) return false;
      if (seen.has(name)) return true;
      seen.add(name);
      return collect(fragment.selectionSet);
    });
  return collect(definition.selectionSet) && fields.length > 0 ? fields : undefined;
}

function metaField(field: FieldNode): MetaField | undefined {
  const name = field.name.value;
  const key = field.alias?.value ?? name;
  if (name === '__schema' || name === '__typename') return { key, name };
  if (name !== '__type') return undefined;
  const value = field.arguments?.find((argument) => argument.name.value === 'name')?.value;
  if (value?.kind === Kind.STRING) return { key, name, typeName: { text: value.value } };
  if (value?.kind === Kind.VARIABLE) return { key, name, typeName: { variable: value.name.value } };
  return { key, name };
}
