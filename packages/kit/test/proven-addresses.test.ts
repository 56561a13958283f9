import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ProvenAddresses, timers } from '../src/index.js';

describe('proven addresses', () => {
  let now = 0;

  beforeEach(() => {
    now = 1000;
    jest.spyOn(timers, 'now').mockImplementation(() => now);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('count for ten minutes after they have last shown it', () => {
    const addresses = new ProvenAddresses();
    addresses.add('192.0.2.1:1');
    expect([addresses.has('192.0.2.1:1'), addresses.has('192.0.2.1:2')]).toEqual([true, false]);
    now += 599_999;
    expect(addresses.has('192.0.2.1:1')).toBe(true);
    addresses.add('192.0.2.1:1');
    now += 599_999;
    expect(addresses.has('192.0.2.1:1')).toBe(true);
    now += 1;
    expect(addresses.has('192.0.2.1:1')).toBe(false);
    expect(addresses.size).toBe(0);
  });

  it('are the newest 10,000, and those whose time is over make room first', () => {
    const addresses = new ProvenAddresses();
    for (let port = 0; port <= 10_000; port += 1) addresses.add(`192.0.2.1:${port}`);
    expect(addresses.size).toBe(10_000);
    expect([addresses.has('192.0.2.1:0'), addresses.has('192.0.2.1:1')]).toEqual([false, true]);
    addresses.add('192.0.2.1:1');
    addresses.add('192.0.2.2:1');
    expect([addresses.has('192.0.2.1:1'), addresses.has('192.0.2.1:2')]).toEqual([true, false]);
    now += 600_000;
    addresses.add('192.0.2.3:1');
    expect(addresses.size).toBe(1);
    addresses.clear();
    expect(addresses.has('192.0.2.3:1')).toBe(false);
  });
});
