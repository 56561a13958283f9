import {
  insertByRank,
  removeByRank,
  type Bucket,
  type IndexedMock,
  type MockIndex,
} from '@backlot/core/plugin';
import { WildcardIndex } from '@backlot/kit';
import type { CompiledNats } from './matcher.js';
import type { NatsMessage } from './nats-message.js';
import { SUBJECT_SYNTAX, hasEmptyWord } from './wire/subject.js';

/** Finds mocks by subject: exact ones in a map, those with wildcards in a tree, and the patterns that are to be tried. */
export class SubjectIndex implements MockIndex<NatsMessage, CompiledNats> {
  readonly #exact = new Map<string, Bucket<CompiledNats>>();
  readonly #byWildcards = new Map<string, Bucket<CompiledNats>>();
  readonly #tree = new WildcardIndex<Bucket<CompiledNats>>(SUBJECT_SYNTAX);
  readonly #patterns: Bucket<CompiledNats> = [];
  #queueMembers = 0;

  /** Whether some mock is a member of a queue group. */
  get hasQueueMembers(): boolean {
    return this.#queueMembers > 0;
  }

  add(mock: IndexedMock<CompiledNats>): void {
    const key = mock.compiled.subjectKey;
    if (mock.compiled.isQueueMember) this.#queueMembers += 1;
    if ('isPattern' in key) insertByRank(this.#patterns, mock);
    else if ('exact' in key) insertByRank(bucketOf(this.#exact, key.exact), mock);
    else {
      const bucket = bucketOf(this.#byWildcards, key.wildcards);
      if (bucket.length === 0) this.#tree.add(key.wildcards, bucket);
      insertByRank(bucket, mock);
    }
  }

  remove(mock: IndexedMock<CompiledNats>): void {
    const key = mock.compiled.subjectKey;
    if (mock.compiled.isQueueMember) this.#queueMembers -= 1;
    if ('isPattern' in key) removeByRank(this.#patterns, mock);
    else if ('exact' in key) removeFrom(this.#exact, key.exact, mock);
    else {
      const bucket = this.#byWildcards.get(key.wildcards);
      removeFrom(this.#byWildcards, key.wildcards, mock);
      if (bucket?.length === 0) this.#tree.remove(key.wildcards, bucket);
    }
  }

  find({ path }: NatsMessage, found: Bucket<CompiledNats>[]): void {
    const exact = this.#exact.get(path);
    if (exact !== undefined) found.push(exact);
    const hasOthers = this.#tree.size > 0 || this.#patterns.length > 0;
    // A subject with an empty word reaches nobody, on a real server too.
    if (!hasOthers || hasEmptyWord(path)) return;
    if (this.#tree.size > 0) for (const bucket of this.#tree.match(path)) found.push(bucket);
    if (this.#patterns.length > 0) found.push(this.#patterns);
  }
}

function bucketOf(buckets: Map<string, Bucket<CompiledNats>>, key: string): Bucket<CompiledNats> {
  const known = buckets.get(key);
  if (known !== undefined) return known;
  const made: Bucket<CompiledNats> = [];
  buckets.set(key, made);
  return made;
}

function removeFrom(
  buckets: Map<string, Bucket<CompiledNats>>,
  key: string,
  mock: IndexedMock<CompiledNats>,
): void {
  const bucket = buckets.get(key);
  if (bucket === undefined) return;
  removeByRank(bucket, mock);
  if (bucket.length === 0) buckets.delete(key);
}
