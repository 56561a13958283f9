import { COMMANDS } from '../commands.js';
import type { MemcachedMessage } from '../message.js';
import {
  DONE,
  EXISTS,
  failed,
  MISSING,
  NO_MEMORY,
  NOT_NUMERIC,
  NOT_STORED,
  TOO_LARGE,
  type Result,
} from '../result.js';
import { Item } from '../store/item.js';
import { BINARY_STATUS, HEADER_SIZE, readHeader, withOpcode } from '../wire/binary-header.js';
import { ERRORS } from '../wire/error-text.js';
import { OPCODES } from '../wire/opcodes.js';

/** Requests that are not answered in some case, with those that always are. */
const LOUD: ReadonlyMap<number, number> = new Map(
  [...OPCODES].flatMap(([quiet, { isQuiet, command, repeatsKey }]) => {
    const loud = [...OPCODES].find(
      ([, other]) => !other.isQuiet && other.command === command && other.repeatsKey === repeatsKey,
    );
    return isQuiet && loud !== undefined ? [[quiet, loud[0]] as const] : [];
  }),
);

/** A request as it is for an upstream: so that it is always answered. One character per byte. */
export function binaryRequest(frame: string): string {
  const opcode = frame.charCodeAt(1);
  return withOpcode(frame, LOUD.get(opcode) ?? opcode);
}

/** Reads the answer to a command; a text has one character per byte. */
export function readBinaryAnswer(message: MemcachedMessage, text: string): Result {
  const bytes = Buffer.from(text, 'latin1');
  const operation = COMMANDS.get(message.method)?.operation;
  const { keyLength, extrasLength, bodyLength, cas } = readHeader(bytes, 0);
  const valueAt = HEADER_SIZE + extrasLength + keyLength;
  const value = text.slice(valueAt, HEADER_SIZE + bodyLength);
  const status = bytes.readUInt16BE(6);
  if (status !== BINARY_STATUS.ok) return { ...endedAs(status, value), wire: text };
  if (operation === 'stats') return { code: 'done', lines: statsOf(bytes), wire: text };
  const flags = extrasLength >= 4 ? bytes.readUInt32BE(HEADER_SIZE) : 0;
  if (operation === 'get')
    return { code: 'done', item: new Item(message.key, value, flags, 0, cas), wire: text };
  if (operation !== 'count') return { ...DONE, wire: text };
  const number = bytes.readBigUInt64BE(valueAt).toString();
  return { code: 'done', item: new Item(message.key, number, 0, 0, cas), wire: text };
}

function endedAs(status: number, text: string): Result {
  switch (status) {
    case BINARY_STATUS.notFound:
      return MISSING;
    case BINARY_STATUS.exists:
      return EXISTS;
    case BINARY_STATUS.notStored:
      return NOT_STORED;
    case BINARY_STATUS.tooLarge:
      return TOO_LARGE;
    case BINARY_STATUS.notNumeric:
      return NOT_NUMERIC;
    case BINARY_STATUS.noMemory:
      return NO_MEMORY;
    case BINARY_STATUS.unknown:
      return failed(ERRORS.unknown);
    case BINARY_STATUS.invalid:
      return failed({ type: 'CLIENT_ERROR', text });
    default:
      return failed({ type: 'SERVER_ERROR', text });
  }
}

function statsOf(bytes: Buffer): readonly (readonly [string, string])[] {
  const lines: (readonly [string, string])[] = [];
  for (let at = 0; at + HEADER_SIZE <= bytes.length;) {
    const { keyLength, bodyLength } = readHeader(bytes, at);
    const body = bytes.toString('latin1', at + HEADER_SIZE, at + HEADER_SIZE + bodyLength);
    if (keyLength > 0) lines.push([body.slice(0, keyLength), body.slice(keyLength)]);
    at += HEADER_SIZE + bodyLength;
  }
  return lines;
}
