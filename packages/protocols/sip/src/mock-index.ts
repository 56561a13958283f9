import {
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import type { CompiledSip } from './matcher.js';
import type { SipMessage } from './message.js';

/** The method of mocks for any. */
const ANY = '*';

/** Finds mocks by an exact URI, and the others by their method, so that the number of mocks does not matter. */
export class SipIndex implements MockIndex<SipMessage, CompiledSip> {
  readonly #byUri = new Map<string, Candidates<CompiledSip>>();
  /** Those for more than one URI. */
  readonly #byMethod = new Map<string, Candidates<CompiledSip>>();

  add(mock: IndexedMock<CompiledSip>): void {
    const { map, key } = this.#placeOf(mock);
    map.set(key, withMock(map.get(key), mock));
  }

  remove(mock: IndexedMock<CompiledSip>): void {
    const { map, key } = this.#placeOf(mock);
    const left = withoutMock(map.get(key), mock);
    if (left === undefined) map.delete(key);
    else map.set(key, left);
  }

  find({ method, path }: SipMessage, found: Candidates<CompiledSip>[]): void {
    const exact = this.#byUri.get(path);
    if (exact !== undefined) found.push(exact);
    if (this.#byMethod.size === 0) return;
    const ofMethod = this.#byMethod.get(method);
    if (ofMethod !== undefined) found.push(ofMethod);
    const ofAny = method === ANY ? undefined : this.#byMethod.get(ANY);
    if (ofAny !== undefined) found.push(ofAny);
  }

  #placeOf({ compiled: { uri, method } }: IndexedMock<CompiledSip>): {
    readonly map: Map<string, Candidates<CompiledSip>>;
    readonly key: string;
  } {
    if (uri !== undefined) return { map: this.#byUri, key: uri };
    return { map: this.#byMethod, key: method ?? ANY };
  }
}
