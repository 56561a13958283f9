import { describe, expect, it } from '@jest/globals';
import { eventually, mulberry32 } from '@backlot/conformance';
import { SESSION } from './session.js';
import {
  ber,
  COMPANY,
  connect,
  RawClient,
  rawSearch,
  splitMessages,
  startHost,
  type Running,
} from './support.js';

const MUTATIONS = 10_000;
/** How many connections are open at one time. */
const AT_ONCE = 50;
const NOTICE = '1.3.6.1.4.1.1466.20036';
const MOCKS = [{ id: 'm', base_dn: 'dc=mock', attributes: { cn: '{{request.filter}}' } }];

/** A real client still gets its answers. */
async function checkWell(running: Running): Promise<void> {
  const client = connect(running);
  await client.bind('', '');
  const { searchEntries } = await client.search('dc=mock', { scope: 'base', filter: '(cn=a)' });
  expect(searchEntries).toEqual([{ dn: 'dc=mock', cn: '(cn=a)' }]);
  await client.unbind();
  expect(running.log.filter((line) => line.startsWith('error'))).toEqual([]);
}

const INSERTS = [
  '84ffffffff',
  '84fffffff0',
  '80',
  '30',
  'a0',
  'ff',
  '0400',
  '048400000000',
  '83ffffff',
  '1f',
];

/** Changes good bytes in one to four places. */
function mutate(good: Buffer, number: (below: number) => number): Buffer {
  let bytes = Buffer.from(good);
  for (let changes = 1 + number(4); changes > 0; changes -= 1) {
    const at = number(bytes.length + 1);
    const kind = number(6);
    if (kind === 0) bytes[at] = number(256);
    else if (kind === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << number(8));
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + number(20))]);
    else if (kind === 3) bytes = bytes.subarray(0, Math.max(at, 1));
    else {
      const insert = Buffer.from(INSERTS[number(INSERTS.length)] ?? '', 'hex');
      const behind = kind === 4 ? at : at + insert.length;
      bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(behind)]);
    }
  }
  return bytes;
}

describe('mutations', () => {
  it(`${MUTATIONS} changed sessions are answered or cut, and nothing else happens`, async () => {
    const running = await startHost({ ...COMPANY, mocks: MOCKS, base_dn: undefined });
    const messages = splitMessages(SESSION);
    expect(Buffer.concat(messages)).toEqual(SESSION);
    const number = mulberry32(7);
    let told = 0;
    let refused = 0;
    const throwOne = async (): Promise<void> => {
      const client = await RawClient.connect(running.port);
      // Mostly one message, so that what comes late is reached as often as what comes first.
      const good = number(4) === 0 ? SESSION : (messages[number(messages.length)] ?? SESSION);
      client.socket.end(mutate(good, number));
      const answer = await client.untilClosed();
      const answers = splitMessages(answer);
      expect(Buffer.concat(answers)).toEqual(answer);
      if (answer.includes(NOTICE)) told += 1;
      if (answer.includes(Buffer.from('0a0102', 'hex'))) refused += 1;
    };
    for (let done = 0; done < MUTATIONS; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, throwOne));
    }
    expect(told).toBeGreaterThan(MUTATIONS / 10);
    expect(refused).toBeGreaterThan(told);
    await checkWell(running);
  }, 60_000);
});

/** A filter within so many others. */
function nested(depth: number): Buffer {
  let filter = ber(0x87, 'cn');
  for (let level = 0; level < depth; level += 1) filter = ber(0xa2, filter);
  return filter;
}

