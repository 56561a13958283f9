import { parseHeaders, type HeaderMap } from '../wire/headers.js';

/** A message of a stream. */
export interface StoredMessage {
  readonly sequence: number;
  /** In the form of the wire. */
  readonly subject: string;
  readonly headerBytes: Buffer | undefined;
  readonly payload: Buffer;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Bytes it counts for in the limits of its stream. */
  readonly bytes: number;
}

/** Bytes a message counts for, as nats-server counts them for its stores. */
export function bytesOf(
  storage: 'file' | 'memory',
  subject: string,
  headerBytes: Buffer | undefined,
  payload: Buffer,
): number {
  const content = subject.length + (headerBytes?.length ?? 0) + payload.length;
  if (storage === 'memory') return content + 16;
  return content + 30 + (headerBytes === undefined ? 0 : 4);
}

/** The headers of a message by their names, each with its first value. */
export function firstHeaders(headerBytes: Buffer | undefined): (name: string) => string {
  if (headerBytes === undefined) return () => '';
  const headers: HeaderMap = parseHeaders(headerBytes);
  return (name) => {
    const value = headers[name];
    return (typeof value === 'object' ? value[0] : value) ?? '';
  };
}

/**
 * The headers of a message without those whose names do not stay; `undefined` when none is left.
 *
 * @param stays - asked with the name as it was sent
 */
export function keepHeaders(
  headerBytes: Buffer | undefined,
  stays: (name: string) => boolean,
): Buffer | undefined {
  if (headerBytes === undefined) return undefined;
  const lines = headerBytes.toString('latin1').split('\r\n');
  const kept = lines.slice(1).filter((line) => line !== '' && stays(line.slice(0, line.indexOf(':'))));
  if (kept.length === 0) return undefined;
  return Buffer.from([lines[0], ...kept, '', ''].join('\r\n'), 'latin1');
}

const VERSION = Buffer.from('NATS/1.0\r\n');
const END = Buffer.from('\r\n');

/** The headers of a message with more of them. */
export function withHeaders(
  headerBytes: Buffer | undefined,
  more: readonly (readonly [string, string])[],
  where: 'before' | 'behind' = 'before',
): Buffer {
  const lines = Buffer.from(more.map(([name, value]) => `${name}: ${value}\r\n`).join(''), 'latin1');
  const rest = headerBytes?.subarray(headerBytes.indexOf('\n') + 1) ?? END;
  const parts = where === 'before' ? [lines, rest] : [rest.subarray(0, -END.length), lines, END];
  return Buffer.concat([VERSION, ...parts]);
}
