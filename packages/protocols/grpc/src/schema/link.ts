import type {
  EnumDescriptor,
  FieldDescriptor,
  FileDescriptor,
  MessageDescriptor,
  MethodDescriptor,
} from './descriptor.js';
import { toJsonName } from './descriptor.js';
import type { EnumType, Field, FieldKind, MessageType, Method, ScalarName } from './model.js';

/** Types and services that refer to each other. */
export interface Schema {
  readonly files: ReadonlyMap<string, FileDescriptor>;
  readonly messages: ReadonlyMap<string, MessageType>;
  /** By path, `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, Method>;
  /** Full names. */
  readonly services: readonly string[];
  /** The file of every message, field, enum, value, extension, service and method, by full name. */
  readonly symbols: ReadonlyMap<string, FileDescriptor>;
  /** The extensions of message types: full name of the type, number, file. */
  readonly extensions: readonly {
    readonly type: string;
    readonly number: number;
    readonly file: FileDescriptor;
  }[];
}

/** A file that does not fit the others. */
export class LinkError extends Error {
  /** @param file - the name of the file that is wrong */
  constructor(
    readonly file: string,
    message: string,
  ) {
    super(`${file}: ${message}`);
  }
}

class LinkedMessage implements MessageType {
  fields: readonly Field[] = [];
  readonly byNumber = new Map<number, Field>();
  readonly byName = new Map<string, Field>();
  hasRequired = false;

  constructor(
    readonly fullName: string,
    readonly find: (fullName: string) => MessageType | undefined,
  ) {}

  add(field: Field): void {
    this.byNumber.set(field.number, field);
    if (!this.byName.has(field.jsonName)) this.byName.set(field.jsonName, field);
    this.byName.set(field.name, field);
    this.hasRequired ||= field.isRequired;
  }
}

/**
 * Links files. Completes their descriptors: full type names, and what they use without naming it as an import.
 *
 * @throws LinkError when a type is not there, or two files define the same name
 */
export function linkSchema(files: Iterable<FileDescriptor>): Schema {
  return new Linker(files).link();
}

class Linker {
  readonly #files = new Map<string, FileDescriptor>();
  readonly #messages = new Map<string, LinkedMessage>();
  readonly #entries = new Map<string, MessageDescriptor>();
  readonly #enums = new Map<string, EnumType>();
  readonly #methods = new Map<string, Method>();
  readonly #services: string[] = [];
  readonly #symbols = new Map<string, FileDescriptor>();
  readonly #extensions: { type: string; number: number; file: FileDescriptor }[] = [];
  readonly #find = (name: string): MessageType | undefined => this.#messages.get(name);

  constructor(files: Iterable<FileDescriptor>) {
    for (const file of files) this.#files.set(file.name, file);
  }

  link(): Schema {
    for (const file of this.#files.values()) this.#declareFile(file);
    for (const file of this.#files.values()) this.#linkFile(file);
    for (const message of this.#messages.values()) {
      message.fields = [...message.byNumber.values()].sort((a, b) => a.number - b.number);
    }
    return {
      files: this.#files,
      messages: this.#messages,
      methods: this.#methods,
      services: this.#services,
      symbols: this.#symbols,
      extensions: this.#extensions,
    };
  }

  #declareFile(file: FileDescriptor): void {
    const scope = file.package ?? '';
    for (const message of file.message_type ?? []) this.#declareMessage(message, scope, file);
    for (const one of file.enum_type ?? []) this.#declareEnum(one, scope, file);
    for (const extension of file.extension ?? []) this.#declare(join(scope, extension.name), file);
    for (const service of file.service ?? []) {
      const name = join(scope, service.name);
      this.#declare(name, file);
      this.#services.push(name);
      for (const method of service.method ?? []) this.#declare(join(name, method.name), file);
    }
  }

  #declareMessage(message: MessageDescriptor, scope: string, file: FileDescriptor): void {
    const name = join(scope, message.name);
    this.#declare(name, file);
    this.#messages.set(name, new LinkedMessage(name, this.#find));
    if (message.options?.['map_entry'] === true) this.#entries.set(name, message);
    for (const field of message.field ?? []) this.#declare(join(name, field.name), file);
    for (const oneof of message.oneof_decl ?? []) this.#symbols.set(join(name, oneof.name), file);
    for (const extension of message.extension ?? []) this.#declare(join(name, extension.name), file);
    for (const inner of message.nested_type ?? []) this.#declareMessage(inner, name, file);
    for (const inner of message.enum_type ?? []) this.#declareEnum(inner, name, file);
  }

