import type { TakenPart } from '../contract/stored-data.js';
import type { PackedMock } from './brought-mocks.js';
import type { KindHost } from './kind-host.js';
import type { SavedParts } from './snapshot-parts.js';

/** The name of the part that captured messages are; no part that a kind registers has it. */
const CAPTURES = '/captures';
/** Likewise, of the part that is what clients have done to the mocks. */
const BROUGHT = '/brought';

/** What clients have stored in one kind, as it passes to another process. */
export class StoredOfKind {
  readonly #kind: KindHost;
  /** What has come for a service that is not made yet, by the names of parts. */
  #waiting: ReadonlyMap<string, unknown> | undefined;

  constructor(kind: KindHost) {
    this.#kind = kind;
  }

  /** The names of the parts that cannot pass. */
  get staying(): readonly string[] {
    return this.#kind.snapshotParts.staying;
  }

  take(): readonly Omit<TakenPart, 'kind' | 'space'>[] {
    const { snapshotParts, captures, protocol, brought } = this.#kind;
    if (this.#waiting !== undefined)
      return Array.from(this.#waiting, ([part, data]) => ({ part, pack: () => data }));
    const mocks = brought.pack();
    const parts = [
      ...snapshotParts.take(),
      ...(mocks.length === 0 ? [] : [{ part: BROUGHT, pack: () => mocks }]),
    ];
    const passage = protocol.capture?.passes;
    if (captures === undefined || passage === undefined) return parts;
    const held = captures.save();
    const pack = (): unknown => held.map(({ value, bytes }) => ({ value: passage.pack(value), bytes }));
    return [...parts, { part: CAPTURES, pack }];
  }

  /** Puts data in the place of what is there, or of what will be there at first. */
  put(parts: ReadonlyMap<string, unknown>): void {
    const { service, enabled } = this.#kind;
    if (service !== undefined) this.#put(parts);
    else if (enabled) this.#waiting = parts;
  }

  /** Forgets what has come for a service that is not made yet. */
  forget(): void {
    this.#waiting = undefined;
  }

  /** The service was made. */
  made(): void {
    const parts = this.#waiting;
    this.#waiting = undefined;
    if (parts === undefined) return;
    try {
      this.#put(parts);
    } catch (thrown) {
      this.#kind.log.error('what clients have stored could not be taken from another process', thrown);
    }
  }

  #put(parts: ReadonlyMap<string, unknown>): void {
    const { snapshotParts, firstKept, captures, protocol, brought } = this.#kind;
    // Files stand in directories, and mailboxes are made of their mocks: these are there first.
    brought.unpack((parts.get(BROUGHT) ?? []) as readonly PackedMock[]);
    const saved: SavedParts = snapshotParts.unpack(parts);
    snapshotParts.restore(saved, firstKept);
    const passage = protocol.capture?.passes;
    const held = parts.get(CAPTURES) as
      readonly { readonly value: unknown; readonly bytes: number }[] | undefined;
    if (held === undefined || passage === undefined) return;
    captures?.restore(held.map(({ value, bytes }) => ({ value: passage.unpack(value), bytes })));
  }
}
