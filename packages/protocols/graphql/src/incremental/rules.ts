import {
  getNullableType,
  GraphQLError,
  isListType,
  Kind,
  type ASTVisitor,
  type DirectiveNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** A deferred fragment or a streamed list at the root of a mutation or a subscription cannot be (as in graphql-js 17). */
function rootFields(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      const name = node.name.value;
      if (name !== 'defer' && name !== 'stream') return;
      const schema = context.getSchema();
      const parent = context.getParentType();
      for (const type of ['mutation', 'subscription'] as const) {
        const root = type === 'mutation' ? schema.getMutationType() : schema.getSubscriptionType();
        if (!parent || parent !== root) continue;
        const word = name === 'defer' ? 'Defer' : 'Stream';
        context.reportError(
          new GraphQLError(`${word} directive cannot be used on root ${type} type "${parent.name}".`, {
            nodes: node,
          }),
        );
      }
    },
  };
}

/** Labels are texts of the document, each once. */
function labels(context: ValidationContext): ASTVisitor {
  const known = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      const name = node.name.value;
      if (name !== 'defer' && name !== 'stream') return;
      const value = node.arguments?.find((argument) => argument.name.value === 'label')?.value;
      if (value === undefined || value.kind === Kind.NULL) return;
      const fail = (message: string, nodes: readonly DirectiveNode[]): void =>
        context.reportError(new GraphQLError(message, { nodes }));
      if (value.kind !== Kind.STRING)
        return fail('Argument "label" of @defer and @stream must be a static string.', [node]);
      const first = known.get(value.value);
      if (first === undefined) known.set(value.value, node);
      else
        fail(`The label ${JSON.stringify(value.value)} of @defer and @stream is used twice.`, [first, node]);
    },
  };
}

/** Only lists come item by item. */
function lists(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      const field = context.getFieldDef();
      if (node.name.value !== 'stream' || !field) return;
      if (isListType(getNullableType(field.type))) return;
      context.reportError(
        new GraphQLError(`Directive "@stream" cannot be used on non-list field "${field.name}".`, {
          nodes: node,
        }),
      );
    },
  };
}

/** What a document with `@defer` and `@stream` must keep to. */
export const INCREMENTAL_RULES: readonly ValidationRule[] = [rootFields, labels, lists];
