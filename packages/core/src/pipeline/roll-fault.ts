import { LATER } from '../contract/matcher.js';
import type { Message } from '../contract/message.js';
import type { Faulted } from '../contract/outcome.js';
import { hashText, roll } from '../random/random.js';
import { rollDelay, type Delay } from '../time/delay.js';
import type { MockMatch } from './match.js';
import type { CompiledFault, KindRuntime } from './runtime.js';

/** What is rolled for. */
interface RollingExchange {
  readonly runtime: KindRuntime;
  readonly message: Message;
  /** Whether it counts: no reset has come since it began. */
  readonly isCurrent: boolean;
}

/** What the faults in effect do to one exchange. */
export interface RolledFaults {
  /** Milliseconds that they add, whether or not one of them fires. */
  readonly delay: number;
  /** That which fires in place of the answer. */
  readonly fault: Faulted | undefined;
}

/** No fault at all. */
export const NO_FAULTS: RolledFaults = Object.freeze({ delay: 0, fault: undefined });
/** A small odd number that keeps the rolls for delays apart from those for errors. */
const DELAY_SALT = 0x5bd1e995;

/**
 * Rolls the fault of a kind and then, when that does not fire, the fault of the mock that has matched. The same message
 * of the same seed rolls the same.
 */
export function rollFaults(exchange: RollingExchange, match: MockMatch | undefined): RolledFaults {
  const { runtime } = exchange;
  const { compiledFault: fault, services, faultHash } = runtime;
  const own = match?.mock.compiled.fault;
  if (fault?.phase !== 'message' && own === undefined) return NO_FAULTS;
  const { seed } = services;
  let delay = 0;
  if (fault?.phase === 'message' && isMeant(fault, exchange)) {
    const number = runtime.nextExchange();
    delay += rollFaultDelay(fault.delay, seed, faultHash, number);
    const fires = fault.fires && rollError(fault.errorRate, seed, faultHash, number);
    if (exchange.isCurrent) countHit(fault, fires);
    if (fires) return { delay, fault: { type: 'fault', fault: fault.fields, given: fault.given, match } };
  }
  if (own === undefined || match === undefined) return { delay, fault: undefined };
  const hash = hashText(`${runtime.kind}/${match.mock.id}`);
  delay += rollFaultDelay(own.delay ?? 0, seed, hash, match.call);
  if (own.fields === undefined || !rollError(own.errorRate, seed, hash, match.call))
    return { delay, fault: undefined };
  const fields = { ...runtime.protocol.fault?.default, ...own.fields };
  return { delay, fault: { type: 'fault', fault: fields, given: own.fields, match } };
}

/** Whether the fault of a kind has to wait for more of a message before it is known whether it is meant. */
export function awaitsMore(fault: CompiledFault | undefined, message: Message): boolean {
  return fault?.match !== undefined && fault.match(message) === LATER;
}

/** Counts what a fault has hit: what its error has fired for or, where it has none that fires, what it has delayed. */
export function countHit(fault: CompiledFault, fires: boolean): void {
  if (fires || !fault.fires || fault.errorRate === 0) fault.counts?.hit();
}

function isMeant({ match, counts }: CompiledFault, { message, isCurrent }: RollingExchange): boolean {
  if (match !== undefined && match(message) !== true) return false;
  if (counts === undefined) return true;
  return isCurrent ? counts.admit() : counts.refusal === undefined;
}

/** The delay that a fault adds to the n-th message. @param hash - tells the faults of a host apart */
function rollFaultDelay(delay: Delay, seed: number, hash: number, n: number): number {
  return rollDelay(delay, seed, hash ^ DELAY_SALT, n);
}

/** Whether an error that comes at this rate, 0 to 1, hits the n-th message. */
function rollError(rate: number, seed: number, hash: number, n: number): boolean {
  if (rate >= 1) return true;
  return rate > 0 && roll(seed, hash, n) < rate;
}
