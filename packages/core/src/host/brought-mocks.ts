import type { StoredMock } from '../contract/given.js';
import type { Log } from '../contract/log.js';
import { messageOf } from '../errors.js';
import type { MockStore } from '../mocks/mock-store.js';

/** The most characters of JSON that brought mocks may have when they pass to another process. */
const MOST_PASSED = 16 * 1024 * 1024;

/** What is known of a mock that clients have brought, changed or taken away. */
interface Brought {
  /** What was there before clients came; undefined when nothing was. */
  readonly base: StoredMock | undefined;
  /** What clients have made of it; undefined when they have taken it away. */
  readonly own: StoredMock | undefined;
  /** Characters of its JSON. */
  readonly size: number;
}

/** A mock that clients have brought, as it passes to another process. */
export type PackedMock = Pick<Brought, 'base' | 'own'> & { readonly id: string };

/**
 * What clients have done to the mocks of a kind that has data, such as the files that they upload: the difference to what the configuration and the
 * management API say, which all processes have.
 */
export class BroughtMocks {
  readonly #mocks: MockStore;
  readonly #log: Log;
  readonly #isPassing: () => boolean;
  #brought = new Map<string, Brought>();
  /** Whether it was said that some do not pass. */
  #isTooLarge = false;

  /** @param isPassing - whether there is another process that it may pass to */
  constructor(mocks: MockStore, log: Log, isPassing: () => boolean) {
    this.#mocks = mocks;
    this.#log = log;
    this.#isPassing = isPassing;
  }

  /** @returns the id of the mock */
  create(mock: unknown): string {
    const { id } = this.#mocks.create(mock);
    this.#note(id, undefined);
    return id;
  }

  replace(id: string, mock: unknown): void {
    const before = this.#find(id);
    this.#mocks.replace(id, mock);
    this.#note(id, before);
  }

  remove(id: string): void {
    const before = this.#find(id);
    this.#mocks.remove(id);
    this.#note(id, before);
  }

  save(): ReadonlyMap<string, Brought> {
    return new Map(this.#brought);
  }

  /** The mocks themselves were put back. */
  restore(saved: ReadonlyMap<string, Brought>): void {
    this.#brought = new Map(saved);
  }

  /** Puts back what was there before clients came, but for what somebody else has changed since. */
  forget(): void {
    for (const [id, { base, own }] of this.#brought) if (this.#find(id) === own) this.#set(id, base);
    this.#brought = new Map();
  }

  /** What passes to another process; beyond a bound mocks are left out, which is said. */
  pack(): readonly PackedMock[] {
    let size = 0;
    let left = 0;
    const packed = Array.from(this.#brought).flatMap(
      ([id, { base, own, size: more }]): readonly PackedMock[] => {
        if (this.#find(id) !== own) return [];
        if (size + more > MOST_PASSED) {
          left += 1;
          return [];
        }
        size += more;
        return [{ id, base, own }];
      },
    );
    if (left > 0 && !this.#isTooLarge)
      this.#log.warn(
        `${left} of what clients have brought would not fit into ${MOST_PASSED} characters with the others, and do not pass to another process`,
      );
    this.#isTooLarge = left > 0;
    return packed;
  }

  /** Takes what another process has packed, in place of what is here; what somebody has changed since stays. */
  unpack(packed: readonly PackedMock[]): void {
    this.forget();
    let others: ReadonlyMap<string, string> | undefined;
    for (const { id, base, own } of packed) {
      const isHere = JSON.stringify(this.#find(id)) === JSON.stringify(base);
      // Each process has made up ids for what its configuration gives none.
      const at = isHere ? id : base && (others ??= this.#idsByFields()).get(fieldsOf(base));
      if (at === undefined) continue;
      const before = this.#find(at);
      this.#set(at, own && { ...own, id: at });
      this.#note(at, before);
    }
  }

  #idsByFields(): ReadonlyMap<string, string> {
    return new Map(this.#mocks.list().map((mock) => [fieldsOf(mock), mock.id]));
  }

  #find(id: string): StoredMock | undefined {
    return this.#mocks.has(id) ? this.#mocks.get(id) : undefined;
  }

  #set(id: string, value: StoredMock | undefined): void {
    const before = this.#find(id);
    try {
      if (value === undefined) {
        if (before !== undefined) this.#mocks.remove(id);
      } else if (before === undefined) this.#mocks.create(value);
      else this.#mocks.replace(id, value);
    } catch (thrown) {
      this.#log.warn(
        `the mock "${id}" that clients have brought is not there any more: ${messageOf(thrown)}`,
      );
    }
  }

  #note(id: string, before: StoredMock | undefined): void {
    if (!this.#isPassing()) return;
    const known = this.#brought.get(id);
    // What somebody else has made of it since is what was there before.
    const base = known !== undefined && known.own === before ? known.base : before;
    const own = this.#find(id);
    if (base === own) this.#brought.delete(id);
    else this.#brought.set(id, { base, own, size: sizeOf(base) + sizeOf(own) });
  }
}

/** What a mock says but for its id. */
function fieldsOf({ id: _id, ...fields }: StoredMock): string {
  return JSON.stringify(fields);
}

/** Counted by the longest fields, which are texts, without making the JSON of them. */
function sizeOf(mock: StoredMock | undefined): number {
  let size = 0;
  for (const value of Object.values(mock ?? {}))
    size += typeof value === 'string' ? value.length : (JSON.stringify(value) ?? '').length;
  return size;
}
