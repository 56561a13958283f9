import { runAtOnce } from '@backlot/core/plugin';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { memberOf } from './interpolate-plain.js';
import { ConfigError, type ConfigProblem, type Place } from './problem.js';
import { splitPointer } from './pointer.js';
import { scanJsonSteps } from './narrow-json.js';
import { narrowSteps } from './narrow-text.js';
import { readPlainJsonSteps } from './quick-json.js';
import { QuickPlaces } from './quick-places.js';
import { readQuickSteps } from './quick-yaml.js';

/** Beyond this a file is hardly a configuration, and parsing it would stall the start. */
const MAX_BYTES = 64 * 1024 * 1024;

/** How often an alias may be repeated, counted with what it contains: refuses files that expand without end. */
const MAX_ALIASES = 1000;

/** A parsed configuration file, with the position of everything in it. */
export interface ConfigSource {
  /** The file's name as it was given, for messages. */
  readonly file: string;
  /** The folder of the file, absolute and without symbolic links. */
  readonly folder: string;
  readonly isJson: boolean;
  /** The value of a file that could be read without the places of what stands in it. */
  readonly plain: Readonly<Record<string, unknown>> | undefined;
  /** Whether names may stand in it that are to be replaced. */
  readonly hasNames: boolean;
  /** Where what stands in a plain file is. */
  readonly places: QuickPlaces | undefined;
  /** The file with the places of everything in it; of a plain one it is made when somebody asks, which takes ten times as long as reading it. */
  readonly document: Document;
  readonly lines: LineCounter;
}

/** As {@link readSourceSteps}, at once. */
export function readSource(file: string, base: string): ConfigSource {
  return runAtOnce(readSourceSteps(file, base));
}

/**
 * Reads a configuration file, in steps where it is a plain one.
 *
 * @param file - the name as given
 * @param base - the folder that a relative name starts from
 * @throws ConfigError when there is no such file, or it is neither YAML nor JSON
 */
export function* readSourceSteps(file: string, base: string): Generator<undefined, ConfigSource> {
  const path = resolve(base, file);
  let text: string;
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(file, [{ place: undefined, path: '', message: readFailure(error) }]);
  }
  yield;
  return yield* parseSourceSteps(text, file, dirname(realpathSync(path)));
}

function readFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file; "backlot init" writes one to start from';
  if (code === 'EISDIR') return 'is a folder; name a YAML or JSON file';
  if (code === 'EACCES') return 'may not be read';
  return `cannot be read: ${message}`;
}

/**
 * Parses the text of a configuration file, in steps where it is a plain one.
 *
 * @throws ConfigError with every syntax error
 */
export function* parseSourceSteps(
  text: string,
  file: string,
  folder: string,
): Generator<undefined, ConfigSource> {
  const isJson = extname(file).toLowerCase() === '.json';
  const plain = (isJson ? yield* readJsonSteps(text, file) : undefined) ?? (yield* readQuickSteps(text));
  let parsed: Parsed | undefined;
  const parse = (): Parsed => (parsed ??= parseWhole(text, file));
  if (plain === undefined) {
    const narrowed = isJson ? undefined : yield* narrowSteps(text);
    if (narrowed !== undefined) tellFaults(narrowed, file);
    parse();
  }
  let places: QuickPlaces | undefined;
  return {
    file,
    folder,
    isJson,
    plain,
    hasNames: text.includes('${'),
    get places() {
      return plain === undefined ? undefined : (places ??= new QuickPlaces(text));
    },
    get document() {
      return parse().document;
    },
    get lines() {
      return parse().lines;
    },
  };
}

/** What {@link parseWhole} says where brackets were closed before their end: what is behind them may then change what is said. */
const LEFT_EARLY =
  /^(?:Flow (?:map|sequence) in block collection|Unexpected .* (?:at node end|in YAML stream)|Missing closing)/;

/** @throws ConfigError with what is wrong in a text that others were left out of, where it would be said of the whole as well */
function tellFaults(narrowed: string, file: string): void {
  try {
    parseWhole(narrowed, file);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const last = narrowed.trimEnd().split(/\r?\n/).length;
    const isSure = error.problems.every(
      ({ place, message }) => !LEFT_EARLY.test(message) || (place?.line ?? 0) >= last,
    );
    if (isSure) throw error;
  }
}

/** The value of a file of JSON, and of one that is nearly JSON; undefined where others have to read it. @throws ConfigError for one that is wrong, if that is known */
function* readJsonSteps(text: string, file: string): Generator<undefined, ConfigSource['plain']> {
  const plain = yield* readPlainJsonSteps(text);
  if (plain !== undefined) return plain;
  const { narrowed, mended } = yield* scanJsonSteps(text);
  if (narrowed !== undefined) tellFaults(narrowed, file);
  return mended === undefined ? undefined : yield* readPlainJsonSteps(mended);
}

type Parsed = Pick<ConfigSource, 'document' | 'lines'>;

