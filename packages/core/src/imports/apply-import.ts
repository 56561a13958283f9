import type { CollectionDefinition } from '../contract/collections.js';
import { CollectionSchema } from '../contract/data-schemas.js';
import type { Json } from '../contract/given.js';
import type { Host } from '../contract/host.js';
import type { Imported } from '../contract/imports.js';
import type { ItemList, Kind } from '../contract/kind.js';
import type { NewReaction } from '../contract/reaction.js';
import { BacklotError, invalid } from '../errors.js';
import { nextTurn } from '../time/turns.js';
import { createValidator } from '../validation/validator.js';
import { mocksOf } from './check-import.js';

/** How an import is applied. */
export interface ApplyImportOptions {
  /** Whether mocks with ids that exist take their places; they are a conflict otherwise. */
  readonly replace?: boolean;
  /** Whether everything is only checked. */
  readonly dryRun?: boolean;
  /** When it is aborted, what was applied is taken back. */
  readonly signal?: AbortSignal;
}

/** What has become of an import. */
export interface AppliedImport {
  /** How many are there that were not before, by what they are: `http mocks`. */
  readonly created: Readonly<Record<string, number>>;
  /** How many took the place of another. */
  readonly replaced: Readonly<Record<string, number>>;
  /** What a running host cannot take, a sentence each. */
  readonly left: readonly string[];
}

/**
 * Puts what was imported into a host that runs: all of it, or nothing when a part is refused.
 *
 * @throws BacklotError `invalid`, `conflict`, as creating them does; `not_enabled` when none of the kinds is
 */
export async function applyImport(
  host: Host,
  imported: Imported,
  options: ApplyImportOptions = {},
): Promise<AppliedImport> {
  const applying = new Applying(host, options);
  try {
    await applying.all(imported);
  } catch (thrown) {
    await applying.takeBack();
    throw thrown;
  }
  return applying.result;
}

class Applying {
  readonly #created = new Map<string, number>();
  readonly #replaced = new Map<string, number>();
  readonly #left: string[] = [];
  /** What takes back what was done, the last one first. */
  readonly #back: (() => unknown)[] = [];

  constructor(
    private readonly host: Host,
    private readonly options: ApplyImportOptions,
  ) {}

