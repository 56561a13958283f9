import type { Type } from 'avsc';

/** What the types of the library have, by the name of the type. */
export interface AvroType extends Type {
  readonly fields: readonly AvroField[];
  readonly symbols: readonly string[];
  readonly size: number;
  readonly itemsType: AvroType;
  readonly valuesType: AvroType;
  readonly types: readonly AvroType[];
}

/** A field of a record. */
export interface AvroField {
  readonly name: string;
  readonly type: AvroType;
  /** `undefined` for none. */
  defaultValue(): unknown;
}
