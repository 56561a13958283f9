import { AssertionError } from 'node:assert';
import { joinParts, type Verdict } from './verdict.js';

/** A verdict as text, with the difference as `node:assert` writes it. */
export function renderPlain({ headline, difference, more }: Verdict): string {
  if (difference === undefined) return joinParts(headline, more);
  const { message } = new AssertionError({
    actual: difference.closest,
    expected: difference.wanted,
    operator: 'deepStrictEqual',
  });
  // Without node's own headline.
  return joinParts(headline, message.slice(message.indexOf('\n') + 1).trim(), more);
}
