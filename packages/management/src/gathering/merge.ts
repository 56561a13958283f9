import type { Item } from './gathering.js';
import type { Target } from './target.js';

/** What one replica has, in its own order. */
export interface Part {
  readonly target: Target;
  readonly items: readonly Item[];
}

/** One item of a merged list. */
export interface Merged {
  readonly target: Target;
  readonly item: Item;
}

/** How lists are merged. */
interface Merging {
  /** The field with the time; the lists follow one another when absent. */
  readonly time: string | undefined;
  readonly limit: number;
  /** Whether the limit cuts off what is older. */
  readonly isNewest: boolean;
}

/**
 * Merges lists by time. What is of one replica keeps its order, whatever its times are: so a reader of the first part of
 * the whole has the first part of each.
 */
export function* mergeByTime(
  parts: readonly Part[],
  { time, limit, isNewest }: Merging,
): Generator<undefined, readonly Merged[]> {
  const step = isNewest ? -1 : 1;
  const heads = parts.map(
    ({ target, items }) => new Head(target, items, time, isNewest ? items.length - 1 : 0),
  );
  const merged: Merged[] = [];
  while (merged.length < limit) {
    let best: Head | undefined;
    for (const head of heads) {
      if (head.item === undefined) continue;
      if (best === undefined || (isNewest ? head.time >= best.time : head.time < best.time)) best = head;
    }
    if (best?.item === undefined) break;
    merged.push({ target: best.target, item: best.item });
    best.move(step);
    yield;
  }
  return isNewest ? merged.reverse() : merged;
}

class Head {
  time = 0;

  constructor(
    readonly target: Target,
    private readonly items: readonly Item[],
    private readonly field: string | undefined,
    private index: number,
  ) {
    this.#look();
  }

  get item(): Item | undefined {
    return this.items[this.index];
  }

  move(step: 1 | -1): void {
    this.index += step;
    this.#look();
  }

  #look(): void {
    const value = this.field === undefined ? undefined : this.item?.[this.field];
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    // What has no time stands beside what was before it.
    if (!Number.isNaN(time)) this.time = time;
  }
}
