import { parseBase64 } from '@backlot/core/plugin';
import { DialectError, type Packet } from '../dialect.js';
import { parseDialectJson } from '../json.js';

/** The types of packets of socket.io, version 5 of its protocol. */
export const CONNECT = 0;
export const DISCONNECT = 1;
export const EVENT = 2;
export const ACK = 3;
export const CONNECT_ERROR = 4;
const BINARY_EVENT = 5;
const BINARY_ACK = 6;

/** Most attachments of a packet, and most bytes of all of them. */
const MAX_ATTACHMENTS = 100;
const MAX_BYTES = 16 * 1024 * 1024;
const HEAD = /^([0-6])(?:(\d+)-)?(?:(\/[^,]*),?)?(\d+)?/;

/** A packet of socket.io. */
export interface SocketIoPacket {
  readonly type: number;
  readonly namespace: string;
  readonly id: number | undefined;
  readonly data: unknown;
}

/** Puts packets together: a text, and the bytes that it announces. */
export class PacketReader {
  #waiting: { readonly packet: SocketIoPacket; readonly count: number } | undefined;
  #bytes: Buffer[] = [];
  #length = 0;

  /** @returns a packet that is whole @throws DialectError for what is none */
  read(packet: Packet): SocketIoPacket | undefined {
    return typeof packet === 'string' ? this.#readText(packet) : this.#readBytes(packet);
  }

  #readText(text: string): SocketIoPacket | undefined {
    if (this.#waiting !== undefined) throw new DialectError('a text came where bytes were announced');
    const [head, type, count, namespace = '/', id] = HEAD.exec(text) ?? [];
    if (head === undefined) throw noPacket(text);
    const rest = text.slice(head.length);
    const data = rest === '' ? undefined : parseDialectJson(rest);
    if (rest !== '' && data === undefined) throw noPacket(text);
    const isBinary = Number(type) === BINARY_EVENT || Number(type) === BINARY_ACK;
    const packet = {
      type: isBinary ? Number(type) - (BINARY_EVENT - EVENT) : Number(type),
      namespace,
      id: id === undefined ? undefined : Number(id),
      data,
    };
    if (!isBinary) return packet;
    const attachments = Number(count ?? NaN);
    if (!(attachments <= MAX_ATTACHMENTS))
      throw new DialectError(
        `a packet announces ${count ?? 'no number of'} attachments; ${MAX_ATTACHMENTS} are taken`,
      );
    if (attachments === 0) return packet;
    this.#waiting = { packet, count: attachments };
    return undefined;
  }

  #readBytes(bytes: Buffer): SocketIoPacket | undefined {
    if (this.#waiting === undefined) throw new DialectError('bytes came that no packet had announced');
    this.#bytes.push(bytes);
    this.#length += bytes.length;
    if (this.#length > MAX_BYTES) throw new DialectError(`attachments have more than ${MAX_BYTES} bytes`);
    const { packet, count } = this.#waiting;
    if (this.#bytes.length < count) return undefined;
    const attachments = this.#bytes;
    this.#waiting = undefined;
    this.#bytes = [];
    this.#length = 0;
    return { ...packet, data: withBytes(packet.data, attachments) };
  }
}

/** A packet, with the bytes in its data as attachments. */
export function writePacket(
  type: number,
  namespace: string,
  id: number | undefined,
  data: unknown,
): readonly Packet[] {
  const attachments: Buffer[] = [];
  const body = data === undefined ? '' : JSON.stringify(withoutBytes(data, attachments));
  const isBinary = attachments.length > 0;
  const head = isBinary ? `${type + (BINARY_EVENT - EVENT)}${attachments.length}-` : String(type);
  return [`${head}${namespace === '/' ? '' : `${namespace},`}${id ?? ''}${body}`, ...attachments];
}

/** Puts attachments where the data names them. */
function withBytes(value: unknown, attachments: readonly Buffer[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withBytes(item, attachments));
  const { _placeholder: isPlace, num } = value as { readonly _placeholder?: unknown; readonly num?: unknown };
  if (isPlace === true) {
    const bytes = typeof num === 'number' ? attachments[num] : undefined;
    if (bytes === undefined) throw new DialectError(`there is no attachment ${JSON.stringify(num)}`);
    return bytes;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withBytes(item, attachments)] as const),
  );
}

/** Takes bytes out of data: those that are, and `{base64: ...}`. */
function withoutBytes(value: unknown, attachments: Buffer[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const bytes = bytesIn(value);
  if (bytes !== undefined) return { _placeholder: true, num: attachments.push(bytes) - 1 };
  if (Array.isArray(value)) return value.map((item) => withoutBytes(item, attachments));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutBytes(item, attachments)] as const),
  );
}

function bytesIn(value: object): Buffer | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value);
  const { base64 } = value as { readonly base64?: unknown };
  return typeof base64 === 'string' && Object.keys(value).length === 1 ? parseBase64(base64) : undefined;
}

function noPacket(text: string): DialectError {
  return new DialectError(`${JSON.stringify(text.slice(0, 60))} is no packet of socket.io`);
}
