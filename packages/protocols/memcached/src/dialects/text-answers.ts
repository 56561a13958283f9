import type { MemcachedMessage } from '../message.js';
import type { Result } from '../result.js';
import { errorLine } from '../wire/error-text.js';
import { wordOf } from './words.js';

/**
 * The answer to a classic command (protocol.txt, "Storage commands" to "Get And Touch"), with its line end; of a
 * retrieval the part of one key.
 */
export function answerText(message: MemcachedMessage, result: Result): string {
  const { code, item } = result;
  switch (message.method) {
    case 'get':
    case 'gat':
      return code === 'done' && item !== undefined ? `${item.head}\r\n${item.value}\r\n` : '';
    case 'gets':
    case 'gats':
      return code === 'done' && item !== undefined ? `${item.head} ${item.cas}\r\n${item.value}\r\n` : '';
    case 'incr':
    case 'decr':
      if (code === 'done' && item !== undefined) return `${item.value.trimEnd()}\r\n`;
      break;
    case 'stats':
      return answerStats(result);
  }
  return `${wordOf(message, result)}\r\n`;
}

function answerStats({ code, lines = [], word, error }: Result): string {
  if (word !== undefined) return `${word}\r\n`;
  if (code === 'failed') return `${error === undefined ? 'ERROR' : errorLine(error)}\r\n`;
  return `${lines.map(([name, value]) => `STAT ${name} ${value}\r\n`).join('')}END\r\n`;
}
