import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import { timeLeft } from '../store/expiry.js';
import { errorLine, type ProtocolError } from '../wire/error-text.js';
import type { MetaFlags } from '../wire/meta-flags.js';
import { MAX_KEY } from './text-commands.js';

const SECOND = 1000;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const badKey: ProtocolError = { type: 'CLIENT_ERROR', text: 'error decoding key' };

/** The key that is meant: with flag `b` it was sent as base64. */
export function decodeKey(key: string, flags: MetaFlags): string | ProtocolError {
  if (!flags.has('b')) return key;
  const decoded = BASE64.test(key) ? Buffer.from(key, 'base64').toString('latin1') : '';
  return decoded === '' || decoded.length > MAX_KEY ? badKey : decoded;
}

/** The answer to a meta command (protocol.txt, "Meta Commands"), with its line end; empty where none is wanted. */
export function answerMeta(message: MemcachedMessage, result: Result, flags: MetaFlags, now: number): string {
  const { method } = message;
  const { code, item, marks = '', error, wire } = result;
  const isQuiet = flags.has('q');
  if (code === 'failed') return wire ?? `${error === undefined ? 'ERROR' : errorLine(error)}\r\n`;
  if (method === 'me') return wire ?? `${describe(message, result, flags, now)}\r\n`;
  if (code !== 'done') {
    const isMiss = method === 'mg';
    if (isMiss && isQuiet) return '';
    return wire ?? `${isMiss ? 'EN' : METAWORDS[code]}${reflect(message, result, flags, now)}\r\n`;
  }
  if (isQuiet && method !== 'mg') return '';
  if (wire !== undefined) return wire;
  const shown = `${reflect(message, result, flags, now)}${marks}\r\n`;
  if (item === undefined || !flags.has('v') || (method !== 'mg' && method !== 'ma')) return `HD${shown}`;
  const value = method === 'ma' ? item.value.trimEnd() : item.value;
  return `VA ${value.length}${shown}${value}\r\n`;
}

const METAWORDS = { missing: 'NF', 'not stored': 'NS', exists: 'EX' } as const;

/** What each command answers of an item that is there. */
const OF_ITEM: Readonly<Record<string, string>> = { mg: 'sfcthl', ms: 'c', ma: 'tc', md: '' };

/** The flags of the answer, in the order in which they were asked for. */
function reflect(message: MemcachedMessage, result: Result, flags: MetaFlags, now: number): string {
  const ofItem = result.code === 'done' ? (OF_ITEM[message.method] ?? '') : '';
  let text = '';
  for (const flag of flags.sent) {
    const letter = flag.charAt(0);
    if (letter === 'O') text += ` ${flag}`;
    else if (letter === 'k') text += ` k${sentKey(message, flags, ' b')}`;
    else if (ofItem.includes(letter)) text += ` ${letter}${itemFlag(letter, result, now)}`;
  }
  return text;
}

/** The key as the client knows it; where it was sent as base64 the suffix says so. */
function sentKey({ key }: MemcachedMessage, flags: MetaFlags, suffix: string): string {
  return flags.has('b') ? `${Buffer.from(key, 'latin1').toString('base64')}${suffix}` : key;
}

function itemFlag(letter: string, { item, before }: Result, now: number): number {
  switch (letter) {
    case 's':
      return item?.value.length ?? 0;
    case 'f':
      return item?.flags ?? 0;
    case 'c':
      return item?.cas ?? 0;
    case 't':
      return timeLeft(item?.expiresAt ?? 0, now);
    case 'h':
      return before?.wasFetched === true ? 1 : 0;
    default:
      return secondsSince(before?.lastAccess ?? now, now);
  }
}

function secondsSince(then: number, now: number): number {
  return Math.max(0, Math.floor((now - then) / SECOND));
}

function describe(message: MemcachedMessage, { item }: Result, flags: MetaFlags, now: number): string {
  if (item === undefined) return 'EN';
  const { cas, isFetched, size } = item;
  const key = sentKey(message, flags, '');
  return `ME ${key} exp=${timeLeft(item.expiresAt, now)} la=${secondsSince(item.lastAccess, now)} cas=${cas} fetch=${isFetched ? 'yes' : 'no'} cls=1 size=${size}`;
}
