import { isText } from '../data/text.js';
import type { Session } from '../session.js';
import { ERRORS, fail } from '../wire/errors.js';
import { joinReplies, type Encoded } from '../wire/long-reply.js';
import { array, bulk, integer } from '../wire/reply.js';
import { at, onKeys, optionAt, toInteger, type Args, type Command } from './command.js';
import { gatherList, listHead, READY } from './work.js';

/** Lengths of common subsequences that are kept while one is looked for: four bytes each. */
const CELL_BYTES = 4;

interface Options {
  readonly hasLength: boolean;
  readonly hasRanges: boolean;
  readonly hasRangeLengths: boolean;
  readonly minLength: number;
}

/** LCS, the longest common subsequence of two strings (redis.io, command page of LCS). */
export const LONGEST_COMMON_COMMANDS: readonly Command[] = [onKeys('lcs', -3, 'r', [1, 2, 1], find)];

function* find(args: Args, { database, server, resp }: Session): Generator<undefined, Encoded> {
  const values = [database.find(at(args, 1))?.value ?? '', database.find(at(args, 2))?.value ?? ''];
  if (!values.every(isText)) return fail('ERR The specified keys must contain string values');
  const [one = '', two = ''] = values.map(String);
  const options = readOptions(args);
  const width = two.length + 1;
  const cells = (one.length + 1) * width;
  if (cells * CELL_BYTES > server.settings.maxRequest)
    fail('ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len');
  const table = new Uint32Array(cells);
  for (let row = 1; row <= one.length; row += 1) {
    const code = one.charCodeAt(row - 1);
    for (let column = 1; column <= two.length; column += 1) {
      const place = row * width + column;
      table[place] =
        code === two.charCodeAt(column - 1)
          ? (table[place - width - 1] ?? 0) + 1
          : Math.max(table[place - width] ?? 0, table[place - 1] ?? 0);
      if (place % 4096 === 0) yield;
    }
  }
  const length = table[cells - 1] ?? 0;
  if (options.hasLength) return integer(length);
  const { text, ranges } = yield* walkBack(one, two, table, length, options);
  if (!options.hasRanges) return bulk(text);
  const matches = yield* gatherList(listHead, ranges, READY);
  const head = resp === 3 ? '%2\r\n' : '*4\r\n';
  return joinReplies(head + bulk('matches'), [matches, bulk('len') + integer(length)]);
}

/** Goes from the ends of both strings to their beginnings, and gathers what they have in common. */
function* walkBack(
  one: string,
  two: string,
  table: Uint32Array,
  length: number,
  { minLength, hasRangeLengths }: Options,
): Generator<undefined, { readonly text: string; readonly ranges: readonly string[] }> {
  const width = two.length + 1;
  const text = Buffer.alloc(length);
  const ranges: string[] = [];
  let range:
    { readonly end: number; readonly otherEnd: number; start: number; otherStart: number } | undefined;
  let [row, column, left] = [one.length, two.length, length];
  for (let steps = 1; row > 0 && column > 0; steps += 1) {
    if (steps % 4096 === 0) yield;
    let isOver = false;
    if (one[row - 1] === two[column - 1]) {
      left -= 1;
      text[left] = one.charCodeAt(row - 1);
      row -= 1;
      column -= 1;
      if (range === undefined) range = { end: row, otherEnd: column, start: row, otherStart: column };
      else if (range.start === row + 1 && range.otherStart === column + 1) {
        range.start = row;
        range.otherStart = column;
      } else isOver = true;
      if (range.start === 0 || range.otherStart === 0) isOver = true;
    } else {
      const above = table[(row - 1) * width + column] ?? 0;
      if (above > (table[row * width + column - 1] ?? 0)) row -= 1;
      else column -= 1;
      isOver = range !== undefined;
    }
    if (!isOver || range === undefined) continue;
    const count = range.end - range.start + 1;
    if (count >= minLength)
      ranges.push(
        array([
          array([integer(range.start), integer(range.end)]),
          array([integer(range.otherStart), integer(range.otherEnd)]),
          ...(hasRangeLengths ? [integer(count)] : []),
        ]),
      );
    range = undefined;
  }
  return { text: text.toString('latin1'), ranges };
}

function readOptions(args: Args): Options {
  let [hasLength, hasRanges, hasRangeLengths, minLength] = [false, false, false, 0];
  for (let index = 3; index < args.length; index += 1) {
    const option = optionAt(args, index);
    if (option === 'IDX') hasRanges = true;
    else if (option === 'LEN') hasLength = true;
    else if (option === 'WITHMATCHLEN') hasRangeLengths = true;
    else if (option === 'MINMATCHLEN' && index + 1 < args.length) {
      index += 1;
      minLength = Math.max(toInteger(args[index]), 0);
    } else fail(ERRORS.syntax);
  }
  if (hasLength && hasRanges) fail('ERR If you want both the length and indexes, please just use IDX.');
  return { hasLength, hasRanges, hasRangeLengths, minLength };
}
