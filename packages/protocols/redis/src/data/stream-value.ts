import { ById, MAX_ID, MIN_ID, type StreamId } from './by-id.js';
import { CommandError } from '../wire/errors.js';
import { StreamGroup } from './stream-group.js';

/** What an entry, and each of its fields and values, takes in memory beside its bytes. */
const ENTRY_BYTES = 160;
const FIELD_BYTES = 24;
/** A node of a stream has so many entries, or bytes, at most: what is trimmed roughly is trimmed in nodes. */
const NODE_ENTRIES = 100;
const NODE_BYTES = 4096;
/** Most groups of a stream. */
const MAX_GROUPS = 10_000;
/** Entries that are removed in one step. */
const PAGE = 64;

/** A node of a stream as Redis keeps it. */
export interface StreamNode {
  readonly master: StreamId;
  /** Entries that were added, deleted ones included. */
  count: number;
  /** Entries that are there. */
  live: number;
  bytes: number;
}

/** An entry of a stream: what it holds never changes. */
export interface StreamEntry {
  readonly id: StreamId;
  /** Fields and values, one behind the other. */
  readonly fields: readonly string[];
  readonly node: StreamNode;
}

/** How far a stream is trimmed. */
export interface Trim {
  /** Entries that stay at most; `undefined`: what is before `minId` goes. */
  readonly maxLength: number | undefined;
  readonly minId: StreamId;
  /** Whether only whole nodes go. */
  readonly isRough: boolean;
  /** Most entries that go; 0: all. */
  readonly limit: number;
}

