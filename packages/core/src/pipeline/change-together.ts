import type { Message } from '../contract/message.js';
import { messageOf } from '../errors.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import type { DataMatch } from './data-match.js';
import type { RolledFaults } from './roll-fault.js';
import type { KindRuntime } from './runtime.js';
import { tryMatch, type TriedMatch } from './try-match.js';

/**
 * Makes on all replicas what the match of a message changes, in one step: whatever comes first elsewhere, the message is matched anew. The
 * promise is never rejected.
 *
 * @param select - finds the mock that matches now
 * @param roll - rolls the faults
 * @returns the match whose changes are made; undefined when no mock matches now whose match changes something, and why it is not made where
 * that is so
 */
export async function changeTogether(
  exchange: {
    readonly runtime: KindRuntime;
    readonly message: Message;
    readonly ended?: boolean;
    readonly isCurrent?: boolean;
  },
  select: () => EffectiveMock | undefined,
  roll: (match: DataMatch) => RolledFaults,
): Promise<TriedMatch | { readonly failure: string } | undefined> {
  const { services, log } = exchange.runtime;
  let tried: TriedMatch | undefined;
  let id = '';
  try {
    await services.sharedChanges?.make(services.space, () => {
      tried = undefined;
      if (exchange.ended === true || exchange.isCurrent === false) return undefined;
      const mock = select();
      if (mock?.isChanging !== true) return undefined;
      ({ id } = mock);
      tried = tryMatch(exchange, mock, roll);
      return tried.changes;
    });
  } catch (thrown) {
    const failure = `what a match of mock "${id}" changes cannot be made: ${messageOf(thrown)}`;
    log.warn(failure);
    return { failure };
  }
  return tried;
}

/** Reads what the answers of several matches list. */
export function finishAll(tried: readonly TriedMatch[]): Promise<void> | undefined {
  const readings = tried.map(({ finish }) => finish()).filter((each) => each !== undefined);
  return readings.length === 0 ? undefined : Promise.all(readings).then(() => undefined);
}
