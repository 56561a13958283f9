import { FramingError } from '@backlot/kit/framing';

/** A header of a record (KIP-82); the value may be null. */
export type RecordHeader = readonly [name: string, value: Buffer | null];

/**
 * One record as it stands in the (decompressed) records of a batch (Kafka documentation, "Record"); what is asked for
 * is cut out then.
 */
export class WireRecord {
  /** Milliseconds since 1970, as the producer has it. */
  readonly timestamp: number;
  readonly #bytes: Buffer;
  readonly #key: number;
  readonly #keyLength: number;
  readonly #value: number;
  readonly #valueLength: number;
  readonly #headers: number;
  readonly #end: number;

  /** @param places - where the parts begin and how long they are; a length of -1 is null */
  constructor(bytes: Buffer, timestamp: number, places: RecordPlaces) {
    this.#bytes = bytes;
    this.timestamp = timestamp;
    this.#key = places.key;
    this.#keyLength = places.keyLength;
    this.#value = places.value;
    this.#valueLength = places.valueLength;
    this.#headers = places.headers;
    this.#end = places.end;
  }

  get key(): Buffer | null {
    return this.#keyLength < 0 ? null : this.#bytes.subarray(this.#key, this.#key + this.#keyLength);
  }

  get value(): Buffer | null {
    return this.#valueLength < 0 ? null : this.#bytes.subarray(this.#value, this.#value + this.#valueLength);
  }

  /** 0 when the value is null. */
  get valueLength(): number {
    return this.#valueLength < 0 ? 0 : this.#valueLength;
  }

  /** The key read as UTF-8. */
  get keyText(): string | undefined {
    return this.#keyLength < 0
      ? undefined
      : this.#bytes.toString('utf8', this.#key, this.#key + this.#keyLength);
  }

  /** The value read as UTF-8. */
  get valueText(): string | undefined {
    return this.#valueLength < 0
      ? undefined
      : this.#bytes.toString('utf8', this.#value, this.#value + this.#valueLength);
  }

  /** How many bytes it takes up. */
  get size(): number {
    return this.#end - this.#key;
  }

  /** Whether there are headers. */
  get hasHeaders(): boolean {
    // Without any there is only their number, one byte of zero.
    return this.#end - this.#headers > 1;
  }

  get headers(): readonly RecordHeader[] {
    const cursor = new Cursor(this.#bytes, this.#headers, this.#end);
    const headers: RecordHeader[] = [];
    for (let left = cursor.zigzag(); left > 0; left -= 1) {
      const name = cursor.bytes(cursor.zigzag()).toString('utf8');
      const length = cursor.zigzag();
      headers.push([name, length < 0 ? null : cursor.bytes(length)]);
    }
    return headers;
  }
}

/** Where the parts of a record stand. */
export interface RecordPlaces {
  readonly key: number;
  readonly keyLength: number;
  readonly value: number;
  readonly valueLength: number;
  /** Where the number of headers stands. */
  readonly headers: number;
  readonly end: number;
}

/** The records of a batch, read some at a time, so that others may be let in between. */
export class RecordReader {
  readonly records: WireRecord[] = [];
  readonly #bytes: Buffer;
  readonly #cursor: Cursor;
  readonly #count: number;
  readonly #baseTimestamp: number;

  /**
   * @param start - where the records begin
   * @param count - how many the batch says there are
   * @throws FramingError when there is no room for so many
   */
  constructor(bytes: Buffer, start: number, count: number, baseTimestamp: number) {
    // The smallest record has seven bytes; checked before anything is made.
    if (count < 0 || count * 7 > bytes.length - start) {
      throw new FramingError(
        'malformed',
        `a batch of ${bytes.length - start} bytes says it has ${count} records`,
      );
    }
    this.#bytes = bytes;
    this.#cursor = new Cursor(bytes, start, bytes.length);
    this.#count = count;
    this.#baseTimestamp = baseTimestamp;
  }

  /**
   * Reads at most so many more.
   *
   * @returns whether all have been read
   * @throws FramingError when there are more or fewer than the batch says, or one does not fit its own length
   */
  read(most: number): boolean {
    const cursor = this.#cursor;
    const bytes = this.#bytes;
    const { records } = this;
    const until = Math.min(records.length + most, this.#count);
    for (let index = records.length; index < until; index += 1) {
      const length = cursor.zigzag();
      const end = cursor.at + length;
      if (length < 0 || end > bytes.length) throw misfit('a record', length);
      records.push(readRecord(bytes, cursor, end, index, this.#baseTimestamp));
    }
    if (until < this.#count) return false;
    if (cursor.at !== bytes.length) {
      throw new FramingError(
        'malformed',
        `${bytes.length - cursor.at} bytes follow the last record of a batch`,
      );
    }
    return true;
  }
}

function readRecord(
  bytes: Buffer,
  cursor: Cursor,
  end: number,
  index: number,
  baseTimestamp: number,
): WireRecord {
  cursor.skip(1);
  const timestamp = baseTimestamp + cursor.zigzag();
  if (cursor.zigzag() !== index) {
    throw new FramingError('malformed', `record ${index} of a batch does not have the offset ${index} in it`);
  }
  const keyLength = cursor.zigzag();
  const key = cursor.at;
  cursor.skip(Math.max(keyLength, 0));
  const valueLength = cursor.zigzag();
  const value = cursor.at;
  cursor.skip(Math.max(valueLength, 0));
  const headers = cursor.at;
  const count = cursor.zigzag();
  if (count < 0 || count > end - cursor.at) throw misfit('the headers of a record', count);
  for (let left = count; left > 0; left -= 1) {
    cursor.skip(cursor.zigzag());
    cursor.skip(Math.max(cursor.zigzag(), 0));
  }
  if (cursor.at !== end) throw misfit('a record', end - headers);
  return new WireRecord(bytes, timestamp, { key, keyLength, value, valueLength, headers, end });
}

function misfit(what: string, length: number): FramingError {
  return new FramingError('malformed', `${what} with a length of ${length} does not fit the batch`);
}

/** Walks over the records; quicker than a general reader, since every record of a client is walked over. */
class Cursor {
  at: number;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, at: number, end: number) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
  }

  skip(length: number): void {
    if (!(length >= 0 && length <= this.#end - this.at)) throw misfit('a part of a record', length);
    this.at += length;
  }

  bytes(length: number): Buffer {
    const { at } = this;
    this.skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** A signed number in zigzag form, of at most 64 bits. */
  zigzag(): number {
    const first = this.#next();
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    let value = first & 0x7f;
    let factor = 0x80;
    for (let index = 1; index < 10; index += 1) {
      const byte = this.#next();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      factor *= 0x80;
    }
    throw new FramingError('malformed', 'a number in a record is longer than 10 bytes');
  }

  #next(): number {
    if (this.at >= this.#end) throw new FramingError('truncated', 'a record ends before its last part');
    return this.#bytes[this.at++] as number;
  }
}
