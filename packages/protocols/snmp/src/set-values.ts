import type { SnapshotPart, MockChange } from '@backlot/core/plugin';
import type { Binding } from './wire/value.js';

/** The values that SET gave, by mock: they stand beside the mock until it changes. */
export class SetValues implements SnapshotPart<ReadonlyMap<string, Binding>> {
  #values = new Map<string, Binding>();

  get(mockId: string): Binding | undefined {
    return this.#values.size === 0 ? undefined : this.#values.get(mockId);
  }

  set(mockId: string, binding: Binding): void {
    this.#values.set(mockId, binding);
  }

  /** Forgets the value of a mock that was changed or removed; a state that changed touches none. */
  mocksChanged({ type, id }: MockChange): void {
    if (id !== undefined && type !== 'added') this.#values.delete(id);
  }

  save(): ReadonlyMap<string, Binding> {
    return new Map(this.#values);
  }

  restore(saved: ReadonlyMap<string, Binding>): void {
    this.#values = new Map(saved);
  }
}
