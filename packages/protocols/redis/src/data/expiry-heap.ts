/** What can go away at a moment. */
export interface Expiring {
  /** Milliseconds since 1970. */
  dueAt: number;
  /** Where it stands in the heap; -1: not there. */
  heapPlace: number;
}

/** What will go away, the soonest first: adding, moving and removing take steps that grow with the logarithm of the size. */
export class ExpiryHeap<T extends Expiring> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** What goes away first. */
  get first(): T | undefined {
    return this.#items[0];
  }

  /** Adds something, or moves it to its place when its moment has changed. */
  put(item: T): void {
    if (item.heapPlace < 0) {
      item.heapPlace = this.#items.length;
      this.#items.push(item);
    }
    this.#rise(item);
    this.#sink(item);
  }

  /** Removes something that may be there. */
  remove(item: T): void {
    const place = item.heapPlace;
    if (place < 0) return;
    item.heapPlace = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#set(place, last);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(item: T): void {
    while (item.heapPlace > 0) {
      const parent = this.#items[(item.heapPlace - 1) >>> 1];
      if (parent === undefined || parent.dueAt <= item.dueAt) return;
      this.#exchange(parent, item);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const place = 2 * item.heapPlace + 1;
      const [left, right] = [this.#items[place], this.#items[place + 1]];
      const child = right !== undefined && right.dueAt < (left?.dueAt ?? 0) ? right : left;
      if (child === undefined || child.dueAt >= item.dueAt) return;
      this.#exchange(item, child);
    }
  }

  #exchange(one: T, two: T): void {
    const place = one.heapPlace;
    this.#set(two.heapPlace, one);
    this.#set(place, two);
  }

  #set(place: number, item: T): void {
    this.#items[place] = item;
    item.heapPlace = place;
  }
}
