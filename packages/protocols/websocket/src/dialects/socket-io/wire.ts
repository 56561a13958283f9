import { parseBase64 } from '@backlot/core/plugin';
import { DialectError, type Packet } from '../dialect.js';
import { readPayload, writePayload } from './payload.js';

/** What differs between the versions of engine.io. */
export interface EngineWire {
  readonly version: 3 | 4;
  /** The packets of a request of long polling. @throws DialectError */
  read(body: Buffer): readonly Packet[];
  /** The body of an answer of long polling. */
  write(packets: readonly Packet[]): string;
  /** Bytes as they go over WebSocket. */
  frame(bytes: Buffer): Buffer;
  /** The bytes of a message of WebSocket. @throws DialectError */
  unframe(bytes: Buffer): Buffer;
}

/** Version 4, of socket.io 3 and 4. */
export const WIRE_4: EngineWire = {
  version: 4,
  read: (body) => readPayload(body.toString('utf8')),
  write: writePayload,
  frame: (bytes) => bytes,
  unframe: (bytes) => bytes,
};

/** The type of a packet that holds a message. */
const MESSAGE = 4;
/** Most packets in one request. */
const MAX_PACKETS = 10_000;
/** Of a packet in a body of bytes: whether it is a text, and what ends its length. */
const TEXT = 0;
const BYTES = 1;
const LENGTH_ENDS = 0xff;

/** Version 3, of socket.io 1 and 2. */
const WIRE_3: EngineWire = {
  version: 3,
  read: (body) => ((body[0] ?? 0x30) <= BYTES ? readBytes(body) : readText(body.toString('utf8'))),
  // Clients that take bytes take base64 as well.
  write: (packets) =>
    packets
      .map((packet) => (typeof packet === 'string' ? packet : `b${MESSAGE}${packet.toString('base64')}`))
      .map((packet) => `${packet.length}:${packet}`)
      .join(''),
  frame: (bytes) => Buffer.concat([Buffer.of(MESSAGE), bytes]),
  unframe: (bytes) => {
    if (bytes[0] !== MESSAGE) throw new DialectError(`a packet of bytes has the type ${String(bytes[0])}`);
    return bytes.subarray(1);
  },
};

/** The wire of a client, by the `EIO` of its url; `undefined` for a version that is not spoken. */
export function wireOf(version: unknown): EngineWire | undefined {
  return version === '4' ? WIRE_4 : version === '3' ? WIRE_3 : undefined;
}

/** Texts behind their lengths, in UTF-16 units: `4:2abc`. */
function readText(body: string): readonly Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < body.length;) {
    const colon = body.indexOf(':', at);
    const length = colon < 0 || colon - at > 10 ? NaN : Number(body.slice(at, colon));
    const packet = body.slice(colon + 1, colon + 1 + length);
    if (!Number.isInteger(length) || length < 1 || packet.length !== length) throw badPayload();
    packets.push(packet.startsWith('b') ? base64Packet(packet) : packet);
    if (packets.length > MAX_PACKETS) throw tooMany();
    at = colon + 1 + length;
  }
  return packets;
}

/** Packets behind their kind and their length, a digit a byte. */
function readBytes(body: Buffer): readonly Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < body.length;) {
    const kind = body[at];
    const end = body.indexOf(LENGTH_ENDS, at);
    if ((kind !== TEXT && kind !== BYTES) || end < 0 || end - at > 11) throw badPayload();
    const length = Number([...body.subarray(at + 1, end)].join(''));
    const packet = body.subarray(end + 1, end + 1 + length);
    if (!Number.isInteger(length) || length < 1 || packet.length !== length) throw badPayload();
    packets.push(kind === TEXT ? packet.toString('utf8') : WIRE_3.unframe(packet));
    if (packets.length > MAX_PACKETS) throw tooMany();
    at = end + 1 + length;
  }
  return packets;
}

function base64Packet(packet: string): Buffer {
  if (packet[1] !== String(MESSAGE)) throw badPayload();
  try {
    return parseBase64(packet.slice(2));
  } catch {
    throw new DialectError('a packet of bytes is no base64');
  }
}

function badPayload(): DialectError {
  return new DialectError('a request holds no packets of engine.io 3');
}

function tooMany(): DialectError {
  return new DialectError(`a request holds more than ${MAX_PACKETS} packets`);
}
