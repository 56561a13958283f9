import type { Problem } from '@backlot/core/plugin';
import {
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

/** Values by the names of types: of a leaf type the value, else the fields. */
export type TypeValues = Readonly<Record<string, unknown>>;

/** What is wrong with the values of a configuration. */
export function checkTypeValues(values: TypeValues, schema: GraphQLSchema): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(values)) {
    const path = `/types/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const type = schema.getType(name);
    const message =
      type === undefined ? `the schema has no type ${JSON.stringify(name)}` : problemOf(type, value);
    if (message !== undefined) problems.push({ path, message });
  }
  return problems;
}

function problemOf(type: GraphQLNamedType, value: unknown): string | undefined {
  if (isIntrospectionType(type))
    return `${type.name} is a type of GraphQL itself, whose values are those of the schema`;
  if (isLeafType(type)) {
    if (value === null) return undefined;
    try {
      type.serialize(value);
      return undefined;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
  if (!isObjectType(type) && !isInterfaceType(type))
    return `${type.name} has no values of its own; give those of object types, interfaces, scalars and enums`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `the values of ${type.name} must be a map of its fields`;
  const fields = type.getFields();
  const unknown = Object.keys(value).find((field) => !Object.hasOwn(fields, field));
  return unknown === undefined ? undefined : `${type.name} has no field ${JSON.stringify(unknown)}`;
}

/** The value that the configuration has for a field: of the type itself, else of an interface that it implements. */
export function fieldValue(values: TypeValues, type: GraphQLObjectType, field: string): unknown {
  for (const { name } of [type, ...type.getInterfaces()]) {
    const fields = Object.hasOwn(values, name) ? (values[name] as Record<string, unknown>) : undefined;
    if (fields !== undefined && Object.hasOwn(fields, field)) return fields[field];
  }
  return undefined;
}
