import {
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledSnmp } from './matcher.js';
import { STANDARD_NAMES } from './mib/load-mibs.js';
import type { MibNames } from './mib/mib-names.js';
import { isOid, orderKey, parentOf } from './oid.js';
import type { SnmpMessage } from './message.js';
import { SortedKeys } from './sorted-keys.js';

/** Finds mocks by OID, and the OID that follows another. */
export class OidIndex implements MockIndex<SnmpMessage, CompiledSnmp> {
  /** The names that mocks may use for OIDs: those of the settings. */
  names: MibNames = STANDARD_NAMES;
  readonly #mocks = new Map<string, Candidates<CompiledSnmp>>();
  readonly #sorted = new SortedKeys();
  readonly #oids = new Map<string, string>();
  /** How many OIDs there are right below an OID. */
  readonly #objects = new Map<string, number>();

  add(mock: IndexedMock<CompiledSnmp>): void {
    const { oid, order } = mock.compiled;
    const held = this.#mocks.get(oid);
    this.#mocks.set(oid, withMock(held, mock));
    if (held !== undefined) return;
    this.#sorted.add(order);
    this.#oids.set(order, oid);
    const object = parentOf(oid);
    if (object !== undefined) this.#objects.set(object, (this.#objects.get(object) ?? 0) + 1);
  }

  remove(mock: IndexedMock<CompiledSnmp>): void {
    const { oid, order } = mock.compiled;
    const held = this.#mocks.get(oid);
    if (held === undefined) return;
    const left = withoutMock(held, mock);
    if (left !== undefined) {
      this.#mocks.set(oid, left);
      return;
    }
    this.#mocks.delete(oid);
    this.#sorted.remove(order);
    this.#oids.delete(order);
    const object = parentOf(oid);
    if (object === undefined) return;
    const count = this.#objects.get(object) ?? 0;
    if (count > 1) this.#objects.set(object, count - 1);
    else this.#objects.delete(object);
  }

  find(message: SnmpMessage, found: Candidates<CompiledSnmp>[]): void {
    const oid = message.target ?? (message.asksForNext ? this.#nextOf(message.path) : message.path);
    const mocks = oid === undefined ? undefined : this.#mocks.get(oid);
    if (mocks !== undefined) found.push(mocks);
  }

  /** Whether there is a mock of this OID, whether it matches or not. */
  has(oid: string): boolean {
    return this.#mocks.has(oid);
  }

  /** The OID of a mock that follows this one in lexicographic order. */
  next(oid: string): string | undefined {
    const key = this.#sorted.next(orderKey(oid));
    return key === undefined ? undefined : this.#oids.get(key);
  }

  /** For a path that somebody wrote. */
  #nextOf(path: string): string | undefined {
    return isOid(path) ? this.next(path) : undefined;
  }

  /** Whether an OID lies in an object of which there are other instances: what RFC 3416 calls noSuchInstance. */
  isInObject(oid: string): boolean {
    for (let part: string | undefined = oid; part !== undefined; part = parentOf(part)) {
      if (this.#objects.has(part)) return true;
    }
    return false;
  }
}
