import type { MessageType } from './model.js';
import type { FileDescriptor } from './descriptor.js';
import { GOOGLE_PROTOS } from './google.js';
import { linkSchema, type Schema } from './link.js';
import { readProto } from './read-proto.js';
import { ERROR_PROTOS, OWN_PROTOS } from './services.js';

let google: readonly FileDescriptor[] | undefined;
let own: readonly FileDescriptor[] | undefined;
let errors: Schema | undefined;
let describing: Schema | undefined;

/** The files of google/protobuf, which every schema may import. */
export function googleFiles(): readonly FileDescriptor[] {
  return (google ??= readAll(GOOGLE_PROTOS));
}

/** The files of the server's own services. */
export function ownFiles(): readonly FileDescriptor[] {
  return (own ??= readAll(OWN_PROTOS));
}

/** The schema of error details. */
export function errorSchema(): Schema {
  return (errors ??= linkSchema([...googleFiles(), ...readAll(ERROR_PROTOS)]));
}

/** The type of a message of `google/protobuf/descriptor.proto`. */
export function descriptorType(name: string): MessageType {
  describing ??= linkSchema(googleFiles());
  return typeOf(describing, `google.protobuf.${name}`);
}

/** A type that is known to be there. @throws Error when it is not */
export function typeOf(schema: Schema, fullName: string): MessageType {
  const type = schema.messages.get(fullName);
  if (type === undefined) throw new Error(`there is no message ${fullName}`);
  return type;
}

function readAll(protos: Readonly<Record<string, string>>): readonly FileDescriptor[] {
  return Object.entries(protos).map(([name, text]) => readProto(name, text));
}
