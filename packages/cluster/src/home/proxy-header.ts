import { isIPv4, isIPv6 } from 'node:net';

/** By what a header of PROXY protocol, version 2, begins. */
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
/** The bytes before the addresses. */
export const HEAD_BYTES = 16;
/** Version 2, a connection that is passed on for somebody. */
const PROXIED = 0x21;
const STREAM_4 = 0x11;
const STREAM_6 = 0x21;
/** Fields of those that are left to each use. */
const NAME = 0xe0;
const SEAL = 0xe1;
const SEAL_BYTES = 32;
/** The most bytes after the head: addresses, a name and a seal. */
const MOST = 1_024;

/** A connection that is passed on. */
export interface PassedConnection {
  /** The name of the port that it came to. */
  readonly name: string;
  readonly client: { readonly address: string; readonly port: number };
  readonly server: { readonly address: string; readonly port: number };
}

/** Makes the seal of what comes before it. */
export type Sealing = (bytes: Buffer) => Buffer;

/** The header of a connection, with the name of its port and a seal over all of it. */
export function writeProxyHeader({ name, client, server }: PassedConnection, seal: Sealing): Buffer {
  const isFour = isIPv4(client.address) && isIPv4(server.address);
  const addresses = [client, server].map(({ address }) =>
    isFour ? Buffer.from(address.split('.').map(Number)) : bytesOfSix(address),
  );
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(client.port, 0);
  ports.writeUInt16BE(server.port, 2);
  const text = Buffer.from(name);
  const rest = [...addresses, ports, fieldHead(NAME, text.length), text, fieldHead(SEAL, SEAL_BYTES)];
  const length = rest.reduce((sum, part) => sum + part.length, SEAL_BYTES);
  const head = Buffer.alloc(4);
  head.writeUInt8(PROXIED, 0);
  head.writeUInt8(isFour ? STREAM_4 : STREAM_6, 1);
  head.writeUInt16BE(length, 2);
  const before = Buffer.concat([SIGNATURE, head, ...rest]);
  return Buffer.concat([before, seal(before)]);
}

/** How many bytes follow the head of a header. @returns undefined for what is none, or too long */
export function lengthAfter(head: Buffer): number | undefined {
  const length = head.readUInt16BE(14);
  const isOurs = head.subarray(0, 12).equals(SIGNATURE) && head[12] === PROXIED && length <= MOST;
  return isOurs ? length : undefined;
}

/** @returns undefined when it is none that {@link writeProxyHeader} has made, or its seal is another's */
export function readProxyHeader(
  header: Buffer,
  isSealed: (before: Buffer, seal: Buffer) => boolean,
): PassedConnection | undefined {
  const family = header[13];
  const size = family === STREAM_4 ? 4 : family === STREAM_6 ? 16 : undefined;
  if (size === undefined) return undefined;
  const fields = HEAD_BYTES + 2 * size + 4;
  const sealAt = header.length - SEAL_BYTES;
  if (sealAt < fields + 6 || header[fields] !== NAME) return undefined;
  const nameBytes = header.readUInt16BE(fields + 1);
  if (fields + 3 + nameBytes + 3 !== sealAt || header[sealAt - 3] !== SEAL) return undefined;
  if (!isSealed(header.subarray(0, sealAt), header.subarray(sealAt))) return undefined;
  const [client, server] = [0, 1].map((index) => {
    const bytes = header.subarray(HEAD_BYTES + index * size, HEAD_BYTES + (index + 1) * size);
    return {
      address: size === 4 ? bytes.join('.') : textOfSix(bytes),
      port: header.readUInt16BE(HEAD_BYTES + 2 * size + 2 * index),
    };
  });
  if (client === undefined || server === undefined) return undefined;
  return { name: header.toString('utf8', fields + 3, fields + 3 + nameBytes), client, server };
}

function fieldHead(type: number, length: number): Buffer {
  const head = Buffer.alloc(3);
  head.writeUInt8(type, 0);
  head.writeUInt16BE(length, 1);
  return head;
}

/** An IPv4 address is written as the one of IPv6 that stands for it. */
function bytesOfSix(address: string): Buffer {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain))
    return Buffer.from([...new Array<number>(10).fill(0), 255, 255, ...plain.split('.').map(Number)]);
  const bytes = Buffer.alloc(16);
  if (!isIPv6(plain)) return bytes;
  // A URL writes each address in the one way that has no dots.
  const [front = '', back] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const first = groups(front);
  const last = groups(back ?? '');
  for (const [index, group] of first.entries()) bytes.writeUInt16BE(group, index * 2);
  for (const [index, group] of last.entries()) bytes.writeUInt16BE(group, 16 - (last.length - index) * 2);
  return bytes;
}

function textOfSix(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
