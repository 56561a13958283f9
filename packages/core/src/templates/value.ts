import { invalid, messageOf, type Problem } from '../errors.js';
import { CompileBudget } from '../validation/compile-budget.js';
import { MAX_PROBLEMS } from '../validation/problem-list.js';
import { pointTo } from '../validation/pointer.js';
import { maySign, noteKeys } from './named-keys.js';
import { compileLeaf, NodeCompiler, type Warn } from './nodes.js';
import { parseTemplate, type ValuePart } from './parse.js';
import { Run } from './run.js';
import type { TemplateScope } from './scope.js';
import { JsonText, toText } from './text-forms.js';

/** A compiled structured response: any JSON value whose texts are templates. */
export interface ValueTemplate {
  /** Whether no text of it holds a tag, so that rendering gives the value itself. */
  readonly constant: boolean;
  /**
   * Renders the value for one message. Parts without tags are shared between renderings: do not change them.
   *
   * @throws too_large when its texts are larger than 16 MiB together
   */
  render(scope: TemplateScope): unknown;
}

/** Makes one value; `undefined` stands for a value without tags. */
type Maker = ((run: Run) => unknown) | undefined;

const MAX_DEPTH = 200;
/** Members and elements of the lists and objects that are made anew for each message. */
const MAX_MEMBERS = 100_000;

/**
 * Compiles a structured response. Texts are never escaped; a text that is exactly one tag becomes the value itself,
 * with its own JSON type. Keys are not rendered.
 *
 * @param budget - what the templates of one mock share
 * @param warn - takes what a text says and hardly means, with its place
 * @param keepsBytes - whether a lone tag that inserts bytes becomes the bytes, and not their text
 * @param noteKey - takes the keys that the texts name, with their place
 * @throws invalid with a problem for each text that does not compile, and when the value is nested deeper than 200
 * levels, or objects and lists with tags in them hold more than 100,000 members
 */
export function compileValue(
  value: unknown,
  budget = new CompileBudget(),
  warn?: (path: string, message: string, name: string) => void,
  keepsBytes = false,
  noteKey?: (path: string, name: string) => void,
): ValueTemplate {
  const problems: Problem[] = [];
  const size = { members: 0 };
  const make = compileAny(value, {
    parent: undefined,
    key: '',
    depth: 0,
    problems,
    size,
    budget,
    warn,
    keepsBytes,
    noteKey,
  });
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  if (make === undefined) {
    return { constant: true, render: () => value };
  }
  if (size.members > MAX_MEMBERS) {
    throw invalid(
      `value has ${size.members} members in objects and lists with tags in them; at most ${MAX_MEMBERS} are allowed`,
    );
  }
  return { constant: false, render: (scope) => make(new Run(scope)) };
}

/** A place in a value. */
interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
  readonly depth: number;
  /** Takes what is wrong, at whatever place. */
  readonly problems: Problem[];
  /** Counts what is made anew for each message. */
  readonly size: { members: number };
  readonly budget: CompileBudget;
  readonly keepsBytes: boolean;
  readonly warn: ((path: string, message: string, name: string) => void) | undefined;
  readonly noteKey: ((path: string, name: string) => void) | undefined;
}

function stepTo(parent: Place, key: string | number): Place {
  return { ...parent, parent, key, depth: parent.depth + 1 };
}

function pointerOf({ parent, key }: Place): string {
  return parent === undefined ? '' : pointTo(pointerOf(parent), key);
}

function compileAny(value: unknown, place: Place): Maker {
  if (typeof value === 'string') {
    if (place.problems.length >= MAX_PROBLEMS) {
      return undefined;
    }
    try {
      return compileText(value, place);
    } catch (thrown) {
      place.problems.push({ path: pointerOf(place), message: messageOf(thrown) });
      return undefined;
    }
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) {
    return undefined;
  }
  if (place.depth >= MAX_DEPTH) {
    throw invalid(`value is nested deeper than ${MAX_DEPTH} levels`);
  }
  return Array.isArray(value) ? compileList(value as unknown[], place) : compileObject(value, place);
}

function compileText(text: string, place: Place): Maker {
  const parts = parseTemplate(text, place.budget);
  if (parts === undefined) {
    return undefined;
  }
  const { noteKey } = place;
  if (noteKey !== undefined && maySign(text)) {
    noteKeys(parts, (name) => {
      noteKey(pointerOf(place), name);
    });
  }
  const warn: Warn = (message, name) => place.warn?.(pointerOf(place), message, name);
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'value' && only.text === text) {
    return typedLeaf(only, warn, place.keepsBytes);
  }
  const write = new NodeCompiler('text', warn).compile(parts);
  return (run) => {
    write(run);
    return run.take();
  };
}

function typedLeaf(part: ValuePart, warn: Warn, keepsBytes: boolean): Maker {
  const evaluate = compileLeaf(part, warn);
  return (run) => {
    const value = evaluate(run);
    if (keepsBytes && value instanceof Uint8Array) {
      run.spend(value.length);
      return value;
    }
    if (typeof value === 'object' && value !== null && !isPlain(value)) {
      return toText(value);
    }
    if (typeof value === 'string') {
      // Counted like any other text, and given back as it is.
      run.write(value);
      return run.take();
    }
    return value === undefined || typeof value === 'function' || typeof value === 'bigint'
      ? toText(value)
      : value;
  };
}

function isPlain(value: object): boolean {
  return !(value instanceof JsonText || value instanceof Uint8Array || value instanceof Date);
}

function compileList(list: readonly unknown[], place: Place): Maker {
  const makers: { readonly index: number; readonly make: NonNullable<Maker> }[] = [];
  list.forEach((item, index) => {
    const make = compileAny(item, stepTo(place, index));
    if (make !== undefined) {
      makers.push({ index, make });
    }
  });
  if (makers.length === 0) {
    return undefined;
  }
  place.size.members += list.length;
  return (run) => {
    const made = [...list];
    for (const { index, make } of makers) {
      made[index] = make(run);
    }
    return made;
  };
}

function compileObject(value: object, place: Place): Maker {
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    item: item as unknown,
    make: compileAny(item, stepTo(place, key)),
  }));
  if (entries.every(({ make }) => make === undefined)) {
    return undefined;
  }
  place.size.members += entries.length;
  return (run) => {
    const made: Record<string, unknown> = {};
    for (const { key, item, make } of entries) {
      setOwn(made, key, make === undefined ? item : make(run));
    }
    return made;
  };
}

/** Sets a field under any key; `__proto__` is a plain key, as in `JSON.parse`. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}
