const MAX_DEPTH = 64;

/** Bytes that are no message. */
export class ProtobufError extends Error {}

/** A message that holds more than may be read. */
export class TooLargeError extends Error {}

/** What may be read of a message at all levels together, and how much of it was left out. */
export class Allowance {
  /** How many elements of lists were left out, and what the message says itself that it has lost. */
  skipped = 0;

  /**
   * @param most - how many elements of each list are read; the others are skipped and counted
   * @param fields - how many fields are read
   * @param characters - how long the texts may be together; of bytes their length bounds that
   */
  constructor(most = Infinity, fields = Infinity, characters = Infinity) {
    this.most = most;
    this.fields = fields;
    this.characters = characters;
  }

  /** Counts a field. @throws TooLargeError for one too many */
  take() {
    this.fields -= 1;
    if (this.fields < 0) throw new TooLargeError();
  }

  /** Counts a text. @throws TooLargeError for one that is too long with those before */
  takeText(text) {
    this.characters -= text.length;
    if (this.characters < 0) throw new TooLargeError();
  }

  /** Counts what a message says that it has lost, where it is a count. */
  takeLost(name, count) {
    const number = /^dropped\w+Count$/.test(name) ? Number(count) : 0;
    if (Number.isSafeInteger(number) && number > 0) this.skipped += number;
  }
}

/**
 * Reads a message by a table of its fields: number, name and type, which is a scalar or the table of another message, and
 * `list` where there may be several. Fields that the table does not have are skipped. Numbers of 64 bits become texts, as in
 * the JSON of protobuf; bytes become hexadecimal, as OTLP has ids.
 *
 * @param allowance - how much is read, and what was not
 * @see https://protobuf.dev/programming-guides/encoding/
 * @throws ProtobufError; TooLargeError for more than is allowed
 */
export function readMessage(bytes, table, allowance = new Allowance(), depth = 0) {
  if (depth > MAX_DEPTH) throw new ProtobufError(`messages are nested more than ${MAX_DEPTH} deep`);
  const reader = new Reader(bytes);
  const message = {};
  while (!reader.isAtEnd) {
    const tag = reader.number();
    const [name, type, isList] = table[tag >>> 3] ?? [];
    const wire = tag & 7;
    if (name === undefined) {
      reader.skip(wire);
      continue;
    }
    if (isList && message[name]?.length >= allowance.most) {
      reader.skip(wire);
      allowance.skipped += 1;
      continue;
    }
    allowance.take();
    const raw = reader.value(wire);
    if (typeof type === 'function' || typeof type === 'object') {
      if (wire !== 2) throw new ProtobufError(`field "${name}" must be a message`);
      const inner = readMessage(raw, typeof type === 'function' ? type() : type, allowance, depth + 1);
      if (isList) (message[name] ??= []).push(inner);
      else message[name] = { ...message[name], ...inner };
    } else if (isList) {
      (message[name] ??= []).push(...readPacked(raw, wire, type, name));
    } else {
      message[name] = readScalar(raw, wire, type, name);
      if (type === 'uint32') allowance.takeLost(name, message[name]);
    }
  }
  return message;
}

const WIRES = { double: 1, fixed64: 1, sfixed64: 1, string: 2, bytes: 2, fixed32: 5 };
const wireOf = (type) => WIRES[type] ?? 0;

function readPacked(raw, wire, type, name) {
  const own = wireOf(type);
  if (wire !== 2 || own === 2) return [readScalar(raw, wire, type, name)];
  const reader = new Reader(raw);
  const values = [];
  while (!reader.isAtEnd) values.push(readScalar(reader.value(own), own, type, name));
  return values;
}

function readScalar(raw, wire, type, name) {
  if (wire !== wireOf(type)) throw new ProtobufError(`field "${name}" has the wire type ${wire}`);
  switch (type) {
    case 'string':
      return raw.toString('utf8');
    case 'bytes':
      return raw.toString('hex');
    case 'double':
      return raw.readDoubleLE();
    case 'fixed64':
      return String(raw.readBigUInt64LE());
    case 'sfixed64':
      return String(raw.readBigInt64LE());
    case 'fixed32':
      return raw.readUInt32LE();
    case 'bool':
      return raw !== 0n;
    case 'int64':
      return String(BigInt.asIntN(64, raw));
    case 'uint64':
      return String(raw);
    case 'sint32':
      return Number((raw >> 1n) ^ -(raw & 1n));
    default:
      return Number(BigInt.asIntN(32, raw));
  }
}

/** Each field with this number, which is bytes, and `undefined` for each other: a step of work. */
export function* fieldsOf(bytes, number) {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.number();
    const raw = reader.value(tag & 7);
    yield tag === ((number << 3) | 2) ? raw : undefined;
  }
}

class Reader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isAtEnd() {
    return this.#at >= this.#bytes.length;
  }

  /** A small number: a tag, or a length. */
  number() {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
      if (this.#at >= this.#bytes.length) throw new ProtobufError('the message ends too early');
      const byte = this.#bytes[this.#at++];
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new ProtobufError('a tag or a length has more than five bytes');
  }

  varint() {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.take(1)[0];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError('a number has more than ten bytes');
  }

  value(wire) {
    if (wire === 0) return this.varint();
    if (wire === 1) return this.take(8);
    if (wire === 2) return this.take(this.number());
    if (wire === 5) return this.take(4);
    throw new ProtobufError(`there is no wire type ${wire}`);
  }

  /** As {@link value}, without what it is. */
  skip(wire) {
    if (wire === 0) this.#skipVarint();
    else if (wire === 1) this.#skipBytes(8);
    else if (wire === 2) this.#skipBytes(this.number());
    else if (wire === 5) this.#skipBytes(4);
    else throw new ProtobufError(`there is no wire type ${wire}`);
  }

  #skipVarint() {
    for (let count = 0; count < 10; count += 1) {
      if (this.#at >= this.#bytes.length) throw new ProtobufError('the message ends too early');
      if (this.#bytes[this.#at++] < 0x80) return;
    }
    throw new ProtobufError('a number has more than ten bytes');
  }

  #skipBytes(length) {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufError('the message ends too early');
    this.#at = end;
  }

  take(length) {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ProtobufError('the message ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

/** A field with a number of any length, a text, or bytes. */
export function writeField(number, value) {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