  get result(): AppliedImport {
    return {
      created: Object.fromEntries(this.#created),
      replaced: Object.fromEntries(this.#replaced),
      left: this.#left,
    };
  }

  async all({
    protocols = {},
    collections = {},
    state = {},
    reactions = [],
    data = {},
  }: Imported): Promise<void> {
    const kinds: [Kind, Json][] = [];
    for (const [name, block] of Object.entries(protocols)) {
      const kind = this.host.kinds.find((one) => one.kind === name);
      if (kind?.enabled === true) kinds.push([kind, block]);
      else this.#left.push(`${name}: the server was started without it`);
    }
    if (kinds.length === 0 && Object.keys(protocols).length > 0) {
      throw new BacklotError(
        'not_enabled',
        `the file is for ${Object.keys(protocols).join(', ')}, which the server was started without`,
      );
    }
    // Collections come first, since mocks name them.
    for (const [name, definition] of Object.entries(collections)) await this.#collection(name, definition);
    for (const [kind, block] of kinds) await this.#block(kind, block, data[kind.kind] ?? {});
    this.#state(state);
    const left = new Set(Object.keys(protocols).filter((name) => !kinds.some(([{ kind }]) => kind === name)));
    for (const [index, reaction] of reactions.entries()) {
      // Its kind is among what was left already, and that is said once for all of them.
      if ([reaction.on, ...reaction.do].some((part) => Object.keys(part).some((name) => left.has(name))))
        continue;
      await this.#reaction(reaction, index);
    }
  }

  async takeBack(): Promise<void> {
    for (const undo of this.#back.reverse()) {
      try {
        await undo();
      } catch {
        // Somebody else has changed or removed it since: it is theirs now, and the rest is taken back all the same.
      }
      await nextTurn();
    }
  }

  async #block(kind: Kind, block: Json, data: NonNullable<Imported['data']>[string]): Promise<void> {
    await kind.wake();
    const { mocks, itemLists = {} } = kind.protocol;
    for (const [key, value] of Object.entries(block)) {
      const entries = Object.hasOwn(data, key) ? data[key] : undefined;
      if (key === mocks.configKey) await this.#mocks(kind, mocksOf(kind, value as readonly Json[]));
      else if (Object.hasOwn(itemLists, key)) await this.#items(kind, key, value as readonly Json[]);
      else if (entries === undefined) this.#left.push(`${kind.kind}.${key} counts at a start`);
      else await this.#data(kind, entries.section, entries.entries);
    }
  }

  async #mocks(kind: Kind, mocks: readonly Json[]): Promise<void> {
    const what = `${kind.kind} ${kind.protocol.mocks.noun}s`;
    const isThere = ({ id }: Json): boolean => typeof id === 'string' && kind.mocks.has(id);
    const present = this.options.replace === true ? mocks.filter(isThere) : [];
    const replaces = new Set(present);
    const added = mocks.filter((mock) => !replaces.has(mock));
    const taken = added.find(isThere);
    if (taken !== undefined) {
      throw new BacklotError(
        'conflict',
        `${kind.protocol.mocks.noun} "${String(taken['id'])}" exists; ask for "replace" to put the new one in its place`,
      );
    }
    if (this.options.dryRun !== true) {
      if (added.length > 0) {
        const stored = await kind.mocks.createInSlices(added, this.options.signal);
        this.#back.push(() => stored.forEach(({ id }) => kind.mocks.has(id) && kind.mocks.remove(id)));
      }
      for (const mock of present) {
        const id = mock['id'] as string;
        const before = kind.mocks.get(id);
        kind.mocks.replace(id, mock);
        this.#back.push(() => kind.mocks.replace(id, before));
        await this.#pause();
      }
    }
    count(this.#created, what, added.length);
    count(this.#replaced, what, present.length);
  }

  async #items(kind: Kind, name: string, items: readonly Json[]): Promise<void> {
    const list = (kind.itemLists as ReadonlyMap<string, ItemList>).get(name);
    if (list === undefined) return;
    if (this.options.dryRun !== true) {
      const idField = list.declaration.idField ?? 'id';
      for (const item of items) {
        const stored = list.create(item);
        this.#back.push(() => list.remove(String(stored[idField])));
        await this.#pause();
      }
    }
    count(this.#created, `${kind.kind} ${name}`, items.length);
  }

  async #data(kind: Kind, section: string, entries: readonly Json[]): Promise<void> {
    if (this.options.dryRun !== true) {
      const idField = kind.protocol.data?.[section]?.idField ?? 'id';
      for (const [index, entry] of entries.entries()) {
        const stored = await kind.data.put(section, entry).catch((thrown: unknown) => {
          throw withPlace(thrown, `${kind.kind} ${section} ${index}`);
        });
        this.#back.push(() => kind.data.remove(section, String(stored[idField])).catch(() => undefined));
        await this.#pause();
      }
    }
    count(this.#created, `${kind.kind} ${section}`, entries.length);
  }

  async #collection(name: string, definition: CollectionDefinition): Promise<void> {
    const { collections } = this.host;
    const [problem] = createValidator(CollectionSchema).check(definition);
    if (problem !== undefined) throw invalid(`collection "${name}"${problem.path}: ${problem.message}`);
    const isThere = collections.has(name);
    if (isThere && this.options.replace !== true) {
      throw new BacklotError(
        'conflict',
        `collection "${name}" exists; ask for "replace" to put the new one in its place`,
      );
    }
    if (this.options.dryRun !== true) {
      const { key, rows } = isThere
        ? { key: collections.get(name).key, rows: collections.get(name).list() }
        : { key: '', rows: [] };
      await collections.define(name, definition);
      this.#back.push(() =>
        isThere ? collections.define(name, { key, rows: [...rows] }) : collections.remove(name),
      );
    }
    count(isThere ? this.#replaced : this.#created, 'collections', 1);
  }

  #state(state: Readonly<Record<string, string>>): void {
    const keys = Object.keys(state).length;
    if (keys === 0) return;
    if (this.options.dryRun !== true) this.host.state.setAll(state);
    count(this.#created, 'state keys', keys);
  }

  async #reaction(given: NewReaction, index: number): Promise<void> {
    const { reactions } = this.host;
    const id = given.id ?? String(index);
    const before = given.id === undefined ? undefined : reactions.list().find((one) => one.id === given.id);
    if (before !== undefined && this.options.replace !== true)
      throw new BacklotError(
        'conflict',
        `reaction "${id}" exists; ask for "replace" to put the new one in its place`,
      );
    try {
      if (this.options.dryRun === true) await reactions.check(given);
      else if (before === undefined) {
        const stored = await reactions.create(given);
        this.#back.push(() => reactions.remove(stored.id));
      } else {
        const { runs: _runs, last_error: _error, ...old } = before;
        await reactions.replace(id, given);
        this.#back.push(() => reactions.replace(id, old));
      }
    } catch (thrown) {
      throw withPlace(thrown, `reaction ${id}`);
    }
    count(before === undefined ? this.#created : this.#replaced, 'reactions', 1);
    await this.#pause();
  }

  async #pause(): Promise<void> {
    await nextTurn();
    this.options.signal?.throwIfAborted();
  }
}

function withPlace(thrown: unknown, place: string): unknown {
  if (!(thrown instanceof BacklotError)) return thrown;
  return new BacklotError(thrown.code, `${place}: ${thrown.message}`, { cause: thrown });
}

function count(counts: Map<string, number>, what: string, more: number): void {
  if (more > 0) counts.set(what, (counts.get(what) ?? 0) + more);
}
