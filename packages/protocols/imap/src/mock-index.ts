import {
  ComposedIndex,
  ExactIndex,
  listMocks,
  type Candidates,
  type Change,
  type IndexedMock,
} from '@backlot/core/plugin';
import type { CompiledMailbox } from './compiled.js';
import { canonicalName } from './mail/mailbox-name.js';
import type { ImapMessage } from './message.js';

type Held = Candidates<CompiledMailbox>;

/** The mocks by the name of their mailbox. */
export class NameIndex extends ComposedIndex<ImapMessage, CompiledMailbox> {
  readonly #byName = new ExactIndex<string, Held>();

  find({ path }: ImapMessage, found: Held[]): void {
    this.#byName.find(canonicalName(path), found);
  }

  /** The mocks of a mailbox, first to be asked first. */
  get(name: string): readonly IndexedMock<CompiledMailbox>[] {
    return listMocks(this.#byName.get(name));
  }

  protected change({ name }: CompiledMailbox, change: Change<Held>): void {
    this.#byName.change(name, change);
  }
}
