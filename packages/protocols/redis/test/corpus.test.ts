import { expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { CORPUS } from './corpus.js';
import { UNREACHED_COMMANDS, UNREACHED_OPTIONS } from './corpus-coverage.js';
import { startReference } from './reference-server.js';
import { USER_SCRIPTS } from './reference-users.js';
import { SCRIPT_CASES } from './script-corpus.js';

/** What COMMAND DOCS tells of an argument. */
interface Argument {
  readonly token?: string;
  readonly arguments?: readonly Argument[];
}

interface Docs {
  readonly arguments?: readonly Argument[];
  readonly subcommands?: Readonly<Record<string, Docs>>;
}

function tokensOf(args: readonly Argument[] = []): string[] {
  return args.flatMap(({ token, arguments: inner }) => [
    ...(token === undefined || /^"?"?$/.test(token) ? [] : [token]),
    ...tokensOf(inner),
  ]);
}

function linesOf(script: string): string[] {
  return script
    .trim()
    .split('\n')
    .map((line) => line.trim());
}

const LINES: readonly string[] = [
  ...CORPUS.flatMap(linesOf),
  // The letter in front names the client.
  ...USER_SCRIPTS.flatMap(linesOf).map((line) => line.slice(2)),
  ...SCRIPT_CASES.map(({ keys = [], args = [] }) => ['EVAL script', keys.length, ...keys, ...args].join(' ')),
];

itWithTool(
  'redis-server',
  'the corpus reaches the commands and options of redis-server, but for these',
  async () => {
    const port = await startReference();
    const { out } = await runTool('redis-cli', ['-p', String(port), '--json', 'COMMAND', 'DOCS']);
    const roots = JSON.parse(out) as Record<string, Docs>;
    const docs = new Map<string, Docs>();
    for (const [name, each] of Object.entries(roots))
      for (const [one, its] of [[name, each] as const, ...Object.entries(each.subcommands ?? {})])
        docs.set(one, its);
    const reached = new Map<string, Set<string>>();
    for (const line of LINES) {
      const [name = '', next = '', ...rest] = line.match(/"[^"]*"|\S+/g) ?? [];
      const subcommand = `${name}|${next}`.toLowerCase();
      const key = docs.has(subcommand) ? subcommand : name.toLowerCase();
      const words = reached.get(key) ?? new Set<string>();
      for (const word of [next, ...rest]) words.add(word.toUpperCase());
      reached.set(key, words);
    }
    const commands = [...docs].filter(
      ([name, { subcommands }]) => subcommands === undefined && !reached.has(name),
    );
    expect(commands.map(([name]) => name).sort()).toEqual(Object.keys(UNREACHED_COMMANDS).sort());
    const options: Record<string, string> = {};
    for (const [name, each] of docs) {
      const words = reached.get(name);
      const left =
        words === undefined
          ? []
          : tokensOf(each.arguments).filter((token) => !words.has(token.toUpperCase()));
      if (left.length > 0) options[name] = left.join(' ');
    }
    expect(options).toEqual(UNREACHED_OPTIONS);
    // Each is said in RESP2 and in RESP3 (reference.test.ts, acl.test.ts, scripting-reference.test.ts).
    expect(LINES.length).toBeGreaterThan(7_000);
  },
);
