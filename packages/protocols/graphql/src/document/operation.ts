/** The types of operations. */
export type OperationType = 'query' | 'mutation' | 'subscription';

/** A field at the root of an operation that asks about the schema, not about data (GraphQL, section 4). */
export interface MetaField {
  /** Under which name its value is answered. */
  readonly key: string;
  readonly name: '__schema' | '__type' | '__typename';
  /** For `__type`: the name of the type, or the variable that holds it. */
  readonly typeName?: { readonly text: string } | { readonly variable: string };
}

/** What is known of an operation of a document. */
export interface Operation {
  readonly type: OperationType;
  /** Absent for an operation without a name. */
  readonly name: string | undefined;
  /** Its root fields, when all of them ask about the schema: such an operation is answered without a mock. */
  readonly metaFields: readonly MetaField[] | undefined;
}

/** A document. */
export interface Document {
  readonly text: string;
  /** Whether `@defer` or `@stream` stands in it. */
  readonly isIncremental: boolean;
  /** The text without what means nothing in it, made when somebody asks. */
  readonly shortest: string;
  /** At least one. */
  readonly operations: readonly Operation[];
}

/**
 * The operation that a request means: the one that is named, else the only one. A name that the only operation does not
 * have is taken for its name, since clients exist whose documents leave it out.
 *
 * @returns a text when it cannot be told
 */
export function chooseOperation({ operations }: Document, name: string | undefined): Operation | string {
  const [first, second] = operations;
  if (first !== undefined && second === undefined) {
    return name === undefined || name === first.name ? first : { ...first, name };
  }
  if (name === undefined) {
    return `the document has ${operations.length} operations; say with operationName which one is meant`;
  }
  const found = operations.find((operation) => operation.name === name);
  const known = operations.map((operation) => operation.name ?? 'one without a name').join(', ');
  return found ?? `unknown operation ${JSON.stringify(name)}; the document has ${known}`;
}
