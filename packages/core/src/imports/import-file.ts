import type { ImportFile } from '../contract/imports.js';

/** What a file is made of that is to be imported. */
export interface ImportSource {
  /** Its name without folders; empty when absent. */
  readonly name?: string;
  /** Its content; a text stands for its bytes as UTF-8. */
  readonly content: string | Uint8Array;
  /** The object or list that it is as JSON or YAML, where the caller has parsed it. */
  readonly tree?: unknown;
  /** Why a content that begins as JSON or YAML is none. */
  readonly fault?: string | undefined;
  /** The files of a folder; the content is empty then. */
  readonly files?: readonly ImportFile[];
  /** The file at a path from this one; none can be read when absent. */
  near?(path: string): ImportFile | undefined;
}

/** Makes a file that importers can look at. */
export function importFile(source: ImportSource): ImportFile {
  return new SourceFile(source);
}

class SourceFile implements ImportFile {
  readonly #source: ImportSource;
  #text: string | undefined;
  #bytes: Uint8Array | undefined;

  constructor(source: ImportSource) {
    this.#source = source;
  }

  get name(): string {
    return this.#source.name ?? '';
  }

  get text(): string {
    const { content } = this.#source;
    this.#text ??= typeof content === 'string' ? content : Buffer.from(content).toString('utf8');
    return this.#text;
  }

  get bytes(): Uint8Array {
    const { content } = this.#source;
    this.#bytes ??= typeof content === 'string' ? Buffer.from(content) : content;
    return this.#bytes;
  }

  get tree(): unknown {
    return this.#source.tree;
  }

  get fault(): string {
    return this.#source.fault ?? '';
  }

  get files(): readonly ImportFile[] {
    return this.#source.files ?? [];
  }

  get isFolder(): boolean {
    return this.#source.files !== undefined;
  }

  near(path: string): ImportFile | undefined {
    return this.#source.near?.(path) ?? this.#source.files?.find(({ name }) => name === path);
  }
}
