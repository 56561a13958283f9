import type { Level } from './compatibility.js';
import { REGISTRY_ERRORS, RegistryError } from './registry-error.js';
import type { ParsedSchema, SchemaReference, SchemaType } from './schema-format.js';

/** How much a registry keeps. */
export const REGISTRY_LIMITS = { versions: 10_000, bytes: 32 * 1024 * 1024 } as const;

/** A schema with its id. Never changes. */
export interface Registered {
  readonly id: number;
  readonly type: SchemaType;
  readonly references: readonly SchemaReference[];
  readonly parsed: ParsedSchema;
}

/** A version of a subject. Never changes. */
export interface Version {
  readonly subject: string;
  readonly version: number;
  readonly schema: Registered;
  readonly isDeleted: boolean;
}

/** The name of the settings that are not of one subject. */
export const GLOBAL = '';

/** A snapshot of a registry. */
export interface SavedRegistry {
  readonly schemas: readonly Registered[];
  readonly subjects: readonly (readonly [string, readonly Version[]])[];
  readonly levels: readonly (readonly [string, Level])[];
  readonly modes: readonly (readonly [string, string])[];
  readonly lastId: number;
}

/** Schemas, subjects with their versions, and settings. */
export class RegistryStore {
  #schemas = new Map<number, Registered>();
  #byContent = new Map<string, Registered>();
  #subjects = new Map<string, readonly Version[]>();
  /** By subject. */
  levels = new Map<string, Level>();
  modes = new Map<string, string>();
  #lastId = 0;
  #bytes = 0;
  #versions = 0;

  /** The schema with an id. */
  schema(id: number): Registered | undefined {
    return this.#schemas.get(id);
  }

  /** The same schema under whatever subject. */
  same(type: SchemaType, text: string, references: readonly SchemaReference[]): Registered | undefined {
    return this.#byContent.get(contentKey(type, text, references));
  }

  /** The subjects, with those of which every version was deleted where they are asked for. */
  subjects(hasDeleted: boolean): readonly string[] {
    return [...this.#subjects.keys()]
      .filter((subject) => this.versions(subject, hasDeleted).length > 0)
      .sort();
  }

  /** The versions of a subject, the oldest first. */
  versions(subject: string, hasDeleted: boolean): readonly Version[] {
    const versions = this.#subjects.get(subject) ?? [];
    return hasDeleted ? versions : versions.filter(({ isDeleted }) => !isDeleted);
  }

  /** Every version there is. */
  *all(): Generator<Version> {
    for (const versions of this.#subjects.values()) yield* versions;
  }

  /** One version by its number, or the latest one that was not deleted. */
  find(subject: string, version: number | 'latest', hasDeleted = false): Version | undefined {
    const versions = this.versions(subject, hasDeleted);
    return version === 'latest' ? versions.at(-1) : versions.find((each) => each.version === version);
  }

  /** Adds a version. */
  add(
    subject: string,
    type: SchemaType,
    references: readonly SchemaReference[],
    parsed: ParsedSchema,
    wanted: { readonly id?: number | undefined; readonly version?: number | undefined } = {},
  ): Version {
    this.#checkRoom(parsed.text.length);
    const schema =
      this.same(type, parsed.text, references) ?? this.#keep(type, references, parsed, wanted.id);
    const before = this.#subjects.get(subject) ?? [];
    const version = {
      subject,
      version: wanted.version ?? (before.at(-1)?.version ?? 0) + 1,
      schema,
      isDeleted: false,
    };
    const others = before.filter((each) => each.version !== version.version);
    this.#set(
      subject,
      [...others, version].sort((a, b) => a.version - b.version),
    );
    return version;
  }

  /** Marks versions as deleted. */
  softDelete(versions: readonly Version[]): void {
    const gone = new Set(versions);
    for (const subject of new Set(versions.map((each) => each.subject))) {
      this.#set(
        subject,
        this.versions(subject, true).map((each) => (gone.has(each) ? { ...each, isDeleted: true } : each)),
      );
    }
  }

  /** Forgets versions, and the schemas that nobody has any more. */
  hardDelete(versions: readonly Version[]): void {
    const gone = new Set(versions);
    for (const subject of new Set(versions.map((each) => each.subject))) {
      this.#set(
        subject,
        this.versions(subject, true).filter((each) => !gone.has(each)),
      );
    }
    const used = new Set([...this.all()].map(({ schema }) => schema));
    for (const { schema } of versions) {
      if (used.has(schema) || !this.#schemas.delete(schema.id)) continue;
      this.#byContent.delete(contentKey(schema.type, schema.parsed.text, schema.references));
      this.#bytes -= schema.parsed.text.length;
    }
  }

  save(): SavedRegistry {
    return {
      schemas: [...this.#schemas.values()],
      subjects: [...this.#subjects],
      levels: [...this.levels],
      modes: [...this.modes],
      lastId: this.#lastId,
    };
  }

  restore(saved: SavedRegistry): void {
    this.#schemas = new Map(saved.schemas.map((schema) => [schema.id, schema]));
    this.#byContent = new Map(
      saved.schemas.map((each) => [contentKey(each.type, each.parsed.text, each.references), each]),
    );
    this.#bytes = saved.schemas.reduce((sum, { parsed }) => sum + parsed.text.length, 0);
    this.#subjects = new Map(saved.subjects);
    this.#versions = saved.subjects.reduce((sum, [, versions]) => sum + versions.length, 0);
    this.levels = new Map(saved.levels);
    this.modes = new Map(saved.modes);
    this.#lastId = saved.lastId;
  }

  #set(subject: string, versions: readonly Version[]): void {
    this.#versions += versions.length - (this.#subjects.get(subject)?.length ?? 0);
    if (versions.length === 0) this.#subjects.delete(subject);
    else this.#subjects.set(subject, versions);
  }

  #keep(
    type: SchemaType,
    references: readonly SchemaReference[],
    parsed: ParsedSchema,
    wantedId: number | undefined,
  ): Registered {
    const id = wantedId ?? this.#lastId + 1;
    if (this.#schemas.has(id)) {
      throw REGISTRY_ERRORS.notPermitted(`Overwrite new schema with id ${id} is not permitted.`);
    }
    const schema = { id, type, references, parsed };
    this.#lastId = Math.max(this.#lastId, id);
    this.#schemas.set(id, schema);
    this.#byContent.set(contentKey(type, parsed.text, references), schema);
    this.#bytes += parsed.text.length;
    return schema;
  }

  #checkRoom(more: number): void {
    const { versions, bytes } = REGISTRY_LIMITS;
    if (this.#versions < versions && this.#bytes + more <= bytes) return;
    throw new RegistryError(
      42205,
      `The registry keeps ${versions} versions and ${bytes} bytes of schemas at most.`,
    );
  }
}

function contentKey(type: SchemaType, text: string, references: readonly SchemaReference[]): string {
  return `${type}\0${references.map(({ name, subject, version }) => JSON.stringify([name, subject, version])).join()}\0${text}`;
}
