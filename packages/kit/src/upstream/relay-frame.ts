import type { Exchange } from '@backlot/core/plugin';
import type { FrameFate } from './frame-pipe.js';
import { relayMessage, type OutcomeOf, type RelayedMessage } from './relay-message.js';
import type { UpstreamDesk } from './upstream-desk.js';

/** A frame with a message that mocks may answer in the place of the upstream, or beside it. */
export interface RelayedFrame<A, E extends Exchange> extends Pick<
  RelayedMessage<A, E>,
  'exchange' | 'key' | 'kept' | 'isUpstreams' | 'keep' | 'differences'
> {
  /**
   * Begins to wait for the message that answers this one; absent where none does.
   *
   * @param passes - whether the answer is for the client
   * @returns the answer; `undefined` when none has come
   */
  readonly wait?: ((passes: boolean) => Promise<A | undefined>) | undefined;
  /**
   * Answers without the upstream, and ends the exchange.
   *
   * @param hasPassed - whether the upstream has the message already
   * @param compare - to be called with the answer before the exchange is ended, where there is one
   * @returns what is passed on in place of the message, unless it has passed
   */
  answer(
    outcome: OutcomeOf<E>,
    hasPassed: boolean,
    compare: ((answer: A) => void) | undefined,
  ): FrameFate | Promise<FrameFate>;
}

/**
 * Has a message answered as {@link relayMessage} does, where what passes is frames: the message passes in its place among the
 * others, and its answer is a message that comes later.
 *
 * @returns what is passed on, as soon as that is decided
 */
export function relayFrame<A, E extends Exchange>(
  desk: UpstreamDesk,
  relayed: RelayedFrame<A, E>,
): Promise<FrameFate> {
  const { exchange, key, isUpstreams, wait } = relayed;
  return new Promise((resolve, reject) => {
    let hasPassed = false;
    relayMessage<A | undefined, E>(desk, {
      exchange,
      key,
      isUpstreams: isUpstreams === true,
      kept: () => relayed.kept(),
      forward: (passes) => {
        const answer = wait?.(passes) ?? Promise.resolve(undefined);
        hasPassed = true;
        resolve('pass');
        return answer;
      },
      pass: () => undefined,
      refuse: () => undefined,
      keep: (answer, records) =>
        answer === undefined ? { reply: {}, recordings: [] } : relayed.keep(answer, records),
      answer: async (outcome, compare) => {
        resolve(await relayed.answer(outcome, hasPassed, compare));
      },
      differences: (mocked, real) => {
        if (mocked === undefined) return [];
        return real === undefined ? ['the upstream has not answered'] : relayed.differences(mocked, real);
      },
      // What was given up is passed to nobody.
    }).then(() => resolve('drop'), reject);
  });
}
