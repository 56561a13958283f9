/** The scalar types of protobuf by the names they have in a `.proto` file. */
export type ScalarName =
  | 'double'
  | 'float'
  | 'int64'
  | 'uint64'
  | 'int32'
  | 'fixed64'
  | 'fixed32'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'uint32'
  | 'sfixed32'
  | 'sfixed64'
  | 'sint32'
  | 'sint64';

/** An enum type. */
export interface EnumType {
  readonly fullName: string;
  readonly byName: ReadonlyMap<string, number>;
  /** Of several names for one number the first. */
  readonly byNumber: ReadonlyMap<number, string>;
  /** The name of the value that is meant when none is given. */
  readonly first: string;
}

/** What the values of a field are. */
export type FieldKind =
  | { readonly type: 'scalar'; readonly scalar: ScalarName }
  | { readonly type: 'enum'; readonly enum: EnumType }
  | { readonly type: 'message'; readonly message: MessageType; readonly isGroup: boolean }
  | {
      readonly type: 'map';
      readonly key: Field;
      readonly value: Field;
      /** The key and the value, as an entry has them on the wire. */
      readonly byNumber: ReadonlyMap<number, Field>;
    };

/** A field of a message type. */
export interface Field {
  /** As in the `.proto` file; of an extension its full name in brackets. */
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly kind: FieldKind;
  readonly isRepeated: boolean;
  readonly isPacked: boolean;
  readonly isRequired: boolean;
  /** Whether a field that is not set differs from one with the default value. */
  readonly hasPresence: boolean;
  /** The oneof it belongs to; those that only stand for `optional` are left out. */
  readonly oneof: string | undefined;
  /** The default value that a proto2 file names, as JSON has it. */
  readonly ownDefault: string | number | boolean | undefined;
}

/** A message type; its fields are there once the schema is linked. */
export interface MessageType {
  readonly fullName: string;
  /** In the order of their numbers. */
  readonly fields: readonly Field[];
  readonly byNumber: ReadonlyMap<number, Field>;
  /** By name and by JSON name. */
  readonly byName: ReadonlyMap<string, Field>;
  /** Whether a value of it must set certain fields. */
  readonly hasRequired: boolean;
  /** Finds message types by full name, for `google.protobuf.Any`. */
  readonly find: (fullName: string) => MessageType | undefined;
}

/** A method of a service. */
export interface Method {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  readonly request: MessageType;
  readonly response: MessageType;
  readonly takesStream: boolean;
  readonly givesStream: boolean;
  /** Whether its file says that it has no side effects (`idempotency_level`). */
  readonly isSafe: boolean;
}
