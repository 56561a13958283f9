import type { Host, JournalCollection, JournalFilter, JournalItem } from '@backlot/core';
import type { FieldTest } from './field-filters.js';

/** What can be asked of several journals at once: their entries have ids of their own, so none can be asked for by its id. */
type Joined = Pick<JournalCollection, 'count' | 'subscribe'>;

/** The journals of the main world and of its spaces, of those whose id fits. */
export class JoinedJournal implements Joined {
  readonly #main: Host;
  readonly #fits: (space: string | undefined) => boolean;

  /** @param fits - whether the entries of a space are among them; `undefined` asks for those of the main world */
  constructor(main: Host, fits: (space: string | undefined) => boolean) {
    this.#main = main;
    this.#fits = fits;
  }

  /**
   * The newest entries that pass a test, oldest first, in the order in which they have appeared. It yields between two
   * that it looks at, see `runInSlices`.
   *
   * @param read - makes what is tested of an entry
   * @param test - all pass when absent
   */
  *latest(
    filter: JournalFilter,
    limit: number,
    read: (item: JournalItem) => unknown,
    test?: FieldTest,
  ): Generator<void, readonly JournalItem[]> {
    const heads: Head[] = [];
    for (const journal of this.#journals()) {
      const rest = journal.backwards(filter);
      const { value } = rest.next();
      if (value) lift(heads, { item: value, rest });
      yield;
    }
    const found: JournalItem[] = [];
    for (let head = heads[0]; head !== undefined && found.length < limit; head = heads[0]) {
      const { item, rest } = head;
      if (test === undefined || (yield* test(read(item)))) found.push(item);
      const { value } = rest.next();
      if (value) heads[0] = { item: value, rest };
      else {
        const last = heads.pop();
        if (last !== undefined && heads.length > 0) heads[0] = last;
      }
      sink(heads);
      yield;
    }
    return found.reverse();
  }

  count(filter: JournalFilter = {}): { readonly count: number; readonly complete: boolean } {
    let sum = 0;
    let isComplete = true;
    for (const journal of this.#journals()) {
      const { count, complete } = journal.count(filter);
      sum += count;
      isComplete &&= complete;
    }
    return { count: sum, complete: isComplete };
  }

  /** As that of one journal; spaces that are made meanwhile are followed as well. */
  subscribe(filter: JournalFilter, callback: (item: JournalItem) => void): () => void {
    const ends = new Set<() => void>();
    const follow = (host: Host): (() => void) => {
      const end = host.journal.subscribe(filter, callback);
      ends.add(end);
      return () => ends.delete(end);
    };
    const { spaces } = this.#main;
    if (this.#fits(undefined)) follow(this.#main);
    const followSpace = (space: ReturnType<typeof spaces.get>): void => {
      if (!this.#fits(space.id)) return;
      const leave = follow(space.host);
      const forget = space.onEnd(() => {
        leave();
        ends.delete(forget);
      });
      ends.add(forget);
    };
    for (const space of spaces.list()) followSpace(space);
    ends.add(spaces.onMade(followSpace));
    return () => {
      for (const end of ends) end();
    };
  }

  *#journals(): Generator<JournalCollection> {
    if (this.#fits(undefined)) yield this.#main.journal;
    for (const { id, host } of this.#main.spaces.list()) if (this.#fits(id)) yield host.journal;
  }
}

/** The newest entry of a journal that was not looked at, and those before it. */
interface Head {
  readonly item: JournalItem;
  readonly rest: Iterator<JournalItem, void>;
}

/** Puts a head into a heap, whose first is the newest. */
function lift(heads: Head[], head: Head): void {
  let place = heads.length;
  while (place > 0) {
    const above = (place - 1) >> 1;
    const other = heads[above];
    if (other === undefined || other.item.order > head.item.order) break;
    heads[place] = other;
    place = above;
  }
  heads[place] = head;
}

/** Brings the first head of a heap to its place. */
function sink(heads: Head[]): void {
  const [head] = heads;
  if (head === undefined) return;
  let place = 0;
  for (;;) {
    const left = 2 * place + 1;
    const right = heads[left + 1];
    let below = heads[left];
    if (below === undefined) break;
    let next = left;
    if (right !== undefined && right.item.order > below.item.order) {
      below = right;
      next = left + 1;
    }
    if (head.item.order > below.item.order) break;
    heads[place] = below;
    place = next;
  }
  heads[place] = head;
}
