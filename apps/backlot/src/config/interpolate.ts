import { isMap, isPair, isScalar, Scalar, visit } from 'yaml';
import { memberOf, replacedAt, replaceTexts } from './interpolate-plain.js';
import { splitPointer } from './pointer.js';
import type { ConfigProblem, Place } from './problem.js';
import { scalarAt, type ConfigSource } from './source.js';
import { upstreamAt, type UnsetUpstream } from './upstream-names.js';

/** Lines that are named of one value that is missing. */
const MAX_LINES = 20;
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Values by name; the process's environment is one. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Missing {
  readonly name: string;
  readonly offset: number;
}

/** Names that have no value. */
export interface Unset {
  /** One problem that lists them, but for those of {@link upstreams}. */
  readonly problems: readonly ConfigProblem[];
  /** Those that stand where only a connection to an upstream needs them. */
  readonly upstreams: readonly UnsetUpstream[];
}

/** Quotes, and the marks of texts on the lines below, which keep a text from being a number. */
const QUOTED = /^["'|>]/;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every text of a file, in place: from the environment, then from the
 * file's own `vars`, then from those of files that were read before it. The default counts when the value is missing or empty. `$${` writes `${`. A value that is one
 * reference and nothing else, not in quotes, takes the type that its text has in YAML, so that `port: ${PORT}` is a
 * number; in JSON, where every text is in quotes, also a quoted one does.
 *
 * @param known - the variables of files that were read before
 * @returns every name without a value
 */
export function interpolate(
  source: ConfigSource,
  environment: Environment,
  known: ReadonlyMap<string, string> = new Map(),
): Unset {
  if (source.plain !== undefined && !source.hasNames) return { problems: [], upstreams: [] };
  const vars = new Map(known);
  const missing: Missing[] = [];
  const upstreams: UnsetUpstream[] = [];
  if (source.plain === undefined) interpolateDocument();
  else interpolatePlain(source.plain);
  return { problems: missing.length === 0 ? [] : [describe(source, missing)], upstreams };

  function interpolateDocument(): void {
    const { contents } = source.document;
    if (isMap(contents)) {
      const own = contents.get('vars', true);
      if (isMap(own)) {
        visit(own, { Scalar: (key, node, path) => replaceNode(key, node, path) });
        for (const { key, value } of own.items)
          if (isScalar(key) && isScalar(value)) setVariable(String(key.value), value.value);
      }
    }
    visit(source.document, { Scalar: (key, node, path) => replaceNode(key, node, path) });
  }

  function interpolatePlain(root: Readonly<Record<string, unknown>>): void {
    const own = Object.hasOwn(root, 'vars') ? root['vars'] : undefined;
    if (typeof own === 'object' && own !== null && !Array.isArray(own)) {
      replaceTexts(own, ['vars'], replacePlain);
      for (const [name, value] of Object.entries(own)) setVariable(name, value);
    }
    inOrder(0);
    const before = missing.length;
    replaceTexts(root, [], replacePlain);
    inOrder(before);
  }

  /** Mappings have keys that are numbers first, wherever they stand. */
  function inOrder(from: number): void {
    const sorted = missing.splice(from).sort((one, other) => one.offset - other.offset);
    for (const each of sorted) missing.push(each);
  }

  function replacePlain(written: string, names: readonly string[]): { text: string; value: unknown } {
    // Where it stands is looked up only where that matters.
    const offset = (): number => source.places?.find(names).value ?? 0;
    const text = replaceAt(written, names, offset);
    const isTyped = isWhole(written) && (source.isJson || !isQuoted(source, offset()));
    return { text, value: isTyped ? typed(text) : text };
  }

  function replaceNode(key: unknown, node: Scalar, path: readonly unknown[]): void {
    if (key === 'key' || done.has(node) || typeof node.value !== 'string' || !node.value.includes('${'))
      return;
    const written = node.value;
    done.set(node, written);
    const names = path.filter(isPair).map((pair) => String(isScalar(pair.key) ? pair.key.value : pair.key));
    const text = replaceAt(written, names, () => node.range?.[0] ?? 0);
    const isTyped = isWhole(written) && (source.isJson || node.type === Scalar.PLAIN);
    node.value = isTyped ? typed(text) : text;
    node.source = text;
  }

  function replaceAt(written: string, names: readonly string[], offset: () => number): string {
    const upstream = upstreamAt(names);
    if (upstream === undefined) return replace(written, offset, missing);
    const lacking: Missing[] = [];
    const text = replace(written, offset, lacking);
    if (lacking.length > 0) upstreams.push({ ...upstream, text, problem: describe(source, lacking) });
    return text;
  }

  function replace(text: string, offset: () => number, lacking: Missing[]): string {
    return text.replaceAll(REFERENCE, (written, name: string | undefined, fallback: string | undefined) => {
      if (name === undefined) return '${';
      const value = (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? vars.get(name);
      if (value !== undefined && (value !== '' || fallback === undefined)) return value;
      if (fallback !== undefined) return fallback;
      lacking.push({ name, offset: offset() });
      return written;
    });
  }

  function setVariable(name: string, value: unknown): void {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      vars.set(name, String(value));
  }
}

/** Whether a text is one reference and nothing else. */
function isWhole(text: string): boolean {
  return text.match(REFERENCE)?.[0] === text;
}

function isQuoted({ places }: ConfigSource, offset: number): boolean {
  return QUOTED.test(places?.charAt(offset) ?? '');
}

// A node is met twice when it stands under `vars`; its replaced text must not be replaced again.
const done = new WeakMap<Scalar, string>();

/** What stands in the file where {@link interpolate} has replaced names, at a pointer; `undefined` where it has not. */
export function writtenText(source: ConfigSource, pointer: string): string | undefined {
  if (source.plain !== undefined) return replacedAt(source, pointer)?.written;
  const node = scalarAt(source, pointer);
  return node === undefined ? undefined : done.get(node);
}

/** The value at a pointer, with its names replaced; `undefined` for a mapping or a list. */
export function scalarValueAt(source: ConfigSource, pointer: string): unknown {
  if (source.plain === undefined) return scalarAt(source, pointer)?.value;
  let value: unknown = source.plain;
  for (const name of splitPointer(pointer)) value = memberOf(value, name);
  return typeof value === 'object' ? undefined : value;
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
    linesByName.set(name, lines.add(placeIn(source, offset).line));
    first = Math.min(first, offset);
  }
  const list = [...linesByName].map(([name, lines]) => `\${${name}} (${listLines([...lines])})`);
  return {
    file: source.file,
    place: placeIn(source, first),
    path: '',
    message: `no value for ${list.join(', ')}; set ${list.length === 1 ? 'it' : 'them'} in the environment or under "vars", or give a default as in \${NAME:-default}`,
  };
}

function placeIn(source: ConfigSource, offset: number): Place {
  if (source.places !== undefined) return source.places.placeAt(offset);
  const { line, col } = source.lines.linePos(offset);
  return { line, column: col };
}

function listLines(lines: readonly number[]): string {
  const more = lines.length > MAX_LINES ? ` and ${lines.length - MAX_LINES} more` : '';
  return `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, MAX_LINES).join(', ')}${more}`;
}
