import { expect, it } from '@jest/globals';
import type { StoredCapture } from '../src/contract/context.js';
import { CaptureStore } from '../src/stores/capture-store.js';

/** Looking at all of them takes many slices of a turn. */
const MANY = 40_000;

function* isEven(item: StoredCapture): Generator<undefined, boolean> {
  for (let step = 0; step < 20; step += 1) yield;
  return Number(item.read()) % 2 === 0;
}

it('counts all that was there before the time of a wait is over, however long it takes to look at it', async () => {
  const store = new CaptureStore(MANY);
  for (let value = 0; value < MANY; value += 1) store.add(value, 1, { isCurrent: true });
  expect(await store.wait(isEven, MANY / 2, 0)).toHaveLength(MANY / 2);
  await expect(store.wait(isEven, MANY, 0)).rejects.toMatchObject({
    code: 'timeout',
    fields: { want: MANY, got: MANY / 2 },
  });
});
