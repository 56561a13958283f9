import type { Message } from '../contract/message.js';
import type { EffectiveMock } from '../mocks/live-mock.js';
import { changeTogether } from './change-together.js';
import { countTogether } from './count-together.js';
import type { DataMatch } from './data-match.js';
import type { RolledFaults } from './roll-fault.js';
import type { KindRuntime } from './runtime.js';
import type { TriedMatch } from './try-match.js';

/** The exchange whose matches take a step on all replicas. */
export interface SteppingExchange {
  readonly runtime: KindRuntime;
  /** The message that the mocks have matched. */
  readonly message: Message;
  readonly ended: boolean;
  readonly isCurrent: boolean;
}

/** What the step of a match has given: its number, and what it has changed. */
export interface Step {
  readonly mock: EffectiveMock;
  /** Undefined for a mock that replicas do not count. */
  readonly number: number | undefined;
  /** The match whose changes are made; absent for a mock that changes nothing. */
  readonly tried?: TriedMatch;
}

/** Why replicas could not be asked. */
export interface FailedStep {
  readonly failure: string;
}

/** Whether a match of a mock takes a step on all replicas before it may answer. */
export function stepsTogether(mock: EffectiveMock, isCurrent: boolean): boolean {
  return !mock.isPlain && (mock.shared !== undefined || (mock.isChanging && isCurrent));
}

/**
 * Takes the steps of mocks that have matched a message; those that take none are given as they are. The promise is never rejected.
 *
 * @param selectAll - finds the mocks that match now
 * @param roll - rolls the faults
 * @returns the steps of those that still match, in the order of `found`
 */
export async function stepTogether(
  exchange: SteppingExchange,
  found: readonly EffectiveMock[],
  selectAll: () => readonly EffectiveMock[],
  roll: (match: DataMatch) => RolledFaults,
): Promise<readonly Step[] | FailedStep> {
  const changed = new Map<EffectiveMock, TriedMatch>();
  // One after the other: each matches by what those before it have changed.
  for (const mock of found) {
    if (!mock.isChanging || !exchange.isCurrent) continue;
    const tried = await changeTogether(exchange, () => selectAll().find(({ id }) => id === mock.id), roll);
    if (exchange.ended) return [];
    if (tried === undefined) continue;
    if ('failure' in tried) return tried;
    changed.set(mock, tried);
  }
  const numbers = await Promise.all(
    found.map(async (mock) =>
      mock.shared === undefined || mock.isChanging
        ? undefined
        : countTogether(exchange.runtime, mock, mock.shared),
    ),
  );
  const steps: Step[] = [];
  for (const [index, mock] of found.entries()) {
    const numbered = numbers[index];
    if (numbered === 'used up') continue;
    if (numbered !== undefined && 'failure' in numbered) return numbered;
    const tried = changed.get(mock);
    if (tried !== undefined) steps.push({ mock: tried.match.mock, number: tried.number, tried });
    // It does not match any more, by what another replica has changed.
    else if (!mock.isChanging || !exchange.isCurrent) steps.push({ mock, number: numbered?.number });
  }
  return steps;
}
