import type { SnapshotPart } from '../contract/context.js';
import type { TakenPart } from '../contract/stored-data.js';

/** Snapshots of what protocols keep beside their mocks, by name. */
export type SavedParts = readonly (readonly [string, unknown])[];

/** What was made ready of them before they are put back, by name. */
export type PreparedParts = ReadonlyMap<string, unknown>;

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

  /** The names of those that never leave the process. */
  get staying(): readonly string[] {
    return Array.from(this.#snapshotParts).flatMap(([name, { passes }]) =>
      passes === undefined ? [name] : [],
    );
  }

  /** Takes those that pass to another process. */
  take(): readonly Omit<TakenPart, 'kind' | 'space'>[] {
    return Array.from(this.#snapshotParts).flatMap(([part, kept]) => {
      const { passes } = kept;
      if (passes === undefined) return [];
      const saved = kept.save();
      return [{ part, pack: () => (passes === 'plain' ? saved : passes.pack(saved)) }];
    });
  }

  /** Makes snapshots of what was packed; what no part has packed is left out. */
  unpack(packed: ReadonlyMap<string, unknown>): SavedParts {
    return Array.from(packed).flatMap(([name, data]) => {
      const passes = this.#snapshotParts.get(name)?.passes;
      if (passes === undefined) return [];
      return [[name, passes === 'plain' ? data : passes.unpack(data)] as const];
    });
  }

  /** The steps that make ready what takes long to put back; undefined where nothing does. */
  prepare(saved: SavedParts): Iterator<unknown, PreparedParts> | undefined {
    const long = saved.flatMap(([name, data]) => {
      const steps = this.#snapshotParts.get(name)?.prepare?.(data);
      return steps === undefined ? [] : [[name, steps] as const];
    });
    return long.length === 0 ? undefined : prepareAll(long);
  }

  /** @param otherwise - what is put back of parts that were not registered when the snapshot was taken */
  restore(saved: SavedParts, otherwise: SavedParts = [], prepared: PreparedParts = new Map()): void {
    const names = new Set(saved.map(([name]) => name));
    const missing = otherwise.filter(([name]) => !names.has(name));
    for (const [name, data] of [...saved, ...missing])
      this.#snapshotParts.get(name)?.restore(data, prepared.get(name));
  }
}

function* prepareAll(
  long: readonly (readonly [string, Iterator<unknown>])[],
): Generator<unknown, PreparedParts> {
  const prepared = new Map<string, unknown>();
  for (const [name, steps] of long) prepared.set(name, yield* { [Symbol.iterator]: () => steps });
  return prepared;
}
