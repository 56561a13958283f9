import {
  FieldDescriptorProto_Type as Type,
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  type MethodDescriptorProto,
} from '@bufbuild/protobuf/wkt';
import { LinkError } from './link-error.js';
import { joinNames, symbolsOf, type SymbolKind } from './symbols.js';

/** What a full name stands for, and the file that defines it. */
export interface Definition {
  readonly kind: SymbolKind;
  readonly file: string;
}

/** Finds what a full name stands for. */
export type Find = (fullName: string) => Definition | undefined;

/** A file whose references were found, before its descriptor says so. */
export interface Resolved {
  readonly proto: FileDescriptorProto;
  readonly symbols: ReadonlyMap<string, SymbolKind>;
  /** The types of other files that it uses, by file. */
  readonly uses: ReadonlyMap<string, ReadonlySet<string>>;
  /** Writes what was found into the descriptor: full names of types, and files that are used without an import. */
  complete(): void;
}

const MAX_NAME_LENGTH = 1000;
/** Numbers that belong to implementations of protobuf. */
const RESERVED_FROM = 19_000;
const RESERVED_TO = 19_999;

/** Looked up in an object, as `@grpc/grpc-js` does with each part of a package, it is the prototype of all objects. */
const PROTOTYPE = '__proto__';

/**
 * Names everything that a file defines, letting others in.
 *
 * @throws LinkError when it defines a name that is taken, or its package cannot be loaded by clients
 */
export function* declare(file: FileDescriptorProto, find: Find): Generator<void, Map<string, SymbolKind>> {
  const symbols = new Map<string, SymbolKind>();
  if (file.package.split('.').includes(PROTOTYPE))
    throw new LinkError(
      file.name,
      `package "${file.package.slice(0, 80)}" has the part "${PROTOTYPE}", the prototype of objects in JavaScript, and clients there leave such a package out; choose another name`,
    );
  for (const [name, kind] of symbolsOf(file)) {
    yield;
    if (name.length > MAX_NAME_LENGTH)
      throw new LinkError(
        file.name,
        `"${name.slice(0, 80)}..." is longer than ${MAX_NAME_LENGTH} characters`,
      );
    if (symbols.has(name)) throw new LinkError(file.name, `defines "${name}" twice`);
    const other = find(name);
    if (other !== undefined)
      throw new LinkError(file.name, `defines "${name}", which "${other.file}" defines already`);
    symbols.set(name, kind);
  }
  return symbols;
}

/**
 * Finds what a file refers to, letting others in.
 *
 * @throws LinkError when something is not there, or numbers are given twice
 */
export function* resolve(
  proto: FileDescriptorProto,
  symbols: ReadonlyMap<string, SymbolKind>,
  find: Find,
): Generator<void, Resolved> {
  const resolver = new Resolver(proto, symbols, find);
  yield* resolver.run();
  return resolver;
}

class Resolver implements Resolved {
  readonly uses = new Map<string, Set<string>>();
  readonly #find: Find;
  readonly #changes: (() => void)[] = [];

  constructor(
    readonly proto: FileDescriptorProto,
    readonly symbols: ReadonlyMap<string, SymbolKind>,
    find: Find,
  ) {
    this.#find = find;
  }

  *run(): Generator<void> {
    const { proto } = this;
    for (const message of proto.messageType) yield* this.#message(message, proto.package);
    for (const one of proto.enumType) yield* this.#enum(one);
    for (const extension of proto.extension) {
      yield;
      this.#extension(extension, proto.package);
    }
    for (const service of proto.service) {
      for (const method of service.method) {
        yield;
        this.#method(method, joinNames(proto.package, service.name));
      }
    }
  }

