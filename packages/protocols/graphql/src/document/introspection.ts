import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  introspectionFromSchema,
  type IntrospectionType,
} from 'graphql';
import type { MetaField, Operation } from './operation.js';

interface Answers {
  /** The schema, as JSON. */
  readonly schema: string;
  readonly types: ReadonlyMap<string, IntrospectionType>;
}

let schema: GraphQLSchema | undefined;
let answers: Answers | undefined;

/** A schema with nothing to ask for: one object type `Query` without fields, and the scalars. Made when first needed. */
export function emptySchema(): GraphQLSchema {
  return (schema ??= new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: {} }),
    types: [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID],
    // A type without fields is not valid, which is why tools that validate refuse it.
    assumeValid: true,
  }));
}

/**
 * The answer to an operation whose root fields all ask about the schema: the whole empty schema, whichever parts of it
 * are asked for, as JSON.
 */
export function answerMetaFields(
  fields: readonly MetaField[],
  type: Operation['type'],
  variables: Readonly<Record<string, unknown>> | undefined,
): string {
  const members = new Map<string, string>();
  for (const field of fields) members.set(field.key, valueOf(field, type, variables));
  const texts = [...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return `{"data":{${texts.join(',')}}}`;
}

function valueOf(
  { name, typeName }: MetaField,
  type: Operation['type'],
  variables: Readonly<Record<string, unknown>> | undefined,
): string {
  if (name === '__typename') return type === 'mutation' ? '"Mutation"' : '"Query"';
  const known = (answers ??= makeAnswers());
  if (name === '__schema') return known.schema;
  const wanted =
    typeName === undefined ? undefined : 'text' in typeName ? typeName.text : variables?.[typeName.variable];
  const found = typeof wanted === 'string' ? known.types.get(wanted) : undefined;
  return found === undefined ? 'null' : JSON.stringify(found);
}

function makeAnswers(): Answers {
  const introspection = introspectionFromSchema(emptySchema(), {
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  return {
    schema: JSON.stringify(introspection.__schema),
    types: new Map(introspection.__schema.types.map((type) => [type.name, type])),
  };
}
