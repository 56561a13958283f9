import { describe, expect, it } from '@jest/globals';
import { eventually, playSession, xorshift32 } from '@backlot/conformance';
import { Client, clientFrame, closeCodeIn, Raw, startHost, upgradeRequest } from './support.js';

const MUTATIONS = 10_000;
const AT_ONCE = 100;

const MOCKS = [
  {
    path: '/chat',
    subprotocol: 'v1.chat',
    on_connect: { send: 'hello {{query.user}}' },
    on_message: [
      { match: 'ping', respond: 'pong' },
      { match_binary: 'AAEC', respond_binary: 'AwQF' },
      { respond: 'got {{request.body.name}}' },
    ],
  },
];

/** What a client of `ws` sent: text, bytes, fragments, a ping, JSON, 200 bytes, and the end. */
const SESSION = Buffer.concat([
  Buffer.from(
    [
      'GET /chat?user=ann HTTP/1.1',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: T2kyc7U+ZZqE49MiBNOrgQ==',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits',
      'Sec-WebSocket-Protocol: v1.chat',
      'Host: localhost:35183',
      '',
      '',
    ].join('\r\n'),
  ),
  Buffer.from(
    [
      'gYQo/l2tWJczyoKDVIWYO1SEmgGCYBaQvxB/gIKaAuAL9GWJgzT071BVloyBnfyVntiHt/C5kfC84t708Lbeuby0lebq+sbOr/TO',
      'ua2FgYH+AMiYrEvC4NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQz',
      'uuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDU',
      'M7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7rg1DO64NQzuuDUM7qIhqRjmLSni/zbygY=',
    ].join(''),
    'base64',
  ),
]);

describe('the recorded session', () => {
  it('is answered as it is', async () => {
    const { port } = await startHost(MOCKS);
    const answer = (await playSession(port, SESSION)).toString('latin1');
    expect(answer).toContain('HTTP/1.1 101 ');
    expect(answer).toContain('Sec-WebSocket-Protocol: v1.chat\r\n');
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe(
      '\x81\x09hello ann\x81\x04pong\x82\x03\x03\x04\x05\x81\x04pong\x8a\x03abc\x81\x07got ann\x81\x04got \x88\x06\x03\xe8done',
    );
  });

  it(`may be mutated ${MUTATIONS} times: each ends, and real clients go on`, async () => {
    const { host, port, url } = await startHost(MOCKS);
    const witness = await Client.connect(`${url}/chat?user=eve`, ['v1.chat']);
    expect(await witness.next()).toBe('hello eve');
    const outcomes = new Map<string, number>();
    for (let first = 0; first < MUTATIONS; first += AT_ONCE) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => playSession(port, mutate(SESSION, first + n))),
      );
      for (const answer of answers) {
        const outcome = describeAnswer(answer);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
    // Every kind of end is met, and no other.
    expect(
      [...outcomes.keys()].filter(
        (outcome) => !/^(refused 4\d\d|closed 10\d\d|closed without a word|nothing)$/.test(outcome),
      ),
    ).toEqual([]);
    for (const outcome of ['refused 400', 'refused 404', 'closed 1000', 'closed 1002', 'closed 1007']) {
      expect([outcome, (outcomes.get(outcome) ?? 0) > 0]).toEqual([outcome, true]);
    }
    expect(await witness.ask('ping')).toBe('pong');
    const client = await Client.connect(`${url}/chat?user=bob`, ['v1.chat']);
    expect(await client.next()).toBe('hello bob');
    await eventually(() => host.kind('websocket').status()['connections'] === 2);
  }, 60_000);
});

describe('what is no WebSocket', () => {
  it.each([
    ['a TLS hello', Buffer.from(`16030100a5010000a10303${'5f'.repeat(32)}00`, 'hex'), /^HTTP\/1\.1 400 /],
    ['an HTTP request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', /^HTTP\/1\.1 426 /],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 \d{3} |^$/],
    ['a request without end', `GET /${'a'.repeat(100_000)}`, /^HTTP\/1\.1 431 /],
    ['5,000 headers', `GET / HTTP/1.1\r\n${'A: b\r\n'.repeat(5_000)}\r\n`, /^HTTP\/1\.1 4\d\d /],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', /^HTTP\/1\.1 501 /],
    ['zeros', Buffer.alloc(1_000), /^HTTP\/1\.1 400 /],
    ['frames without a handshake', clientFrame(0x81, 'ping'), /^HTTP\/1\.1 400 /],
    ['a POST for an upgrade', upgradeRequest('/chat').replace('GET', 'POST'), /^HTTP\/1\.1 405 /],
  ])('%s gets its answer and the end', async (_what, bytes, answer) => {
    const { port, url } = await startHost(MOCKS);
    expect((await playSession(port, Buffer.from(bytes as string))).toString('latin1')).toMatch(answer);
    const client = await Client.connect(`${url}/chat`, ['v1.chat']);
    expect([await client.next(), await client.ask('ping')]).toEqual(['hello ', 'pong']);
  });
});

