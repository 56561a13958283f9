import { invalid } from '../errors.js';
import { UNKNOWN, type Evaluate, type Run } from './run.js';

/** The names that a path may begin with everywhere. */
export const ROOTS: ReadonlySet<string> = new Set([
  'request',
  'query',
  'headers',
  'body',
  'params',
  'state',
  'vars',
]);
/** Maps whose keys may hold dots: `query.user.name` is first the key `user.name`. */
const FLAT: ReadonlySet<string> = new Set(['query', 'headers', 'params']);
/** How many names a path may have. */
const MAX_NAMES = 200;
/** Where a pass of a section stands in its list. */
const PLACES: ReadonlyMap<string, Evaluate> = new Map<string, Evaluate>([
  ['@index', ({ index }) => (index < 0 ? undefined : index)],
  ['@first', ({ index }) => (index < 0 ? undefined : index === 0)],
  ['@last', ({ index, count }) => (index < 0 ? undefined : index === count - 1)],
]);
const NOT_FOUND: unique symbol = Symbol('not found');

/** Whether the first name of a path is a context root. */
export function hasRoot(path: string): boolean {
  return ROOTS.has(namesOf(path)[0] ?? '');
}

/** The key of `state.<key>`, which may hold any character; `undefined` for other paths. */
export function stateKeyOf(text: string): string | undefined {
  const plain = text.startsWith('.') ? text.slice(1) : text;
  return plain.startsWith('state.') && plain.length > 6 ? plain.slice(6) : undefined;
}

/**
 * Compiles a path such as `request.body.items.0.id`; only own properties are read.
 *
 * @param inSection - whether a section is around it, whose names come before all others
 * @throws invalid for a path of more than 200 names
 * @returns what computes its value: `undefined` when it is missing, {@link UNKNOWN} when nobody knows its first name
 */
export function compilePath(path: string, inSection: boolean): Evaluate {
  if (path === '.') {
    return (run) => (run.stack.length === 0 ? UNKNOWN : withoutView(run, run.stack.at(-1)));
  }
  const key = stateKeyOf(path);
  if (key !== undefined) {
    return (run) => run.scope.state(key);
  }
  const place = inSection ? PLACES.get(path) : undefined;
  if (place !== undefined) {
    return place;
  }
  const names = namesOf(path);
  if (names.length > MAX_NAMES) {
    throw invalid(`template path of ${names.length} names is too long; at most ${MAX_NAMES} are allowed`);
  }
  const first = names[0] ?? '';
  const outside = ROOTS.has(first) ? compileRoot(first, names.slice(1)) : compileLocal(first, names.slice(1));
  if (!inSection) {
    return outside;
  }
  return (run) => {
    const found = findInStack(run, first);
    if (found !== NOT_FOUND) {
      return walk(found, names, 1);
    }
    const value = outside(run);
    return value === UNKNOWN && run.stack.some(isObject) ? undefined : value;
  };
}

/** Compiles what a section goes into: a path as {@link compilePath} has it, or the request itself. */
export function compileSectionPath(path: string, inSection: boolean): Evaluate {
  return path === 'request' || path === '.request'
    ? (run) => run.scope.request
    : compilePath(path, inSection);
}

/** Compiles a name that a section around it may have; `instead` computes the value when none has. */
export function compileShadowed(name: string, instead: Evaluate): Evaluate {
  return (run) => {
    const found = findInStack(run, name);
    return found === NOT_FOUND ? instead(run) : found;
  };
}

function namesOf(path: string): string[] {
  return (path.startsWith('.') ? path.slice(1) : path).replace(/\[(\d+)\]/g, '.$1').split('.');
}

function compileRoot(root: string, names: readonly string[]): Evaluate {
  const [first] = names;
  if (root === 'vars') {
    return (run) => walk(run.scope.vars, names, 0);
  }
  if (root === 'state') {
    return () => undefined;
  }
  if (root !== 'request') {
    return compileField(root, names);
  }
  return first === undefined ? () => undefined : compileField(first, names.slice(1));
}

function compileField(field: string, names: readonly string[]): Evaluate {
  if (names.length === 0) {
    return (run) => run.scope.request.get(field);
  }
  if (!FLAT.has(field)) {
    return (run) => walk(run.scope.request.get(field), names, 0);
  }
  const path =
    field === 'headers' ? names.map((name, index) => (index === 0 ? name.toLowerCase() : name)) : names;
  const flat = field === 'headers' ? names.join('.').toLowerCase() : names.join('.');
  return (run) => {
    const map = run.scope.request.get(field);
    const found = ownValue(map, flat);
    return found === NOT_FOUND ? walk(map, path, 0) : found;
  };
}

function compileLocal(first: string, names: readonly string[]): Evaluate {
  return (run) => {
    const found = ownValue(run.scope.locals, first);
    return found === NOT_FOUND ? UNKNOWN : walk(found, names, 0);
  };
}

function findInStack(run: Run, name: string): unknown {
  for (let index = run.stack.length - 1; index >= 0; index -= 1) {
    const value = run.stack[index];
    const found =
      value === run.scope.request ? (run.scope.request.get(name) ?? NOT_FOUND) : ownValue(value, name);
    if (found !== NOT_FOUND) {
      return found;
    }
  }
  return NOT_FOUND;
}

/** The request is a view, not a value: it can be gone into, not written. */
function withoutView(run: Run, value: unknown): unknown {
  return value === run.scope.request ? undefined : value;
}

function walk(start: unknown, names: readonly string[], from: number): unknown {
  let value = start;
  for (let index = from; index < names.length; index += 1) {
    value = ownValue(value, names[index] ?? '');
    if (value === NOT_FOUND) {
      return undefined;
    }
  }
  return value;
}

function ownValue(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : NOT_FOUND;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
