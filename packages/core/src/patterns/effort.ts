import { sizeOf, TEXT_UNIT } from '../values/json-query-meter.js';
import { TooMuchWork, WorkMeter } from '../values/work-meter.js';

/** What stands before a value in JSON, and before an element or an attribute in XML. */
const BEFORE_VALUES = /[[{,:<=]/g;

const meter = new WorkMeter();
let isRunning = false;

/**
 * Runs what looks at a value with patterns in patterns, within the steps that a value of its size may take: a query in each
 * element of a list would else take the product of what both may take.
 *
 * @returns what `look` gives, or `instead` when the steps did not suffice
 */
export function withinEffort<Result>(value: unknown, instead: Result, look: () => Result): Result {
  if (isRunning) return look();
  isRunning = true;
  meter.start(() => (typeof value === 'string' ? valuesIn(value) : sizeOf(value)));
  try {
    return look();
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return instead;
    throw thrown;
  } finally {
    isRunning = false;
  }
}

/**
 * Counts steps, each about a tenth of a microsecond; without effect outside of {@link withinEffort}.
 *
 * @throws TooMuchWork when there were too many
 */
export function spendEffort(steps: number): void {
  if (isRunning) meter.spend(steps);
}

/** How many values a text may hold as JSON or XML; as `sizeOf` has it, long texts in it count as several. */
function valuesIn(text: string): number {
  let values = 1 + text.length / TEXT_UNIT;
  for (const _found of text.matchAll(BEFORE_VALUES)) values += 1;
  return values;
}
