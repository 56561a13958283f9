import type { Reply } from '@backlot/core/plugin';
import { bodyFromWire } from '../wire/latin.js';

/** What memcached itself needs for an item beside key and data, in bytes. */
const OVERHEAD = 59;
/** Longer values are given to the journal at once. */
const MAX_LAZY = 64 * 1024;

/** What is kept of an item in a snapshot. */
export interface SavedItem {
  readonly key: string;
  readonly value: string;
  readonly flags: number;
  readonly expiresAt: number;
  readonly cas: number;
  readonly lastAccess: number;
  readonly isFetched: boolean;
  readonly isStale: boolean;
  readonly hasWinner: boolean;
}

/** How many bytes an item takes of the store's memory. */
export function itemSize(keyLength: number, valueLength: number): number {
  return OVERHEAD + keyLength + valueLength;
}

/** What the journal shows of a value that was read: made when somebody looks. */
class ValueReply implements Reply {
  readonly #value: string;
  readonly #flags: number;

  constructor(value: string, flags: number) {
    this.#value = value;
    this.#flags = flags;
  }

  get size(): number {
    return this.#value.length;
  }

  get status(): string {
    return 'VALUE';
  }

  get headers(): Readonly<Record<string, number>> {
    return { flags: this.#flags };
  }

  get body(): string | Buffer {
    return bodyFromWire(this.#value);
  }
}

/** A stored value. Texts have one character per byte. */
export class Item implements SavedItem {
  readonly key: string;
  readonly value: string;
  readonly flags: number;
  /** Milliseconds since 1970; 0 is never. */
  expiresAt: number;
  /** The unique number that `cas` compares; another one after each change. */
  cas: number;
  /** Milliseconds since 1970. */
  lastAccess: number;
  /** Whether it was read since it was stored. */
  isFetched = false;
  /** Whether a meta command has marked it as out of date. */
  isStale = false;
  /** Whether a client was told that it is the one to store it anew. */
  hasWinner = false;
  newer: Item | undefined = undefined;
  older: Item | undefined = undefined;
  #head: string | undefined = undefined;
  #reply: Reply | undefined = undefined;

  constructor(key: string, value: string, flags: number, expiresAt = 0, cas = 0, lastAccess = 0) {
    this.key = key;
    this.value = value;
    this.flags = flags;
    this.expiresAt = expiresAt;
    this.cas = cas;
    this.lastAccess = lastAccess;
  }

  get size(): number {
    return itemSize(this.key.length, this.value.length);
  }

  /** How a retrieval announces it, without the unique number. */
  get head(): string {
    return (this.#head ??= `VALUE ${this.key} ${this.flags} ${this.value.length}`);
  }

  /** What the journal shows when it was read. */
  get reply(): Reply {
    return (this.#reply ??= makeReply(this.value, this.flags));
  }
}

function makeReply(value: string, flags: number): Reply {
  if (value.length <= MAX_LAZY) return new ValueReply(value, flags);
  // The journal cuts it, and holds on to no more than it shows.
  return { status: 'VALUE', headers: { flags }, body: bodyFromWire(value) };
}
