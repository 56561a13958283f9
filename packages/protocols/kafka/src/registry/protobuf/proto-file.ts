import protobuf from 'protobufjs';
import descriptor from 'protobufjs/ext/descriptor/index.js';

/** A message of a file, with those inside it. */
interface ProtoMessage {
  readonly name: string;
  readonly inner: readonly ProtoMessage[];
}

/** One file of Protobuf that was read; the types are not looked up yet. */
export class ProtoFile {
  readonly imports: readonly string[];
  /** All that it declares, as the library takes it. */
  readonly nested: Record<string, protobuf.AnyNestedObject>;
  /** In the order in which they stand. */
  readonly messages: readonly ProtoMessage[];

  constructor(root: protobuf.Root, imports: readonly string[]) {
    this.imports = imports;
    this.nested = root.toJSON().nested ?? {};
    this.messages = messagesOf(root);
  }

  /** The full names of all messages. */
  get names(): readonly string[] {
    const all = (list: readonly ProtoMessage[]): readonly string[] =>
      list.flatMap(({ name, inner }) => [name, ...all(inner)]);
    return all(this.messages);
  }

  /** The full name of the message at indexes, the outermost first. */
  nameAt(path: readonly number[]): string | undefined {
    let list = this.messages;
    let name: string | undefined;
    for (const index of path) {
      const message = list[index];
      if (message === undefined) return undefined;
      ({ name, inner: list } = message);
    }
    return name;
  }

  /** Where a message stands, by its full name or without the package. */
  pathOf(wanted: string): readonly number[] | undefined {
    const find = (list: readonly ProtoMessage[]): readonly number[] | undefined => {
      for (const [index, { name, inner }] of list.entries()) {
        if (name === wanted || name.endsWith(`.${wanted}`)) return [index];
        const below = find(inner);
        if (below !== undefined) return [index, ...below];
      }
      return undefined;
    };
    return find(this.messages);
  }
}

/** The messages of a file stand in namespaces, which are its package. */
function messagesOf(parent: protobuf.NamespaceBase): readonly ProtoMessage[] {
  return parent.nestedArray.flatMap((each) => {
    if (each instanceof protobuf.Type) {
      return [{ name: each.fullName.slice(1), inner: messagesOf(each) }];
    }
    const isPackage = each.constructor === protobuf.Namespace && !(parent instanceof protobuf.Type);
    return isPackage ? messagesOf(each) : [];
  });
}

/**
 * Reads a file.
 *
 * @throws Error when it is none
 */
export function readFile(text: string): ProtoFile {
  if (/^[A-Za-z0-9+/\s]+=*\s*$/.test(text)) return readDescriptor(Buffer.from(text, 'base64'));
  const root = new protobuf.Root();
  const { imports = [], weakImports = [] } = protobuf.parse(text, root);
  return new ProtoFile(root, [...imports, ...weakImports]);
}

/** A FileDescriptorProto, which is how clients in Python send schemas. */
function readDescriptor(bytes: Buffer): ProtoFile {
  const file = descriptor.FileDescriptorProto.decode(bytes) as unknown as {
    readonly dependency?: readonly string[];
  };
  // The library adds this to its class when the extension is loaded, which its types do not say.
  const { fromDescriptor } = protobuf.Root as unknown as {
    fromDescriptor(this: void, set: { readonly file: readonly unknown[] }): protobuf.Root;
  };
  const root = fromDescriptor({ file: [file] });
  return new ProtoFile(root, file.dependency ?? []);
}
