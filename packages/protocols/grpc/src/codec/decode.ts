import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { Field, FieldKind, MessageType } from '../schema/model.js';
import { MAX_DEPTH } from './encode.js';
import { FieldError } from './field-error.js';
import { withDefaults, zeroOf, type Finish } from './made-message.js';
import { SCALARS } from './scalars.js';
import { wellKnownOf } from './well-known.js';

type Plain = Record<string, unknown>;

/** A message holds at most so many values, those that are not set and have a default included. */
export const MAX_VALUES = 250_000;

/** A message that holds too much to be looked at. */
export class TooManyValues extends FieldError {
  constructor() {
    super(`the message holds more than ${MAX_VALUES} values`);
  }
}

/**
 * Decodes a message as a JSON value: names of fields as in the `.proto` file, enums by name, 64-bit integers as strings,
 * bytes as base64, well-known types in their JSON form. What is not set has its default value; messages and oneofs that
 * are not set are left out.
 *
 * @throws FieldError when the bytes are no such message
 * @throws TooManyValues beyond {@link MAX_VALUES}
 */
export function decodeMessage(type: MessageType, bytes: Uint8Array): unknown {
  const decoder = new MessageDecoder(type, bytes);
  decoder.run(Number.POSITIVE_INFINITY);
  return decoder.value;
}

/** One message, or one entry of a map, that is being read. */
interface Frame {
  readonly reader: BinaryReader;
  readonly end: number;
  /** The number of a group, which an end of its own follows. */
  readonly group: number | undefined;
  /** Absent for an entry of a map, and for a group that is not known. */
  readonly type: MessageType | undefined;
  readonly fields: ReadonlyMap<number, Field>;
  readonly plain: Plain;
  readonly isAny: boolean;
  /** The field of the frame around it that this is a value of. */
  readonly into: Field | undefined;
  /** The type of an `Any`, for the message in it. */
  readonly url: string | undefined;
  /** Of an `Any` whose message has been read the whole. */
  whole: unknown;
  /** The last member of each oneof on the wire is the one that counts. */
  oneofs: Map<string, string> | undefined;
  /** A packed list that is being read, and where it ends. */
  packed: Field | undefined;
  packedEnd: number;
}

const NO_FIELDS: ReadonlyMap<number, Field> = new Map();

/** Decodes a message in steps, between which others can be let in. */
export interface StepDecoder {
  /** The value, once all was read. */
  readonly value: unknown;
  /** How many values were read so far. */
  readonly count: number;
  /**
   * Reads on.
   *
   * @param most - how many values to read at most
   * @returns whether all was read
   * @throws FieldError when it is no such message
   */
  run(most: number): boolean;
}

/** Decodes a message step by step, see {@link decodeMessage}; the depth of a message takes no stack. */
export class MessageDecoder implements StepDecoder {
  value: unknown = undefined;
  readonly #frames: Frame[] = [];
  readonly #finish: Finish;
  #left = MAX_VALUES;

  constructor(type: MessageType, bytes: Uint8Array, finish: Finish = withDefaults) {
    this.#finish = finish;
    const reader = new BinaryReader(bytes);
    this.#open(type, reader, reader.len, undefined, undefined);
  }

  get count(): number {
    return MAX_VALUES - this.#left;
  }

