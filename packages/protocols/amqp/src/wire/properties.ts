import { ByteReader, ByteWriter, FramingError } from '@backlot/kit/framing';
import { readTable, writeTable, type FieldTable } from './field-table.js';
import { FRAME, FRAME_END } from './frame-types.js';

/** The properties of a message (AMQP 0-9-1 reference, 1.8, class basic), under the names of the protocol. */
export interface Properties {
  readonly content_type?: string;
  readonly content_encoding?: string;
  readonly headers?: FieldTable;
  readonly delivery_mode?: number;
  readonly priority?: number;
  readonly correlation_id?: string;
  readonly reply_to?: string;
  readonly expiration?: string;
  readonly message_id?: string;
  /** Seconds since 1970. */
  readonly timestamp?: number;
  readonly type?: string;
  readonly user_id?: string;
  readonly app_id?: string;
  readonly cluster_id?: string;
}

type Form = 'text' | 'table' | 'octet' | 'time';
type Writable = { -readonly [K in keyof Properties]: Properties[K] };

/** In the order of their flags, highest bit first. */
const TABLE: readonly (readonly [keyof Properties, Form])[] = [
  ['content_type', 'text'],
  ['content_encoding', 'text'],
  ['headers', 'table'],
  ['delivery_mode', 'octet'],
  ['priority', 'octet'],
  ['correlation_id', 'text'],
  ['reply_to', 'text'],
  ['expiration', 'text'],
  ['message_id', 'text'],
  ['timestamp', 'time'],
  ['type', 'text'],
  ['user_id', 'text'],
  ['app_id', 'text'],
  ['cluster_id', 'text'],
];
const HIGHEST = 15;
/** The flags that mean nothing for this class, the one for further flags among them. */
const UNKNOWN_FLAGS = 0b11;

/** The class of messages, the only one that has content. */
export const BASIC_CLASS = 60;

/** A content header: what a message says about itself before its body. */
interface ContentHeader {
  readonly classId: number;
  /** Bytes of the body; may lie. */
  readonly bodySize: number;
  readonly properties: Properties;
}

/**
 * Reads the payload of a header frame (section 4.2.6.1).
 *
 * @throws FramingError when it is cut short, has unknown flags or goes on behind its properties
 */
export function readContentHeader(payload: Buffer): ContentHeader {
  const reader = new ByteReader(payload);
  const classId = reader.u16();
  reader.skip(2);
  const bodySize = reader.u32() * 2 ** 32 + reader.u32();
  const flags = reader.u16();
  if ((flags & UNKNOWN_FLAGS) !== 0) {
    throw new FramingError('malformed', `property flags 0x${flags.toString(16)} have bits without a meaning`);
  }
  const properties: Writable = {};
  if (flags !== 0) {
    TABLE.forEach((entry, index) => {
      if ((flags & (1 << (HIGHEST - index))) !== 0) readProperty(reader, properties, entry);
    });
  }
  if (reader.remaining > 0) {
    throw new FramingError('malformed', `${reader.remaining} bytes stand behind the properties`);
  }
  return { classId, bodySize, properties };
}

function readProperty(reader: ByteReader, into: Writable, [name, form]: readonly [string, Form]): void {
  const target = into as Record<string, unknown>;
  if (form === 'text') target[name] = reader.text(reader.u8());
  else if (form === 'octet') target[name] = reader.u8();
  else if (form === 'time') target[name] = Number(reader.u64());
  else target[name] = readTable(reader);
}

/** The payload of a header frame. Texts must fit into short strings. */
export function writeContentHeader(properties: Properties, bodySize: number): Buffer {
  const writer = new ByteWriter(64);
  let flags = 0;
  TABLE.forEach(([name], index) => {
    if (properties[name] !== undefined) flags |= 1 << (HIGHEST - index);
  });
  writer
    .u16(BASIC_CLASS)
    .u16(0)
    .u64(BigInt(bodySize))
    .u16(flags & 0xffff);
  for (const [name, form] of TABLE) {
    const value = properties[name];
    if (value === undefined) continue;
    if (form === 'text') writer.u8(Buffer.byteLength(value as string)).text(value as string);
    else if (form === 'octet') writer.u8(value as number);
    else if (form === 'time') writer.u64(BigInt.asUintN(64, BigInt(value as number)));
    else writeTable(writer, value as FieldTable);
  }
  return writer.finish();
}

/** Bytes that the frames of a content take up. */
export function contentSize(header: Buffer, body: Buffer, maxPayload: number): number {
  return header.length + 8 + body.length + 8 * Math.ceil(body.length / maxPayload);
}

/** Writes the header frame and the body frames of a content from `at` on, and gives the end. */
export function writeContent(
  into: Buffer,
  at: number,
  channel: number,
  header: Buffer,
  body: Buffer,
  maxPayload: number,
): number {
  let end = writeFrame(into, at, FRAME.header, channel, header, 0, header.length);
  for (let from = 0; from < body.length; from += maxPayload) {
    end = writeFrame(into, end, FRAME.body, channel, body, from, Math.min(from + maxPayload, body.length));
  }
  return end;
}

function writeFrame(
  into: Buffer,
  at: number,
  type: number,
  channel: number,
  source: Buffer,
  from: number,
  to: number,
): number {
  into[at] = type;
  into.writeUInt16BE(channel, at + 1);
  into.writeUInt32BE(to - from, at + 3);
  source.copy(into, at + 7, from, to);
  const end = at + 7 + to - from;
  into[end] = FRAME_END;
  return end + 1;
}
