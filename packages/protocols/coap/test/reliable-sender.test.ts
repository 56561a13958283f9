import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { mulberry32 } from '@backlot/conformance';
import type { Random } from '@backlot/core/plugin';
import { timers } from '@backlot/kit';
import { MessageIds } from '../src/transfer/message-ids.js';
import { ReliableSender } from '../src/transfer/reliable-sender.js';

/** Always the shortest pause. */
const random = { float: (least: number) => least } as unknown as Random;

describe('confirmable messages', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    jest.spyOn(timers, 'now').mockImplementation(() => Date.now());
  });

  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  function begin() {
    const sender = new ReliableSender(random);
    const sent: string[] = [];
    const ended: string[] = [];
    const send = (remote: string, id: number): void =>
      sender.send(
        remote,
        id,
        Buffer.alloc(1000),
        () => sent.push(`${remote}#${id}`),
        (delivery) => ended.push(`${remote}#${id} ${delivery}`),
      );
    const times = (key: string): number => sent.filter((each) => each === key).length;
    return { sender, send, times, ended };
  }

  it('are sent again once to an address that has acknowledged nothing, and are waited for as long as all', () => {
    const { send, times, ended } = begin();
    for (let id = 0; id < 64; id += 1) send('victim', id);
    jest.advanceTimersByTime(61_000);
    expect(ended).toEqual([]);
    expect([times('victim#0'), times('victim#1'), times('victim#63')]).toEqual([2, 1, 1]);
    jest.advanceTimersByTime(2000);
    expect(ended).toHaveLength(64);
    send('victim', 100);
    jest.advanceTimersByTime(62_000);
    expect([times('victim#100'), ended.at(-1), jest.getTimerCount()]).toEqual([2, 'victim#100 timeout', 0]);
  });

  it('are sent again four times to an address that has acknowledged one, for ten minutes', () => {
    const { sender, send, times, ended } = begin();
    send('client', 1);
    send('client', 2);
    jest.advanceTimersByTime(3000);
    sender.end('client', 1, 'acknowledged');
    send('client', 3);
    jest.advanceTimersByTime(62_000);
    expect([times('client#1'), times('client#2'), times('client#3')]).toEqual([2, 4, 5]);
    expect(ended).toEqual(['client#1 acknowledged', 'client#2 timeout', 'client#3 timeout']);
    jest.advanceTimersByTime(540_000);
    send('client', 4);
    jest.advanceTimersByTime(62_000);
    expect(times('client#4')).toBe(2);
  });

  it('prove nothing by an acknowledgement of what was not sent', () => {
    const { sender, send, times } = begin();
    sender.end('victim', 5, 'acknowledged');
    send('other', 6);
    sender.end('victim', 6, 'acknowledged');
    send('victim', 7);
    jest.advanceTimersByTime(62_000);
    expect(times('victim#7')).toBe(2);
    sender.stop();
  });
});

describe('message ids', () => {
  it('come in no order, and none comes again before all others', () => {
    const below = mulberry32(1);
    const ids = new MessageIds({
      int: (min: number, max: number) => min + below(max - min + 1),
    } as unknown as Random);
    const given = Array.from({ length: 65_536 }, () => ids.next());
    expect(new Set(given).size).toBe(65_536);
    expect([Math.min(...given), Math.max(...given)]).toEqual([0, 65_535]);
    const steps = given.slice(1).filter((id, index) => id === ((given[index] ?? 0) + 1) % 65_536);
    expect(steps.length).toBeLessThan(100);
    expect(ids.next()).toBe(given[0]);
  });
});
