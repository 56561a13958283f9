import { ByteReader, ByteWriter, FramingError } from '@backlot/kit/framing';
import { readTable, writeTable, type FieldTable } from './field-table.js';
import { FRAME, FRAME_END, FRAME_START } from './frame-types.js';

/** The forms of arguments (section 4.2.5), and what they are here. */
interface Forms {
  readonly octet: number;
  readonly short: number;
  readonly long: number;
  /** A number beyond 53 bits loses its last bits, and so is no delivery tag that was given out. */
  readonly longlong: number;
  readonly shortstr: string;
  /** A security mechanism's bytes, or text. */
  readonly longstr: Buffer;
  readonly table: FieldTable;
  readonly bit: boolean;
}

/** The arguments of a method in their order: names and forms. */
export type Fields = Readonly<Record<string, keyof Forms>>;

/** The arguments of a method as values. */
export type ArgumentsOf<F extends Fields> = { readonly [K in keyof F]: Forms[F[K]] };

/** A method of the protocol. */
export interface Method<F extends Fields = Fields> {
  readonly classId: number;
  readonly methodId: number;
  /** As in `queue.declare`. */
  readonly name: string;
  readonly fields: F;
  readonly entries: readonly (readonly [string, keyof Forms])[];
}

/** The arguments of a method by its type. */
export type ArgumentsFor<M> = M extends Method<infer F> ? ArgumentsOf<F> : never;

/** Declares a method; `fields` are its arguments in the order of the wire. */
export function defineMethod<const F extends Fields>(
  classId: number,
  methodId: number,
  name: string,
  fields: F,
): Method<F> {
  return { classId, methodId, name, fields, entries: Object.entries(fields) };
}

/** The number under which a method is found. */
export function keyOfMethod(classId: number, methodId: number): number {
  return classId * 0x10000 + methodId;
}

/**
 * Reads the arguments of a method from the payload of its frame.
 *
 * @throws FramingError when they are cut short, a table is bad, or something stands behind them
 */
export function readArguments<F extends Fields>(method: Method<F>, payload: Buffer): ArgumentsOf<F> {
  const reader = new ByteReader(payload, 4);
  const values: Record<string, unknown> = {};
  let bits = 0;
  let bitsLeft = 0;
  for (const [name, form] of method.entries) {
    if (form === 'bit') {
      if (bitsLeft === 0) {
        bits = reader.u8();
        bitsLeft = 8;
      }
      values[name] = (bits & 1) === 1;
      bits >>= 1;
      bitsLeft -= 1;
    } else {
      bitsLeft = 0;
      values[name] = readValue(reader, form);
    }
  }
  if (reader.remaining > 0) {
    throw new FramingError(
      'malformed',
      `${reader.remaining} bytes stand behind the arguments of ${method.name}`,
    );
  }
  return values as ArgumentsOf<F>;
}

function readValue(reader: ByteReader, form: Exclude<keyof Forms, 'bit'>): unknown {
  switch (form) {
    case 'octet':
      return reader.u8();
    case 'short':
      return reader.u16();
    case 'long':
      return reader.u32();
    case 'longlong':
      return reader.u32() * 2 ** 32 + reader.u32();
    case 'shortstr':
      return reader.text(reader.u8());
    case 'longstr':
      return reader.bytes(reader.u32());
    case 'table':
      return readTable(reader);
  }
}

/** The whole frame of a method. */
export function writeMethod<F extends Fields>(
  channel: number,
  method: Method<F>,
  values: ArgumentsOf<F>,
): Buffer {
  const writer = new ByteWriter(64);
  writer.u8(FRAME.method).u16(channel).u32(0).u16(method.classId).u16(method.methodId);
  let bits = 0;
  let bitsUsed = 0;
  const flush = (): void => {
    if (bitsUsed > 0) writer.u8(bits);
    bits = 0;
    bitsUsed = 0;
  };
  for (const [name, form] of method.entries) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (form === 'bit') {
      if (bitsUsed === 8) flush();
      if (value === true) bits |= 1 << bitsUsed;
      bitsUsed += 1;
    } else {
      flush();
      writeValue(writer, form, value);
    }
  }
  flush();
  return writer
    .setU32(3, writer.length - FRAME_START)
    .u8(FRAME_END)
    .finish();
}

function writeValue(writer: ByteWriter, form: Exclude<keyof Forms, 'bit'>, value: unknown): void {
  switch (form) {
    case 'octet':
      writer.u8(value as number);
      return;
    case 'short':
      writer.u16(value as number);
      return;
    case 'long':
      writer.u32(value as number);
      return;
    case 'longlong':
      writer.u32(Math.floor((value as number) / 2 ** 32)).u32((value as number) % 2 ** 32);
      return;
    case 'shortstr':
      writer.u8(Buffer.byteLength(value as string)).text(value as string);
      return;
    case 'longstr':
      writer.u32((value as Buffer).length).bytes(value as Buffer);
      return;
    case 'table':
      writeTable(writer, value as FieldTable);
  }
}
