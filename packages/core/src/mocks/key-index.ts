import type { CompiledMock } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import {
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '../contract/mock-index.js';

/** The key of mocks that give none. */
export const ANY_KEY = '*';

/** The index of kinds that declare `keys`: the candidates of each key. */
export class KeyIndex implements MockIndex<Message, CompiledMock<Message>> {
  readonly #byKey = new Map<string, Candidates<CompiledMock<Message>>>();
  readonly #keysOf: ((message: Message) => readonly string[]) | undefined;

  constructor(keysOf: ((message: Message) => readonly string[]) | undefined) {
    this.#keysOf = keysOf;
  }

  add(mock: IndexedMock<CompiledMock<Message>>): void {
    const key = mock.compiled.key ?? ANY_KEY;
    this.#byKey.set(key, withMock(this.#byKey.get(key), mock));
  }

  remove(mock: IndexedMock<CompiledMock<Message>>): void {
    const key = mock.compiled.key ?? ANY_KEY;
    const left = withoutMock(this.#byKey.get(key), mock);
    if (left === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, left);
  }

  find(message: Message, found: Candidates<CompiledMock<Message>>[]): void {
    if (this.#keysOf === undefined) {
      const candidates = this.#byKey.get(ANY_KEY);
      if (candidates !== undefined) found.push(candidates);
      return;
    }
    for (const key of this.#keysOf(message)) {
      const candidates = this.#byKey.get(key);
      if (candidates !== undefined) found.push(candidates);
    }
  }
}
