import type { MatchOf } from '@backlot/core/plugin';
import type { Status } from './commands.js';
import { COMMANDS } from './commands.js';
import type { MemcachedMessage } from './message.js';
import { DONE, EXISTS, MISSING, NOT_NUMERIC, NOT_STORED, failed, type Result } from './result.js';
import type { MemcachedShape } from './shape.js';
import { Item } from './store/item.js';
import { toWire } from './wire/latin.js';
import { parseStored } from './wire/numbers.js';

/** What the mock that matched says. */
export function renderResult(match: MatchOf<MemcachedShape>, message: MemcachedMessage): Result {
  const { compiled } = match.mock;
  if (compiled.constant !== undefined && message.method === 'get')
    return { code: 'done', item: new Item(message.key, compiled.constant, compiled.flags) };
  const { response } = compiled;
  if (response.error !== undefined) return failed(response.error);
  const ended = endedAs(response.status);
  if (ended !== undefined) return ended;
  const operation = COMMANDS.get(message.method)?.operation;
  if (operation === 'store' || operation === 'delete' || operation === 'flush') return DONE;
  const value = response.constant ?? toWire(match.render(response.value));
  if (operation === 'stats') return { code: 'done', lines: linesOf(value) };
  if (operation === 'count') {
    const number = parseStored(value === '' ? '0' : value);
    if (number === undefined) return NOT_NUMERIC;
    return { code: 'done', item: new Item(message.key, number.toString(), response.flags) };
  }
  return { code: 'done', item: new Item(message.key, value, response.flags) };
}

function endedAs(status: Status | undefined): Result | undefined {
  switch (status) {
    case 'END':
    case 'NOT_FOUND':
      return MISSING;
    case 'NOT_STORED':
      return NOT_STORED;
    case 'EXISTS':
      return EXISTS;
    default:
      return undefined;
  }
}

/** The lines of an answer to `stats`: a name and a value each. */
function linesOf(value: string): readonly (readonly [string, string])[] {
  return value
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const end = line.indexOf(' ');
      return end === -1 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
    });
}
