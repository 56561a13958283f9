import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/**
 * Stands in place of a schema that is compiled once for all schemas in which it stands. Its value is a function that gives
 * the schema: the library looks through all objects within a schema for names before it compiles it, and would look
 * through this one in each place.
 */
const KEYWORD = 'x-shared';

/** What tells a schema whatever description it is given where it stands: its branches, or its fields. */
type Core = object;

const shared = new WeakSet<Core>();
const validators = new WeakMap<Core, ValidateFunction>();

interface SchemaLike {
  readonly anyOf?: unknown;
  readonly properties?: unknown;
}

/**
 * Marks a schema that stands in many places, such as that of a pattern: it is compiled once, and only when a value is
 * looked at, where the library would put its whole code into each place.
 *
 * @returns the same schema
 */
export function compiledOnce<Schema extends object>(schema: Schema): Schema {
  const core = coreOf(schema);
  if (core !== undefined) shared.add(core);
  return schema;
}

/** The schema with a keyword in place of those that are marked. */
export function withoutShared(schema: object): object {
  return replace(schema, true) as object;
}

/**
 * Makes a compiler of schemas that knows those that are marked.
 *
 * @param useDefaults - whether what it compiles fills in the defaults of a value that it checks; they are left out otherwise
 */
export function makeAjv(useDefaults = false): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    useDefaults,
    addUsedSchema: false,
    logger: false,
    // Schemas are ours and tested; checking them and optimizing the code would cost more than half of the start.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  ajv.addKeyword({ keyword: KEYWORD, errors: true, validate });
  return ajv;
}

/** The errors that an error stands for: of a shared schema all that it found, else the error itself. */
export function errorsOf(error: ErrorObject): readonly ErrorObject[] {
  return error.keyword === KEYWORD ? (error.params as { inner: readonly ErrorObject[] }).inner : [error];
}

type Validate = ((
  schema: () => object,
  data: unknown,
  parent?: unknown,
  place?: { instancePath: string },
) => boolean) & {
  errors?: Partial<ErrorObject>[];
};

const validate: Validate = (give, data, _parent, place) => {
  const schema = give();
  const core = coreOf(schema) ?? schema;
  let compiled = validators.get(core);
  if (compiled === undefined) {
    validators.set(core, (compiled = makeAjv().compile(replace(schema, false) as object)));
  }
  if (compiled(data)) return true;
  const at = place?.instancePath ?? '';
  // The library would write its own places into them, so they are carried inside of one.
  const inner = (compiled.errors ?? []).flatMap(errorsOf).map((error) => ({
    ...error,
    instancePath: at + error.instancePath,
    // Paths tell the branches of one union from those of others.
    schemaPath: `#/shared${at}${error.schemaPath.slice(1)}`,
  }));
  validate.errors = [{ keyword: KEYWORD, message: '', params: { inner } }];
  return false;
};

function replace(schema: unknown, isInside: boolean): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) {
    const list = schema as readonly unknown[];
    const copy = list.map((each) => replace(each, true));
    return copy.every((each, index) => each === list[index]) ? list : copy;
  }
  const core = coreOf(schema);
  if (isInside && core !== undefined && shared.has(core)) return { [KEYWORD]: () => schema };
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(schema)) {
    const replaced = replace(value, true);
    if (replaced !== value) (copy ??= { ...schema })[name] = replaced;
  }
  return copy ?? schema;
}

function coreOf({ anyOf, properties }: SchemaLike): Core | undefined {
  const core = anyOf ?? properties;
  return typeof core === 'object' && core !== null ? core : undefined;
}
