/** One pending wait, ordered by `due` and then by `order`. */
export interface HeapItem {
  readonly due: number;
  readonly order: number;
}

/** A binary heap: the earliest first. */
export class WaitHeap<T extends HeapItem> {
  #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let place = items.length;
    items.push(item);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above];
      if (parent === undefined || !isEarlier(item, parent)) break;
      items[place] = parent;
      place = above;
    }
    items[place] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      let child = items[below];
      if (child === undefined) break;
      const other = items[below + 1];
      if (other !== undefined && isEarlier(other, child)) {
        child = other;
        below += 1;
      }
      if (!isEarlier(child, last)) break;
      items[place] = child;
      place = below;
    }
    items[place] = last;
    return first;
  }

  /** Drops the items that are not wanted any more. */
  keep(isWanted: (item: T) => boolean): void {
    const wanted = this.#items.filter(isWanted);
    this.#items = [];
    for (const item of wanted) this.push(item);
  }
}

function isEarlier(a: HeapItem, b: HeapItem): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}