  run(most: number): boolean {
    const until = this.#left - most;
    try {
      for (let frame = this.#frames.at(-1); frame !== undefined; frame = this.#frames.at(-1)) {
        if (frame.whole !== undefined) this.#close(frame);
        else if (frame.packed !== undefined) this.#readPacked(frame, frame.packed, until);
        else if (frame.reader.pos < frame.end) this.#readField(frame);
        else if (frame.group !== undefined) throw new FieldError(`group ${frame.group} does not end`);
        else this.#close(frame);
        if (this.#left < 0) throw new TooManyValues();
        if (this.#left <= until) return this.#frames.length === 0;
      }
      return true;
    } catch (thrown) {
      if (thrown instanceof TooManyValues) throw thrown;
      if (thrown instanceof FieldError) throw this.#locate(thrown);
      throw this.#locate(
        new FieldError(
          thrown instanceof RangeError ? 'the message ends too early' : 'the bytes are no message',
        ),
      );
    }
  }

  #open(
    type: MessageType | undefined,
    reader: BinaryReader,
    end: number,
    group: number | undefined,
    into: Field | undefined,
    fields = type?.byNumber ?? NO_FIELDS,
    url?: string,
  ): void {
    // The entries of a map are no level of their own.
    if (this.#frames.length > MAX_DEPTH * 2 || this.#depth() > MAX_DEPTH)
      throw new FieldError(`is nested deeper than ${MAX_DEPTH} levels`);
    this.#frames.push({
      reader,
      end,
      group,
      type,
      fields,
      plain: Object.create(null) as Plain,
      isAny: type?.fullName === 'google.protobuf.Any',
      into,
      url,
      whole: undefined,
      oneofs: undefined,
      packed: undefined,
      packedEnd: 0,
    });
  }

  #depth(): number {
    const { length } = this.#frames;
    if (length <= MAX_DEPTH) return length;
    return this.#frames.reduce((depth, { type, group }) => depth + ((type ?? group) ? 1 : 0), 0);
  }

  #readField(frame: Frame): void {
    const { reader } = frame;
    const tag = reader.uint32();
    const number = tag >>> 3;
    const wireType = tag & 7;
    this.#left -= 1;
    if (wireType === (WireType.EndGroup as number)) {
      if (number !== frame.group) throw new FieldError(`group ${number} ends without having begun`);
      this.#close(frame);
      return;
    }
    if (number === 0) throw new FieldError('has a field with the number 0');
    const field = frame.fields.get(number);
    if (field !== undefined && this.#readKnown(frame, field, wireType)) return;
    if (wireType === (WireType.StartGroup as number))
      this.#open(undefined, reader, frame.end, number, undefined);
    else reader.skip(wireType, number);
    checkEnd(frame);
  }

  /** Gives `false` for a wire type that the field cannot have; it is skipped then, like an unknown one. */
  #readKnown(frame: Frame, field: Field, wireType: number): boolean {
    const { reader } = frame;
    const { kind } = field;
    const own = wireTypeOf(kind);
    if (wireType !== own) {
      if (!field.isRepeated || wireType !== 2 || own === 2 || own === 3) return false;
      frame.packedEnd = endOf(reader, frame.end);
      frame.packed = field;
      listOf(frame.plain, field.name);
      return true;
    }
    if (field.oneof !== undefined) (frame.oneofs ??= new Map()).set(field.oneof, field.name);
    if (kind.type === 'message') {
      const group = kind.isGroup ? field.number : undefined;
      const end = group === undefined ? endOf(reader, frame.end) : frame.end;
      this.#open(kind.message, reader, end, group, field);
    } else if (kind.type === 'map') {
      this.#open(undefined, reader, endOf(reader, frame.end), undefined, field, kind.byNumber);
    } else {
      const value =
        frame.isAny && field.number === 2 ? reader.bytes() : this.#named(field, () => readOne(reader, kind));
      checkEnd(frame);
      put(frame, field, value);
    }
    return true;
  }

  #readPacked(frame: Frame, field: Field, until: number): void {
    const { reader, packedEnd } = frame;
    const { kind } = field;
    const list = listOf(frame.plain, field.name);
    while (reader.pos < packedEnd && this.#left > until && this.#left >= 0) {
      list.push(readOne(reader, kind));
      this.#left -= 1;
    }
    if (reader.pos < packedEnd) return;
    frame.packed = undefined;
    checkEnd(frame, packedEnd);
  }

  /** A message, an entry or a group has been read to its end. */
  #close(frame: Frame): void {
    const { type, into, url } = frame;
    if (type === undefined) {
      this.#leave();
      if (into?.kind.type === 'map') this.#putEntry(frame, into);
      return;
    }
    if (frame.isAny && frame.whole === undefined && this.#openAny(frame)) return;
    this.#left -= type.fields.length;
    const made = frame.whole ?? this.#made(type, frame.plain, frame.oneofs);
    this.#leave();
    const value =
      url === undefined
        ? made
        : wellKnownOf(type) === undefined
          ? { '@type': url, ...(made as object) }
          : { '@type': url, value: made };
    const around = this.#frames.at(-1);
    if (around === undefined) this.value = value;
    else if (url !== undefined) around.whole = value;
    else if (into !== undefined) put(around, into, value);
  }

  #leave(): void {
    const frame = this.#frames.pop();
    const around = this.#frames.at(-1);
    if (frame !== undefined && around?.reader === frame.reader) checkEnd(around);
  }

  /** Opens the message in an `Any`; `false` when there is none of a type that is known. */
  #openAny({ type, plain }: Frame): boolean {
    const url = plain['type_url'];
    const bytes = (plain['value'] as Uint8Array | undefined) ?? new Uint8Array(0);
    const inner = typeof url === 'string' ? type?.find(url.slice(url.lastIndexOf('/') + 1)) : undefined;
    if (typeof url !== 'string' || url === '' || inner === undefined) {
      plain['value'] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
      return false;
    }
    const reader = new BinaryReader(bytes);
    this.#open(inner, reader, reader.len, undefined, undefined, inner.byNumber, url);
    return true;
  }

  #putEntry({ plain }: Frame, field: Field): void {
    const around = this.#frames.at(-1);
    if (around === undefined || field.kind.type !== 'map') return;
    const { key, value } = field.kind;
    const entries = (around.plain[field.name] ??= Object.create(null)) as Plain;
    let item = plain[value.name];
    if (item === undefined && value.kind.type === 'message') {
      this.#left -= value.kind.message.fields.length;
      item = this.#made(value.kind.message, Object.create(null) as Plain, undefined);
    }
    entries[String(plain[key.name] ?? zeroOf(key.kind))] = item ?? zeroOf(value.kind);
  }

  #made(type: MessageType, plain: Plain, oneofs: ReadonlyMap<string, string> | undefined): unknown {
    const wellKnown = wellKnownOf(type);
    return wellKnown === undefined ? this.#finish(type, plain, oneofs) : wellKnown.fromPlain(plain, type);
  }

  #named<T>(field: Field, read: () => T): T {
    try {
      return read();
    } catch (thrown) {
      throw thrown instanceof FieldError ? thrown.within(field.name) : thrown;
    }
  }

  /** Names the field in which something is wrong, from the outermost message on. */
  #locate(error: FieldError): FieldError {
    let located = error;
    for (let index = this.#frames.length - 1; index > 0; index -= 1) {
      const { into } = this.#frames[index] as Frame;
      const list = into === undefined ? undefined : this.#frames[index - 1]?.plain[into.name];
      if (into?.isRepeated === true) located = located.within(Array.isArray(list) ? list.length : 0);
      if (into !== undefined) located = located.within(into.name);
    }
    return located;
  }
}

function put({ plain }: Frame, field: Field, value: unknown): void {
  if (field.isRepeated) listOf(plain, field.name).push(value);
  else plain[field.name] = value;
}

function listOf(plain: Plain, name: string): unknown[] {
  return (plain[name] ??= []) as unknown[];
}

function readOne(reader: BinaryReader, kind: FieldKind): unknown {
  if (kind.type === 'scalar') return SCALARS[kind.scalar].read(reader);
  if (kind.type !== 'enum') return undefined;
  const number = reader.int32();
  return kind.enum.byNumber.get(number) ?? number;
}

function endOf(reader: BinaryReader, outer: number): number {
  const length = reader.uint32();
  if (length > reader.len - reader.pos) throw new FieldError('the message ends too early');
  if (reader.pos + length > outer) throw new FieldError('a field is longer than its message');
  return reader.pos + length;
}

function checkEnd({ reader, end }: Frame, own = end): void {
  if (reader.pos > own) throw new FieldError('a field is longer than its message');
}

function wireTypeOf(kind: FieldKind): number {
  if (kind.type === 'scalar') return SCALARS[kind.scalar].wireType;
  if (kind.type === 'enum') return 0;
  return kind.type === 'message' && kind.isGroup ? 3 : 2;
}