function parseWhole(text: string, file: string): Parsed {
  const lines = new LineCounter();
  let document: Document;
  try {
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      strict: true,
      // Its own check compares each key with all others.
      uniqueKeys: false,
    });
  } catch (error) {
    throw new ConfigError(file, [
      { place: undefined, path: '', message: `cannot be parsed: ${depthMessage(error)}` },
    ]);
  }
  const errors = [
    ...document.errors.map(({ pos, message }) => ({ offset: pos[0], message: syntaxMessage(message) })),
    ...findRepeatedKeys(document).map((offset) => ({ offset, message: 'Map keys must be unique' })),
  ];
  if (errors.length > 0) {
    const problems = errors.map(({ offset, message }): ConfigProblem => {
      const { line, col } = lines.linePos(offset);
      return { place: { line, column: col }, path: '', message };
    });
    throw new ConfigError(file, problems);
  }
  return { document, lines };
}

/** Where keys stand that their mapping has already. */
function findRepeatedKeys(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_key, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) offsets.push(offsetOf(key) ?? 0);
        keys.add(key.value);
      }
    },
  });
  return offsets;
}

function syntaxMessage(message: string): string {
  return message.startsWith('Maximum call stack') ? 'is nested too deeply' : message;
}

function depthMessage(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  return error instanceof Error ? error.message : String(error);
}

/**
 * The plain value of a file.
 *
 * @throws ConfigError when its aliases expand without end
 */
export function valueOf(source: ConfigSource): unknown {
  if (source.plain !== undefined) return source.plain;
  try {
    return source.document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (error) {
    const message =
      error instanceof ReferenceError
        ? `its aliases (*name) expand too far: ${error.message}`
        : depthMessage(error);
    throw new ConfigError(source.file, [{ place: undefined, path: '', message }]);
  }
}

/** Where a value stands: at its key, or at the item of a list. Of what is not in the file, where it would be. */
export function placeOf(source: ConfigSource, pointer: string): Place | undefined {
  const { places } = source;
  if (places !== undefined) {
    const { key } = places.find(splitPointer(pointer));
    return key === undefined ? undefined : places.placeAt(key);
  }
  let node: unknown = source.document.contents;
  let at: number | undefined;
  for (const name of splitPointer(pointer)) {
    node = follow(source, node);
    if (isMap(node)) {
      const pair = pairAt(node, name);
      if (pair === undefined) break;
      at = offsetOf(pair.key) ?? at;
      node = pair.value;
    } else if (isSeq(node) && /^\d+$/.test(name)) {
      node = node.items[Number(name)];
      at = offsetOf(node) ?? at;
    } else {
      break;
    }
  }
  if (at === undefined) return undefined;
  const { line, col } = source.lines.linePos(at);
  return { line, column: col };
}

/** The text of the number or truth value at a pointer, as it was written. */
export function textAt(source: ConfigSource, pointer: string): string | undefined {
  const { places } = source;
  return places === undefined ? scalarAt(source, pointer)?.source : places.textAt(splitPointer(pointer));
}

/** The scalar at a pointer of a file that is not plain. */
export function scalarAt(source: ConfigSource, pointer: string): Scalar | undefined {
  let node: unknown = source.document.contents;
  for (const name of splitPointer(pointer)) {
    node = follow(source, node);
    if (isMap(node)) node = pairAt(node, name)?.value;
    else if (isSeq(node)) node = node.items[Number(name)];
    else return undefined;
  }
  node = follow(source, node);
  return isScalar(node) ? node : undefined;
}

/** The path of a pointer as people write it: `protocols.http.mocks[3].response.headers["X-Trace"]`. */
export function dottedPath(source: ConfigSource, pointer: string): string {
  const { plain } = source;
  let node: unknown = plain ?? source.document.contents;
  let path = '';
  for (const name of splitPointer(pointer)) {
    if (plain === undefined) node = follow(source, node);
    if (isSeq(node) || Array.isArray(node)) path += `[${name}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(name)) path += path === '' ? name : `.${name}`;
    else path += `[${JSON.stringify(name)}]`;
    if (isMap(node)) node = pairAt(node, name)?.value;
    else if (isSeq(node)) node = node.items[Number(name)];
    else node = plain === undefined ? undefined : memberOf(node, name);
  }
  return path;
}

/** The pairs of mappings by key, made when one is first asked for. */
const pairs = new WeakMap<YAMLMap, Map<string, Pair>>();

function pairAt(map: YAMLMap, name: string): Pair | undefined {
  let known = pairs.get(map);
  if (known === undefined) {
    known = new Map();
    for (const pair of map.items) {
      const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
      if (!known.has(key)) known.set(key, pair);
    }
    pairs.set(map, known);
  }
  return known.get(name);
}

function follow(source: ConfigSource, node: unknown): unknown {
  return isAlias(node) ? node.resolve(source.document) : node;
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
