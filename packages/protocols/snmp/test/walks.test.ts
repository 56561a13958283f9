import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import net from 'net-snmp';
import { SortedKeys } from '../src/sorted-keys.js';
import { Walks, type Steps } from '../src/walks.js';
import { cleanups, cleanUp, portOf, startHost } from './support.js';

afterEach(async () => {
  await cleanUp();
  jest.restoreAllMocks();
});

/** Calls back in each turn of the event loop, until the test is over. */
function eachTurn(callback: () => void): void {
  let isOver = false;
  const turn = (): void => {
    callback();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  cleanups.push(() => (isOver = true));
}

describe('a walk over mocks that are as if absent', () => {
  it('lets others in, and finds what is behind them', async () => {
    const HIDDEN = 30_000;
    const host = await startHost({
      mocks: [
        // Which SNMPv1 does not see.
        ...Array.from({ length: HIDDEN }, (_, row) => ({
          oid: `1.3.6.1.4.1.1.${row}`,
          type: 'counter64',
          value: 1,
        })),
        { oid: '1.3.6.1.4.1.2.0', value: 'behind' },
      ],
    });
    const look = jest.spyOn(SortedKeys.prototype, 'next');
    let most = 0;
    let before = 0;
    eachTurn(() => {
      most = Math.max(most, look.mock.calls.length - before);
      before = look.mock.calls.length;
    });
    const session = net.createSession('127.0.0.1', 'public', {
      port: portOf(host),
      version: net.Version1,
      timeout: 20_000,
    });
    cleanups.push(() => session.close());
    const [found] = await new Promise<{ oid: string; value: unknown }[]>((resolve, reject) =>
      session.getNext(['1.3.6.1.4.1.1'], (error, varbinds) =>
        error === null ? resolve(varbinds as never) : reject(error),
      ),
    );
    expect([found?.oid, String(found?.value)]).toEqual(['1.3.6.1.4.1.2.0', 'behind']);
    expect(look.mock.calls.length).toBeGreaterThan(HIDDEN);
    expect(most).toBeLessThan(HIDDEN);
  }, 30_000);
});

describe('the work of requests', () => {
  const log = { error: () => undefined };

  function* count(steps: number, seen: string[], name: string): Steps<string> {
    for (let step = 0; step < steps; step += 1) {
      if (step === 64) seen.push(name);
      yield;
    }
    return name;
  }

  /** Ten milliseconds for each step behind the first that are done at once: a slice of its own. */
  function* slow(): Steps<string> {
    for (let step = 0; step < 70; step += 1) {
      if (step > 64) for (const begun = performance.now(); performance.now() - begun < 10;);
      yield;
    }
    return 'slow';
  }

  it('is done at once when it is little, also while a long one is under way', async () => {
    const walks = new Walks(log);
    let turns = 0;
    eachTurn(() => (turns += 1));
    const seen: string[] = [];
    const long = walks.run(slow());
    expect(long).toBeInstanceOf(Promise);
    expect(walks.run(count(60, seen, 'short'))).toBe('short');
    const second = walks.run(count(100, seen, 'second'));
    const third = walks.run(count(100, seen, 'third'));
    expect(await Promise.all([long, second, third])).toEqual(['slow', 'second', 'third']);
    expect(seen).toEqual(['second', 'third']);
    expect(turns).toBeGreaterThan(4);
  });

  it('is dropped when a hundred long requests wait, and when it is stopped', async () => {
    const walks = new Walks(log);
    const all = Array.from({ length: 102 }, () => walks.run(slow()));
    expect(await all[100]).toBeUndefined();
    expect(await all[101]).toBeUndefined();
    expect(await all[0]).toBe('slow');
    walks.stop();
    expect(await Promise.all(all.slice(2).map(async (each) => each))).toEqual(Array(100).fill(undefined));
    expect(await walks.run(count(100, [], 'after'))).toBe('after');
  });

  it('tells what was thrown', async () => {
    const walks = new Walks(log);
    function* failing(): Steps<void> {
      yield* count(100, [], '');
      throw new Error('no such thing');
    }
    await expect(walks.run(failing())).rejects.toThrow('no such thing');
    await eventually(() => walks.run(count(100, [], 'next')) !== undefined);
  });
});
