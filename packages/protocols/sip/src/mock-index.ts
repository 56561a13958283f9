import { ComposedIndex, ExactIndex, type Candidates, type Change } from '@backlot/core/plugin';
import type { CompiledSip } from './matcher.js';
import type { SipMessage } from './message.js';

type Held = Candidates<CompiledSip>;

/** The method of mocks for any. */
const ANY = '*';

/** Finds mocks by an exact URI, and the others by their method, so that the number of mocks does not matter. */
export class SipIndex extends ComposedIndex<SipMessage, CompiledSip> {
  readonly #byUri = new ExactIndex<string, Held>();
  /** Those for more than one URI. */
  readonly #byMethod = new ExactIndex<string, Held>();

  find({ method, path }: SipMessage, found: Held[]): void {
    this.#byUri.find(path, found);
    this.#byMethod.find(method, found);
    if (method !== ANY) this.#byMethod.find(ANY, found);
  }

  protected change({ uri, method = ANY }: CompiledSip, change: Change<Held>): void {
    if (uri === undefined) this.#byMethod.change(method, change);
    else this.#byUri.change(uri, change);
  }
}
