import { randomBytes } from 'node:crypto';
import type { ItemListDeclaration } from '../contract/item-lists.js';
import type { Json } from '../contract/given.js';
import type { ItemList } from '../contract/kind.js';
import { BacklotError, invalid, isBacklotError, type Problem } from '../errors.js';
import { idFieldOf, itemSchemaOf } from '../contract/whole-schemas.js';
import type { Log } from '../contract/log.js';
import { NotingTools } from '../mocks/compile-tools.js';
import type { ListedItem, PairedItems } from '../host/pair-items.js';
import { Listeners } from './listeners.js';
import { frozenCopy } from '../validation/freeze.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { MAX_PROBLEMS, onlyTheFirst } from '../validation/problem-list.js';
import { show } from '../validation/messages.js';
import { holdsTooMuch, MAX_VALUES } from '../validation/value-size.js';
import { createValidator, type Validator } from '../validation/validator.js';

interface Item {
  readonly value: Json;
  readonly compiled: unknown;
}

/** A snapshot of an item list. */
export type SavedItems = readonly (readonly [string, Item])[];

/** An item among those that were given. */
interface ListedStoreItem extends ListedItem {
  readonly item: Item;
}

/** The items that were given before and are given now. */
export type GivenItems = PairedItems<ListedStoreItem>;

/** The items of a snapshot, to be compared. */
export function listItems(saved: SavedItems): readonly ListedStoreItem[] {
  return saved.map(([id, item]) => ({ id, value: item.value, item }));
}

/** An item list of a kind beside its mocks. */
export class ItemStore implements ItemList {
  readonly declaration: ItemListDeclaration;
  readonly #validator: Validator;
  readonly #listeners: Listeners;
  #items = new Map<string, Item>();

  constructor(declaration: ItemListDeclaration, log: Pick<Log, 'error'>) {
    this.#listeners = new Listeners((thrown) =>
      log.error(`what is told of changes of each ${declaration.noun} has thrown`, thrown),
    );
    this.declaration = declaration;
    this.#validator = createValidator(itemSchemaOf(declaration));
  }

  list(): readonly Json[] {
    return Array.from(this.#items.values(), (item) => item.value);
  }

  /** The items as the protocol reads them. */
  values(): readonly Item[] {
    return [...this.#items.values()];
  }

  /** One item as the protocol reads it. */
  find(id: string): Item | undefined {
    return this.#items.get(id);
  }

  get(id: string): Json {
    return this.#itemOf(id).value;
  }

  create(item: unknown): Json {
    return this.#create(item, '');
  }

  replace(id: string, item: unknown): Json {
    this.#itemOf(id);
    return this.#put(this.#accept(item, id, ''));
  }

  remove(id: string): void {
    this.#itemOf(id);
    this.#items.delete(id);
    this.#listeners.tell();
  }

  /** Loads the items of a configuration; answers problems. */
  load(items: readonly unknown[], base: string): Problem[] {
    const problems: Problem[] = [];
    for (const [index, item] of items.entries()) {
      try {
        this.#create(item, pointTo(base, index));
      } catch (thrown) {
        if (!isBacklotError(thrown)) throw thrown;
        problems.push(...(thrown.details ?? [{ path: pointTo(base, index), message: thrown.message }]));
      }
      if (problems.length >= MAX_PROBLEMS && index + 1 < items.length) {
        problems.push({ path: base, message: onlyTheFirst(index + 1, items.length, problems.length) });
        break;
      }
    }
    return problems;
  }

  /**
   * Takes the items that are given now in place of those that were given before; others stay.
   *
   * @returns what a reset puts back, and the ids of those that are other than before
   */
  replaceGiven({
    pairs,
    gone,
  }: GivenItems): { readonly startup: SavedItems } & Record<
    'added' | 'changed' | 'removed',
    readonly string[]
  > {
    const left = new Map(this.#items);
    const startup: [string, Item][] = [];
    const live: [string, Item][] = [];
    const added: string[] = [];
    const changed: string[] = [];
    for (const { before, after, isSame } of pairs) {
      const id = before?.id ?? after.id;
      const there = left.get(id);
      left.delete(id);
      const given = before !== undefined && isSame ? before.item : after.item;
      startup.push([id, given]);
      if (before === undefined || !isSame) {
        live.push([id, given]);
        (there === undefined ? added : changed).push(id);
      } else if (there !== undefined) live.push([id, there]);
    }
    const removed = gone.map(({ id }) => id).filter((id) => left.delete(id));
    if (added.length + changed.length + removed.length > 0) this.restore([...live, ...left]);
    return { startup, added, changed, removed };
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  save(): SavedItems {
    return [...this.#items];
  }

  restore(saved: SavedItems): void {
    this.#items = new Map(saved);
    this.#listeners.tell();
  }

  #create(item: unknown, base: string): Json {
    const field = idFieldOf(this.declaration);
    const given = isObject(item) && Object.hasOwn(item, field) ? item[field] : undefined;
    const id = given ?? `${this.declaration.noun}-${randomBytes(4).toString('hex')}`;
    const accepted = this.#accept(item, typeof id === 'string' ? id : undefined, base);
    if (this.#items.has(accepted.id)) {
      throw new BacklotError('conflict', `${this.declaration.noun} "${accepted.id}" already exists`);
    }
    return this.#put(accepted);
  }

  #accept(item: unknown, id: string | undefined, base: string): Item & { readonly id: string } {
    const { noun } = this.declaration;
    if (!isObject(item))
      throw invalid(`a ${noun} must be an object, got ${show(item)}`, [
        { path: base, message: 'must be an object' },
      ]);
    if (holdsTooMuch(item)) {
      const message = `must not hold more than ${MAX_VALUES} fields and elements`;
      throw invalid(`a ${noun} ${message}`, [{ path: base, message }]);
    }
    const field = idFieldOf(this.declaration);
    const { [field]: given, ...rest } = item;
    const value = frozenCopy({ [field]: id ?? given, ...rest }) as Json;
    const tools = new NotingTools();
    const problems = this.#validator.check(value);
    const compiled =
      problems.length === 0
        ? tools.attempt('', undefined, () => this.declaration.compile?.(value, tools))
        : undefined;
    problems.push(...tools.problems);
    const [first] = problems;
    if (first !== undefined) {
      throw invalid(
        `${noun} ${first.path}: ${first.message}`,
        problems.map((problem) => ({ ...problem, path: base + problem.path })),
      );
    }
    return { id: String(value[field]), value, compiled };
  }

  #put({ id, value, compiled }: Item & { readonly id: string }): Json {
    this.#items.set(id, { value, compiled });
    this.#listeners.tell();
    return value;
  }

  #itemOf(id: string): Item {
    const item = this.#items.get(id);
    if (item === undefined) throw new BacklotError('not_found', `no ${this.declaration.noun} "${id}"`);
    return item;
  }
}
