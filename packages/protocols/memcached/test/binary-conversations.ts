import { request, words32 } from './support.js';

const NOOP = request(0x0a);
const set = (key: string, value: string, flags = 0, exptime = 0, opcode = 0x01): Buffer =>
  request(opcode, { key, value, extras: words32(flags, exptime) });
const count = (opcode: number, key: string, delta: number, initial: number, exptime: number): Buffer =>
  request(opcode, { key, extras: words32(0, delta, 0, initial, exptime) });
const get = (key: string, opcode = 0x00): Buffer => request(opcode, { key });

/** What is said to both servers over the binary protocol, and answered by both with the same bytes. */
export const BINARY_CONVERSATIONS: readonly (readonly [string, Buffer])[] = (
  [
    ['noop', [NOOP, NOOP]],
    [
      'get',
      [
        get('a'),
        set('a', 'hello', 7),
        get('a'),
        get('a', 0x09),
        get('b', 0x09),
        get('a', 0x0c),
        get('b', 0x0c),
        get('a', 0x0d),
        get('b', 0x0d),
        NOOP,
      ],
    ],
    [
      'storing',
      [
        set('a', '1', 1, 0, 0x02),
        set('a', '2', 2, 0, 0x02),
        set('a', '3', 3, 0, 0x03),
        set('b', '3', 3, 0, 0x03),
        get('a'),
        get('b'),
      ],
    ],
    [
      'storing quietly',
      [
        set('a', '1', 1, 0, 0x12),
        set('a', '2', 2, 0, 0x12),
        set('a', '3', 3, 0, 0x13),
        set('b', '3', 3, 0, 0x13),
        set('c', '1', 0, 0, 0x11),
        get('a'),
        get('c'),
        NOOP,
      ],
    ],
    [
      'lengthening',
      [
        request(0x0e, { key: 'a', value: 'x' }),
        request(0x0f, { key: 'a', value: 'x' }),
        set('a', 'm', 5),
        request(0x0e, { key: 'a', value: '>' }),
        request(0x0f, { key: 'a', value: '<' }),
        request(0x19, { key: 'a', value: '>' }),
        request(0x1a, { key: 'a', value: '<' }),
        request(0x19, { key: 'zz', value: '>' }),
        get('a'),
      ],
    ],
    [
      'cas',
      [
        request(0x01, { key: 'a', value: 'x', extras: words32(0, 0), cas: 5n }),
        set('a', '1'),
        request(0x01, { key: 'a', value: 'x', extras: words32(0, 0), cas: 99_999_999n }),
        request(0x01, { key: 'a', value: 'x', extras: words32(0, 0), cas: 2n ** 64n - 1n }),
        request(0x04, { key: 'a', cas: 99_999_999n }),
        request(0x03, { key: 'b', value: 'x', extras: words32(0, 0), cas: 7n }),
        get('a'),
      ],
    ],
    [
      'deleting',
      [
        request(0x04, { key: 'a' }),
        set('a', '1'),
        request(0x04, { key: 'a' }),
        request(0x14, { key: 'a' }),
        set('a', '1'),
        request(0x14, { key: 'a' }),
        get('a'),
        NOOP,
      ],
    ],
    [
      'counting',
      [
        count(0x05, 'a', 1, 10, 0xffffffff),
        count(0x05, 'a', 1, 10, 0),
        count(0x05, 'a', 5, 10, 0),
        get('a'),
        count(0x06, 'a', 100, 0, 0),
        get('a'),
        count(0x06, 'd', 3, 9, 0),
        count(0x15, 'a', 3, 9, 0),
        count(0x16, 'a', 1, 9, 0),
        count(0x15, 'q', 3, 9, 0),
        count(0x15, 'r', 3, 9, 0xffffffff),
        get('a'),
        get('q'),
      ],
    ],
    ['counting text', [set('a', 'text'), count(0x05, 'a', 1, 0, 0), count(0x16, 'a', 1, 0, 0)]],
    [
      'touching',
      [
        request(0x1c, { key: 'a', extras: words32(100) }),
        set('a', 'value', 9),
        request(0x1c, { key: 'a', extras: words32(100) }),
        request(0x1d, { key: 'a', extras: words32(100) }),
        request(0x1e, { key: 'a', extras: words32(100) }),
        request(0x1e, { key: 'zz', extras: words32(100) }),
        request(0x23, { key: 'a', extras: words32(100) }),
        request(0x24, { key: 'a', extras: words32(100) }),
        request(0x24, { key: 'zz', extras: words32(100) }),
        request(0x23, { key: 'zz', extras: words32(100) }),
        request(0x1d, { key: 'zz', extras: words32(100) }),
      ],
    ],
    ['expired', [set('a', '1', 0, 0xffffffff), get('a'), set('a', '1', 0, 2_592_001), get('a')]],
    [
      'flushing',
      [
        set('a', '1'),
        request(0x08),
        get('a'),
        set('a', '1'),
        request(0x08, { extras: words32(100) }),
        get('a'),
        request(0x18),
        get('a'),
        request(0x08, { extras: words32(1, 2) }),
      ],
    ],
    ['version', [request(0x0b)]],
    ['quit', [request(0x07), NOOP]],
    ['quitting quietly', [request(0x17), NOOP]],
    ['unknown', [request(0x70), NOOP]],
    ['a key where none belongs', [request(0x0a, { key: 'a' }), NOOP]],
    ['no key', [request(0x00), NOOP]],
    ['no extras', [request(0x01, { key: 'a', value: 'x' }), NOOP]],
    ['extras where none belong', [request(0x00, { key: 'a', extras: words32(1) }), NOOP]],
    ['a long key', [get('k'.repeat(251)), NOOP]],
    ['the longest key', [get('k'.repeat(250)), NOOP]],
    ['too large', [set('a', '1'), set('a', 'x'.repeat(1_048_576)), NOOP, get('a')]],
    ['a value in a get', [request(0x00, { key: 'a', value: 'x' }), NOOP]],
    ['a wrong magic later', [NOOP, Buffer.from('get a\r\n'.repeat(10))]],
    [
      'a response',
      [
        Buffer.concat([Buffer.from([0x80]), NOOP.subarray(1)]),
        Buffer.concat([Buffer.from([0x81]), NOOP.subarray(1)]),
      ],
    ],
    ['stats reset', [request(0x10, { key: 'reset' }), NOOP]],
    ['unknown stats', [request(0x10, { key: 'nothing' }), NOOP]],
  ] as const
).map(([name, requests]) => [name, Buffer.concat(requests)]);
