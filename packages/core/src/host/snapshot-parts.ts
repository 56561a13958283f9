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

  /** @param otherwise - what is put back of parts that were not registered when the snapshot was taken */
  restore(saved: SavedParts, otherwise: SavedParts = []): void {
    const names = new Set(saved.map(([name]) => name));
    const missing = otherwise.filter(([name]) => !names.has(name));
    for (const [name, data] of [...saved, ...missing]) this.#snapshotParts.get(name)?.restore(data);
  }
}
