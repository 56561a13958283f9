import { isMap, isScalar, Scalar, visit } from 'yaml';
import type { ConfigProblem } from './problem.js';
import type { ConfigSource } from './source.js';

/** Lines that are named of one value that is missing. */
const MAX_LINES = 20;
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Values by name; the process's environment is one. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Missing {
  readonly name: string;
  readonly offset: number;
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text of a file, in place: from the environment, then from the
 * file's own `vars`, then from those of files that were read before it. The default counts when the value is missing or empty. `$${` writes `${`. A value that is one
 * reference and nothing else, not in quotes, takes the type that its text has in YAML, so that `port: ${PORT}` is a
 * number; in JSON, where every text is in quotes, also a quoted one does.
 *
 * @param known - the variables of files that were read before
 * @returns one problem that lists every name without a value
 */
export function interpolate(
  source: ConfigSource,
  environment: Environment,
  known: ReadonlyMap<string, string> = new Map(),
): ConfigProblem[] {
  // A plain file has no names to replace.
  if (source.plain !== undefined) return [];
  const vars = new Map(known);
  const missing: Missing[] = [];
  const { contents } = source.document;
  if (isMap(contents)) {
    const own = contents.get('vars', true);
    if (isMap(own)) {
      visit(own, { Scalar: (key, node) => replace(key, node) });
      for (const { key, value } of own.items) {
        const text = isScalar(value) ? scalarText(value) : undefined;
        if (isScalar(key) && text !== undefined) vars.set(String(key.value), text);
      }
    }
  }
  visit(source.document, { Scalar: (key, node) => replace(key, node) });
  return missing.length === 0 ? [] : [describe(source, missing)];

  function replace(key: unknown, node: Scalar): void {
    if (key === 'key' || done.has(node) || typeof node.value !== 'string' || !node.value.includes('${'))
      return;
    const text = node.value;
    done.set(node, text);
    const whole = text.match(REFERENCE)?.[0] === text;
    const replaced = text.replaceAll(
      REFERENCE,
      (written, name: string | undefined, fallback: string | undefined) => {
        if (name === undefined) return '${';
        const value = (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? vars.get(name);
        if (value !== undefined && (value !== '' || fallback === undefined)) return value;
        if (fallback !== undefined) return fallback;
        missing.push({ name, offset: node.range?.[0] ?? 0 });
        return written;
      },
    );
    const isTyped = whole && (source.isJson || node.type === Scalar.PLAIN);
    node.value = isTyped ? typed(replaced) : replaced;
    node.source = replaced;
  }
}

// A node is met twice when it stands under `vars`; its replaced text must not be replaced again.
const done = new WeakMap<Scalar, string>();

/** What stands in the file where {@link interpolate} has replaced names; `undefined` where it has not. */
export function writtenText(node: Scalar | undefined): string | undefined {
  return node === undefined ? undefined : done.get(node);
}

function scalarText({ value }: Scalar): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A text as the number, `true` or `false` that it is in YAML, else itself. */
export function typed(text: string): string | number | boolean {
  if (/^[-+]?(?:0|[1-9][0-9]*)$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (/^[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?$/.test(text) && !/^[-+]?0[0-9]/.test(text))
    return Number(text);
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return text;
}

function describe(source: ConfigSource, missing: readonly Missing[]): ConfigProblem {
  const linesByName = new Map<string, Set<number>>();
  let first = Infinity;
  for (const { name, offset } of missing) {
    const lines = linesByName.get(name) ?? new Set();
    linesByName.set(name, lines.add(source.lines.linePos(offset).line));
    first = Math.min(first, offset);
  }
  const list = [...linesByName].map(([name, lines]) => `\${${name}} (${listLines([...lines])})`);
  const { line, col } = source.lines.linePos(first);
  return {
    file: source.file,
    place: { line, column: col },
    path: '',
    message: `no value for ${list.join(', ')}; set ${list.length === 1 ? 'it' : 'them'} in the environment or under "vars", or give a default as in \${NAME:-default}`,
  };
}

function listLines(lines: readonly number[]): string {
  const more = lines.length > MAX_LINES ? ` and ${lines.length - MAX_LINES} more` : '';
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, MAX_LINES).join(', ')}${more}`;
}
