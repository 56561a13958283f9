import { COMMANDS } from '../commands.js';
import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import {
  BINARY_STATUS,
  BINARY_TEXTS,
  encodeResponse,
  encodeUint32,
  encodeUint64,
  type BinaryStatus,
  type Response,
  withOpcode,
} from '../wire/binary-header.js';
import { ERRORS, type ProtocolError } from '../wire/error-text.js';
import { parseStored } from '../wire/numbers.js';
import type { Opcode } from '../wire/opcodes.js';

/** The answer to a request, one character per byte; empty where none is wanted. */
export function answerBinary(
  opcode: number,
  opaque: number,
  { isQuiet, repeatsKey }: Opcode,
  message: MemcachedMessage,
  result: Result,
): string {
  const operation = COMMANDS.get(message.method)?.operation;
  if (result.wire !== undefined) {
    const isLeftOut = operation === 'get' ? result.code === 'missing' : result.code === 'done';
    // It was asked so that there is an answer in any case.
    return isQuiet && isLeftOut ? '' : withOpcode(result.wire, opcode);
  }
  const encode = (response: Response): string => encodeResponse(opcode, opaque, response);
  if (operation === 'stats' && result.code !== 'failed') {
    const lines = result.lines ?? [];
    return `${lines.map(([key, value]) => encode({ key, value })).join('')}${encode({})}`;
  }
  // What there are no numbers about is a key that is not there.
  if (operation === 'stats' && result.error === ERRORS.unknown) {
    return encode({ status: BINARY_STATUS.notFound, value: BINARY_TEXTS[BINARY_STATUS.notFound] ?? '' });
  }
  const isRetrieval = operation === 'get';
  if (result.code !== 'done') {
    if (isRetrieval && isQuiet && result.code === 'missing') return '';
    const status = statusOf(message, result);
    if (repeatsKey && status === BINARY_STATUS.notFound) return encode({ status, key: message.key });
    return encode({ status, value: textOf(status, result.error) });
  }
  return isQuiet && !isRetrieval ? '' : encode(success(operation, message, result, repeatsKey));
}

function success(
  operation: string | undefined,
  message: MemcachedMessage,
  { item }: Result,
  repeatsKey: boolean,
): Response {
  if (item === undefined) return {};
  const { cas } = item;
  switch (operation) {
    case 'get':
      return {
        extras: encodeUint32(item.flags),
        key: repeatsKey ? message.key : '',
        value: item.value,
        cas,
      };
    case 'count':
      return { value: encodeUint64(parseStored(item.value) ?? 0n), cas };
    case 'touch':
      return { extras: encodeUint32(item.flags), cas };
    default:
      return { cas };
  }
}

function statusOf({ method }: MemcachedMessage, { code, error }: Result): BinaryStatus {
  switch (code) {
    case 'missing':
      return BINARY_STATUS.notFound;
    case 'exists':
      return BINARY_STATUS.exists;
    case 'not stored':
      if (method === 'add') return BINARY_STATUS.exists;
      return method === 'replace' ? BINARY_STATUS.notFound : BINARY_STATUS.notStored;
    default:
      return error === undefined ? BINARY_STATUS.internal : statusOfError(error);
  }
}

function statusOfError(error: ProtocolError): BinaryStatus {
  if (error.text === ERRORS.tooLarge.text) return BINARY_STATUS.tooLarge;
  if (error.text === ERRORS.noMemory.text) return BINARY_STATUS.noMemory;
  if (error.text === ERRORS.notNumeric.text) return BINARY_STATUS.notNumeric;
  if (error.type === 'ERROR') return BINARY_STATUS.unknown;
  return error.type === 'CLIENT_ERROR' ? BINARY_STATUS.invalid : BINARY_STATUS.internal;
}

/** A fault's or mock's own words; else those of memcached. */
function textOf(status: BinaryStatus, error: ProtocolError | undefined): string {
  const isOwn = status === BINARY_STATUS.internal || status === BINARY_STATUS.invalid;
  const text = isOwn ? error?.text : undefined;
  return text === undefined || text === '' ? (BINARY_TEXTS[status] ?? '') : text;
}
