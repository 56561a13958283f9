import type { Json } from '../contract/given.js';
import type { JournalEntry } from '../contract/journal.js';
import type { Protocol } from '../contract/protocol.js';
import { invalid, type Problem } from '../errors.js';
import { show, unknownField } from '../validation/messages.js';
import { isObject, pointTo } from '../validation/pointer.js';

/** The fields of a journal entry: an entry that was copied from the journal is accepted as it is. */
const ENTRY: Readonly<Record<keyof JournalEntry, true>> = {
  id: true,
  timestamp: true,
  space: true,
  replica: true,
  protocol: true,
  method: true,
  path: true,
  status: true,
  duration_ms: true,
  delays: true,
  trace: true,
  span: true,
  headers: true,
  query: true,
  body: true,
  body_encoding: true,
  body_truncated: true,
  matched_id: true,
  path_params: true,
  fault: true,
  failure: true,
  remote: true,
  response: true,
  unmatched: true,
  missed: true,
  near_misses: true,
  upstream: true,
  contract: true,
  aborted: true,
};

/** Those of them that say what a message is, for the names in an error. */
const MESSAGE: readonly (keyof JournalEntry)[] = [
  'method',
  'path',
  'headers',
  'query',
  'body',
  'body_encoding',
  'remote',
];

/**
 * Brings what people give as a message into the form of a journal entry: a line, fields as the kind's mocks have them, or
 * such an entry.
 *
 * @throws BacklotError `invalid` for anything else, with a problem per field
 */
export function explainedEntry({ kind, mocks: { explained } }: Protocol, given: unknown): Json {
  const { fields = {}, line } = explained ?? {};
  if (typeof given === 'string') {
    if (line !== undefined) return arrange(line.read(given.trim()), fields);
    throw invalid(`a message of ${kind} has no form in one line; ${forms(kind, fields)}`);
  }
  if (isObject(given)) return arrange(given, fields);
  const orLine = line === undefined ? '' : `, or a line as in ${JSON.stringify(line.example)}`;
  throw invalid(`the message must be an object as the journal shows it${orLine}, got ${show(given)}`);
}

function forms(kind: string, fields: Readonly<Record<string, string>>): string {
  return `give an object as the journal of ${kind} shows it, with ${known(fields).join(', ')}`;
}

function known(fields: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(fields), ...MESSAGE])];
}

function arrange(given: Json, fields: Readonly<Record<string, string>>, within = ''): Json {
  const problems: Problem[] = [];
  const entry = new Map<string, unknown>();
  /** What belongs into objects of the entry: `key` into `query`. */
  const inner: (readonly [first: string, second: string, value: unknown])[] = [];
  const put = (name: string, value: unknown, at: string): void => {
    if (entry.has(name)) problems.push({ path: at, message: `is given twice: "${name}" is the same` });
    // JSON may be given as it is, because nobody likes to write JSON inside of a JSON text.
    else entry.set(name, name === 'body' && typeof value !== 'string' ? JSON.stringify(value) : value);
  };
  for (const [name, value] of Object.entries(given)) {
    const at = pointTo(within, name);
    const place = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const [first, second] = place?.split('/').slice(1) ?? [];
    if (place === undefined && !Object.hasOwn(ENTRY, name)) {
      problems.push({ path: at, message: unknownField(name, known(fields)) });
    } else if (place === '') {
      if (!isObject(value)) problems.push({ path: at, message: `must be an object, got ${show(value)}` });
      else for (const [field, each] of Object.entries(arrange(value, fields, at))) put(field, each, at);
    } else if (first !== undefined && second !== undefined) inner.push([first, second, value]);
    else put(first ?? name, value, at);
  }
  const [problem] = problems;
  if (problem !== undefined) throw invalid(`${problem.path}: ${problem.message}`, problems);
  for (const [first, second, value] of inner) {
    const whole = entry.get(first);
    entry.set(first, { ...(isObject(whole) ? whole : {}), [second]: value });
  }
  return Object.fromEntries(entry);
}
