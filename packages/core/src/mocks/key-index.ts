import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { Candidates, Change } from '../contract/mock-index.js';
import { ExactIndex } from '../patterns/exact-index.js';
import { ComposedIndex } from './composed-index.js';

/** The key of mocks that give none. */
export const ANY_KEY = '*';

type Held = Candidates<CompiledMock<Message>>;

/** The index of kinds that declare `keys`: the candidates of each key. */
export class KeyIndex extends ComposedIndex<Message, CompiledMock<Message>> {
  readonly #byKey = new ExactIndex<string, Held>();
  readonly #keysOf: ((message: Message) => readonly string[]) | undefined;

  constructor(keysOf: ((message: Message) => readonly string[]) | undefined) {
    super();
    this.#keysOf = keysOf;
  }

  find(message: Message, found: Held[]): void {
    if (this.#keysOf === undefined) this.#byKey.find(ANY_KEY, found);
    else for (const key of this.#keysOf(message)) this.#byKey.find(key, found);
  }

  protected change({ key = ANY_KEY }: CompiledMock<Message>, change: Change<Held>): void {
    this.#byKey.change(key, change);
  }
}
