import type {
  CollectionChange,
  CollectionDefinition,
  Collections,
  CollectionView,
} from '../contract/collections.js';
import { CollectionSchema } from '../contract/data-schemas.js';
import type { Json } from '../contract/given.js';
import type { RowChange } from '../contract/shared-changes.js';
import { BacklotError, invalid, problemsIn, type Problem } from '../errors.js';
import type { TemplateScope } from '../templates/template.js';
import { runInSlices } from '../time/slices.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { MAX_PROBLEMS, onlyTheFirst } from '../validation/problem-list.js';
import { show } from '../validation/messages.js';
import { fromSharedJson } from '../values/shared-json.js';
import { createValidator, type Validator } from '../validation/validator.js';
import { ChangeQueue } from './change-queue.js';
import { compileShape, PLAIN_SHAPE, type CollectionShape } from './collection-shape.js';
import { copyOfRow } from './row.js';
import type { Room, RowsChange } from './rows.js';
import { StoredCollection, type SavedCollection } from './stored-collection.js';

/** How many collections there may be. */
export const MAX_COLLECTIONS = 1_000;
const MAX_NAME = 512;

/** What reset and snapshots put back. */
export type SavedCollections = readonly (readonly [string, SavedCollection])[];

/** A collection that was made and is not there yet. */
interface MadeCollection {
  readonly name: string;
  readonly compiled: CollectionShape;
  readonly made: StoredCollection;
}

/** All collections of a host. */
export class CollectionStore implements Collections {
  readonly #collections = new Map<string, StoredCollection>();
  /** What {@link get} has given before there were rows. */
  readonly #empty = new Map<string, WeakRef<StoredCollection>>();
  readonly #room: Room = { bytes: 0 };
  readonly #scope: () => TemplateScope;
  /** Who is told of changes, by the names of collections. */
  readonly #readers = new Map<string, Set<ChangeQueue>>();
  #validator: Validator | undefined;

  readonly #isReplica: boolean;

  /**
   * @param scope - makes what the templates of rows see that no message brings
   * @param isReplica - whether other hosts have the same rows, so that fields that templates make are refused
   */
  constructor(scope: () => TemplateScope, isReplica = false) {
    this.#scope = scope;
    this.#isReplica = isReplica;
  }

