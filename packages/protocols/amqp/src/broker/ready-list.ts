import { EntryDeque } from './entry-deque.js';
import type { Entry } from './entry.js';

/** The entries of one priority: those that have never left the queue, and those that came back. */
interface Level {
  readonly fresh: EntryDeque;
  readonly returned: EntryDeque;
}

/** The entries of a queue that wait to be handed out, first to be handed out first. */
export class ReadyList {
  /** By priority. */
  readonly #levels: (Level | undefined)[] = [];
  /** The highest priority that may have entries. */
  #highest = 0;
  #length = 0;
  /** Bytes of the messages' bodies. */
  bodyBytes = 0;
  /** Bytes that the entries hold in memory, roughly. */
  bytes = 0;

  get length(): number {
    return this.#length;
  }

  /** The first one. */
  get first(): Entry | undefined {
    return this.#firstDeque()?.first;
  }

  /** Puts an entry at its place: behind all of its priority when it is new, else where it stood. */
  insert(entry: Entry): void {
    const { priority, position } = entry;
    const level = (this.#levels[priority] ??= { fresh: new EntryDeque(), returned: new EntryDeque() });
    const { last } = level.fresh;
    if (!entry.isRedelivered && (last === undefined || last.position < position)) level.fresh.push(entry);
    else level.returned.insert(entry);
    this.#highest = Math.max(this.#highest, priority);
    this.#count(entry, 1);
  }

  /** Takes out the first one. */
  shift(): Entry | undefined {
    const entry = this.#firstDeque()?.shift();
    if (entry !== undefined) this.#count(entry, -1);
    return entry;
  }

  /** All of them, in order. */
  values(): readonly Entry[] {
    return this.#levels
      .toReversed()
      .flatMap((level) =>
        level === undefined
          ? []
          : [...level.returned.values(), ...level.fresh.values()].sort((a, b) => a.position - b.position),
      );
  }

  #firstDeque(): EntryDeque | undefined {
    if (this.#length === 0) return undefined;
    for (; this.#highest >= 0; this.#highest -= 1) {
      const level = this.#levels[this.#highest];
      if (level === undefined) continue;
      const { fresh, returned } = level;
      if (returned.first === undefined && fresh.first === undefined) continue;
      if (fresh.first === undefined) return returned;
      return returned.first !== undefined && returned.first.position < fresh.first.position
        ? returned
        : fresh;
    }
    return undefined;
  }

  #count(entry: Entry, by: 1 | -1): void {
    this.#length += by;
    this.bodyBytes += by * entry.message.body.length;
    this.bytes += by * entry.bytes;
    if (this.#length === 0) this.#highest = 0;
  }
}
