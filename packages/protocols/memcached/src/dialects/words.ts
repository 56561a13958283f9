import type { Reply } from '@backlot/core/plugin';
import { COMMANDS } from '../commands.js';
import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import { errorLine } from '../wire/error-text.js';

/** Longer ones are lists. */
const MAX_WORD = 32;
const replies = new Map<string, Reply>();

/** What the journal shows of an answer that is one word. */
export function replyOf(status: string): Reply {
  let reply = replies.get(status);
  if (reply === undefined) {
    reply = Object.freeze({ status });
    // Errors may hold anything; the words are few.
    if (replies.size < 100) replies.set(status, reply);
  }
  return reply;
}

/** How a command ended, as a word of the text protocol. */
export function wordOf({ method }: MemcachedMessage, { code, error }: Result): string {
  switch (code) {
    case 'failed':
      return error === undefined ? 'ERROR' : errorLine(error);
    case 'exists':
      return 'EXISTS';
    case 'not stored':
      return 'NOT_STORED';
    default:
      return code === 'done' ? doneWord(method) : missingWord(method);
  }
}

function doneWord(method: string): string {
  switch (COMMANDS.get(method)?.operation) {
    case 'store':
      return 'STORED';
    case 'delete':
      return 'DELETED';
    case 'touch':
      return 'TOUCHED';
    case 'flush':
      return 'OK';
    default:
      return 'VALUE';
  }
}

function missingWord(method: string): string {
  const operation = COMMANDS.get(method)?.operation;
  return operation === 'get' ||
    operation === 'meta get' ||
    operation === 'meta debug' ||
    operation === 'stats'
    ? 'END'
    : 'NOT_FOUND';
}

/** What the journal shows of an answer. */
export function replyFor(message: MemcachedMessage, result: Result): Reply {
  const { code, item, lines, word } = result;
  if (word !== undefined) return replyOf(word.length > MAX_WORD ? 'END' : word);
  if (code === 'done' && lines !== undefined) {
    return { status: 'STAT', body: lines.map(([name, value]) => `${name} ${value}\n`).join('') };
  }
  const status = wordOf(message, result);
  return code === 'done' && status === 'VALUE' && item !== undefined ? item.reply : replyOf(status);
}
