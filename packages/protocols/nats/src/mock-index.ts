import { ComposedIndex, type Candidates, type Change, type IndexedMock } from '@backlot/core/plugin';
import { WildcardNames } from '@backlot/kit/wildcards';
import type { CompiledNats } from './matcher.js';
import type { NatsMessage } from './message.js';
import { SUBJECT_SYNTAX, hasEmptyWord } from './wire/subject.js';

type Held = Candidates<CompiledNats>;

/** Finds mocks by subject: exact ones, those with wildcards, and the patterns that are to be tried. */
export class SubjectIndex extends ComposedIndex<NatsMessage, CompiledNats> {
  readonly #subjects = new WildcardNames<Held>(SUBJECT_SYNTAX);
  #queueMembers = 0;

  /** Whether some mock is a member of a queue group. */
  get hasQueueMembers(): boolean {
    return this.#queueMembers > 0;
  }

  override add(mock: IndexedMock<CompiledNats>): void {
    if (mock.compiled.isQueueMember) this.#queueMembers += 1;
    super.add(mock);
  }

  override remove(mock: IndexedMock<CompiledNats>): void {
    if (mock.compiled.isQueueMember) this.#queueMembers -= 1;
    super.remove(mock);
  }

  find({ path }: NatsMessage, found: Held[]): void {
    this.#subjects.findExact(path, found);
    // A subject with an empty word reaches nobody, on a real server too.
    if (this.#subjects.hasPatterns && !hasEmptyWord(path)) this.#subjects.findPatterns(path, found);
  }

  protected change({ subjectKey }: CompiledNats, change: Change<Held>): void {
    this.#subjects.change(subjectKey, change);
  }
}
