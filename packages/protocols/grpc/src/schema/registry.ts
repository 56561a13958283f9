import { BacklotError, invalid, messageOf } from '@backlot/core/plugin';
import { googleFiles, ownFiles } from './builtin.js';
import type { FileDescriptor } from './descriptor.js';
import { encodeFile, type DescribedFile } from './descriptor-set.js';
import { LinkError, linkSchema, type Schema } from './link.js';
import type { Method } from './model.js';
import { methodKeys } from './method-keys.js';
import { readProto } from './read-proto.js';

/** A `.proto` file that was uploaded. */
export interface Upload {
  readonly name: string;
  readonly content: string;
}

interface StoredUpload extends Upload {
  readonly file: FileDescriptor;
}

const MOST_UPLOADS = 1000;
const NAME = /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?!.*\/\/)[^\\\p{Cc}]{1,512}$/u;

/** The schemas of one host: those of the configuration and those that were uploaded, linked together. */
export class SchemaRegistry {
  #configured: readonly (DescribedFile | FileDescriptor)[] = [];
  #uploads: ReadonlyMap<string, StoredUpload> = new Map();
  #schema: Schema | undefined;
  #byKey: Map<string, Method[]> | undefined;
  #described = new Map<FileDescriptor, Uint8Array>();
  readonly #listeners = new Set<() => void>();

  /** All that is known now. */
  get schema(): Schema {
    return (this.#schema ??= this.#link(this.#uploads));
  }

  /** The uploads in the order in which they came. */
  get uploads(): readonly Upload[] {
    return Array.from(this.#uploads.values(), ({ name, content }) => ({ name, content }));
  }

  /** The method of a path, `/package.Service/Method`. */
  method(path: string): Method | undefined {
    return this.schema.methods.get(path);
  }

  /** The methods that a mock's `method` means, see {@link methodKeys}. */
  methodsNamed(key: string): readonly Method[] {
    if (this.#byKey === undefined) {
      this.#byKey = new Map();
      for (const method of this.schema.methods.values()) {
        for (const one of methodKeys(method.path)) {
          const list = this.#byKey.get(one);
          if (list === undefined) this.#byKey.set(one, [method]);
          else list.push(method);
        }
      }
    }
    return this.#byKey.get(key) ?? [];
  }

  /**
   * Takes the files of the configuration.
   *
   * @throws LinkError when they do not fit together
   */
  configure(files: readonly (DescribedFile | FileDescriptor)[]): void {
    const before = this.#configured;
    this.#configured = files;
    try {
      this.#put(this.#uploads);
    } catch (thrown) {
      this.#configured = before;
      throw thrown;
    }
  }

  /**
   * Adds an upload; its imports are found among the uploads and in google/protobuf.
   *
   * @throws BacklotError `invalid` when it does not parse or does not fit the others, `conflict` when the name is taken
   */
  upload({ name, content }: Upload): Upload {
    if (!NAME.test(name) || name.startsWith('google/protobuf/'))
      throw invalidAt(
        '/name',
        `name must be a relative path such as "acme/users.proto", got ${JSON.stringify(name)}`,
      );
    if (this.#uploads.has(name))
      throw new BacklotError('conflict', `proto "${name}" already exists; delete it first`);
    if (this.#uploads.size >= MOST_UPLOADS)
      throw invalid(`there are ${MOST_UPLOADS} protos already; delete some first`);
    let file: FileDescriptor;
    try {
      file = readProto(name, content);
    } catch (thrown) {
      throw invalidAt('/content', `content is no .proto file: ${messageOf(thrown)}`);
    }
    const uploads = new Map(this.#uploads).set(name, { name, content, file });
    for (const other of file.dependency ?? []) {
      if (!uploads.has(other) && !isGoogle(other))
        throw invalidAt(
          '/content',
          `content imports "${other}", which is not among the uploads; upload it first`,
        );
    }
    try {
      this.#put(uploads);
    } catch (thrown) {
      if (!(thrown instanceof LinkError)) throw thrown;
      throw invalidAt('/content', `content does not fit: ${thrown.message}`);
    }
    return { name, content };
  }

  /**
   * Takes an upload away.
   *
   * @throws BacklotError `not_found`, or `conflict` when another one imports it
   */
  remove(name: string): void {
    if (!this.#uploads.has(name)) throw new BacklotError('not_found', `no proto "${name}"`);
    for (const { name: other, file } of this.#uploads.values()) {
      if (file.dependency?.includes(name) === true)
        throw new BacklotError(
          'conflict',
          `proto "${name}" is imported by "${other}"; delete that one first`,
        );
    }
    const uploads = new Map(this.#uploads);
    uploads.delete(name);
    this.#put(uploads);
  }

  /** The uploads, for a snapshot. */
  save(): ReadonlyMap<string, StoredUpload> {
    return this.#uploads;
  }

  /** Puts uploads back. */
  restore(saved: ReadonlyMap<string, StoredUpload>): void {
    if (saved !== this.#uploads) this.#put(saved);
  }

  /** Calls back after the schemas have changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A file and all that it imports, directly or not, as `FileDescriptorProto`s; the file itself comes first. */
  describe(file: FileDescriptor): readonly Uint8Array[] {
    const found = new Set([file]);
    for (const one of found) {
      for (const name of one.dependency ?? []) {
        const other = this.schema.files.get(name);
        if (other !== undefined) found.add(other);
      }
    }
    return Array.from(found, (one) => {
      let bytes = this.#described.get(one);
      if (bytes === undefined) this.#described.set(one, (bytes = encodeFile(one)));
      return bytes;
    });
  }

  #put(uploads: ReadonlyMap<string, StoredUpload>): void {
    const described = this.#described;
    this.#described = new Map();
    try {
      this.#schema = this.#link(uploads);
    } catch (thrown) {
      this.#described = described;
      throw thrown;
    }
    this.#uploads = uploads;
    this.#byKey = undefined;
    for (const listener of this.#listeners) listener();
  }

  /** Linking completes descriptors, so it works on copies: what was refused leaves no trace. */
  #link(uploads: ReadonlyMap<string, StoredUpload>): Schema {
    const files: FileDescriptor[] = [];
    for (const one of this.#configured) {
      const isDescribed = 'bytes' in one;
      const file = isDescribed ? one.file : one;
      if (isGoogle(file.name)) continue;
      const copy = structuredClone(file);
      if (isDescribed) this.#described.set(copy, one.bytes);
      files.push(copy);
    }
    for (const { file } of uploads.values()) files.push(structuredClone(file));
    const names = new Set<string>();
    for (const { name } of files) {
      if (names.has(name)) throw new LinkError(name, 'there are two files of this name');
      names.add(name);
    }
    const packages = new Set(files.map((file) => file.package));
    // Who brings a file of the health service or of reflection means that one.
    const own = ownFiles().filter((file) => !packages.has(file.package) && !names.has(file.name));
    return linkSchema([...googleFiles(), ...own, ...files]);
  }
}

function isGoogle(name: string): boolean {
  return googleFiles().some((file) => file.name === name);
}

function invalidAt(path: string, message: string): BacklotError {
  return invalid(message, [{ path, message }]);
}
