import type { Random } from '@backlot/core/plugin';
import {
  getNamedType,
  isLeafType,
  Kind,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

type Fields = Readonly<Record<string, unknown>>;

/** The fields that say which object of a type it is: `id`, else those of its first key; `undefined` when none do. */
function identityFields(type: GraphQLObjectType): readonly string[] | undefined {
  const fields = type.getFields();
  const isLeaf = (name: string): boolean => isLeafType(getNamedType(fields[name]?.type));
  if (isLeaf('id')) return ['id'];
  const key = [type.astNode, ...type.extensionASTNodes]
    .flatMap((node) => node?.directives ?? [])
    .find(({ name }) => name.value === 'key');
  const value = key?.arguments?.find(({ name }) => name.value === 'fields')?.value;
  if (value?.kind !== Kind.STRING) return undefined;
  const names = value.value.trim().split(/[\s,]+/);
  return names.every(isLeaf) ? names : undefined;
}

const known = new WeakMap<GraphQLObjectType, { readonly names: readonly string[] | undefined }>();

/**
 * Which object of its type an object is: by what is given of it, else by the argument of the same name with which it was
 * asked for, else as made.
 */
export function identityOf(
  type: GraphQLObjectType,
  given: Fields | undefined,
  args: Fields,
  make: (field: string) => unknown,
): { readonly key: string; readonly fields: Fields } | undefined {
  let entry = known.get(type);
  if (entry === undefined) known.set(type, (entry = { names: identityFields(type) }));
  if (entry.names === undefined) return undefined;
  const fields: Record<string, unknown> = {};
  for (const name of entry.names) {
    const own = given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
    const asked = args[name];
    fields[name] = own ?? (isPlain(asked) ? asked : undefined) ?? make(name);
  }
  return { key: `${type.name}:${entry.names.map((name) => String(fields[name])).join(':')}`, fields };
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/**
 * The type of an object where an interface or a union stands: the one it names as `__typename`, else one that has all its
 * fields, else any.
 *
 * @throws Error when it names a type that cannot stand there
 */
export function chooseType(
  schema: GraphQLSchema,
  type: GraphQLAbstractType,
  given: Fields | undefined,
  random: Random,
): GraphQLObjectType {
  const types = schema.getPossibleTypes(type);
  const named = given?.['__typename'];
  if (named !== undefined) {
    const found = types.find(({ name }) => name === named);
    if (found !== undefined) return found;
    throw new Error(`__typename is ${JSON.stringify(named)}, which is no type of ${type.name}.`);
  }
  const fitting =
    given === undefined
      ? types
      : types.filter((each) => Object.keys(given).every((field) => Object.hasOwn(each.getFields(), field)));
  const chosen = given === undefined ? random.pick(types) : (fitting[0] ?? types[0]);
  if (chosen === undefined) throw new Error(`no type implements ${type.name}.`);
  return chosen;
}
