import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { crc64 } from '../src/dump/crc64.js';
import { startReference } from './reference-server.js';
import { RawClient, startHost } from './support.js';

/** A command whose arguments are bytes. */
function encodeBytes(...args: readonly string[]): string {
  return `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join('')}`;
}

async function say(client: RawClient, ...args: readonly string[]): Promise<string> {
  client.send(encodeBytes(...args));
  return client.reply();
}

function bytesOf(reply: string): string {
  return reply.slice(reply.indexOf('\r\n') + 2, -2);
}

/** Takes all steps of work. */
function finish<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Makes a payload of a value's bytes that has the right checksum. */
function sealed(value: string, version = '\n\0'): string {
  const bytes = value + version;
  return bytes + finish(crc64(bytes));
}

function many(count: number, each: (index: number) => readonly string[]): string[] {
  return Array.from({ length: count }, (_, index) => each(index)).flat();
}

/** What makes a value at the key `k`, and what shows it. */
const VALUES: readonly (readonly [made: readonly (readonly string[])[], shown: readonly string[]])[] = [
  ...['0', '127', '-128', '128', '32767', '-32768', '32768', '2147483647', '-2147483648', '2147483648']
    .concat(['9223372036854775807', '01', '', 'x', 'a'.repeat(63), 'b'.repeat(64), '\xff\x00\r\n'])
    .concat(['ab'.repeat(9_000), `${'c'.repeat(70_000)}${'xyz'.repeat(20_000)}`])
    .map((text) => [[['SET', 'k', text]], ['GET', 'k']] as const),
  [[['SET', 'k', many(5_000, (index) => [`${index * index}`]).join('')]], ['GET', 'k']],
  [
    [['RPUSH', 'k', 'a', '1', '', '-5000', '70000', '9999999999', 'x'.repeat(5_000), '\xfe']],
    ['LRANGE', 'k', '0', '-1'],
  ],
  [[['RPUSH', 'k', ...many(20, (index) => [`${index}`.repeat(3_000)])]], ['LRANGE', 'k', '0', '-1']],
  [[['RPUSH', 'k', ...many(3_000, (index) => [`element ${index}`])]], ['LRANGE', 'k', '0', '-1']],
  [
    [['RPUSH', 'k', ...[126, 127, 128, 16_380, 16_381, 16_382, 16_383].map((size) => 'y'.repeat(size - 2))]],
    ['LRANGE', 'k', '0', '-1'],
  ],
  [[['SADD', 'k', '1', '-2', '300']], ['SORT', 'k']],
  [[['SADD', 'k', '1', '70000', '-70000']], ['SORT', 'k']],
  [[['SADD', 'k', '1', '9999999999', '-9999999999']], ['SORT', 'k']],
  [[['SADD', 'k', 'b', 'a', '1', '\xff']], ['SORT', 'k', 'ALPHA']],
  [[['SADD', 'k', ...many(700, (index) => [`${index}`])]], ['SORT', 'k']],
  [[['HSET', 'k', 'f', '1', '2', 'x', 'g', '']], ['HGETALL', 'k']],
  [[['HSET', 'k', ...many(200, (index) => [`f${index}`, `${index}`])]], ['SORT', 'k2']],
  [[['HSET', 'k', 'long', 'z'.repeat(100)]], ['HGETALL', 'k']],
  [
    [['ZADD', 'k', '1', 'a', '1.5', 'b', '-inf', 'c', '+inf', 'd', '1024.25', 'e', '0.5', '7']],
    ['ZRANGE', 'k', '0', '-1', 'WITHSCORES'],
  ],
  [
    [['ZADD', 'k', ...many(300, (index) => [`${index / 8}`, `m${index}`])]],
    ['ZRANGE', 'k', '0', '-1', 'WITHSCORES'],
  ],
  [[['PFADD', 'k', 'a', 'b', 'c']], ['PFCOUNT', 'k']],
  [
    [
      ['XADD', 'k', '1-1', 'f', 'v', 'g', '2'],
      ['XADD', 'k', '1-2', 'f', 'w', 'g', '3'],
      ['XADD', 'k', '18446744073709551615-5', 'other', 'z'],
      ['XGROUP', 'CREATE', 'k', 'g1', '0'],
      ['XGROUP', 'CREATE', 'k', 'g2', '$'],
      ['XREADGROUP', 'GROUP', 'g1', 'one', 'COUNT', '2', 'STREAMS', 'k', '>'],
      ['XGROUP', 'CREATECONSUMER', 'k', 'g1', 'two'],
      ['XDEL', 'k', '1-1'],
    ],
    ['XINFO', 'STREAM', 'k', 'FULL'],
  ],
  [
    [
      ...Array.from({ length: 250 }, (_, index) => [
        'XADD',
        'k',
        `${index + 1}-1`,
        'f',
        `${index}`,
        ...(index % 9 === 0 ? ['more', 'x'] : []),
      ]),
    ],
    ['XRANGE', 'k', '-', '+'],
  ],
  [[['XGROUP', 'CREATE', 'k', 'g', '$', 'MKSTREAM']], ['XINFO', 'GROUPS', 'k']],
];

