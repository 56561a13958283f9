import { ComposedIndex, ExactIndex, PatternIndex, type Candidates, type Change } from '@backlot/core/plugin';
import { MAX_INDEXED_BODY, type CompiledStomp } from './matcher.js';
import type { StompMessage } from './message.js';

type Held = Candidates<CompiledStomp>;

/**
 * Finds mocks by what they say exactly: destination and short body, destination alone, or the beginning or end of the
 * destination. Only mocks that say none of it are asked one by one.
 */
export class DestinationIndex extends ComposedIndex<StompMessage, CompiledStomp> {
  readonly #bodies = new ExactIndex<string, Held>();
  readonly #destinations = new PatternIndex<Held>();

  find(message: StompMessage, found: Held[]): void {
    const { path } = message;
    if (this.#bodies.size > 0 && message.body.length <= MAX_INDEXED_BODY)
      this.#bodies.find(bodyKey(path, message.text), found);
    this.#destinations.find(path, found);
  }

  protected change({ destination, body }: CompiledStomp, change: Change<Held>): void {
    const { exact } = destination;
    if (exact !== undefined && body !== undefined) this.#bodies.change(bodyKey(exact, body), change);
    else this.#destinations.change(destination, change);
  }
}

/** Two different pairs with one key would only share a bucket. */
function bodyKey(destination: string, body: string): string {
  return `${destination}\n${body}`;
}
