import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { timers } from '@backlot/kit';
import { Duplicates } from '../src/transfer/duplicates.js';

const MAX_ENTRIES = 16_384;

describe('what was seen', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is known by client, message id and octets, with its answer once there is one', () => {
    const duplicates = new Duplicates();
    const client = duplicates.clientAt('192.0.2.1', 5683);
    const seen = duplicates.add(client, 7, -5);
    expect(duplicates.clientAt('192.0.2.1', 5683)).toBe(client);
    expect(client.remote).toBe('192.0.2.1:5683');
    expect(duplicates.find(client, 7, -5)).toBe(seen);
    const answer = Buffer.from('xanswerx').subarray(1, 7);
    duplicates.settle(seen, answer);
    expect(duplicates.find(client, 7, -5)?.answer?.toString()).toBe('answer');
    expect(duplicates.find(client, 7, 5)).toBeUndefined();
    expect(duplicates.find(client, 8, -5)).toBeUndefined();
    expect(duplicates.find(duplicates.clientAt('192.0.2.1', 5684), 7, -5)).toBeUndefined();
    expect(duplicates.find(duplicates.clientAt('192.0.2.2', 5683), 7, -5)).toBeUndefined();
  });

  it('hold little more memory than their answers have', () => {
    const duplicates = new Duplicates();
    const client = duplicates.clientAt('192.0.2.1', 5683);
    const buffers = new Set<ArrayBufferLike>();
    for (let id = 0; id < 1000; id += 1) {
      duplicates.settle(duplicates.add(client, id, id), Buffer.from(`the answer ${id}`));
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
      const { answer } = duplicates.find(client, id, id) ?? {};
      expect(answer?.toString()).toBe(`the answer ${id}`);
      if (answer !== undefined) buffers.add(answer.buffer);
    }
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(40_000);
  });

  it('makes room, the oldest first, and its client is forgotten with the last', () => {
    const duplicates = new Duplicates();
    const first = duplicates.clientAt('192.0.2.1', 1);
    const oldest = duplicates.add(first, 1, 1);
    const second = duplicates.clientAt('192.0.2.1', 2);
    for (let id = 0; id < MAX_ENTRIES - 1; id += 1) duplicates.add(second, id, id);
    expect(duplicates.find(first, 1, 1)).toBe(oldest);
    // The same message id with other octets: the newer one is meant.
    duplicates.add(second, 0, 99);
    expect(duplicates.find(first, 1, 1)).toBeUndefined();
    expect(duplicates.clientAt('192.0.2.1', 1)).not.toBe(first);
    expect(duplicates.find(second, 0, 0)).toBeUndefined();
    duplicates.settle(oldest, Buffer.from('late'));
    expect(duplicates.find(second, 0, 99)?.answer).toBeUndefined();
    duplicates.add(second, MAX_ENTRIES, 1);
    expect(duplicates.find(second, 0, 99)).toBeDefined();
  });

  it('is forgotten after EXCHANGE_LIFETIME', () => {
    const now = jest.spyOn(timers, 'now').mockReturnValue(1000);
    const duplicates = new Duplicates();
    const client = duplicates.clientAt('192.0.2.1', 1);
    duplicates.add(client, 1, 1);
    now.mockReturnValue(247_999);
    expect(duplicates.find(client, 1, 1)).toBeDefined();
    now.mockReturnValue(248_000);
    expect(duplicates.find(client, 1, 1)).toBeUndefined();
  });

  it('is let go of when its time is over, all of it by one timer', () => {
    jest.useFakeTimers();
    try {
      jest.spyOn(timers, 'now').mockImplementation(() => Date.now());
      const duplicates = new Duplicates();
      const first = duplicates.clientAt('192.0.2.1', 1);
      const second = duplicates.clientAt('192.0.2.1', 2);
      for (let id = 0; id < 100; id += 1) duplicates.settle(duplicates.add(first, id, 1), Buffer.from('a'));
      expect(jest.getTimerCount()).toBe(1);
      jest.advanceTimersByTime(200_000);
      const late = duplicates.add(second, 1, 1);
      jest.advanceTimersByTime(115_000);
      expect(duplicates.size).toBe(1);
      expect(duplicates.clientAt('192.0.2.1', 1)).not.toBe(first);
      expect(duplicates.find(second, 1, 1)).toBe(late);
      jest.advanceTimersByTime(247_000);
      expect([duplicates.size, jest.getTimerCount()]).toEqual([0, 0]);
      duplicates.settle(late, Buffer.from('too late'));
      expect(duplicates.find(second, 1, 1)).toBeUndefined();
      duplicates.add(second, 2, 1);
      duplicates.clear();
      expect([duplicates.size, jest.getTimerCount()]).toEqual([0, 0]);
    } finally {
      jest.useRealTimers();
    }
  });
});
