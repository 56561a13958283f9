import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/**
 * Stands in place of a schema that is compiled once for all schemas in which it stands. Its value is a function that gives
 * the schema: the library looks through all objects within a schema for names before it compiles it, and would look
 * through this one in each place.
 */
const KEYWORD = 'x-shared';

/** What tells a schema whatever description it is given where it stands: its branches, or its fields. */
type Core = object;

/** As {@link KEYWORD}, where the defaults of the schema are filled in. */
const FILLED = 'x-filled';

const shared = new WeakSet<Core>();

/** What is compiled of schemas that stand in others. */
interface Compiled {
  readonly useDefaults: boolean;
  readonly validators: WeakMap<Core, ValidateFunction>;
  ajv?: Ajv;
}

const checking: Compiled = { useDefaults: false, validators: new WeakMap() };
const filling: Compiled = { useDefaults: true, validators: new WeakMap() };
const NO_PARTS: ReadonlySet<undefined> = new Set();

interface SchemaLike {
  readonly anyOf?: unknown;
  readonly properties?: unknown;
  readonly items?: unknown;
  readonly patternProperties?: unknown;
  readonly default?: unknown;
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

/**
 * The schema of an object with a keyword in place of each field that is more than a plain value: its code is made, and its
 * defaults are filled in, only when a value has the field. Most values of a kind's configuration have few of them.
 */
export function withFieldsApart(schema: object): object {
  const { properties, ...rest } = schema as SchemaLike;
  if (properties === undefined) return withoutShared(schema);
  const fields = Object.entries(properties as Record<string, SchemaLike>).map(([name, field]) => {
    if (!isComposite(field)) return [name, field];
    const own = 'default' in field ? { default: field.default } : {};
    return [name, { ...own, [FILLED]: () => field }];
  });
  return { ...withoutShared(rest), properties: Object.fromEntries(fields) as unknown };
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
  const isNew = !checking.validators.has(coreOf(schema) ?? schema);
  validatorOf(schema, checking);
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
  ajv.addKeyword({ keyword: KEYWORD, errors: true, validate: keywordFor(checking) });
  ajv.addKeyword({ keyword: FILLED, errors: true, validate: keywordFor(filling) });
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

/** What checks a value by the schema behind the keyword. */
function keywordFor(known: Compiled): Validate {
  const validate: Validate = (give, data, _parent, place) => {
    const compiled = validatorOf(give(), known);
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
  return validate;
}

function validatorOf(schema: object, known: Compiled): ValidateFunction {
  const core = coreOf(schema) ?? schema;
  let compiled = known.validators.get(core);
  if (compiled === undefined) {
    known.ajv ??= makeAjv(known.useDefaults);
    known.validators.set(core, (compiled = known.ajv.compile(replace(schema, false) as object)));
  }
  return compiled;
}

/** Whether a schema is of more than a plain value, so that its code is long. */
function isComposite(schema: SchemaLike): boolean {
  return coreOf(schema) !== undefined || schema.items !== undefined || schema.patternProperties !== undefined;
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