  complete(): void {
    for (const change of this.#changes) change();
    const { dependency } = this.proto;
    const known = new Set(dependency);
    for (const name of this.uses.keys()) if (!known.has(name)) dependency.push(name);
  }

  *#message(message: DescriptorProto, scope: string): Generator<void> {
    const name = joinNames(scope, message.name);
    const numbers = new Map<number, string>();
    const names = new Set(message.reservedName);
    for (const field of message.field) {
      yield;
      const { number } = field;
      const fail = (problem: string): LinkError =>
        new LinkError(this.proto.name, `the field "${field.name}" of ${name} ${problem}`);
      const other = numbers.get(number);
      if (other !== undefined) throw fail(`has the number ${number}, which "${other}" has already`);
      numbers.set(number, field.name);
      if (number >= RESERVED_FROM && number <= RESERVED_TO)
        throw fail(`has the number ${number}; ${RESERVED_FROM} to ${RESERVED_TO} are reserved by protobuf`);
      if (
        names.has(field.name) ||
        message.reservedRange.some((one) => number >= one.start && number < one.end)
      )
        throw fail('is reserved');
      this.#field(field, name);
    }
    for (const extension of message.extension) {
      yield;
      this.#extension(extension, name);
    }
    for (const inner of message.nestedType) yield* this.#message(inner, name);
    for (const inner of message.enumType) yield* this.#enum(inner);
  }

  *#enum(type: EnumDescriptorProto): Generator<void> {
    if (type.options?.allowAlias === true) return;
    const numbers = new Map<number, string>();
    for (const { name, number } of type.value) {
      yield;
      const other = numbers.get(number);
      if (other !== undefined)
        throw new LinkError(
          this.proto.name,
          `the values "${other}" and "${name}" of ${type.name} are both ${number}; set allow_alias if that is meant`,
        );
      numbers.set(number, name);
    }
  }

  #extension(field: FieldDescriptorProto, scope: string): void {
    const extendee = this.#type(field.extendee, scope, field.name, 'message');
    this.#changes.push(() => (field.extendee = `.${extendee.name}`));
    this.#field(field, scope);
  }

  #field(field: FieldDescriptorProto, scope: string): void {
    if (field.typeName === '') return;
    const { name, kind } = this.#type(field.typeName, scope, field.name);
    this.#changes.push(() => {
      field.typeName = `.${name}`;
      field.type = kind === 'enum' ? Type.ENUM : field.type === Type.GROUP ? Type.GROUP : Type.MESSAGE;
    });
  }

  #method(method: MethodDescriptorProto, scope: string): void {
    const input = this.#type(method.inputType, scope, method.name, 'message');
    const output = this.#type(method.outputType, scope, method.name, 'message');
    this.#changes.push(() => {
      method.inputType = `.${input.name}`;
      method.outputType = `.${output.name}`;
    });
  }

  /** Looks for a type from the innermost scope outwards, as the language has it. */
  #type(
    reference: string,
    scope: string,
    user: string,
    wanted?: SymbolKind,
  ): { readonly name: string; readonly kind: SymbolKind } {
    const isAbsolute = reference.startsWith('.');
    for (let here = isAbsolute ? '' : scope; ; here = here.slice(0, Math.max(here.lastIndexOf('.'), 0))) {
      const name = isAbsolute ? reference.slice(1) : joinNames(here, reference);
      const own = this.symbols.get(name);
      const found = own === undefined ? this.#find(name) : { kind: own, file: this.proto.name };
      if (found !== undefined && (found.kind === 'message' || found.kind === 'enum')) {
        if (wanted !== undefined && found.kind !== wanted)
          throw new LinkError(this.proto.name, `"${name}", used by "${user}", is no ${wanted}`);
        if (own === undefined) this.#use(found.file, name);
        return { name, kind: found.kind };
      }
      if (here === '')
        throw new LinkError(this.proto.name, `"${reference}", the type of "${user}", is not defined`);
    }
  }

  #use(file: string, type: string): void {
    const types = this.uses.get(file);
    if (types === undefined) this.uses.set(file, new Set([type]));
    else types.add(type);
  }
}
