/** The first byte of a request. */
export const BINARY_REQUEST = 0x80;
/** The first byte of an answer. */
export const BINARY_RESPONSE = 0x81;
/** Bytes of a header (memcached wiki, BinaryProtocolRevamped, "Packet Structure"). */
export const HEADER_SIZE = 24;
const TWO_TO_32 = 2 ** 32;

/** Status codes of answers (the same page, "Response Status"). */
export const BINARY_STATUS = {
  ok: 0x00,
  notFound: 0x01,
  exists: 0x02,
  tooLarge: 0x03,
  invalid: 0x04,
  notStored: 0x05,
  notNumeric: 0x06,
  authError: 0x20,
  unknown: 0x81,
  noMemory: 0x82,
  internal: 0x84,
} as const;

/** See {@link BINARY_STATUS}. */
export type BinaryStatus = (typeof BINARY_STATUS)[keyof typeof BINARY_STATUS];

/** What memcached writes into the body of an answer that is no success. */
export const BINARY_TEXTS: Readonly<Partial<Record<BinaryStatus, string>>> = {
  [BINARY_STATUS.notFound]: 'Not found',
  [BINARY_STATUS.exists]: 'Data exists for key.',
  [BINARY_STATUS.tooLarge]: 'Too large.',
  [BINARY_STATUS.invalid]: 'Invalid arguments',
  [BINARY_STATUS.notStored]: 'Not stored.',
  [BINARY_STATUS.notNumeric]: 'Non-numeric server-side value for incr or decr',
  [BINARY_STATUS.authError]: 'Auth failure.',
  [BINARY_STATUS.unknown]: 'Unknown command',
  [BINARY_STATUS.noMemory]: 'Out of memory',
  [BINARY_STATUS.internal]: 'Internal error',
};

/** The header of a request. */
export interface RequestHeader {
  readonly magic: number;
  readonly opcode: number;
  readonly keyLength: number;
  readonly extrasLength: number;
  /** Bytes of extras, key and value together. */
  readonly bodyLength: number;
  /** Comes back in the answer. */
  readonly opaque: number;
  /** 0 is none; -1 for numbers beyond those we count with. */
  readonly cas: number;
}

/** Reads a header. */
export function readHeader(bytes: Buffer, at: number): RequestHeader {
  const cas = bytes.readUInt32BE(at + 16) * TWO_TO_32 + bytes.readUInt32BE(at + 20);
  return {
    magic: bytes[at] ?? 0,
    opcode: bytes[at + 1] ?? 0,
    keyLength: bytes.readUInt16BE(at + 2),
    extrasLength: bytes[at + 4] ?? 0,
    bodyLength: bytes.readUInt32BE(at + 8),
    opaque: bytes.readUInt32BE(at + 12),
    cas: cas > Number.MAX_SAFE_INTEGER ? -1 : cas,
  };
}

/** What an answer is made of; texts have one character per byte. */
export interface Response {
  readonly status?: BinaryStatus;
  readonly extras?: string;
  readonly key?: string;
  readonly value?: string;
  readonly cas?: number;
}

const scratch = Buffer.alloc(HEADER_SIZE);

/** Encodes an answer, one character per byte. */
export function encodeResponse(opcode: number, opaque: number, response: Response): string {
  const { status = BINARY_STATUS.ok, extras = '', key = '', value = '', cas = 0 } = response;
  scratch[0] = BINARY_RESPONSE;
  scratch[1] = opcode;
  scratch.writeUInt16BE(key.length, 2);
  scratch[4] = extras.length;
  scratch[5] = 0;
  scratch.writeUInt16BE(status, 6);
  scratch.writeUInt32BE(extras.length + key.length + value.length, 8);
  scratch.writeUInt32BE(opaque, 12);
  scratch.writeUInt32BE(Math.floor(cas / TWO_TO_32), 16);
  scratch.writeUInt32BE(cas % TWO_TO_32, 20);
  return scratch.toString('latin1', 0, HEADER_SIZE) + extras + key + value;
}

/** A packet with another opcode; one character per byte. */
export function withOpcode(packet: string, opcode: number): string {
  return `${packet.charAt(0)}${String.fromCharCode(opcode)}${packet.slice(2)}`;
}

/** A number of 32 bits, one character per byte. */
export function encodeUint32(number: number): string {
  scratch.writeUInt32BE(number, 0);
  return scratch.toString('latin1', 0, 4);
}

/** A number of 64 bits, one character per byte. */
export function encodeUint64(number: bigint): string {
  scratch.writeBigUInt64BE(number, 0);
  return scratch.toString('latin1', 0, 8);
}
