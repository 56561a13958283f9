import type { Json } from '@backlot/core/plugin';
import { isTree } from '../shared/trees.js';
import type { FlightLine } from './format.js';

/** Objects so deep are one value. */
const DEEPEST = 4;

/** A configuration as lines, of which none has more than one mock, row or other item of a list. */
export function* configurationLines(value: object, at: readonly string[] = []): Generator<FlightLine> {
  for (const [name, inner] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    const place = [...at, name];
    if (Array.isArray(inner) && inner.length > 0)
      for (const item of inner as unknown[]) yield { at: place, item };
    else if (isTree(inner) && Object.keys(inner).length > 0 && place.length < DEEPEST)
      yield* configurationLines(inner, place);
    else if (inner !== undefined) yield { at: place, value: inner };
  }
}

/** Puts lines together again. Names are data: none of them reaches a prototype. */
export class ConfigurationParts {
  readonly #root: Record<string, unknown> = {};

  add(line: FlightLine): void {
    if (!('at' in line)) return;
    const parents = line.at.slice(0, -1);
    const name = line.at.at(-1) ?? '';
    let parent = this.#root;
    for (const step of parents) {
      const inner = Object.hasOwn(parent, step) ? parent[step] : undefined;
      parent = isTree(inner) ? inner : define(parent, step, {});
    }
    if ('value' in line) define(parent, name, line.value);
    else {
      const list = Object.hasOwn(parent, name) ? parent[name] : undefined;
      if (Array.isArray(list)) list.push(line.item);
      else define(parent, name, [line.item]);
    }
  }

  get value(): Json {
    return this.#root;
  }
}

function define<T>(object: Record<string, unknown>, name: string, value: T): T {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  return value;
}
