import {
  isBucket,
  withMock,
  withoutMock,
  type Candidates,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { canonicalName } from './mail/mailbox-name.js';
import type { CompiledMailbox } from './mailbox-mock.js';
import type { ImapMessage } from './shape.js';

/** The mocks by the name of their mailbox. */
export class NameIndex implements MockIndex<ImapMessage, CompiledMailbox> {
  readonly #byName = new Map<string, Candidates<CompiledMailbox>>();

  add(mock: IndexedMock<CompiledMailbox>): void {
    const { name } = mock.compiled;
    this.#byName.set(name, withMock(this.#byName.get(name), mock));
  }

  remove(mock: IndexedMock<CompiledMailbox>): void {
    const { name } = mock.compiled;
    const left = withoutMock(this.#byName.get(name), mock);
    if (left === undefined) this.#byName.delete(name);
    else this.#byName.set(name, left);
  }

  find({ path }: ImapMessage, found: Candidates<CompiledMailbox>[]): void {
    const candidates = this.#byName.get(canonicalName(path));
    if (candidates !== undefined) found.push(candidates);
  }

  /** The mocks of a mailbox, first to be asked first. */
  get(name: string): readonly IndexedMock<CompiledMailbox>[] {
    const candidates = this.#byName.get(name);
    if (candidates === undefined) return [];
    return isBucket(candidates) ? candidates : [candidates];
  }
}
