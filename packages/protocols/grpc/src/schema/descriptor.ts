/**
 * The messages of `google/protobuf/descriptor.proto` as far as they matter here, with the names they have there. What
 * was read from a descriptor set has further fields, which are kept.
 */
export interface FileDescriptor {
  readonly name: string;
  readonly package?: string;
  dependency?: string[];
  readonly message_type?: readonly MessageDescriptor[];
  readonly enum_type?: readonly EnumDescriptor[];
  readonly service?: readonly ServiceDescriptor[];
  readonly extension?: readonly FieldDescriptor[];
  /** `proto2` when absent. */
  readonly syntax?: string;
  readonly edition?: string | number;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A message type. */
export interface MessageDescriptor {
  readonly name: string;
  readonly field?: readonly FieldDescriptor[];
  readonly nested_type?: readonly MessageDescriptor[];
  readonly enum_type?: readonly EnumDescriptor[];
  readonly extension?: readonly FieldDescriptor[];
  readonly extension_range?: readonly { readonly start: number; readonly end: number }[];
  readonly oneof_decl?: readonly { readonly name: string }[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly reserved_range?: readonly { readonly start: number; readonly end: number }[];
  readonly reserved_name?: readonly string[];
}

/** A field, or an extension. Linking completes `type` and `type_name`. */
export interface FieldDescriptor {
  readonly name: string;
  readonly number: number;
  readonly label?: string;
  type?: string;
  type_name?: string;
  extendee?: string;
  readonly default_value?: string;
  readonly oneof_index?: number;
  readonly json_name?: string;
  readonly proto3_optional?: boolean;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** An enum type. */
export interface EnumDescriptor {
  readonly name: string;
  readonly value?: readonly { readonly name: string; readonly number?: number }[];
  readonly options?: Readonly<Record<string, unknown>>;
}

/** A service. */
export interface ServiceDescriptor {
  readonly name: string;
  readonly method?: readonly MethodDescriptor[];
}

/** A method of a service. Linking completes the type names. */
export interface MethodDescriptor {
  readonly name: string;
  input_type: string;
  output_type: string;
  readonly client_streaming?: boolean;
  readonly server_streaming?: boolean;
}

/** The name of a field in JSON where the file names none. */
export function toJsonName(name: string): string {
  return name.replace(/_+([^_]|$)/g, (_, letter: string) => letter.toUpperCase());
}
