import { messageOf, runInSlices } from '@backlot/core/plugin';
import { findIncompatibilities, type Level } from './compatibility.js';
import { REGISTRY_ERRORS, RegistryError } from './registry-error.js';
import { GLOBAL, RegistryStore, type Registered, type Version } from './registry-store.js';
import {
  loadFormat,
  type ParsedSchema,
  type ReferencedSchema,
  type SchemaReference,
  type SchemaType,
} from './schema-format.js';

/** The longest schema, in characters: reading one is not done in steps. */
export const MAX_SCHEMA = 128 * 1024;
/** Schemas that one refers to, over others as well. */
const MAX_REFERENCES = 100;

/** A schema as somebody gives it. */
export interface GivenSchema {
  readonly type: SchemaType;
  readonly text: string;
  readonly references: readonly SchemaReference[];
}

/** A schema that is to be registered; id and version are given in the mode IMPORT alone. */
export interface GivenVersion extends GivenSchema {
  readonly id?: number | undefined;
  readonly version?: number | undefined;
}

/** What Confluent's registry does, over a store in memory. */
export class Registry {
  readonly store = new RegistryStore();

  /** The level for a subject. */
  levelOf(subject: string): Level {
    return this.store.levels.get(subject) ?? this.store.levels.get(GLOBAL) ?? 'BACKWARD';
  }

  /** The mode for a subject. */
  modeOf(subject: string): string {
    return this.store.modes.get(subject) ?? this.store.modes.get(GLOBAL) ?? 'READWRITE';
  }

  /**
   * Reads a schema with those that it refers to.
   *
   * @throws RegistryError when it is none
   */
  async parse({ type, text, references }: GivenSchema): Promise<ParsedSchema> {
    if (text.length > MAX_SCHEMA) {
      throw REGISTRY_ERRORS.invalidSchema(`it has ${text.length} characters; at most ${MAX_SCHEMA} are read`);
    }
    const parse = await loadFormat(type);
    const referenced = this.#resolve(references);
    try {
      return parse(text, referenced);
    } catch (error) {
      throw REGISTRY_ERRORS.invalidSchema(messageOf(error));
    }
  }

  /** Registers a schema, unless the subject has it already. */
  async register(subject: string, given: GivenVersion): Promise<Registered> {
    const parsed = await this.parse(given);
    const same = this.#sameIn(subject, given, parsed, false);
    if (same !== undefined) return same.schema;
    this.checkWritable(subject);
    const mode = this.modeOf(subject);
    const isImport = mode === 'IMPORT';
    if ((given.id !== undefined || given.version !== undefined) && !isImport) {
      throw REGISTRY_ERRORS.notPermitted(`Subject ${subject} is not in import mode`);
    }
    const reasons = isImport ? [] : await this.incompatibilities(subject, given, parsed);
    if (reasons.length > 0) throw REGISTRY_ERRORS.incompatible(reasons);
    // Somebody may have registered the same while the versions were compared.
    const late = this.#sameIn(subject, given, parsed, false);
    if (late !== undefined) return late.schema;
    return this.store.add(subject, given.type, given.references, parsed, given).schema;
  }

  /** The version of a subject that is this schema. */
  async lookUp(subject: string, given: GivenSchema, hasDeleted: boolean): Promise<Version> {
    if (this.store.versions(subject, hasDeleted).length === 0) throw REGISTRY_ERRORS.subjectNotFound(subject);
    const found = this.#sameIn(subject, given, await this.parse(given), hasDeleted);
    if (found === undefined) throw REGISTRY_ERRORS.schemaNotFound();
    return found;
  }

  /** Why a schema does not go together with versions of a subject; all of them when none are given. */
  async incompatibilities(
    subject: string,
    given: GivenSchema,
    parsed: ParsedSchema,
    versions: readonly Version[] = this.store.versions(subject, false),
  ): Promise<readonly string[]> {
    const level = this.levelOf(subject);
    if (level === 'NONE' || versions.length === 0) return [];
    const compared = level.endsWith('_TRANSITIVE') ? versions : versions.slice(-1);
    const other = compared.find(({ schema }) => schema.type !== given.type);
    if (other !== undefined) {
      return [
        `version ${other.version} is of type ${other.schema.type}, and the new schema of type ${given.type}`,
      ];
    }
    const earlier = compared.map(({ schema }) => schema.parsed);
    return runInSlices(findIncompatibilities(parsed, earlier, level));
  }

