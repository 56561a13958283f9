import { COMMANDS } from '../commands.js';
import type { MemcachedMessage } from '../message.js';
import { DONE, EXISTS, failed, MISSING, NOT_STORED, type Result } from '../result.js';
import { Item } from '../store/item.js';
import { ERROR_TYPES, type ProtocolError } from '../wire/error-text.js';

/** The request that a command is for an upstream: for its key alone, and so that it is always answered. */
export function textRequest(message: MemcachedMessage): string {
  const { method, key, flags, exptime, cas, delta, value = '', metaFlags } = message;
  if (metaFlags !== undefined) return metaRequest(message, metaFlags);
  switch (method) {
    case 'get':
    case 'gets':
      return `${method} ${key}\r\n`;
    case 'gat':
    case 'gats':
      return `${method} ${exptime} ${key}\r\n`;
    case 'delete':
      return `delete ${key}\r\n`;
    case 'incr':
    case 'decr':
      return `${method} ${key} ${delta}\r\n`;
    case 'touch':
      return `touch ${key} ${exptime}\r\n`;
    case 'flush_all':
      return exptime === 0 ? 'flush_all\r\n' : `flush_all ${exptime}\r\n`;
    case 'stats':
      return key === '' ? 'stats\r\n' : `stats ${key}\r\n`;
    default:
      return `${method} ${key} ${flags} ${exptime} ${value.length}${method === 'cas' ? ` ${cas}` : ''}\r\n${value}\r\n`;
  }
}

function metaRequest({ method, key, value }: MemcachedMessage, flags: readonly string[]): string {
  const sent = flags.includes('b') ? Buffer.from(key, 'latin1').toString('base64') : key;
  const words = [method, sent, ...(value === undefined ? [] : [value.length]), ...flags.filter(isLoud)];
  return `${words.join(' ')}\r\n${value === undefined ? '' : `${value}\r\n`}`;
}

/** Whether a flag does not keep answers from coming. */
function isLoud(flag: string): boolean {
  return flag !== 'q';
}

const WORDS: Readonly<Record<string, Result>> = {
  END: MISSING,
  STORED: DONE,
  DELETED: DONE,
  TOUCHED: DONE,
  OK: DONE,
  NOT_STORED,
  EXISTS,
  NOT_FOUND: MISSING,
};

const META_WORDS: Readonly<Record<string, Result>> = {
  HD: DONE,
  VA: DONE,
  ME: DONE,
  EN: MISSING,
  NF: MISSING,
  NS: NOT_STORED,
  EX: EXISTS,
};

/** Reads the answer to a command; a text has one character per byte. @throws Error for one that none has */
export function readTextAnswer(message: MemcachedMessage, text: string): Result {
  const { method, metaFlags } = message;
  const end = text.indexOf('\r\n');
  const line = text.slice(0, end);
  const words = line.split(' ');
  const [word = ''] = words;
  const error = errorOf(line);
  if (error !== undefined) return metaFlags === undefined ? failed(error) : { ...failed(error), wire: text };
  const data = (size: string | undefined): string => text.slice(end + 2, end + 2 + Number(size));
  if (metaFlags !== undefined) {
    const result = META_WORDS[word];
    if (result === undefined) throw new Error(`it is ${JSON.stringify(line.slice(0, 80))}`);
    if (word !== 'VA') return { ...result, wire: text };
    const flags = words.slice(2).find((flag) => flag.startsWith('f'));
    const item = new Item(message.key, data(words[1]), Number(flags?.slice(1) ?? 0));
    return { ...result, item, wire: text };
  }
  if (method === 'stats') return readStats(text);
  if (word === 'VALUE') {
    const [, key = '', flags, size, cas = 0] = words;
    return { code: 'done', item: new Item(key, data(size), Number(flags), 0, Number(cas)) };
  }
  if (COMMANDS.get(method)?.operation === 'count' && /^\d/.test(line))
    return { code: 'done', item: new Item(message.key, line, 0) };
  const result = WORDS[line];
  if (result === undefined) throw new Error(`it is ${JSON.stringify(line.slice(0, 80))}`);
  return result;
}

function errorOf(line: string): ProtocolError | undefined {
  const type = ERROR_TYPES.find((name) => line === name || line.startsWith(`${name} `));
  return type && { type, text: line.slice(type.length + 1) };
}

function readStats(text: string): Result {
  const lines = text.trimEnd().split('\r\n');
  if (lines.at(-1) !== 'END' || lines.some((line) => line !== 'END' && !line.startsWith('STAT ')))
    return { code: 'done', word: text.trimEnd() };
  return {
    code: 'done',
    lines: lines.slice(0, -1).map((line): [string, string] => {
      const [, name = '', ...rest] = line.split(' ');
      return [name, rest.join(' ')];
    }),
  };
}