  list(): readonly CollectionView[] {
    return Array.from(this.#collections.values(), ({ name, key, size }) => ({ name, key, rows: size }));
  }

  has(name: string): boolean {
    return this.#collections.has(name);
  }

  /** Whether it was declared or has had rows. */
  find(name: string): StoredCollection | undefined {
    return this.#collections.get(name);
  }

  get(name: string): never {
    // The types of the rows are the caller's.
    return this.of(name) as never;
  }

  /** As {@link get}. */
  of(name: string): StoredCollection {
    const found = this.#collections.get(name) ?? this.#empty.get(name)?.deref();
    if (found !== undefined) return found;
    const made = new StoredCollection(
      name,
      PLAIN_SHAPE,
      this.#room,
      this.#scope,
      () => this.#keep(made),
      (change) => this.#tell(name, change),
    );
    if (this.#empty.size >= MAX_COLLECTIONS) this.#empty.clear();
    this.#empty.set(name, new WeakRef(made));
    return made;
  }

  /** What happens to some collections from now on, until the queue is ended. @throws BacklotError `invalid` without a name */
  changes(names: readonly string[]): ChangeQueue {
    const [first] = names;
    if (first === undefined || names.some((name) => typeof name !== 'string' || name === ''))
      throw invalid('changes are those of collections by their names, of which there must be one');
    const queue = new ChangeQueue(names);
    for (const name of names) {
      const readers = this.#readers.get(name) ?? new Set();
      this.#readers.set(name, readers.add(queue));
    }
    queue.onEnd(() => {
      for (const name of names) {
        const readers = this.#readers.get(name);
        readers?.delete(queue);
        if (readers?.size === 0) this.#readers.delete(name);
      }
    });
    return queue;
  }

  async define(name: string, definition: CollectionDefinition): Promise<void> {
    return runInSlices(this.#defineSteps(name, definition));
  }

  /**
   * Makes collections ready that are declared anew, in slices, and changes nothing yet.
   *
   * @param removed - the names of those that go
   * @returns takes all of it, in one step
   * @throws BacklotError `invalid`, or `too_large` where there is no room for them beside the others
   */
  async prepareAll(
    definitions: readonly (readonly [string, CollectionDefinition])[],
    removed: readonly string[],
  ): Promise<() => void> {
    const going = [...definitions.map(([name]) => name), ...removed];
    const bytes = going.reduce((sum, name) => sum - (this.find(name)?.rows.bytes ?? 0), this.#room.bytes);
    const room = { bytes };
    const made: MadeCollection[] = [];
    for (const [name, definition] of definitions)
      made.push(await runInSlices(this.#makeSteps(name, definition, room)));
    this.checkRoomFor(definitions.filter(([name]) => !this.has(name)).length - removed.length);
    return () => {
      for (const name of removed) if (this.has(name)) this.remove(name);
      for (const each of made) this.#take(each);
    };
  }

  remove(name: string): void {
    const found = this.#collections.get(name);
    if (found === undefined) throw new BacklotError('not_found', `no collection "${name}"`);
    this.#collections.delete(name);
    found.rows.drop();
    found.reshape(PLAIN_SHAPE);
    this.#empty.set(name, new WeakRef(found));
  }

  /** Loads what a configuration declares, in steps. @returns problems, each with its place */
  *loadSteps(collections: unknown, base: string): Generator<undefined, readonly Problem[]> {
    if (!isObject(collections))
      return [{ path: base, message: `must be an object of collections by name, got ${show(collections)}` }];
    const problems: Problem[] = [];
    const all = Object.entries(collections);
    for (const [index, [name, definition]] of all.entries()) {
      if (problems.length >= MAX_PROBLEMS) {
        problems.push({ path: base, message: onlyTheFirst(index, all.length, problems.length) });
        break;
      }
      try {
        yield* this.#defineSteps(name, definition as CollectionDefinition);
      } catch (thrown) {
        problems.push(...problemsIn(thrown, pointTo(base, name)));
      }
    }
    return problems;
  }

  save(): SavedCollections {
    return Array.from(this.#collections, ([name, collection]) => [name, collection.save()] as const);
  }

  restore(saved: SavedCollections): void {
    const names = new Set(saved.map(([name]) => name));
    for (const name of this.#collections.keys()) if (!names.has(name)) this.remove(name);
    for (const [name, data] of saved) {
      const collection = this.of(name);
      this.#keep(collection);
      collection.restore(data);
    }
  }

  /** Makes a change of a row that another host has found. @throws BacklotError `too_large` */
  takeChange(change: RowChange): void {
    const { collection, key } = change;
    const stored = this.of(collection);
    if (change.value === undefined) {
      if (stored.has(key)) stored.remove(key);
      return;
    }
    const { number, hiddenUntil } = change;
    stored.store({ key, ...copyOfRow(fromSharedJson(change.value)), number, hiddenUntil });
  }

  *#defineSteps(name: string, definition: CollectionDefinition): Generator<undefined, void> {
    // The rows that are there make room for the new ones.
    const room = { bytes: this.#room.bytes - (this.find(name)?.rows.bytes ?? 0) };
    const made = yield* this.#makeSteps(name, definition, room);
    if (!this.has(name)) this.checkRoomFor(1);
    this.#take(made);
  }

  /** Makes a collection of its definition, beside the others. @param room - what the others take */
  *#makeSteps(
    name: string,
    definition: CollectionDefinition,
    room: Room,
  ): Generator<undefined, MadeCollection> {
    // A row is looked at when it is stored; of many that is done in steps.
    const { rows, ...shape } = isObject(definition) ? definition : { rows: undefined };
    const checked: unknown = isObject(definition)
      ? rows === undefined
        ? shape
        : { ...shape, rows: [] }
      : definition;
    const problems = (this.#validator ??= createValidator(CollectionSchema)).check(checked);
    if (name === '' || name.length > MAX_NAME)
      problems.push({ path: '', message: `the name of a collection has 1 to ${MAX_NAME} characters` });
    if (rows !== undefined && !Array.isArray(rows))
      problems.push({ path: '/rows', message: `must be a list, got ${show(rows)}` });
    const [first] = problems;
    if (first !== undefined) throw invalid(`collection "${name}" ${first.path}: ${first.message}`, problems);
    const compiled = compileShape(shape);
    if (this.#isReplica) refuseMade(name, compiled);
    const made = new StoredCollection(name, compiled, room, this.#scope);
    yield* made.setSteps((rows ?? []) as readonly unknown[], '/rows');
    return { name, compiled, made };
  }

  #take({ name, compiled, made }: MadeCollection): void {
    const collection = this.of(name);
    this.#hold(collection);
    collection.reshape(compiled);
    collection.rows.become(made.rows);
  }

  /** @throws BacklotError `too_large` when there cannot be so many collections more */
  checkRoomFor(more: number): void {
    if (this.#collections.size + more > MAX_COLLECTIONS)
      throw new BacklotError('too_large', `there are ${MAX_COLLECTIONS} collections; remove one first`);
  }

  #tell(collection: string, { row, before }: RowsChange): void {
    const readers = this.#readers.get(collection);
    if (readers === undefined) return;
    const change = changeOf(collection, row?.value, before?.value, row?.key ?? before?.key ?? '');
    for (const reader of readers) reader.add(change);
  }

  #keep(collection: StoredCollection): void {
    if (this.#collections.get(collection.name) === collection) return;
    this.checkRoomFor(1);
    this.#hold(collection);
  }

  #hold(collection: StoredCollection): void {
    const { name } = collection;
    this.#empty.delete(name);
    this.#collections.set(name, collection);
  }
}

function changeOf(
  collection: string,
  row: Json | undefined,
  before: Json | undefined,
  key: string,
): CollectionChange {
  if (row !== undefined && before !== undefined) return { type: 'changed', collection, key, row, before };
  if (row !== undefined) return { type: 'created', collection, key, row };
  if (before !== undefined) return { type: 'removed', collection, key, before };
  return { type: 'replaced', collection };
}

/** Refuses fields that are made anew for each row: each replica would make others. */
function refuseMade(name: string, { id, set }: CollectionShape): void {
  const problems = [
    ...(id === undefined || id.constant ? [] : ['/id']),
    ...set.filter(([, template]) => !template.constant).map(([field]) => pointTo('/set', field)),
  ].map((path) => ({
    path,
    message:
      'is a template, of which each replica of a cluster would make another value; give the rows this field',
  }));
  const [first] = problems;
  if (first !== undefined) throw invalid(`collection "${name}" ${first.path}: ${first.message}`, problems);
}