describe('bad input', () => {
  it.each<[string, Buffer]>([
    ['a length of 4 GiB', Buffer.from('3084ffffffff', 'hex')],
    ['a length of 16 MiB', Buffer.from('308401000000', 'hex')],
    ['a length of 5 bytes', Buffer.from('30850000000001', 'hex')],
    ['a length without end', Buffer.from('3080020101', 'hex')],
    ['an element longer than its message', Buffer.from('30050201014205', 'hex')],
    ['an element longer than 2 GiB', Buffer.from('300b0201016806048480000000', 'hex')],
    ['10,000 filters within each other', rawSearch(1, 'dc=mock', nested(10_000))],
    ['101 filters within each other', rawSearch(1, 'dc=mock', nested(101))],
    ['no operation', Buffer.from('3003020101', 'hex')],
    ['an operation that is none', Buffer.from('30050201017f00', 'hex')],
    ['an answer', Buffer.from('300c02010165070a010004000400', 'hex')],
    ['the number 0', ber(0x30, ber(0x02, 0), ber(0x42))],
    ['a number below 0', ber(0x30, ber(0x02, 0xff), ber(0x42))],
    ['a number of 8 bytes', ber(0x30, ber(0x02, 1, 1, 1, 1, 1, 1, 1, 1), ber(0x42))],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['a TLS hello', Buffer.from('16030100a5010000a10303', 'hex')],
    ['zeros', Buffer.alloc(100_000)],
  ])('%s: the client is told, and the connection ends', async (_name, bytes) => {
    const running = await startHost({ mocks: MOCKS });
    const client = await RawClient.connect(running.port);
    // The first byte goes alone, since a message may come in any pieces.
    client.send(bytes.subarray(0, 1));
    client.send(bytes.subarray(1));
    const answer = await client.untilClosed();
    expect(answer.subarray(2, 5)).toEqual(Buffer.from([2, 1, 0]));
    expect(answer.includes(NOTICE)).toBe(true);
    await checkWell(running);
  });

  it.each<[string, Buffer, number]>([
    ['a search without a filter', rawSearch(1, 'dc=mock', Buffer.alloc(0)), 2],
    [
      'a search of an unknown scope',
      Buffer.from(rawSearch(1, 'dc=mock').toString('hex').replace('0a0102', '0a0107'), 'hex'),
      2,
    ],
    ['substrings without parts', rawSearch(1, 'dc=mock', ber(0xa4, ber(0x04, 'cn'), ber(0x30))), 2],
    ['a name that is none', rawSearch(1, 'dc mock'), 34],
    [
      'an add without values',
      ber(0x30, ber(0x02, 1), ber(0x68, ber(0x04, 'cn=a'), ber(0x30, ber(0x30, ber(0x04, 'cn'), ber(0x31))))),
      21,
    ],
    [
      'an add that is none',
      ber(0x30, ber(0x02, 1), ber(0x68, ber(0x04, 'cn=a'), ber(0x04, Buffer.from('0484fffffff0', 'hex')))),
      2,
    ],
    [
      'a modify with an unknown change',
      ber(
        0x30,
        ber(0x02, 1),
        ber(
          0x66,
          ber(0x04, 'cn=a'),
          ber(0x30, ber(0x30, ber(0x0a, 9), ber(0x30, ber(0x04, 'cn'), ber(0x31)))),
        ),
      ),
      2,
    ],
    ['version 2', ber(0x30, ber(0x02, 1), ber(0x60, ber(0x02, 2), ber(0x04), ber(0x80))), 2],
    ['a way to bind that is none', ber(0x30, ber(0x02, 1), ber(0x60, ber(0x02, 3), ber(0x04), ber(0x85))), 2],
    ['a cookie that nobody gave', pagedSearch('9'), 53],
    ['a control that is none', ber(0x30, ber(0x02, 1), ber(0x4a, 'cn=a'), ber(0xa0, ber(0x04, 'x'))), 2],
  ])('%s is refused, and the connection goes on', async (_name, bytes, code) => {
    const running = await startHost({ mocks: MOCKS });
    const client = await RawClient.connect(running.port);
    client.send(bytes);
    const [answer] = await client.messages(1);
    expect(answer?.includes(Buffer.from([0x0a, 1, code]))).toBe(true);
    client.send(rawSearch(1, 'dc=mock'));
    await client.messages(3);
    expect(client.isClosed).toBe(false);
    await checkWell(running);
  });

  it('100 filters within each other are no mistake', async () => {
    const running = await startHost({ mocks: MOCKS });
    const client = await RawClient.connect(running.port);
    client.send(rawSearch(1, 'dc=mock', nested(90)));
    await client.messages(2);
  });

  it('half sent messages hold no memory that was only announced', async () => {
    const running = await startHost({ mocks: MOCKS });
    const before = process.memoryUsage().arrayBuffers;
    const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(running.port)));
    for (const client of clients) client.send('30830ff0000201');
    await eventually(() => running.kind.status()['connections'] === 100);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
    for (const client of clients) client.socket.destroy();
    await eventually(() => running.kind.status()['connections'] === 0);
    await checkWell(running);
  });
});

function pagedSearch(cookie: string): Buffer {
  const search = rawSearch(1, 'dc=mock');
  const value = ber(0x30, ber(0x02, 5), ber(0x04, cookie));
  const control = ber(0x30, ber(0x04, '1.2.840.113556.1.4.319'), ber(0x04, value));
  return ber(0x30, search.subarray(2), ber(0xa0, control));
}
