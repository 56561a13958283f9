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
let ajvOfShared: Ajv | undefined;
const validators = new WeakMap<Core, ValidateFunction>();
const NO_PARTS: ReadonlySet<undefined> = new Set();

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

/**
 * The schema with a keyword in place of those that are marked.
 *
 * @param parts - schemas within it that count as marked here alone
 */
export function withoutShared(schema: object, parts: readonly object[] = []): object {
  return replace(schema, true, new Set(parts.map(coreOf))) as object;
}

/** The schemas of the fields of an object that can be compiled on their own. */
export function partsOf(schema: object): readonly object[] {
  const { properties = {} } = schema as SchemaLike;
  return (Object.values(properties as object) as readonly object[]).filter(
    (part) => coreOf(part) !== undefined,
  );
}

/** Compiles a schema that stands in others, if it is not compiled yet; whether that was so. */
export function compileShared(schema: object): boolean {
  const isNew = !validators.has(coreOf(schema) ?? schema);
  validatorOf(schema);
  return isNew;
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
  const compiled = validatorOf(schema);
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

function validatorOf(schema: object): ValidateFunction {
  const core = coreOf(schema) ?? schema;
  let compiled = validators.get(core);
  if (compiled === undefined) {
    ajvOfShared ??= makeAjv();
    validators.set(core, (compiled = ajvOfShared.compile(replace(schema, false) as object)));
  }
  return compiled;
}

function replace(
  schema: unknown,
  isInside: boolean,
  parts: ReadonlySet<Core | undefined> = NO_PARTS,
): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) {
    const list = schema as readonly unknown[];
    const copy = list.map((each) => replace(each, true, parts));
    return copy.every((each, index) => each === list[index]) ? list : copy;
  }
  const core = coreOf(schema);
  if (isInside && core !== undefined && (shared.has(core) || parts.has(core)))
    return { [KEYWORD]: () => schema };
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(schema)) {
    const replaced = replace(value, true, parts);
    if (replaced !== value) (copy ??= { ...schema })[name] = replaced;
  }
  return copy ?? schema;
}

function coreOf({ anyOf, properties }: SchemaLike): Core | undefined {
  const core = anyOf ?? properties;
  return typeof core === 'object' && core !== null ? core : undefined;
}
