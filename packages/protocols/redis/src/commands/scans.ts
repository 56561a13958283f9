import { matchGlob } from '../data/glob.js';
import { typeOf } from '../data/value.js';
import { ERRORS, fail } from '../wire/errors.js';
import { formatFloat } from '../wire/numbers.js';
import { bulk, bulks } from '../wire/reply.js';
import { at, keyless, onKey, optionAt, toInteger, type Answer, type Args, type Command } from './command.js';

const DEFAULT_COUNT = 10;

/** The commands that go through keys and elements in steps. */
export const SCAN_COMMANDS: readonly Command[] = [
  keyless('scan', -2, 'r', (args, { database }) => {
    const cursor = readCursor(args[1]);
    const { pattern, type, count } = readOptions(args, 2, true);
    const found: string[] = [];
    const next = database.scan(cursor, count, (key, value) => {
      if (pattern !== undefined && !matchGlob(pattern, key)) return;
      if (type === undefined || typeOf(value) === type) found.push(key);
    });
    return `*2\r\n${bulk(String(next))}${bulks(found)}`;
  }),
  onKey('hscan', -3, 'r', (args, { database }) => {
    const cursor = readCursor(args[2]);
    const options = readOptions(args, 3, false);
    const hash = database.hash(at(args, 1));
    return showAll([...(hash?.fields.keys() ?? [])], cursor, options, (field) => [
      field,
      hash?.fields.get(field) ?? '',
    ]);
  }),
  onKey('sscan', -3, 'r', (args, session) => {
    const cursor = readCursor(args[2]);
    const options = readOptions(args, 3, false);
    return showAll([...(session.database.set(at(args, 1))?.members ?? [])], cursor, options, (member) => [
      member,
    ]);
  }),
  onKey('zscan', -3, 'r', (args, session) => {
    const cursor = readCursor(args[2]);
    const options = readOptions(args, 3, false);
    const set = session.database.sortedSet(at(args, 1));
    return showAll(set?.ordered.map(({ member }) => member) ?? [], cursor, options, (member) => [
      member,
      formatFloat(set?.score(member) ?? 0),
    ]);
  }),
];

interface ScanOptions {
  readonly pattern: string | undefined;
  readonly count: number;
  readonly type: string | undefined;
}

function readCursor(text: string | undefined): number {
  return text !== undefined && /^\d{1,20}$/.test(text) ? Number(text) : fail(ERRORS.cursor);
}

function readOptions(args: Args, first: number, mayNameType: boolean): ScanOptions {
  let pattern: string | undefined;
  let type: string | undefined;
  let count = DEFAULT_COUNT;
  for (let index = first; index < args.length; index += 2) {
    const option = optionAt(args, index);
    if (index + 1 >= args.length) fail(ERRORS.syntax);
    if (option === 'MATCH') pattern = at(args, index + 1);
    else if (option === 'COUNT') {
      count = toInteger(args[index + 1]);
      if (count < 1) fail(ERRORS.syntax);
    } else if (option === 'TYPE' && mayNameType) type = at(args, index + 1).toLowerCase();
    else fail(ERRORS.syntax);
  }
  return { pattern, count, type };
}

/** A collection is small enough to be given in one step, which is also what Redis does with its compact ones. */
function showAll(
  names: readonly string[],
  cursor: number,
  { pattern }: ScanOptions,
  show: (name: string) => readonly string[],
): Answer {
  const found = cursor > 0 ? [] : names.filter((name) => pattern === undefined || matchGlob(pattern, name));
  return `*2\r\n${bulk('0')}${bulks(found.flatMap(show))}`;
}
