import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pointTo } from './pointer.js';
import type { OpenedConfig } from './open.js';
import { formatProblem, type ConfigProblem } from './problem.js';

type Tree = Readonly<Record<string, unknown>>;

/** Files that are missing where they may be; and of a file that was written for Mockly, what means something else here. */
export function findHints(opened: OpenedConfig): ConfigProblem[] {
  const hints = new Map<string, ConfigProblem>();
  const blocks = isObject(opened.root['protocols']) ? opened.root['protocols'] : {};
  for (const [kind, block] of Object.entries(blocks)) {
    if (!isObject(block)) continue;
    for (const [name, list] of Object.entries(block)) {
      if (!Array.isArray(list)) continue;
      const at = pointTo(pointTo('/protocols', kind), name);
      list.forEach((mock: unknown, index) => {
        const found = [
          ...fileHints(mock, opened.folderOf(`${at}/${index}`)),
          ...(opened.isMockly ? mocklyHints(mock) : []),
        ];
        for (const [path, message] of found) {
          const hint = opened.locate({ path: `${at}/${index}${path}`, message });
          // Of a folder each file would have the same.
          if (hint !== undefined) hints.set(formatProblem(opened.source.file, hint), hint);
        }
      });
    }
  }
  return [...hints.values()];
}

function* fileHints(entry: unknown, folder: string): Generator<[string, string]> {
  if (!isObject(entry) || typeof entry['proto'] !== 'string') return;
  const { proto } = entry;
  if (existsSync(resolve(folder, proto))) return;
  yield ['/proto', `${JSON.stringify(proto)} is not there; without it methods answer as JSON text`];
}

function* mocklyHints(mock: unknown): Generator<[string, string]> {
  if (!isObject(mock)) return;
  const { uri } = mock;
  if (typeof uri === 'string' && /\{\w+\}/.test(uri) && !uri.startsWith('re:')) {
    yield ['/uri', 'Mockly takes {name} for any segment, here it is text; write "*" in its place'];
  }
  if (isObject(mock['request'])) yield* requestHints(mock['request']);
  if (Array.isArray(mock['on_message'])) {
    for (const [index, rule] of mock['on_message'].entries()) {
      if (isObject(rule) && isPart(rule['match']))
        yield [`/on_message/${index}/match`, partHint(rule['match'])];
    }
  }
  if (isObject(mock['fault']) && mock['fault']['error_rate'] === 0) {
    yield ['/fault/error_rate', 'Mockly reads 0 as "always", here it is "never"; leave it out for always'];
  }
}

function* requestHints({ body, headers }: Tree): Generator<[string, string]> {
  if (isPart(body)) yield ['/request/body', partHint(body)];
  if (!isObject(headers)) return;
  for (const [name, value] of Object.entries(headers)) {
    // An unquoted 5 or true is read as text, as Mockly does.
    const pattern = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    const place = pointTo('/request/headers', name);
    if (isPart(pattern)) yield [place, partHint(pattern)];
    if (pattern === '') {
      yield [
        place,
        `Mockly asks for the header ${name}, here an empty pattern is no condition; write "*" for any value`,
      ];
    }
  }
}

/** Whether Mockly looks for a text anywhere, where the pattern language here compares the whole. */
function isPart(pattern: unknown): pattern is string {
  return (
    typeof pattern === 'string' && pattern !== '' && !pattern.includes('*') && !pattern.startsWith('re:')
  );
}

function partHint(pattern: string): string {
  const short = pattern.length > 40 ? `${pattern.slice(0, 37)}...` : pattern;
  return `Mockly looks for ${JSON.stringify(short)} anywhere in the text, here it must be the whole text; write ${JSON.stringify(`*${short}*`)} for anywhere`;
}

function isObject(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
