import { FilterSet } from './filter-set.js';

/** One level of a topic. */
interface Level<T> {
  readonly name: string;
  readonly above: Level<T> | undefined;
  below: Map<string, Level<T>> | undefined;
  /** What is kept under the topic that ends here. */
  value: T | undefined;
}

/** Where a value is kept. */
export type Place<T> = Level<T>;

/** After so many levels that were looked at others may be let in. */
const PAUSE = 256;

/** Values by topic, and those whose topic some filter takes: only levels that a filter can take are looked at. */
export class TopicTree<T> {
  readonly #root: Level<T> = { name: '', above: undefined, below: undefined, value: undefined };
  #levels = 0;
  #looks = 0;

  /** How many levels the topics have, those that they begin with in common counted once: what the tree holds in memory. */
  get levels(): number {
    return this.#levels;
  }

  /** How many levels have been looked at in all searches. */
  get looks(): number {
    return this.#looks;
  }

  /** Keeps a value under a topic in place of the one before it. @returns where it is kept */
  set(topic: string, value: T): Place<T> {
    let level = this.#root;
    for (const name of topic.split('/')) {
      let next = level.below?.get(name);
      if (next === undefined) {
        next = { name, above: level, below: undefined, value: undefined };
        (level.below ??= new Map()).set(name, next);
        this.#levels += 1;
      }
      level = next;
    }
    level.value = value;
    return level;
  }

  /** Takes a value away. */
  remove(place: Place<T>): void {
    place.value = undefined;
    for (let level: Level<T> | undefined = place; level?.above !== undefined; level = level.above) {
      if (level.value !== undefined || level.below !== undefined) return;
      const { above } = level;
      above.below?.delete(level.name);
      if (above.below?.size === 0) above.below = undefined;
      this.#levels -= 1;
    }
  }

  /**
   * The values whose topic at least one filter takes, each once; `undefined` wherever others may be let in. Values that
   * come or go meanwhile may be given or not.
   */
  *match(filters: readonly string[]): Generator<T | undefined, undefined> {
    const all = yield* FilterSet.of(filters);
    const stack = [{ levels: this.#follow(this.#root, all), isTop: true }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { value: found } = top.levels.next();
      if (found === undefined) {
        stack.pop();
        continue;
      }
      const { level, set } = found;
      this.#looks += 1;
      if (level.value !== undefined && set.takesHere) yield level.value;
      if (this.#looks % PAUSE === 0) yield undefined;
      if (level.below !== undefined && !set.isEnd)
        stack.push({ levels: this.#follow(level, set), isTop: false });
    }
  }

  /** What stands below a level and could still be taken. */
  *#follow(
    above: Level<T>,
    filters: FilterSet,
  ): Generator<{ readonly level: Level<T>; readonly set: FilterSet }, undefined> {
    const { below } = above;
    if (below === undefined) return;
    const names = filters.namesOnly;
    const isTop = above === this.#root;
    if (names !== undefined && names.size < below.size) {
      for (const name of names.keys()) {
        const level = below.get(name);
        const set = level === undefined ? undefined : filters.next(name);
        if (level !== undefined && set !== undefined) yield { level, set };
      }
      return;
    }
    for (const level of below.values()) {
      const set =
        isTop && level.name.startsWith('$') ? filters.nextNamed(level.name) : filters.next(level.name);
      // A level that nothing takes was looked at all the same.
      if (set === undefined) this.#looks += 1;
      else yield { level, set };
    }
  }
}
