import { ExpiryHeap, type Expiring } from './expiry-heap.js';

interface TimedField extends Expiring {
  readonly field: string;
}

/** When fields of a hash go away. */
export class FieldExpiries {
  readonly #byField = new Map<string, TimedField>();
  readonly #heap = new ExpiryHeap<TimedField>();

  get size(): number {
    return this.#byField.size;
  }

  /** When the next field goes away; 0: never. */
  get next(): number {
    return this.#heap.first?.dueAt ?? 0;
  }

  /** When a field goes away; 0: never. */
  of(field: string): number {
    return this.#byField.get(field)?.dueAt ?? 0;
  }

  set(field: string, dueAt: number): void {
    const known = this.#byField.get(field);
    const item = known ?? { field, dueAt, heapPlace: -1 };
    item.dueAt = dueAt;
    this.#byField.set(field, item);
    this.#heap.put(item);
  }

  remove(field: string): void {
    const item = this.#byField.get(field);
    if (item === undefined) return;
    this.#byField.delete(field);
    this.#heap.remove(item);
  }

  /** The field that goes away first, when its moment has come. */
  due(now: number): string | undefined {
    const { first } = this.#heap;
    return first !== undefined && first.dueAt <= now ? first.field : undefined;
  }
}
