import { Differences } from '@backlot/kit/upstream';
import { COMMANDS } from '../commands.js';
import { wordOf } from '../dialects/words.js';
import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import { fromWire } from '../wire/latin.js';
import { isText, redactedOf } from './kept.js';

/** Where two answers differ, a sentence each. */
export function differencesOf(message: MemcachedMessage, mocked: Result, real: Result): readonly string[] {
  const differences = new Differences();
  const [mock, upstream] = [mocked, real].map((result) => plainOf(message, redactedOf(message, result)));
  differences.compare('answer', mock, upstream);
  return differences.found;
}

/** An answer as JSON, by which answers are compared. */
function plainOf(message: MemcachedMessage, result: Result): unknown {
  const { item, lines, code, word } = result;
  const operation = COMMANDS.get(message.method)?.operation;
  if (word !== undefined) return { status: word };
  if (lines !== undefined) return Object.fromEntries(lines);
  const status = wordOf(message, result);
  if (code !== 'done' || item === undefined) return { status };
  if (operation === 'count')
    return message.metaFlags?.includes('v') === false ? { status } : { status, value: item.value.trim() };
  if (operation !== 'get' && operation !== 'meta get') return { status };
  // A meta get says what it was asked for.
  const asks = (flag: string): boolean => message.metaFlags?.includes(flag) !== false;
  return {
    status,
    ...(asks('f') && { flags: item.flags }),
    ...(asks('v') && { value: valueOf(item.value) }),
  };
}

function valueOf(wire: string): unknown {
  if (!isText(wire)) return { base64: Buffer.from(wire, 'latin1').toString('base64') };
  const text = fromWire(wire);
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
