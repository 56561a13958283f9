import type { LongText } from '../data/long-text.js';
import type { Text } from '../data/text.js';
import { bulk } from './reply.js';

/** Items of a list that is put together at once. */
export const MANY = 1024;
/** Bytes of a piece of a long answer, roughly. */
const PIECE = 64 * 1024;

/**
 * An encoded answer that is too long to be put together as one text: it is encoded while it is sent, a piece at a time, as
 * fast as the client takes it. What it is made of must not change any more.
 */
export class LongReply {
  /** What it keeps in memory until it is sent, in bytes, roughly. */
  readonly weight: number;
  /** Begins a new run through its pieces, each of some 64 KiB, or longer where an item is. */
  readonly pieces: () => Iterator<string>;

  constructor(weight: number, pieces: () => Iterator<string>) {
    this.weight = weight;
    this.pieces = pieces;
  }
}

/** An encoded answer. */
export type Encoded = string | LongReply;

/** A bulk string; a long one is not copied to be put together with its length. */
export function longBulk(bytes: Text): Encoded {
  if (typeof bytes !== 'string') return longPart(bytes, 0, bytes.size);
  return bytes.length <= PIECE ? bulk(bytes) : new LongReply(bytes.length, () => bulkPieces(bytes));
}

/** The bytes of a string from `start` up to, not including, `end` as a bulk string. */
export function longPart(text: Text, start: number, end: number): Encoded {
  if (typeof text === 'string') return longBulk(text.slice(start, end));
  if (end - start <= PIECE) return bulk([...text.parts(start, end)].join(''));
  return new LongReply(end - start, () => partPieces(text, start, end));
}

function* bulkPieces(bytes: string): Generator<string, void> {
  yield `$${bytes.length}\r\n`;
  yield bytes;
  yield '\r\n';
}

function* partPieces(text: LongText, start: number, end: number): Generator<string, void> {
  yield `$${end - start}\r\n`;
  yield* text.parts(start, end);
  yield '\r\n';
}

/** Encoded answers as one, one behind the other. */
export function joinReplies(head: string, replies: readonly Encoded[]): Encoded {
  let weight = head.length;
  for (const reply of replies) weight += weightOf(reply);
  if (replies.length <= MANY && weight <= PIECE && replies.every((reply) => typeof reply === 'string'))
    return head + replies.join('');
  return new LongReply(weight, () => joinPieces(head, replies));
}

/** What an answer keeps in memory. */
export function weightOf(reply: Encoded): number {
  return typeof reply === 'string' ? reply.length : reply.weight;
}

/** The beginning of an answer, of so many bytes at least when it has them. */
export function beginningOf(reply: Encoded, length: number): string {
  if (typeof reply === 'string') return reply;
  let text = '';
  const pieces = reply.pieces();
  for (let piece = pieces.next(); piece.done !== true && text.length < length; piece = pieces.next())
    text += piece.value.slice(0, length);
  return text;
}

function* joinPieces(head: string, replies: readonly Encoded[]): Generator<string, void> {
  let text = head;
  for (const reply of replies) {
    if (typeof reply === 'string') text += reply;
    else {
      yield text;
      text = '';
      yield* { [Symbol.iterator]: reply.pieces };
    }
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Items of a list that will be encoded while it is sent, kept in pages so that no step takes long. */
export class Pages<T> {
  readonly #pages: T[][] = [];
  readonly #weigh: (item: T) => number;
  #count = 0;
  #weight = 0;

  /** @param weigh - the bytes of an item */
  constructor(weigh: (item: T) => number) {
    this.#weigh = weigh;
  }

  /** How many items there are. */
  get count(): number {
    return this.#count;
  }

  add(item: T): void {
    const page = this.#pages[this.#pages.length - 1];
    if (page === undefined || page.length >= MANY) this.#pages.push([item]);
    else page.push(item);
    this.#count += 1;
    // An item takes its place in a page beside its bytes.
    this.#weight += this.#weigh(item) + 8;
  }

  /**
   * The answer.
   *
   * @param head - the line before the items
   */
  reply(head: string, encode: (item: T) => Encoded): Encoded {
    const pages = this.#pages;
    if (this.#count <= MANY && this.#weight <= PIECE) {
      let text = head;
      // What is so little in all has no item that is long.
      for (const page of pages) for (const item of page) text += beginningOf(encode(item), Infinity);
      return text;
    }
    return new LongReply(this.#weight, () => encodePages(head, pages, encode));
  }
}

function* encodePages<T>(
  head: string,
  pages: readonly (readonly T[])[],
  encode: (item: T) => Encoded,
): Generator<string, void> {
  let text = head;
  for (const page of pages) {
    for (const item of page) {
      const encoded = encode(item);
      if (typeof encoded === 'string') text += encoded;
      else {
        yield text;
        text = '';
        yield* { [Symbol.iterator]: encoded.pieces };
      }
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
  }
  yield text;
}
