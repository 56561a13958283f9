import type { OpenedConfig } from './open.js';
import { pointTo } from './pointer.js';
import type { ConfigProblem } from './problem.js';

type Tree = Readonly<Record<string, unknown>>;

/** Where something of the merged value stands: in which part, at which pointer. */
interface Spot {
  readonly part: OpenedConfig;
  readonly pointer: string;
}

/**
 * Makes one configuration of several files, each a part of it: mappings are merged key by key, lists are put one behind the other. A
 * setting that two files have with different values, and an id that two files give, are problems that name both places.
 *
 * @param parts - one at least, in the order in which they were named
 */
export function mergeParts(parts: readonly [OpenedConfig, ...OpenedConfig[]]): OpenedConfig {
  const [first, ...others] = parts;
  if (others.length === 0) return first;
  const merge = new Merge(first);
  for (const part of others) merge.add(part);
  const at = (pointer: string): Spot => merge.spotOf(pointer);
  return {
    source: first.source,
    root: merge.root,
    isMockly: parts.some(({ isMockly }) => isMockly),
    notices: parts.flatMap(({ notices }) => notices),
    problems: [...parts.flatMap(({ problems }) => problems), ...merge.problems],
    unset: parts.flatMap(({ unset }) => unset),
    plugins: parts.flatMap(({ plugins }) => plugins),
    locate({ path, message }) {
      const { part, pointer } = at(path);
      return part.locate({ path: pointer, message });
    },
    isReplaced(path) {
      const { part, pointer } = at(path);
      return part.isReplaced(pointer);
    },
    textOf(path, value) {
      const { part, pointer } = at(path);
      return part.textOf(pointer, value);
    },
    folderOf(path) {
      const { part, pointer } = at(path);
      return part.folderOf(pointer);
    },
    isTested: () => false,
  };
}

class Merge {
  readonly root: Record<string, unknown>;
  readonly problems: ConfigProblem[] = [];
  readonly #first: OpenedConfig;
  /** By pointers into the merged value; what is not here, nor within, is the first part's at the same pointer. */
  readonly #spots = new Map<string, Spot>();
  /** Mappings and lists that were copied, and may be added to. */
  readonly #own = new Set<unknown>();
  /** The ids in lists that were added to, with the index of what has each. */
  readonly #ids = new Map<unknown[], Map<string, number>>();

  constructor(first: OpenedConfig) {
    this.#first = first;
    this.root = { ...first.root };
    this.#own.add(this.root);
  }

  add(part: OpenedConfig): void {
    this.#addAll(this.root, '', part.root, { part, pointer: '' });
  }

  spotOf(pointer: string): Spot {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
      const found = this.#spots.get(pointer.slice(0, end));
      if (found !== undefined) return { ...found, pointer: found.pointer + pointer.slice(end) };
    }
    return { part: this.#first, pointer };
  }

  #addAll(into: Record<string, unknown>, at: string, value: Tree, { part, pointer }: Spot): void {
    for (const [name, inner] of Object.entries(value)) {
      const spot = { part, pointer: pointTo(pointer, name) };
      const place = pointTo(at, name);
      const there = Object.hasOwn(into, name) ? into[name] : undefined;
      if (there === undefined || there === null) {
        Object.defineProperty(into, name, {
          value: inner,
          writable: true,
          enumerable: true,
          configurable: true,
        });
        this.#spots.set(place, spot);
      } else if (inner === null || inner === there) continue;
      else if (Array.isArray(there) && Array.isArray(inner))
        this.#append(this.#ownOf(into, name, there), place, inner, spot);
      else if (isTree(there) && isTree(inner))
        this.#addAll(this.#ownOf(into, name, there), place, inner, spot);
      else this.#refuseOther(place, there, inner, spot);
    }
  }

  #append(list: unknown[], at: string, items: readonly unknown[], { part, pointer }: Spot): void {
    const ids = this.#idsOf(list);
    for (const [index, item] of items.entries()) {
      const spot = { part, pointer: pointTo(pointer, index) };
      const id = idOf(item);
      const before = id === undefined ? undefined : ids.get(id);
      if (id !== undefined && before !== undefined) {
        const there = this.#describe(this.spotOf(pointTo(at, before)));
        this.#refuse(spot, `the id "${id}" is given here and in ${there}; give each its own`);
        continue;
      }
      // Of plain values, such as names of packages, one is enough.
      if (typeof item !== 'object' && list.includes(item)) continue;
      if (id !== undefined) ids.set(id, list.length);
      this.#spots.set(pointTo(at, list.length), spot);
      list.push(item);
    }
  }

  /** The list or mapping under a name, which may be added to. */
  #ownOf<Value extends unknown[] | Tree>(
    into: Record<string, unknown>,
    name: string,
    there: Value,
  ): Value extends unknown[] ? unknown[] : Record<string, unknown>;
  #ownOf(into: Record<string, unknown>, name: string, there: unknown[] | Tree): unknown {
    if (this.#own.has(there)) return there;
    const copy = Array.isArray(there) ? [...there] : { ...there };
    this.#own.add(copy);
    into[name] = copy;
    return copy;
  }

  #idsOf(list: unknown[]): Map<string, number> {
    let ids = this.#ids.get(list);
    if (ids === undefined) {
      ids = new Map();
      for (const [index, item] of list.entries()) {
        const id = idOf(item);
        if (id !== undefined && !ids.has(id)) ids.set(id, index);
      }
      this.#ids.set(list, ids);
    }
    return ids;
  }

  #refuseOther(at: string, there: unknown, value: unknown, spot: Spot): void {
    const where = this.#describe(this.spotOf(at));
    this.#refuse(
      spot,
      `is ${show(value)} here and ${show(there)} in ${where}; say it in one of them, or over all of them by --set`,
    );
  }

  #refuse({ part, pointer }: Spot, message: string): void {
    const problem = part.locate({ path: pointer, message });
    if (problem !== undefined) this.problems.push(problem);
  }

  /** A place for a message, as in `a.yaml:3:5`. */
  #describe({ part, pointer }: Spot): string {
    const { file, place } = part.locate({ path: pointer, message: '' }) ?? {};
    const name = file ?? part.source.file;
    return place === undefined ? name : `${name}:${place.line}:${place.column}`;
  }
}

function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isTree(value) ? 'a mapping' : JSON.stringify(value);
}

function idOf(item: unknown): string | undefined {
  if (!isTree(item)) return undefined;
  const { id } = item;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