  #declareEnum(descriptor: EnumDescriptor, scope: string, file: FileDescriptor): void {
    const fullName = join(scope, descriptor.name);
    this.#declare(fullName, file);
    const byName = new Map<string, number>();
    const byNumber = new Map<number, string>();
    for (const { name, number = 0 } of descriptor.value ?? []) {
      // The values of an enum stand beside it, not within it.
      this.#symbols.set(join(scope, name), file);
      byName.set(name, number);
      if (!byNumber.has(number)) byNumber.set(number, name);
    }
    const [first = ''] = byName.keys();
    this.#enums.set(fullName, { fullName, byName, byNumber, first });
  }

  #declare(name: string, file: FileDescriptor): void {
    const other = this.#symbols.get(name);
    if (other !== undefined) {
      throw new LinkError(
        file.name,
        other === file
          ? `defines "${name}" twice`
          : `defines "${name}", which "${other.name}" defines already`,
      );
    }
    this.#symbols.set(name, file);
  }

  #linkFile(file: FileDescriptor): void {
    for (const name of file.dependency ?? []) {
      if (!this.#files.has(name)) throw new LinkError(file.name, `imports "${name}", which is not there`);
    }
    const scope = file.package ?? '';
    for (const message of file.message_type ?? []) this.#linkMessage(message, scope, file);
    for (const extension of file.extension ?? []) this.#linkExtension(extension, scope, file);
    for (const service of file.service ?? []) {
      const name = join(scope, service.name);
      for (const method of service.method ?? []) this.#linkMethod(method, name, file);
    }
  }

  #linkMessage(descriptor: MessageDescriptor, scope: string, file: FileDescriptor): void {
    const name = join(scope, descriptor.name);
    const message = this.#messages.get(name);
    const oneofs = descriptor.oneof_decl ?? [];
    for (const one of descriptor.field ?? []) {
      const oneof =
        one.oneof_index === undefined || one.proto3_optional === true
          ? undefined
          : oneofs[one.oneof_index]?.name;
      message?.add(this.#linkField(one, one.name, name, file, oneof));
    }
    for (const extension of descriptor.extension ?? []) this.#linkExtension(extension, name, file);
    for (const inner of descriptor.nested_type ?? []) this.#linkMessage(inner, name, file);
  }

  #linkExtension(descriptor: FieldDescriptor, scope: string, file: FileDescriptor): void {
    const type = this.#resolve(descriptor.extendee ?? '', scope, file, descriptor.name);
    descriptor.extendee = `.${type}`;
    const field = this.#linkField(
      descriptor,
      `[${join(scope, descriptor.name)}]`,
      scope,
      file,
      undefined,
      true,
    );
    this.#messages.get(type)?.add(field);
    this.#extensions.push({ type, number: descriptor.number, file });
  }

  #linkField(
    descriptor: FieldDescriptor,
    name: string,
    scope: string,
    file: FileDescriptor,
    oneof: string | undefined,
    isExtension = false,
  ): Field {
    const { number, label, options } = descriptor;
    const kind = this.#kindOf(descriptor, scope, file);
    const isRepeated = label === 'LABEL_REPEATED' && kind.type !== 'map';
    const features = featuresOf(file, options);
    const isProto3 = file.syntax === 'proto3';
    const isEdition = file.syntax === 'editions';
    const isPackable =
      isRepeated &&
      (kind.type === 'enum' ||
        (kind.type === 'scalar' && kind.scalar !== 'string' && kind.scalar !== 'bytes'));
    const packed = isEdition
      ? features['repeated_field_encoding'] !== 'EXPANDED'
      : ((options?.['packed'] as boolean | undefined) ?? isProto3);
    const isImplicit = isEdition ? features['field_presence'] === 'IMPLICIT' : isProto3;
    return {
      name,
      jsonName: isExtension ? name : (descriptor.json_name ?? toJsonName(name)),
      number,
      kind,
      isRepeated,
      isPacked: isPackable && packed,
      isRequired: label === 'LABEL_REQUIRED' || features['field_presence'] === 'LEGACY_REQUIRED',
      hasPresence:
        !isRepeated &&
        kind.type !== 'map' &&
        (kind.type === 'message' ||
          oneof !== undefined ||
          isExtension ||
          descriptor.proto3_optional === true ||
          !isImplicit),
      oneof,
      ownDefault: descriptor.default_value,
    };
  }

  #kindOf(descriptor: FieldDescriptor, scope: string, file: FileDescriptor): FieldKind {
    const { type, type_name: typeName } = descriptor;
    if (typeName === undefined) {
      return { type: 'scalar', scalar: (type ?? '').slice(5).toLowerCase() as ScalarName };
    }
    const found = this.#resolve(typeName, scope, file, descriptor.name);
    descriptor.type_name = `.${found}`;
    const type_ = this.#enums.get(found);
    if (type_ !== undefined) {
      descriptor.type = 'TYPE_ENUM';
      return { type: 'enum', enum: type_ };
    }
    const message = this.#messages.get(found);
    if (message === undefined) throw new LinkError(file.name, `"${found}" is no message or enum`);
    const isGroup =
      type === 'TYPE_GROUP' || featuresOf(file, descriptor.options)['message_encoding'] === 'DELIMITED';
    descriptor.type ??= 'TYPE_MESSAGE';
    const entry = descriptor.label === 'LABEL_REPEATED' ? this.#entries.get(found) : undefined;
    if (entry === undefined) return { type: 'message', message, isGroup };
    const [key, value] = entry.field ?? [];
    if (key === undefined || value === undefined)
      throw new LinkError(file.name, `"${found}" is a map entry without key and value`);
    return {
      type: 'map',
      key: this.#linkField(key, 'key', found, file, undefined),
      value: this.#linkField(value, 'value', found, file, undefined),
    };
  }

  #linkMethod(descriptor: MethodDescriptor, service: string, file: FileDescriptor): void {
    const messageOf = (typeName: string): MessageType => {
      const name = this.#resolve(typeName, service, file, descriptor.name);
      const message = this.#messages.get(name);
      if (message === undefined)
        throw new LinkError(file.name, `"${name}" of method ${descriptor.name} is no message`);
      return message;
    };
    const request = messageOf(descriptor.input_type);
    const response = messageOf(descriptor.output_type);
    descriptor.input_type = `.${request.fullName}`;
    descriptor.output_type = `.${response.fullName}`;
    const path = `/${service}/${descriptor.name}`;
    this.#methods.set(path, {
      path,
      name: descriptor.name,
      request,
      response,
      takesStream: descriptor.client_streaming === true,
      givesStream: descriptor.server_streaming === true,
    });
  }

  /** Looks for a type from the innermost scope outwards, as the language has it. */
  #resolve(reference: string, scope: string, file: FileDescriptor, user: string): string {
    const isType = (name: string): boolean => this.#messages.has(name) || this.#enums.has(name);
    const found = reference.startsWith('.')
      ? [reference.slice(1)].find(isType)
      : scopesOf(scope)
          .map((outer) => join(outer, reference))
          .find(isType);
    if (found === undefined)
      throw new LinkError(file.name, `"${reference}", the type of "${user}", is not defined`);
    const home = this.#symbols.get(found);
    if (home !== undefined && home !== file && file.dependency?.includes(home.name) !== true) {
      file.dependency = [...(file.dependency ?? []), home.name];
    }
    return found;
  }
}

function featuresOf(
  file: FileDescriptor,
  options: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> {
  if (file.syntax !== 'editions') return {};
  return { ...(file.options?.['features'] as object), ...(options?.['features'] as object) };
}

function scopesOf(scope: string): string[] {
  const parts = scope === '' ? [] : scope.split('.');
  return Array.from({ length: parts.length + 1 }, (_, index) =>
    parts.slice(0, parts.length - index).join('.'),
  );
}

function join(scope: string, name: string): string {
  return scope === '' ? name : `${scope}.${name}`;
}
