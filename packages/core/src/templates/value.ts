import { invalid } from '../errors.js';
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
 * @throws invalid when a text does not compile, or the value is nested deeper than 200 levels
 */
export function compileValue(value: unknown): ValueTemplate {
  const make = compileAny(value, 0);
  if (make === undefined) {
    return { constant: true, render: () => value };
  }
  return { constant: false, render: (scope) => make(new Run(scope)) };
}

function compileAny(value: unknown, depth: number): Maker {
  if (typeof value === 'string') {
    return compileText(value);
  }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) {
    return undefined;
  }
  if (depth >= DEEPEST) {
    throw invalid(`value is nested deeper than ${DEEPEST} levels`);
  }
  return Array.isArray(value) ? compileList(value as unknown[], depth) : compileObject(value, depth);
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

function compileList(list: readonly unknown[], depth: number): Maker {
  const makers = list.map((item) => compileAny(item, depth + 1));
  if (makers.every((make) => make === undefined)) {
    return undefined;
  }
  return (run) =>
    list.map((item, index) => {
      const make = makers[index];
      return make === undefined ? item : make(run);
    });
}

function compileObject(value: object, depth: number): Maker {
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    item: item as unknown,
    make: compileAny(item, depth + 1),
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
