import {
  toBinary,
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
} from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  MethodOptions_IdempotencyLevel,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { methodKeys } from './method-keys.js';
import { MessageView, viewEnum, type Types } from './message-view.js';
import type { EnumType, MessageType, Method } from './model.js';
import type { Definition } from './resolve.js';
import type { SymbolKind } from './symbols.js';

/** A file that is part of a schema. */
export interface LinkedFile {
  readonly proto: FileDescriptorProto;
  readonly desc: DescFile;
  readonly symbols: ReadonlyMap<string, SymbolKind>;
  /** Of a file from a descriptor set its own bytes. */
  readonly bytes: Uint8Array | undefined;
}

/** Types and services that refer to each other. Files come and go one by one. */
export class Schema implements Types {
  readonly files = new Map<string, LinkedFile>();
  /** What every full name stands for. */
  readonly symbols = new Map<string, Definition>();
  readonly messages = new Map<string, MessageView>();
  /** By path, `/package.Service/Method`. */
  readonly methods = new Map<string, Method>();
  /** Full names. */
  readonly services = new Set<string>();
  readonly #enums = new Map<string, DescEnum>();
  readonly #enumViews = new WeakMap<DescEnum, EnumType>();
  /** By the full name of the type they extend, then by number. */
  readonly #extensions = new Map<string, Map<number, DescExtension>>();
  readonly #byKey = new Map<string, Set<Method>>();
  readonly #described = new WeakMap<LinkedFile, Uint8Array>();

  /** Adds a file whose imports are there. */
  add(file: LinkedFile): void {
    const { desc, proto, symbols } = file;
    this.files.set(proto.name, file);
    for (const [name, kind] of symbols) this.symbols.set(name, { kind, file: proto.name });
    for (const message of desc.messages) this.#addMessage(message);
    for (const one of desc.enums) this.#enums.set(one.typeName, one);
    for (const extension of desc.extensions) this.#addExtension(extension);
    for (const service of desc.services) {
      this.services.add(service.typeName);
      for (const { name, input, output, methodKind, idempotency } of service.methods) {
        const path = `/${service.typeName}/${name}`;
        const method: Method = {
          path,
          name,
          request: this.typeOf(input.typeName),
          response: this.typeOf(output.typeName),
          takesStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
          givesStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
          isSafe: idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
        };
        this.methods.set(path, method);
        for (const key of methodKeys(path)) {
          const named = this.#byKey.get(key);
          if (named === undefined) this.#byKey.set(key, new Set([method]));
          else named.add(method);
        }
      }
    }
  }

  /** Takes a file away that no other one imports. */
  remove(name: string): void {
    const file = this.files.get(name);
    if (file === undefined) return;
    this.files.delete(name);
    for (const symbol of file.symbols.keys()) {
      this.symbols.delete(symbol);
      this.messages.delete(symbol);
      this.#enums.delete(symbol);
      this.services.delete(symbol);
    }
    for (const extension of allExtensions(file.desc)) {
      this.#extensions.get(extension.extendee.typeName)?.delete(extension.number);
      this.messages.get(extension.extendee.typeName)?.forget();
    }
    for (const service of file.desc.services) {
      for (const one of service.methods) {
        const path = `/${service.typeName}/${one.name}`;
        const method = this.methods.get(path);
        this.methods.delete(path);
        if (method === undefined) continue;
        for (const key of methodKeys(path)) {
          const named = this.#byKey.get(key);
          named?.delete(method);
          if (named?.size === 0) this.#byKey.delete(key);
        }
      }
    }
  }

  /** The methods that a name means, see {@link methodKeys}. */
  methodsNamed(key: string): Iterable<Method> {
    return this.#byKey.get(key) ?? [];
  }

  /** A message type that is known to be there. @throws Error when it is not */
  typeOf(fullName: string): MessageType {
    const type = this.messages.get(fullName);
    if (type === undefined) throw new Error(`there is no message ${fullName}`);
    return type;
  }

  enumOf(type: DescEnum): EnumType {
    let view = this.#enumViews.get(type);
    if (view === undefined) this.#enumViews.set(type, (view = viewEnum(type)));
    return view;
  }

  extensionsOf(fullName: string): Iterable<DescExtension> {
    return this.#extensions.get(fullName)?.values() ?? [];
  }

  /** The extension of a type with a number. */
  extension(fullName: string, number: number): DescExtension | undefined {
    return this.#extensions.get(fullName)?.get(number);
  }

  /**
   * As much of a file as another one uses. The library would walk all that a file imports, once for each way that
   * leads there, of which files that import each other can have any number.
   */
  partOf(name: string, used: ReadonlySet<string> = new Set()): DescFile | undefined {
    const desc = this.files.get(name)?.desc;
    if (desc === undefined) return undefined;
    const messages: DescMessage[] = [];
    const enums: DescEnum[] = [];
    for (const type of used) {
      const message = this.messages.get(type);
      if (message !== undefined) messages.push(message.desc);
      const one = this.#enums.get(type);
      if (one !== undefined) enums.push(one);
    }
    return { ...desc, dependencies: [], messages, enums, extensions: [], services: [] };
  }

  /** A file and all that it imports, directly or not, as `FileDescriptorProto`s; the file itself comes first. */
  describe(name: string): readonly Uint8Array[] {
    const found = new Set([name]);
    for (const one of found)
      for (const other of this.files.get(one)?.proto.dependency ?? []) found.add(other);
    return Array.from(found).flatMap((one) => {
      const file = this.files.get(one);
      return file === undefined ? [] : [this.#describeFile(file)];
    });
  }

  #describeFile(file: LinkedFile): Uint8Array {
    let bytes = file.bytes ?? this.#described.get(file);
    if (bytes === undefined)
      this.#described.set(file, (bytes = toBinary(FileDescriptorProtoSchema, file.proto)));
    return bytes;
  }

  #addMessage(message: DescMessage): void {
    this.messages.set(message.typeName, new MessageView(message, this));
    for (const inner of message.nestedMessages) this.#addMessage(inner);
    for (const one of message.nestedEnums) this.#enums.set(one.typeName, one);
    for (const extension of message.nestedExtensions) this.#addExtension(extension);
  }

  #addExtension(extension: DescExtension): void {
    const { typeName } = extension.extendee;
    const known = this.#extensions.get(typeName);
    if (known === undefined) this.#extensions.set(typeName, new Map([[extension.number, extension]]));
    else known.set(extension.number, extension);
    this.messages.get(typeName)?.forget();
  }
}

function* allExtensions(from: DescFile | DescMessage): Generator<DescExtension> {
  yield* from.kind === 'file' ? from.extensions : from.nestedExtensions;
  for (const inner of from.kind === 'file' ? from.messages : from.nestedMessages) yield* allExtensions(inner);
}
