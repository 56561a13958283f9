import { describe, expect, it } from '@jest/globals';
import { correctFirst, encodeOid, orderKey, parseOid } from '../src/oid.js';
import { SortedKeys } from '../src/sorted-keys.js';
import { countElements } from '../src/wire/structure.js';

describe('OIDs', () => {
  it('are ordered by their numbers, not by their texts', () => {
    const sorted = [
      '0.0',
      '1.3',
      '1.3.6',
      '1.3.6.1.2',
      '1.3.6.1.10',
      '1.3.6.1.65536',
      '1.3.6.1.4294967295',
      '1.3.7',
      '2.999',
    ];
    const shuffled = [...sorted].sort();
    expect(shuffled.sort((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1))).toEqual(sorted);
  });

  it('lose a leading dot, and are refused when they are none', () => {
    expect(parseOid('.1.3.6')).toBe('1.3.6');
    for (const text of [
      '',
      '1',
      '1.',
      '.1',
      '1..3',
      '1.03',
      '3.1',
      '1.40',
      '1.3.4294967296',
      'a.b',
      '1.3 ',
      `1.3${'.1'.repeat(127)}`,
    ]) {
      expect(() => parseOid(text)).toThrow('must be an OID');
    }
  });

  it('are encoded as X.690 has it, the first two numbers as one', () => {
    expect(encodeOid('2.999.3').toString('hex')).toBe('883703');
    expect(encodeOid('1.3.6.1.4294967295').toString('hex')).toBe('2b06018fffffff7f');
    expect(correctFirst('26.39.3')).toBe('2.999.3');
    expect(correctFirst('1.3.6')).toBe('1.3.6');
  });
});

describe('sorted keys', () => {
  it('stay in order through many changes in any order', () => {
    const keys = new SortedKeys();
    const kept = new Set<string>();
    // 7,919 is prime to 5,000: every number comes once, far from the one before.
    for (let i = 0; i < 5_000; i += 1) {
      const key = orderKey(`1.3.${(i * 7_919) % 5_000}`);
      keys.add(key);
      keys.add(key);
      kept.add(key);
    }
    for (let i = 0; i < 5_000; i += 3) {
      const key = orderKey(`1.3.${i}`);
      keys.remove(key);
      keys.remove(key);
      kept.delete(key);
    }
    const found: string[] = [];
    for (let key = keys.next(''); key !== undefined; key = keys.next(key)) found.push(key);
    expect(found).toEqual([...kept].sort());
    expect(keys.next(orderKey('1.3.3'))).toBe(orderKey('1.3.4'));
    expect(keys.next(orderKey('1.3.2.1'))).toBe(orderKey('1.3.4'));
    for (const key of kept) keys.remove(key);
    expect(keys.next('')).toBeUndefined();
  });
});

describe('the structure of a message', () => {
  it('is counted by level, and refused when a length lies', () => {
    const count = (hex: string): readonly number[] | undefined => countElements(Buffer.from(hex, 'hex'));
    expect(count('3003020101')).toEqual([1, 1]);
    expect(count('30820003020101')).toEqual([1, 1]);
    expect(count('3004300205003000')).toBeUndefined();
    for (const lie of [
      '',
      '30',
      '3004020101',
      '3002020101',
      '300302010100',
      '020101',
      '3080',
      '30830000',
      '3084ffffffff',
      '30021f01',
    ]) {
      expect(count(lie)).toBeUndefined();
    }
    expect(count('300e300c300a30083006300430020500')).toBeUndefined();
  });
});