/** A stream: entries in the order of their ids, appended at the end, trimmed at the beginning. */
export class StreamValue {
  readonly entries = new ById<StreamEntry>();
  readonly #groups = new Map<string, StreamGroup>();
  lastId: StreamId = MIN_ID;
  maxDeletedId: StreamId = MIN_ID;
  entriesAdded = 0;
  #node: StreamNode | undefined;
  #bytes = 0;
  readonly #meter = (bytes: number): void => {
    this.#bytes += bytes;
  };

  /** How many entries there are. Unlike other collections a stream stays when it is empty. */
  get size(): number {
    return this.entries.size;
  }

  /** What it takes in memory, its groups included. */
  get bytes(): number {
    return this.#bytes;
  }

  get firstId(): StreamId {
    return this.entries.first?.id ?? MIN_ID;
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  /** The groups in the order of their names. */
  groups(): StreamGroup[] {
    return [...this.#groups.values()].sort((one, two) => (one.name < two.name ? -1 : 1));
  }

  group(name: string): StreamGroup | undefined {
    return this.#groups.get(name);
  }

  /** Makes a group whose name is free. @throws CommandError when there are too many */
  addGroup(name: string, lastId: StreamId, entriesRead: number | undefined): void {
    if (this.#groups.size >= MAX_GROUPS)
      throw new CommandError(`ERR a stream has ${MAX_GROUPS} groups at most`);
    this.#groups.set(name, new StreamGroup(name, lastId, entriesRead, this.#meter));
  }

  /** Whether the group was there. */
  deleteGroup(name: string): boolean {
    this.#groups.get(name)?.drop();
    return this.#groups.delete(name);
  }

  /** Adds an entry, whose id must be above the last. */
  append(id: StreamId, fields: readonly string[]): void {
    let length = 0;
    for (const field of fields) length += field.length;
    const node = this.#nodeFor(id, length);
    node.count += 1;
    node.live += 1;
    node.bytes += length + 2 * fields.length + 8;
    const entry = { id, fields, node };
    this.entries.add(entry);
    this.#bytes += bytesOf(entry);
    this.entriesAdded += 1;
    this.lastId = id;
  }

  /** Whether the entry was there. */
  delete(id: StreamId): boolean {
    const entry = this.entries.delete(id);
    if (entry === undefined) return false;
    this.#forget(entry);
    if (id > this.maxDeletedId) this.maxDeletedId = id;
    return true;
  }

  /** Removes the oldest entries, step by step, and gives how many. */
  *trim(trim: Trim): Generator<undefined, number> {
    let left = trim.isRough ? yield* this.#countWholeNodes(trim) : this.#countBefore(trim);
    const count = left;
    for (; left > 0; left -= PAGE) {
      for (const entry of this.entries.shift(Math.min(left, PAGE))) this.#forget(entry);
      if (left > PAGE) yield;
    }
    return count;
  }

  /** Goes through the nodes, the first first. */
  *nodes(): Generator<StreamNode, void> {
    for (let place = 0; place < this.size;) {
      const node = this.entries.at(place)?.node;
      if (node === undefined) return;
      yield node;
      place += node.live;
    }
  }

  /** Whether an entry from `start` on may have been deleted. */
  hasGapsFrom(start: StreamId): boolean {
    return this.size > 0 && this.maxDeletedId !== MIN_ID && start <= this.maxDeletedId;
  }

  /** How many entries there ever were up to an id; `undefined` where that is not known. */
  countUpTo(id: StreamId): number | undefined {
    const { size, entriesAdded, lastId, maxDeletedId, firstId } = this;
    if (entriesAdded === 0) return 0;
    if (size === 0 && id <= lastId) return entriesAdded;
    if (id !== MIN_ID && id < maxDeletedId) return undefined;
    if (id >= lastId) return id === lastId ? entriesAdded : undefined;
    if (maxDeletedId !== MIN_ID && maxDeletedId >= firstId) return undefined;
    if (id > firstId) return undefined;
    return entriesAdded - size + (id === firstId ? 1 : 0);
  }

  /** An independent copy, made step by step. */
  *copy(): Generator<undefined, StreamValue> {
    const made = new StreamValue();
    for (const { id, fields, node } of this.entries.range()) {
      if (made.#node?.master !== node.master)
        made.#node = { master: node.master, count: node.count, live: 0, bytes: node.bytes };
      made.#node.live += 1;
      const entry = { id, fields, node: made.#node };
      made.entries.add(entry);
      made.#bytes += bytesOf(entry);
      yield;
    }
    made.lastId = this.lastId;
    made.maxDeletedId = this.maxDeletedId;
    made.entriesAdded = this.entriesAdded;
    for (const [name, group] of this.#groups) made.#groups.set(name, yield* group.copy(made.#meter));
    return made;
  }

  #nodeFor(id: StreamId, length: number): StreamNode {
    const known = this.#node;
    if (
      known !== undefined &&
      known.live > 0 &&
      known.count < NODE_ENTRIES &&
      known.bytes + length < NODE_BYTES
    )
      return known;
    this.#node = { master: id, count: 0, live: 0, bytes: 32 };
    return this.#node;
  }

  #forget(entry: StreamEntry): void {
    entry.node.live -= 1;
    this.#bytes -= bytesOf(entry);
  }

  #countBefore({ maxLength, minId }: Trim): number {
    return maxLength === undefined ? this.entries.placeOf(minId) : Math.max(this.size - maxLength, 0);
  }

  *#countWholeNodes(trim: Trim): Generator<undefined, number> {
    const most = Math.min(this.#countBefore(trim), trim.limit === 0 ? Infinity : trim.limit);
    let count = 0;
    for (const { live } of this.nodes()) {
      if (count + live > most) break;
      count += live;
      yield;
    }
    return count;
  }
}

function bytesOf({ fields }: StreamEntry): number {
  let bytes = ENTRY_BYTES;
  for (const field of fields) bytes += field.length + FIELD_BYTES;
  return bytes;
}

/** The id behind another; the largest has none. */
export function nextId(id: StreamId): StreamId | undefined {
  return id === MAX_ID ? undefined : id + 1n;
}

/** The id before another; the smallest has none. */
export function previousId(id: StreamId): StreamId | undefined {
  return id === MIN_ID ? undefined : id - 1n;
}
