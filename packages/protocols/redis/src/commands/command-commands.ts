import { ERRORS, fail } from '../wire/errors.js';
import { array, bulk, bulks, integer, map, nil, type Resp } from '../wire/reply.js';
import { at, keyless, optionAt, type Args, type Command } from './command.js';
import type { CommandFacts } from './facts/command-facts.js';
import { encodeDocs, encodeFacts, encodeWords } from './facts/encode-facts.js';
import type { FactBook } from './facts/fact-book.js';
import { keyPlaces, mayHaveKeys } from './facts/key-specs.js';
import { readGlob } from './globs.js';
import type { Work } from './work.js';

/** What COMMAND asks of the table of commands. */
interface Table {
  readonly facts: FactBook;
  readonly find: (args: Args) => Command | undefined;
  readonly hasRightCount: (command: Command, args: Args) => boolean;
}

/** COMMAND and its subcommands (redis.io, command page of each). */
export function commandCommands(table: () => Table): readonly Command[] {
  return [
    keyless('command', -1, '', (_args, { resp }) => describeAll(table().facts.told, resp)),
    keyless('command|count', 2, '', () => integer(table().facts.told.length)),
    keyless('command|list', -2, '', (args) => list(args, table().facts)),
    keyless('command|info', -2, '', (args, { resp }) => {
      const { facts } = table();
      return describeAll(
        args.length === 2 ? facts.told : args.slice(2).map((name) => facts.find(name)),
        resp,
      );
    }),
    keyless('command|docs', -2, '', (args, { resp }) => document(args, table().facts, resp)),
    keyless('command|getkeys', -4, '', (args) => {
      const given = args.slice(2);
      return bulks(keysOf(given, table()).map(({ place }) => at(given, place)));
    }),
    keyless('command|getkeysandflags', -4, '', (args, { resp }) => {
      const given = args.slice(2);
      const keys = keysOf(given, table());
      return array(keys.map(({ place, flags }) => array([bulk(at(given, place)), encodeWords(flags, resp)])));
    }),
  ];
}

function* describeAll(all: readonly (CommandFacts | undefined)[], resp: Resp): Work {
  const described: string[] = [];
  for (const facts of all) {
    described.push(facts === undefined ? nil(resp) : encodeFacts(facts, resp));
    yield;
  }
  return array(described);
}

function* document(args: Args, facts: FactBook, resp: Resp): Work {
  const asked = args.length === 2 ? facts.told : args.slice(2).flatMap((name) => facts.find(name) ?? []);
  const items: string[] = [];
  for (const each of asked) {
    const docs = facts.docsOf(each);
    if (docs !== undefined) items.push(bulk(each.name), encodeDocs(docs, resp));
    yield;
  }
  return map(items, resp);
}

function list(args: Args, facts: FactBook): string {
  const all = facts.told.flatMap((root) => [root, ...root.subcommands]);
  if (args.length === 2) return bulks(all.map(({ name }) => name));
  if (args.length % 3 !== 2 || args.length > 5 || optionAt(args, 2) !== 'FILTERBY') fail(ERRORS.syntax);
  const test = filterOf(optionAt(args, 3), at(args, 4).toLowerCase());
  return bulks(all.filter(test).map(({ name }) => name));
}

function filterOf(type: string, wanted: string): (facts: CommandFacts) => boolean {
  // There are no modules.
  if (type === 'MODULE') return () => false;
  if (type === 'ACLCAT') return ({ categories }) => categories.includes(`@${wanted}`);
  if (type !== 'PATTERN') fail(ERRORS.syntax);
  const glob = readGlob(wanted);
  return ({ name }) => glob.test(name);
}

function keysOf(given: Args, { facts, find, hasRightCount }: Table): ReturnType<typeof keyPlaces> {
  const command = find(given) ?? fail('ERR Invalid command specified');
  const told = facts.find(command.name) ?? fail('ERR Invalid command specified');
  if (!mayHaveKeys(told)) fail('ERR The command has no key arguments');
  if (!hasRightCount(command, given)) fail('ERR Invalid number of arguments specified for command');
  const keys = keyPlaces(told, given);
  return keys.length > 0 || told.flags.includes('no_mandatory_keys')
    ? keys
    : fail('ERR Invalid arguments specified for command');
}