describe('hostile clients', () => {
  it('may send names that objects have by themselves', async () => {
    const { url, host } = await startHost([
      {
        path: '/{name}',
        on_message: [{ respond: '{{request.params.name}} {{query.__proto__}} {{body.constructor}}' }],
      },
    ]);
    const client = await Client.connect(`${url}/__proto__?__proto__=a&constructor=b`);
    expect(await client.ask('{"__proto__": {"x": 1}, "constructor": "c"}')).toBe('__proto__ a c');
    expect(host.journal.list({ protocol: 'websocket' })).toHaveLength(2);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('that ping and never read are cut', async () => {
    const { port, host } = await startHost([{ path: '/' }]);
    const raw = await Raw.upgrade(port, '/');
    raw.socket.pause();
    const pings = Buffer.concat(Array.from({ length: 10_000 }, () => clientFrame(0x89, 'p'.repeat(125))));
    const isGone = (): boolean => host.kind('websocket').status()['connections'] === 0;
    const flood = (): void => {
      if (!raw.socket.destroyed && raw.socket.writableLength === 0) raw.send(pings);
    };
    await eventually(() => {
      flood();
      return isGone();
    });
  });

  it('that end in the middle of a message are forgotten', async () => {
    const { port, host, logged } = await startHost(MOCKS);
    for (const cut of [10, 100, SESSION.length - 200, SESSION.length - 5]) {
      await playSession(port, SESSION.subarray(0, cut));
    }
    await eventually(
      () => host.kind('websocket').status()['connections'] === 0 && logged('CLOSE').length === 2,
    );
    expect(logged('CLOSE')).toMatchObject([{ aborted: true }, { aborted: true }]);
  });

  it('that talk before the handshake is answered are read no further than 64 KiB', async () => {
    const { port, host, url } = await startHost([
      { id: 'slow', path: '/slow', delay: '1h', on_connect: { send: 'hi' } },
      { path: '/quick' },
    ]);
    const raw = await Raw.open(port);
    raw.send(upgradeRequest('/slow'));
    await host.kind('websocket').calls.wait('slow', 1, 60_000);
    for (let n = 0; n < 1_000; n += 1) raw.send(clientFrame(0x82, Buffer.alloc(65_536)));
    const other = await Client.connect(`${url}/quick`);
    let waiting = 0;
    do {
      waiting = raw.socket.writableLength;
      for (let round = 0; round < 20; round += 1) await other.settle();
    } while (raw.socket.writableLength < waiting);
    expect(waiting).toBeGreaterThan(32 * 1024 * 1024);
    expect(raw.received).toHaveLength(0);
  });
});

/** Changes, removes, doubles or inserts a few bytes. */
function mutate(session: Buffer, seed: number): Buffer {
  const below = xorshift32(((seed + 1) * 0x9e3779b9) >>> 0 || 1);
  let mutated = Buffer.from(session);
  for (let changes = 1 + below(3); changes > 0; changes -= 1) {
    const place = below(mutated.length);
    const length = 1 + below(8);
    const before = mutated.subarray(0, place);
    const after = mutated.subarray(place + length);
    switch (below(5)) {
      case 0:
        mutated[place] = below(256);
        break;
      case 1:
        mutated[place] = (mutated[place] ?? 0) ^ (1 << below(8));
        break;
      case 2:
        mutated = Buffer.concat([before, after]);
        break;
      case 3:
        mutated = Buffer.concat([before, mutated.subarray(place)]);
        mutated = Buffer.concat([mutated, mutated.subarray(place, place + length)]);
        break;
      default:
        mutated = Buffer.concat([before, Buffer.from([below(256), below(256)]), mutated.subarray(place)]);
    }
  }
  return mutated;
}

function describeAnswer(answer: Buffer): string {
  const text = answer.toString('latin1');
  if (text === '') return 'nothing';
  if (!text.startsWith('HTTP/1.1 101 ')) return `refused ${text.slice(9, 12)}`;
  const code = closeCodeIn(answer.subarray(text.indexOf('\r\n\r\n') + 4));
  return code === undefined ? 'closed without a word' : `closed ${code}`;
}
