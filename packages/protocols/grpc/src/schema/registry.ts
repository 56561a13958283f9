import { BacklotError, invalid, messageOf, nextTurn, runInSlices } from '@backlot/core/plugin';
import { googleSchema, isGoogleFile, ownFiles } from './builtin.js';
import { finishFile, linkFiles, prepareFiles, type Described } from './link.js';
import { LinkError } from './link-error.js';
import type { Method } from './model.js';
import { runAtOnce } from './run-at-once.js';
import type { LinkedFile, Schema } from './schema.js';
import { withoutKnown } from './without-known.js';
import { readProto } from './text/read-proto.js';

/** A `.proto` file that was uploaded. */
export interface Upload {
  readonly name: string;
  readonly content: string;
}

interface StoredUpload extends Upload {
  readonly file: LinkedFile;
}

const MAX_UPLOADS = 1000;
/** The longest text of one upload, in characters; comments count. */
const MAX_UPLOAD = 2 * 1024 * 1024;
/** What all uploads together may hold. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_DEFINITIONS = 100_000;
const NAME = /^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?!.*\/\/)[^\\\p{Cc}]{1,512}$/u;

/** The schemas of one host: those of the configuration and those that were uploaded, linked together. */
export class SchemaRegistry {
  #uploads: ReadonlyMap<string, StoredUpload> = new Map();
  #made: Schema | undefined;
  #own: readonly LinkedFile[] = [];
  /** Counts the changes, so that work in slices notices those that happened meanwhile. */
  #version = 0;
  readonly #listeners = new Set<() => void>();

  /** All that is known now. */
  get schema(): Schema {
    return (this.#made ??= this.#make([]));
  }

  /** The uploads in the order in which they came. */
  get uploads(): readonly Upload[] {
    return Array.from(this.#uploads.values(), ({ name, content }) => ({ name, content }));
  }

  /** The method of a path, `/package.Service/Method`. */
  method(path: string): Method | undefined {
    return this.schema.methods.get(path);
  }

  /** The methods that a mock's `method` means. */
  methodsNamed(key: string): readonly Method[] {
    return [...this.schema.methodsNamed(key)];
  }

  /**
   * Takes the files of the configuration; what was uploaded before goes.
   *
   * @throws LinkError when they do not fit together
   */
  configure(files: readonly Described[]): void {
    this.#made = this.#make(files.filter(({ proto }) => !isGoogleFile(proto.name)));
    this.#uploads = new Map();
    this.#changed();
  }

  /**
   * Adds files that were learned while running; those that are there already stay as they are.
   *
   * @returns those that were added, as they are there
   * @throws LinkError when they do not fit together, or to what is there
   */
  async learn(files: readonly Described[]): Promise<readonly Described[]> {
    const fresh = withoutKnown(files, this.schema);
    await runInSlices(linkFiles(fresh, this.schema));
    if (fresh.length > 0) this.#changed();
    return fresh;
  }

  /**
   * Adds an upload; its imports are found among the uploads and in google/protobuf. Lets others in meanwhile.
   *
   * @throws BacklotError `invalid` when it is too large, does not parse or does not fit the others, `conflict` when the
   * name is taken
   */
  async upload(given: Upload): Promise<Upload> {
    const { name, content } = given;
    this.#admit(given);
    let proto;
    try {
      proto = await runInSlices(readProto(name, content));
    } catch (thrown) {
      throw invalidAt('/content', `content is no .proto file: ${messageOf(thrown)}`);
    }
    for (;;) {
      const version = this.#version;
      this.#admit(given);
      for (const other of proto.dependency) {
        if (!this.#uploads.has(other) && !isGoogleFile(other))
          throw invalidAt(
            '/content',
            `content imports "${other}", which is not among the uploads; upload it first`,
          );
      }
      try {
        const shadowed = new Set(
          this.#own.filter((own) => own.proto.package === proto.package).map((own) => own.proto.name),
        );
        const [prepared] = await runInSlices(prepareFiles([{ proto }], this.schema, shadowed));
        await nextTurn();
        if (prepared === undefined || version !== this.#version) continue;
        if (this.schema.symbols.size + prepared.symbols.size > MAX_DEFINITIONS)
          throw new LinkError(name, `all schemas together would define more than ${MAX_DEFINITIONS} things`);
        const file = finishFile(prepared, this.schema);
        this.#put(new Map(this.#uploads).set(name, { name, content, file }));
      } catch (thrown) {
        if (!(thrown instanceof LinkError)) throw thrown;
        throw invalidAt('/content', `content does not fit: ${thrown.message}`);
      }
      return { name, content };
    }
  }

  /**
   * Takes an upload away.
   *
   * @throws BacklotError `not_found`, or `conflict` when another one imports it
   */
  remove(name: string): void {
    if (!this.#uploads.has(name)) throw new BacklotError('not_found', `no proto "${name}"`);
    for (const { name: other, file } of this.#uploads.values()) {
      if (file.proto.dependency.includes(name))
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

  /** Refuses what cannot be uploaded whatever it says. */
  #admit({ name, content }: Upload): void {
    if (!NAME.test(name) || name.startsWith('google/protobuf/'))
      throw invalidAt(
        '/name',
        `name must be a relative path such as "acme/users.proto", got ${JSON.stringify(name.slice(0, 600))}`,
      );
    if (this.#uploads.has(name))
      throw new BacklotError('conflict', `proto "${name}" already exists; delete it first`);
    if (this.#uploads.size >= MAX_UPLOADS)
      throw invalid(`there are ${MAX_UPLOADS} protos already; delete some first`);
    if (content.length > MAX_UPLOAD)
      throw invalidAt(
        '/content',
        `content has ${content.length} characters, more than ${MAX_UPLOAD}; take it apart, or name the file in the configuration`,
      );
    let characters = content.length;
    for (const upload of this.#uploads.values()) characters += upload.content.length;
    if (characters > MAX_CHARACTERS)
      throw invalid(
        `all protos together would have more than ${MAX_CHARACTERS} characters; delete some first`,
      );
  }

  /** A schema with the files of the configuration, and those of the server's own that they do not bring. */
  #make(files: readonly Described[]): Schema {
    const schema = googleSchema();
    runAtOnce(linkFiles(files, schema));
    const packages = new Set(files.map(({ proto }) => proto.package));
    const own = ownFiles().filter(
      ({ proto }) => !packages.has(proto.package) && !schema.files.has(proto.name),
    );
    runAtOnce(linkFiles(own, schema));
    this.#own = own.flatMap(({ proto }) => schema.files.get(proto.name) ?? []);
    return schema;
  }

  /** Makes the schema hold these uploads, each of which comes after those it imports. */
  #put(uploads: ReadonlyMap<string, StoredUpload>): void {
    const { schema } = this;
    for (const { name, file } of [...this.#uploads.values()].reverse()) {
      if (uploads.get(name)?.file !== file) schema.remove(name);
    }
    // Who brings a file of the health service or of reflection means that one.
    const packages = new Set(Array.from(uploads.values(), ({ file }) => file.proto.package));
    for (const file of this.#own) {
      const { name } = file.proto;
      const isServed = schema.files.get(name) === file;
      const isShadowed = packages.has(file.proto.package) || uploads.has(name);
      if (isServed && isShadowed) schema.remove(name);
      else if (!isServed && !isShadowed) schema.add(file);
    }
    for (const { name, file } of uploads.values()) if (!schema.files.has(name)) schema.add(file);
    this.#uploads = uploads;
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

function invalidAt(path: string, message: string): BacklotError {
  return invalid(message, [{ path, message }]);
}
