import type { Denial } from './selector.js';

/** What was refused. */
export interface Refusal {
  readonly reason: Denial['reason'] | 'auth';
  readonly context: 'toplevel' | 'multi' | 'lua';
  /** The command, key or channel. */
  readonly object: string;
  readonly username: string;
  /** The client, as CLIENT INFO shows it. */
  readonly client: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Refusals of one kind. */
export interface AclLogEntry extends Refusal {
  readonly count: number;
}

/** Most entries (acllog-max-len). */
export const MAX_ENTRIES = 128;
/** So many of the last entries may be counted up. */
const COUNTED = 10;
/** Milliseconds after which the same refusal is an entry of its own. */
const GROUPED = 60_000;
/** Most bytes that an entry shows of a key or a name. */
const MAX_SHOWN = 1024;

/** What was refused lately, the last first (redis.io, command page of ACL LOG). */
export class AclLog {
  #entries: readonly AclLogEntry[] = [];

  get entries(): readonly AclLogEntry[] {
    return this.#entries;
  }

  add(given: Refusal): void {
    const refusal = {
      ...given,
      object: given.object.slice(0, MAX_SHOWN),
      username: given.username.slice(0, MAX_SHOWN),
    };
    const same = this.#entries.slice(0, COUNTED).find((entry) => isSame(entry, refusal));
    const others = same === undefined ? this.#entries : this.#entries.filter((entry) => entry !== same);
    this.#entries = [{ ...refusal, count: (same?.count ?? 0) + 1 }, ...others].slice(0, MAX_ENTRIES);
  }

  clear(): void {
    this.#entries = [];
  }

  /** Puts other entries in the place of these. */
  adopt(entries: readonly AclLogEntry[]): void {
    this.#entries = entries;
  }
}

function isSame(entry: Refusal, other: Refusal): boolean {
  return (
    entry.reason === other.reason &&
    entry.context === other.context &&
    Math.abs(entry.at - other.at) <= GROUPED &&
    entry.object === other.object &&
    entry.username === other.username
  );
}
