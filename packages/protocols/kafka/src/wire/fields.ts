/**
 * How a value stands on the wire (Kafka protocol guide, "Protocol Primitive Types"; compact ones and tags: KIP-482).
 */
export type WireType =
  'bool' | 'int8' | 'int16' | 'int32' | 'int64' | 'string' | 'bytes' | 'uuid' | 'records' | 'array';

/** In which versions of a message a field is there, and from which on it may be null. Absent: in all, and never. */
export interface FieldOptions {
  readonly since?: number;
  readonly until?: number;
  readonly nullable?: number;
}

/** One field of a message: `R` is what reading gives, `W` what writing takes. */
export interface Field<R, W = R> {
  readonly type: WireType;
  readonly since: number;
  readonly until: number;
  /** The first version in which it may be null. */
  readonly nullable: number;
  /** What stands for it where it is absent. */
  readonly fallback: R;
  /** Of an array: the fields of an element, or the one field that an element is. */
  readonly element?: Fields | AnyField;
  /** Never set: carries the type that is written. */
  readonly written?: W;
}

/** A field of whatever type. */
export type AnyField = Field<unknown, unknown>;
/** The fields of a message or of an element, in the order in which they stand on the wire. */
export type Fields = Readonly<Record<string, AnyField>>;

/** What reading gives: every field, those that a version does not have with their fallback. */
export type Decoded<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer R, infer _> ? R : never;
};

/** What writing takes: fields that are left out are written as their fallback. */
export type Encodable<F extends Fields> = {
  readonly [K in keyof F]?: F[K] extends Field<infer _, infer W> ? W : never;
};

/** A 16-byte id as 32 hexadecimal digits. */
export const NO_UUID = '0'.repeat(32);

function make<R, W = R>(type: WireType, fallback: R, options: FieldOptions = {}): Field<R, W> {
  const { since = 0, until = Infinity, nullable = Infinity } = options;
  return { type, since, until, nullable, fallback };
}

type Numeric = FieldOptions & { readonly fallback?: number };

export const bool = (options: FieldOptions & { readonly fallback?: boolean } = {}): Field<boolean> =>
  make('bool', options.fallback ?? false, options);
export const int8 = (options: Numeric = {}): Field<number> => make('int8', options.fallback ?? 0, options);
export const int16 = (options: Numeric = {}): Field<number> => make('int16', options.fallback ?? 0, options);
export const int32 = (options: Numeric = {}): Field<number> => make('int32', options.fallback ?? 0, options);
/** Read as a number: what is beyond 2^53 is cut to it, since no offset or time of ours comes near. */
export const int64 = (options: Numeric = {}): Field<number> => make('int64', options.fallback ?? 0, options);
export const uuid = (options: FieldOptions = {}): Field<string> => make('uuid', NO_UUID, options);
export const string = (options: FieldOptions = {}): Field<string> => make('string', '', options);
/** A text that may be null in every version that `nullable` names, or in all. */
export const nullableString = (options: FieldOptions = {}): Field<string | null> =>
  make<string | null>('string', null, { nullable: 0, ...options });
export const bytes = (options: FieldOptions = {}): Field<Buffer> =>
  make<Buffer>('bytes', Buffer.alloc(0), options);
/** Record batches: read as one piece, written from several. */
export const records = (options: FieldOptions = {}): Field<Buffer | null, readonly Buffer[] | null> =>
  make<Buffer | null, readonly Buffer[] | null>('records', null, { nullable: 0, ...options });

/** A list of structures. */
export function array<F extends Fields>(
  element: F,
  options: FieldOptions = {},
): Field<readonly Decoded<F>[], readonly Encodable<F>[]> {
  return { ...make<readonly Decoded<F>[], readonly Encodable<F>[]>('array', [], options), element };
}

/** A list of structures that may be null. */
export function nullableArray<F extends Fields>(
  element: F,
  options: FieldOptions = {},
): Field<readonly Decoded<F>[] | null, readonly Encodable<F>[] | null> {
  const all = { nullable: 0, ...options };
  return {
    ...make<readonly Decoded<F>[] | null, readonly Encodable<F>[] | null>('array', null, all),
    element,
  };
}

/** A list of plain values. */
export function listOf<T>(element: Field<T>, options: FieldOptions = {}): Field<readonly T[]> {
  return { ...make<readonly T[]>('array', [], options), element };
}

/** A list of plain values that may be null. */
export function nullableListOf<T>(element: Field<T>, options: FieldOptions = {}): Field<readonly T[] | null> {
  return { ...make<readonly T[] | null>('array', null, { nullable: 0, ...options }), element };
}

/** Whether the element of an array is one plain value. */
export function isField(element: Fields | AnyField): element is AnyField {
  return typeof element['type'] === 'string';
}
