import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Slice } from '../src/time/slices.js';
import { nextTurn } from '../src/time/turns.js';
import { probe, startsProbes } from './support.js';

afterEach(() => void jest.restoreAllMocks());
const start = startsProbes();

const COUNT = 300;
const many = Array.from({ length: COUNT }, (_, n) => ({ id: `m${n}`, match: `*${n}y`, answer: 'x' }));
const entry = { method: 'ASK', path: 'x' };

/** From now on each step of what is done in slices is one turn. */
function endEachSlice(): void {
  jest.spyOn(Slice.prototype, 'isOver', 'get').mockReturnValue(true);
}

describe('a message that is explained among many mocks', () => {
  it.each(['first', 'all'] as const)(
    'is explained as at once, others let in after each: %s',
    async (mode) => {
      const { host } = await start(
        { mocks: [...many, { id: 'hit', match: '*', answer: 'x' }] },
        {},
        probe('probe', { mode }),
      );
      const kind = host.kind('probe');
      const expected = kind.explain(entry);
      endEachSlice();
      let turns = 0;
      let isDone = false;
      const explained = kind.explainInSlices(entry).finally(() => (isDone = true));
      for (; !isDone; turns += 1) await nextTurn();
      expect(await explained).toEqual(expected);
      expect(turns).toBeGreaterThan(COUNT);
    },
  );

  it.each(['first', 'all'] as const)(
    'is not said to be answered by one that went meanwhile: %s',
    async (mode) => {
      const mocks = [...many, { id: 'gone', match: '*' }, { id: 'stays', match: '*' }];
      const { host } = await start({ mocks }, {}, probe('probe', { mode }));
      const kind = host.kind('probe');
      endEachSlice();
      const explained = kind.explainInSlices(entry);
      kind.mocks.remove('gone');
      const { mock_id, mock_ids } = await explained;
      expect(mock_ids ?? [mock_id]).toEqual(['stays']);
    },
  );

  it('is looked at no further when nobody waits for it any more', async () => {
    const { host } = await start({ mocks: many });
    endEachSlice();
    const ended = new AbortController();
    const explained = host.kind('probe').explainInSlices(entry, ended.signal);
    ended.abort(new Error('left'));
    await expect(explained).rejects.toThrow('left');
  });
});