describe('DUMP and RESTORE', () => {
  itWithTool(
    'redis-server',
    'move values from and to redis-server',
    async () => {
      const own = new RawClient((await startHost()).port);
      const other = new RawClient(await startReference());
      for (const [from, to] of [
        [own, other],
        [other, own],
        [own, own],
      ] as const)
        for (const [made, shown] of VALUES) {
          await say(from, 'FLUSHALL');
          await say(to, 'FLUSHALL');
          for (const command of made) expect(await say(from, ...command)).not.toMatch(/^-/);
          const payload = bytesOf(await say(from, 'DUMP', 'k'));
          const before = await say(from, ...shown);
          expect([made[0], await say(to, 'RESTORE', 'k', '0', payload, 'REPLACE')]).toEqual([
            made[0],
            '+OK\r\n',
          ]);
          const hide = (text: string): string =>
            text.replaceAll(/radix-tree-nodes\r\n:\d+/g, '').replaceAll(/:\d{13}\r\n/g, ':time\r\n');
          expect(hide(await say(to, ...shown))).toBe(hide(before));
          // What has come is what was there.
          if (shown[0] === 'HGETALL') expect(await say(to, 'HLEN', 'k')).toBe(await say(from, 'HLEN', 'k'));
        }
    },
    30_000,
  );

  itWithTool('redis-server', 'answer the same errors', async () => {
    const own = new RawClient((await startHost()).port);
    const other = new RawClient(await startReference());
    const payload = sealed('\x00\x01x');
    const lines: readonly (readonly string[])[] = [
      ['DUMP', 'none'],
      ['DUMP'],
      ['RESTORE', 'k', '0'],
      ['RESTORE', 'k', '0', ''],
      ['RESTORE', 'k', '0', 'short'],
      ['RESTORE', 'k', '0', payload.slice(0, -1) + '\x00'],
      ['RESTORE', 'k', '0', sealed('\x00\x01x', '\x0b\x00')],
      ['RESTORE', 'k', '0', sealed('\x00\x01x', '\x09\x00')],
      ['RESTORE', 'k', '0', payload],
      ['GET', 'k'],
      ['RESTORE', 'k', 'x', payload, 'REPLACE'],
      ['RESTORE', 'k', '-1', payload, 'REPLACE'],
      ['RESTORE', 'k', '0', payload, 'BAD'],
      ['RESTORE', 'k', '0', payload, 'REPLACE', 'IDLETIME', '-1'],
      ['RESTORE', 'k', '0', payload, 'REPLACE', 'IDLETIME', 'x'],
      ['RESTORE', 'k', '0', payload, 'REPLACE', 'IDLETIME'],
      ['RESTORE', 'k', '0', payload, 'REPLACE', 'IDLETIME', '100'],
      ['RESTORE', 'k', '0', payload, 'REPLACE', 'FREQ', '256'],
      ['RESTORE', 'k', '0', payload, 'REPLACE', 'FREQ', '10'],
      ['RESTORE', 'k', '0', payload, 'REPLACE', 'FREQ', '10', 'IDLETIME', '5'],
      ['RESTORE', 'k', '100000', payload, 'REPLACE'],
      ['TTL', 'k'],
      ['RESTORE', 'k', '4102444800000', payload, 'REPLACE', 'ABSTTL'],
      ['PEXPIRETIME', 'k'],
      ['RESTORE', 'k', '1', payload, 'REPLACE', 'ABSTTL'],
      ['EXISTS', 'k'],
      ['RESTORE-ASKING', 'k', '0', payload],
      ['RESTORE', 'bad', '0', sealed('\xfa')],
      ['RESTORE', 'bad', '0', sealed('\x00')],
      ['RESTORE', 'bad', '0', sealed('\x12\x01\x02\x03abc')],
      ['RESTORE', 'bad', '0', sealed('\x04\x00')],
      ['EXISTS', 'bad'],
    ];
    for (const line of lines)
      expect([line, await say(own, ...line)]).toEqual([line, await say(other, ...line)]);
  });

  it('bound what hostile payloads become', async () => {
    const { port } = await startHost({ max_memory: 4 * 1024 * 1024, max_request_bytes: 1024 * 1024 });
    const client = new RawClient(port);
    const lzf = (length: number): string =>
      `\xc3\x80\x00\x00\x00\x03\x80${String.fromCharCode(length >> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255)}abc`;
    const pack = (text: string): string => {
      const bytes = `${String.fromCharCode((text.length + 7) & 255, ((text.length + 7) >> 8) & 255, (text.length + 7) >> 16, 0)}\xff\xff${text}\xff`;
      return `\x80${String.fromCharCode(0, bytes.length >> 16, (bytes.length >> 8) & 255, bytes.length & 255)}${bytes}`;
    };
    for (const value of [
      // Lengths that lie.
      '\x00\x80\x7f\xff\xff\xff',
      '\x00\x81\x7f\xff\xff\xff\xff\xff\xff\xff',
      '\x01\x80\x7f\xff\xff\xff\x01a',
      '\x04\x80\x7f\xff\xff\xff\x01a\x01b',
      '\x05\x80\x7f\xff\xff\xff\x01a',
      '\x13\x80\x7f\xff\xff\xff',
      `\x00${lzf(0x7fff_ffff)}`,
      `\x00${lzf(500)}`,
      '\x0b\x0a\x02\x00\x00\x00\xff\xff\xff\xff\x01\x00',
      `\x10${pack('\xf0\xff\xff\xff\x7fa\x01')}`,
      `\x10${pack('\x81a')}`,
      `\x10${pack('\x81a\x02\x81a\x02\x81a\x02')}`,
      `\x12\x01\x09${pack('\x01\x01')}`,
      `\x13\x01\x10${'\x00'.repeat(16)}${pack('\x7f\x01\x00\x01\x7f\x01\x00\x01')}`,
    ])
      expect([value, await say(client, 'RESTORE', 'k', '0', sealed(value))]).toEqual([
        value,
        '-ERR Bad data format\r\n',
      ]);
    // Half a million elements of two bytes each: they would take more than there is.
    const wide = sealed(`\x12\x01\x02${pack('\x01\x01'.repeat(250_000))}`);
    expect(await say(client, 'RESTORE', 'k', '0', wide)).toMatch(/^-OOM /);
    // A text that says its own bytes again and again.
    const copies = '\xe0\xff\x00'.repeat(40);
    const whole = 1 + 40 * 264;
    const bomb = `\xc3${'\x40'}${String.fromCharCode(copies.length + 2)}\x80${String.fromCharCode(0, 0, whole >> 8, whole & 255)}\x00a${copies}`;
    expect(await say(client, 'RESTORE', 'fine', '0', sealed(`\x00${bomb}`))).toBe('+OK\r\n');
    expect(await say(client, 'STRLEN', 'fine')).toBe(`:${whole}\r\n`);
    const bombs = sealed(`\x01\x40\xc8${bomb.repeat(200)}`);
    expect(await say(client, 'RESTORE', 'k', '0', bombs)).toBe('-ERR Bad data format\r\n');
    expect(await say(client, 'EXISTS', 'k')).toBe(':0\r\n');
  });
});
