import { describe, expect, it } from '@jest/globals';
import { parseDn } from '../src/data/dn.js';
import { LdapMessage } from '../src/message.js';
import { BerReader } from '../src/wire/ber-reader.js';
import { decodeFilter } from '../src/wire/decode-filter.js';

const SEARCHES = 500;

/** `(uid=ada1)` in the middle of what a client has sent in one piece. */
function filterIn(value: string): Buffer {
  const bytes = Buffer.from(value);
  const inner = [4, 3, ...Buffer.from('uid'), 4, bytes.length, ...bytes];
  return Buffer.concat([Buffer.from([0xa3, inner.length, ...inner]), Buffer.alloc(4000)]);
}

describe('searches that the journal keeps', () => {
  it('hold little more memory than their names and values have bytes', () => {
    const buffers = new Set<ArrayBufferLike>();
    for (let index = 0; index < SEARCHES; index += 1) {
      const base = `uid=ada${index},dc=example,dc=com`;
      const filter = decodeFilter(new BerReader(filterIn(`ada${index}`)), { left: 10 });
      const { search } = LdapMessage.ofSearch(
        {
          type: 'search',
          base,
          scope: 'sub',
          sizeLimit: 0,
          timeLimit: 0,
          typesOnly: false,
          filter,
          attributes: [],
        },
        parseDn(base),
        'a:1',
        '',
      );
      if (search?.filter.kind !== 'equal') throw new Error('the filter is another one');
      expect(search.filter.value.toString()).toBe(`ada${index}`);
      expect(search.base.text).toBe(base);
      buffers.add(search.filter.value.buffer);
      for (const part of search.base.parts.flat()) buffers.add(part.value.buffer);
      // What else is made meanwhile, in the pool that Node.js cuts small buffers from.
      for (let count = 0; count < 3; count += 1) Buffer.allocUnsafe(3000);
    }
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(held).toBeLessThan(100 * SEARCHES);
  });
});
