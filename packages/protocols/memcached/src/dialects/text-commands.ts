import { MemcachedMessage } from '../message.js';
import { ERRORS, type ProtocolError } from '../wire/error-text.js';
import { parseCas, parseFlags, parseSigned, parseSize, parseUint64 } from '../wire/numbers.js';

/** The longest key, in bytes (protocol.txt, "Keys"). */
export const MAX_KEY = 250;

const SPACE = 32;

/** What {@link isPlainGet} looks for. */
export const GET = Buffer.from('get ', 'latin1');

/** Whether a line is `get`, one space and one key, without anything to be told about. */
export function isPlainGet(bytes: Buffer, start: number, end: number): boolean {
  const key = start + GET.length;
  if (key >= end || end - key > MAX_KEY) return false;
  for (let at = 0; at < GET.length; at += 1) if (bytes[start + at] !== GET[at]) return false;
  for (let at = key; at < end; at += 1) if (bytes[at] === SPACE) return false;
  return true;
}

/** A command whose data is still to come. */
export interface Storage {
  readonly message: MemcachedMessage;
  /** Bytes of data, without the line end behind them. */
  readonly size: number;
}

/** Whether the last word asks for silence. */
export function wantsNoReply(words: readonly string[]): boolean {
  return words[words.length - 1] === 'noreply';
}

/** Reads `set`, `add`, `replace`, `append`, `prepend` or `cas`. */
export function readStorage(
  command: string,
  words: readonly string[],
  remote: string,
): Storage | ProtocolError {
  const [, key = '', flagsText = '', exptimeText = '', sizeText = '', casText = ''] = words;
  const isCas = command === 'cas';
  const least = isCas ? 6 : 5;
  if (words.length < least || words.length > least + 1) return ERRORS.unknown;
  const flags = parseFlags(flagsText);
  const exptime = parseSigned(exptimeText);
  const size = parseSize(sizeText);
  const cas = isCas ? parseCas(casText) : 0;
  if (
    key.length > MAX_KEY ||
    flags === undefined ||
    exptime === undefined ||
    size === undefined ||
    cas === undefined
  ) {
    return ERRORS.badLine;
  }
  const message = new MemcachedMessage(command, key, remote);
  message.flags = flags;
  message.exptime = exptime;
  message.cas = cas;
  return { message, size };
}

/** Reads a command that is one line and no retrieval. */
export function readCommand(
  command: string,
  words: readonly string[],
  remote: string,
): MemcachedMessage | ProtocolError {
  const count = words.length;
  switch (command) {
    case 'delete':
      return readDelete(words, remote);
    case 'flush_all':
      return readFlush(words, remote);
    case 'stats':
      return new MemcachedMessage(command, words.slice(1).join(' '), remote);
    default:
      if (count < 3 || count > 4) return ERRORS.unknown;
      return readWithNumber(command, words, remote);
  }
}

/** `incr`, `decr` and `touch`. */
function readWithNumber(
  command: string,
  words: readonly string[],
  remote: string,
): MemcachedMessage | ProtocolError {
  const [, key = '', number = ''] = words;
  if (key.length > MAX_KEY) return ERRORS.badLine;
  const message = new MemcachedMessage(command, key, remote);
  if (command === 'touch') {
    const exptime = parseSigned(number);
    if (exptime === undefined) return ERRORS.badExptime;
    message.exptime = exptime;
    return message;
  }
  const delta = parseUint64(number);
  if (delta === undefined) return ERRORS.badDelta;
  message.delta = delta;
  return message;
}

function readDelete(words: readonly string[], remote: string): MemcachedMessage | ProtocolError {
  const [, key = '', ...rest] = words;
  if (words.length < 2 || words.length > 4) return ERRORS.unknown;
  if (key.length > MAX_KEY) return ERRORS.badLine;
  // Old clients send a time to hold the key, which can only be 0.
  if (rest.length > 0 && !/^(?:0|noreply|0 noreply)$/.test(rest.join(' '))) return ERRORS.badDelete;
  return new MemcachedMessage('delete', key, remote);
}

function readFlush(words: readonly string[], remote: string): MemcachedMessage | ProtocolError {
  if (words.length > 3) return ERRORS.unknown;
  const message = new MemcachedMessage('flush_all', '', remote);
  const [, delay = 'noreply'] = words;
  const exptime = delay === 'noreply' ? 0 : parseSigned(delay);
  if (exptime === undefined) return ERRORS.badExptime;
  message.exptime = exptime;
  return message;
}
