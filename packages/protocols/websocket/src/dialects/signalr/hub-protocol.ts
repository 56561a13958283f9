import type { Packet } from '../dialect.js';
import { parseDialectJson, plainJson } from '../json.js';
import { MessagePackProblem, readMessagePack, writeMessagePack } from './message-pack.js';

/** The types of messages of the hub protocol. */
export const INVOCATION = 1;
export const STREAM_ITEM = 2;
export const COMPLETION = 3;
export const STREAM_INVOCATION = 4;
export const CANCEL = 5;
export const PING = 6;
export const CLOSE = 7;

/** Ends a message of the JSON protocol, and the handshake of both. */
export const END = '\u001E';
/** Most bytes of a message that comes in several parts, and most messages in one. */
const MAX_LENGTH = 1024 * 1024;
const MAX_RECORDS = 10_000;

/** The fields of a message, by their names in the JSON protocol. */
export type Fields = Readonly<Record<string, unknown>>;

/** A message, and how many characters or bytes it has. */
export interface HubMessage {
  readonly fields: Fields;
  readonly size: number;
}

/** What a client sent is no message; the text says why. */
export class HubProblem extends Error {}

/** How messages of a hub are written. */
export interface HubProtocol {
  /** The messages that are whole now. @throws HubProblem behind those that are right */
  read(packet: Packet): Iterable<HubMessage>;
  write(fields: Fields): Packet;
}

/** The JSON protocol. */
export class JsonProtocol implements HubProtocol {
  #rest = '';

  *read(packet: Packet): Iterable<HubMessage> {
    if (typeof packet !== 'string') throw new HubProblem('bytes are no message of the JSON protocol');
    const text = this.#rest + packet;
    // Looked for in what is new alone: a client may send a record byte by byte.
    const records = packet.includes(END) ? text.split(END) : [text];
    this.#rest = records.pop() ?? '';
    if (this.#rest.length > MAX_LENGTH)
      throw new HubProblem(`a message has more than ${MAX_LENGTH} characters`);
    if (records.length > MAX_RECORDS) throw new HubProblem(`more than ${MAX_RECORDS} messages came in one`);
    for (const each of records) yield { fields: readRecord(each), size: each.length };
  }

  write(fields: Fields): string {
    return jsonRecord(fields);
  }
}

/** The MessagePack protocol: lists behind their length. */
export class MessagePackProtocol implements HubProtocol {
  #rest: Buffer = Buffer.alloc(0);

  *read(packet: Packet): Iterable<HubMessage> {
    if (typeof packet === 'string') throw new HubProblem('a text is no message of the MessagePack protocol');
    let left = this.#rest.length === 0 ? packet : Buffer.concat([this.#rest, packet]);
    this.#rest = Buffer.alloc(0);
    for (let count = 0; left.length > 0; count += 1) {
      if (count === MAX_RECORDS) throw new HubProblem(`more than ${MAX_RECORDS} messages came in one`);
      const prefix = readLength(left);
      if (prefix !== undefined && prefix.length > MAX_LENGTH)
        throw new HubProblem(`a message has more than ${MAX_LENGTH} bytes`);
      if (prefix === undefined || left.length < prefix.bytes + prefix.length) {
        this.#rest = left;
        return;
      }
      const end = prefix.bytes + prefix.length;
      yield { fields: fieldsOf(left.subarray(prefix.bytes, end)), size: prefix.length };
      left = left.subarray(end);
    }
  }

  write(fields: Fields): Buffer {
    const bytes = writeMessagePack(listOf(fields));
    return Buffer.concat([writeLength(bytes.length), bytes]);
  }
}

/** A message of the JSON protocol. */
export function jsonRecord(fields: Fields): string {
  return plainJson(fields) + END;
}

/** The fields of a message of the JSON protocol. @throws HubProblem */
export function readRecord(text: string): Fields {
  const value = parseDialectJson(text);
  if (typeof value !== 'object' || value === null)
    throw new HubProblem(`${JSON.stringify(text.slice(0, 60))} is no message of the JSON protocol`);
  return value as Fields;
}

function readLength(bytes: Buffer): { readonly length: number; readonly bytes: number } | undefined {
  let length = 0;
  for (let at = 0; at < 5; at += 1) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { length, bytes: at + 1 };
  }
  throw new HubProblem('the length of a message has more than five bytes');
}

function writeLength(length: number): Buffer {
  const bytes: number[] = [];
  let left = length;
  do {
    bytes.push((left & 0x7f) + (left > 0x7f ? 0x80 : 0));
    left = Math.floor(left / 0x80);
  } while (left > 0);
  return Buffer.from(bytes);
}

function fieldsOf(bytes: Buffer): Fields {
  let list;
  try {
    list = readMessagePack(bytes);
  } catch (thrown) {
    if (!(thrown instanceof MessagePackProblem)) throw thrown;
    throw new HubProblem(`a message is no MessagePack: ${thrown.message}`);
  }
  if (!Array.isArray(list)) throw new HubProblem('a message of the MessagePack protocol is no list');
  const [type, , third, fourth, fifth, sixth] = list as unknown[];
  switch (type) {
    case INVOCATION:
    case STREAM_INVOCATION:
      return { type, invocationId: third, target: fourth, arguments: fifth, streamIds: sixth };
    case STREAM_ITEM:
      return { type, invocationId: third, item: fourth };
    case COMPLETION:
      return { type, invocationId: third, ...(fourth === WITH_ERROR ? { error: fifth } : {}) };
    case CANCEL:
      return { type, invocationId: third };
    default:
      return { type };
  }
}

/** The kinds of completions. */
const WITH_ERROR = 1;
const WITHOUT_RESULT = 2;
const WITH_RESULT = 3;

function listOf(fields: Fields): unknown[] {
  const { type, invocationId: id } = fields;
  switch (type) {
    case INVOCATION:
      return [type, {}, null, fields['target'], fields['arguments'], []];
    case STREAM_ITEM:
      return [type, {}, id, fields['item']];
    case COMPLETION:
      if ('error' in fields) return [type, {}, id, WITH_ERROR, fields['error']];
      return 'result' in fields
        ? [type, {}, id, WITH_RESULT, fields['result']]
        : [type, {}, id, WITHOUT_RESULT];
    case CLOSE:
      return [type, fields['error'] ?? null, fields['allowReconnect'] ?? false];
    default:
      return [type];
  }
}
