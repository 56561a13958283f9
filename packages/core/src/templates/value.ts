import { invalid, messageOf, type Problem } from '../errors.js';
import { pointTo } from '../validation/pointer.js';
import { compileLeaf, NodeCompiler } from './nodes.js';
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

const DEEPEST = 200;

/**
 * Compiles a structured response. Texts are never escaped; a text that is exactly one tag becomes the value itself,
 * with its own JSON type. Keys are not rendered.
 *
 * @throws invalid with a problem for each text that does not compile, and when the value is nested deeper than 200
 * levels
 */
export function compileValue(value: unknown): ValueTemplate {
  const problems: Problem[] = [];
  const make = compileAny(value, { at: '', depth: 0, problems });
  const [first] = problems;
  if (first !== undefined) throw invalid(first.message, problems);
  if (make === undefined) {
    return { constant: true, render: () => value };
  }
  return { constant: false, render: (scope) => make(new Run(scope)) };
}

/** A place in a value. */
interface Place {
  readonly at: string;
  readonly depth: number;
  /** Takes what is wrong, at whatever place. */
  readonly problems: Problem[];
}

function stepTo({ at, depth, problems }: Place, key: string | number): Place {
  return { at: pointTo(at, key), depth: depth + 1, problems };
}

function compileAny(value: unknown, place: Place): Maker {
  if (typeof value === 'string') {
    try {
      return compileText(value);
    } catch (thrown) {
      place.problems.push({ path: place.at, message: messageOf(thrown) });
      return undefined;
    }
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) {
    return undefined;
  }
  if (place.depth >= DEEPEST) {
    throw invalid(`value is nested deeper than ${DEEPEST} levels`);
  }
  return Array.isArray(value) ? compileList(value as unknown[], place) : compileObject(value, place);
}

function compileText(text: string): Maker {
  const parts = parseTemplate(text);
  if (parts === undefined) {
    return undefined;
  }
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'value' && only.text === text) {
    return typedLeaf(only);
  }
  const write = new NodeCompiler(false).compile(parts);
  return (run) => {
    write(run);
    return run.take();
  };
}

function typedLeaf(part: ValuePart): Maker {
  const evaluate = compileLeaf(part);
  return (run) => {
    const value = evaluate(run);
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
  const makers = list.map((item, index) => compileAny(item, stepTo(place, index)));
  if (makers.every((make) => make === undefined)) {
    return undefined;
  }
  return (run) =>
    list.map((item, index) => {
      const make = makers[index];
      return make === undefined ? item : make(run);
    });
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
