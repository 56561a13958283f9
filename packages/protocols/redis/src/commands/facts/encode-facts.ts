import { array, bulk, integer, map, set, simple, type Resp } from '../../wire/reply.js';
import type { CommandDocs, CommandFacts } from './command-facts.js';

/** What is a set of words, sent as simple strings. */
const WORDS = new Set(['flags', 'doc_flags']);

/** What COMMAND INFO answers of a command. */
export function encodeFacts(facts: CommandFacts, resp: Resp): string {
  const { name, arity, flags, keys, categories, tips, keySpecs, subcommands } = facts;
  return array([
    ...[bulk(name), integer(arity), set(flags.map(simple), resp), ...keys.map(integer)],
    ...[set(categories.map(simple), resp), set(tips.map(bulk), resp)],
    set(
      keySpecs.map((spec) => encode(spec, resp)),
      resp,
    ),
    // Where there is none it is a set, in RESP3.
    subcommands.length === 0 ? set([], resp) : array(subcommands.map((each) => encodeFacts(each, resp))),
  ]);
}

/** What COMMAND DOCS answers of a command. */
export function encodeDocs(docs: CommandDocs, resp: Resp): string {
  return encode(docs, resp);
}

/** A set of words, such as the flags of a key. */
export function encodeWords(words: readonly string[], resp: Resp): string {
  return set(words.map(simple), resp);
}

function encode(value: unknown, resp: Resp, name = ''): string {
  if (typeof value === 'number') return integer(value);
  if (typeof value !== 'object' || value === null) return bulk(String(value));
  if (!Array.isArray(value))
    return map(
      Object.entries(value).flatMap(([key, each]) => [bulk(key), encode(each, resp, key)]),
      resp,
    );
  if (WORDS.has(name)) return encodeWords(value.map(String), resp);
  const items = value.map((each) => encode(each, resp));
  return name === 'history' ? set(items, resp) : array(items);
}
