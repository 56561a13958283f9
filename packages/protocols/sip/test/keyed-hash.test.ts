import { describe, expect, it } from '@jest/globals';
import { keyedHash } from '../src/keyed-hash.js';

describe('the keyed hash', () => {
  it('differs for each part of what it is made of', () => {
    const made = [
      keyedHash([1, 2], 3, 4, '192.0.2.1', 5060),
      keyedHash([1, 3], 3, 4, '192.0.2.1', 5060),
      keyedHash([2, 2], 3, 4, '192.0.2.1', 5060),
      keyedHash([1, 2], 4, 4, '192.0.2.1', 5060),
      keyedHash([1, 2], 3, 5, '192.0.2.1', 5060),
      keyedHash([1, 2], 3, 4, '192.0.2.2', 5060),
      keyedHash([1, 2], 3, 4, '192.0.2.1', 5061),
      keyedHash([1, 2], 3, 4, '::1', 5060),
    ];
    expect(new Set(made).size).toBe(made.length);
    expect(keyedHash([1, 2], 3, 4, '192.0.2.1', 5060)).toBe(made[0]);
  });

  it('changes half of its bits with one of the port', () => {
    let bits = 0;
    for (let port = 0; port < 65_536; port += 64) {
      let differing = keyedHash([7, 9], 1, 2, 'a', port) ^ keyedHash([7, 9], 1, 2, 'a', port + 1);
      for (; differing !== 0; differing &= differing - 1) bits += 1;
    }
    expect(Math.round(bits / 1024)).toBe(16);
  });
});
