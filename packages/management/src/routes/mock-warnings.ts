import type { Kind, Problem, StoredMock } from '@backlot/core';
import { nextTurn } from '@backlot/core/plugin';

/** The header of an answer that says what is wrong with a mock that was taken all the same. */
const HEADER = 'Backlot-Warning';
/** Mocks of a list that are looked at, each of which is checked once more. */
const MOST_MOCKS = 100;
const MOST_LINES = 10;
const LONGEST = 500;

/** The header that warns of mocks that were just stored: a text in quotation marks for each warning. */
export async function warningHeaders(
  kind: Kind,
  stored: readonly StoredMock[],
): Promise<Readonly<Record<string, string>>> {
  const found: Problem[] = [];
  for (const { id } of stored.slice(0, MOST_MOCKS)) {
    // Another request may have taken it away meanwhile.
    if (!kind.mocks.has(id)) continue;
    found.push(...kind.mocks.warningsOf(id));
    if (found.length > MOST_LINES) break;
    if (stored.length > 1) await nextTurn();
  }
  return warningHeader(found);
}

/** The header that says what is wrong with mocks; none where nothing is. */
export function warningHeader(found: readonly Problem[]): Readonly<Record<string, string>> {
  if (found.length === 0) return {};
  const lines = found.slice(0, MOST_LINES).map(({ path, message }) => lineOf(`${path}: ${message}`));
  if (found.length > MOST_LINES) lines.push('there are more');
  return { [HEADER]: lines.map((line) => JSON.stringify(line)).join(', ') };
}

/** A header has what is not ASCII, and percent signs, in percent signs. */
function lineOf(text: string): string {
  return text.slice(0, LONGEST).replaceAll(/[^ -$&-~]+/g, (part) => {
    const bytes = [...Buffer.from(part, 'utf8')];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}
