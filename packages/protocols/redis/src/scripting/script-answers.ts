import { isEncoded, isWork, type Answer } from '../commands/work.js';
import { CommandError } from '../wire/errors.js';
import type { Encoded } from '../wire/long-reply.js';
import { error } from '../wire/reply.js';

/** The answer to a command that waits for its turn. */
export function* given(reply: string): Generator<undefined, Encoded> {
  yield;
  return reply;
}

/** Goes on with a command that takes several steps; nothing waits inside of a script. */
export function* finish(answer: Answer): Generator<unknown, Encoded> {
  try {
    const made = isWork(answer) ? yield* answer : answer;
    return isEncoded(made) ? made : (made.inTransaction ?? made.nothing);
  } catch (thrown) {
    if (thrown instanceof CommandError) return error(thrown.message);
    throw thrown;
  }
}
