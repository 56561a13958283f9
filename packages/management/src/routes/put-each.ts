import { BacklotError, Slice, invalid, isBacklotError, nextTurn } from '@backlot/core/plugin';

/**
 * Puts one value, or each of a list in order.
 *
 * @returns what `put` gave: one for a value, a list for a list
 * @throws BacklotError `invalid` for an empty list; what `put` throws; of a list with the place in it, and how many are done
 */
export async function putEach(body: unknown, put: (value: unknown) => Promise<unknown>): Promise<unknown> {
  if (!Array.isArray(body)) return put(body);
  if (body.length === 0) {
    throw invalid('the list is empty; give at least one', [{ path: '', message: 'must have an item' }]);
  }
  const results: unknown[] = [];
  const slice = new Slice();
  for (const value of body as readonly unknown[]) {
    try {
      results.push(await put(value));
    } catch (thrown) {
      throw isBacklotError(thrown) ? placed(thrown, results.length) : thrown;
    }
    if (!slice.isOver) continue;
    await nextTurn();
    slice.restart();
  }
  return results;
}

function placed({ code, message, details }: BacklotError, index: number): BacklotError {
  const done = index === 0 ? 'none was taken' : `those before it, ${index}, were taken`;
  return new BacklotError(code, `item ${index} of the list: ${message}; ${done}`, {
    details: (details ?? [{ path: '', message }]).map((problem) => ({
      ...problem,
      path: `/${index}${problem.path}`,
    })),
  });
}
