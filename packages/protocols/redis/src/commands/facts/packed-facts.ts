import { inflateRawSync } from 'node:zlib';
import type { CommandDocs, CommandFacts, KeySpec } from './command-facts.js';
import { DOCS, FACTS, HELP } from './facts.generated.js';

/** The elements that COMMAND answers for each command, in its order. */
type Packed = readonly [
  name: string,
  arity: number,
  flags: readonly string[],
  first: number,
  last: number,
  step: number,
  categories: readonly string[],
  tips: readonly string[],
  keySpecs: readonly KeySpec[],
  subcommands: readonly Packed[],
];

/** What redis-server tells of its commands, without their subcommands, ordered by name. */
export function unpackFacts(): readonly CommandFacts[] {
  return (unpack(FACTS) as readonly Packed[]).map(toFacts);
}

/** What redis-server documents of its commands, by name. */
export function unpackDocs(): Readonly<Record<string, CommandDocs>> {
  return unpack(DOCS) as Record<string, CommandDocs>;
}

/** The help of each command that has subcommands: the lines that are not the same everywhere. */
export function unpackHelp(): Readonly<Record<string, readonly string[]>> {
  return unpack(HELP) as Record<string, readonly string[]>;
}

function unpack(packed: string): unknown {
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8'));
}

function toFacts(packed: Packed): CommandFacts {
  const [name, arity, flags, first, last, step, categories, tips, keySpecs, subcommands] = packed;
  const keys = [first, last, step] as const;
  return { name, arity, flags, keys, categories, tips, keySpecs, subcommands: subcommands.map(toFacts) };
}
