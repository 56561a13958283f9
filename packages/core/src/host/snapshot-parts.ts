import type { SnapshotPart } from '../contract/context.js';

/** Snapshots of what protocols keep beside their mocks, by name. */
export type SavedParts = readonly (readonly [string, unknown])[];

/** The data that a protocol has registered for reset and snapshots, by name. */
export class SnapshotParts {
  readonly #snapshotParts = new Map<string, SnapshotPart<unknown>>();

  add(name: string, part: SnapshotPart<unknown>): void {
    if (this.#snapshotParts.has(name)) throw new TypeError(`data "${name}" is registered twice`);
    this.#snapshotParts.set(name, part);
  }

  save(): SavedParts {
    return Array.from(this.#snapshotParts, ([name, part]) => [name, part.save()] as const);
  }

  restore(saved: SavedParts): void {
    for (const [name, data] of saved) this.#snapshotParts.get(name)?.restore(data);
  }
}