  /** Deletes a subject, or what was soft deleted for good. @returns the versions that it had */
  deleteSubject(subject: string, isPermanent: boolean): readonly number[] {
    const all = this.store.versions(subject, true);
    const live = this.store.versions(subject, false);
    if (all.length === 0) throw REGISTRY_ERRORS.subjectNotFound(subject);
    if (isPermanent && live.length > 0) throw REGISTRY_ERRORS.subjectNotDeleted(subject);
    if (!isPermanent && live.length === 0) throw REGISTRY_ERRORS.subjectDeleted(subject);
    this.#delete(isPermanent ? all : live, isPermanent);
    if (isPermanent) {
      this.store.levels.delete(subject);
      this.store.modes.delete(subject);
    }
    return (isPermanent ? all : live).map(({ version }) => version);
  }

  /** Deletes one version. */
  deleteVersion(subject: string, wanted: number | 'latest', isPermanent: boolean): number {
    if (this.store.versions(subject, true).length === 0) throw REGISTRY_ERRORS.subjectNotFound(subject);
    const found = this.store.find(subject, wanted, typeof wanted === 'number');
    if (found === undefined) throw REGISTRY_ERRORS.versionNotFound(wanted);
    const { version, isDeleted } = found;
    if (isPermanent && !isDeleted) throw REGISTRY_ERRORS.versionNotDeleted(subject, version);
    if (!isPermanent && isDeleted) throw REGISTRY_ERRORS.versionDeleted(subject, version);
    this.#delete([found], isPermanent);
    return version;
  }

  /** The ids of the schemas that refer to a version. */
  referrersOf(subject: string, version: number): readonly number[] {
    const ids = new Set<number>();
    for (const { schema } of this.store.all()) {
      const refers = schema.references.some((each) => each.subject === subject && each.version === version);
      if (refers) ids.add(schema.id);
    }
    return [...ids];
  }

  /** @throws RegistryError when nothing may be changed */
  checkWritable(subject: string): void {
    const mode = this.modeOf(subject);
    if (!mode.startsWith('READONLY')) return;
    throw REGISTRY_ERRORS.notPermitted(
      subject === GLOBAL ? `The registry is in ${mode} mode` : `Subject ${subject} is in ${mode} mode`,
    );
  }

  #delete(versions: readonly Version[], isPermanent: boolean): void {
    for (const { subject, version } of versions) {
      this.checkWritable(subject);
      if (this.referrersOf(subject, version).length > 0) throw REGISTRY_ERRORS.referenced(subject, version);
    }
    if (isPermanent) this.store.hardDelete(versions);
    else this.store.softDelete(versions);
  }

  #sameIn(
    subject: string,
    { type, references }: GivenSchema,
    { text }: ParsedSchema,
    hasDeleted: boolean,
  ): Version | undefined {
    const same = this.store.same(type, text, references);
    if (same === undefined) return undefined;
    return this.store.versions(subject, hasDeleted).findLast(({ schema }) => schema === same);
  }

  /** What is referred to, each after what it refers to itself. */
  #resolve(references: readonly SchemaReference[]): readonly ReferencedSchema[] {
    const found = new Map<string, ReferencedSchema>();
    const visit = ({ name, subject, version }: SchemaReference): void => {
      if (found.has(name)) return;
      if (found.size >= MAX_REFERENCES) {
        throw REGISTRY_ERRORS.invalidSchema(`it refers to more than ${MAX_REFERENCES} others`);
      }
      const there = this.store.find(subject, version, true);
      if (there === undefined) {
        throw new RegistryError(
          42201,
          `Invalid schema: there is no version ${version} of subject '${subject}', to which the reference '${name}' leads`,
        );
      }
      for (const inner of there.schema.references) visit(inner);
      found.set(name, { name, text: there.schema.parsed.text });
    };
    for (const reference of references) visit(reference);
    return [...found.values()];
  }
}
