import { describe, expect, it } from '@jest/globals';
import { headers } from '@nats-io/transport-node';
import { eventually, mutate, xorshift32 } from '@backlot/conformance';
import { connect3, converse, QUIET, RawClient, startHost, type Running } from './support.js';

/** What a client of `@nats-io/transport-node` sent: it connected, subscribed, published with headers, and asked. */
const SESSION = [
  'CONNECT {"protocol":1,"version":"3.4.0","lang":"nats.js","verbose":false,"pedantic":false,"no_responders":true,"headers":true,"tls_required":false,"name":"recorded"}\r\n',
  'PING\r\n',
  'SUB events.> 1\r\n',
  'SUB jobs.* workers 2\r\n',
  'UNSUB 2 3\r\n',
  'SUB _INBOX.QZ7K1XJ2M8.* 3\r\n',
  'PUB events.a 5\r\nhello\r\n',
  'HPUB events.b 40 44\r\nNATS/1.0\r\nX-One: 1\r\nX-Two: some text\r\n\r\ndata\r\n',
  'PUB users.7.get _INBOX.QZ7K1XJ2M8.QZ7K1XJ2N0 8\r\n{"a": 1}\r\n',
  'PUB nobody _INBOX.QZ7K1XJ2M8.QZ7K1XJ2P1 0\r\n\r\n',
  'UNSUB 1\r\n',
  'PONG\r\n',
].join('');
const MUTATIONS = 10_000;
/** How many connections are open at one time. */
const AT_ONCE = 50;

const MOCKS = [
  { id: 'user', subject: 'users.{id}.get', response: { payload: '{"id": "{{request.params.id}}"}' } },
  { id: 'event', subject: 'events.>', response: { subject: 'answers.a', payload: '{{request.body}}' } },
];

const INSERTS = [
  '\r\n',
  '\0',
  ' ',
  '.',
  '*',
  '>',
  '-1',
  '4294967296',
  '"',
  '{',
  'PUB ',
  'HPUB ',
  'SUB ',
  '\xff',
  "-ERR 'x'\r\n",
];

/** A client that is served as if nothing had happened. */
async function checkWell({ port, kind, log }: Running): Promise<void> {
  expect(kind.status()['state']).toBe('running');
  expect(log).toEqual([]);
  const client = await connect3(port);
  const sent = headers();
  sent.set('A', 'b');
  const answer = await client.request('users.9.get', 'x', { headers: sent, timeout: 60_000 });
  expect(answer.json()).toEqual({ id: '9' });
  await client.close();
  await eventually(() => kind.status()['connections'] === 0);
}

describe('a recorded session', () => {
  it('works as it was', async () => {
    const { port } = await startHost({}, MOCKS);
    const answer = await converse(port, SESSION);
    expect(answer).toBe(
      'PONG\r\nMSG events.a 1 5\r\nhello\r\nHMSG events.b 1 40 44\r\nNATS/1.0\r\nX-One: 1\r\nX-Two: some text\r\n\r\ndata\r\n' +
        'MSG _INBOX.QZ7K1XJ2M8.QZ7K1XJ2N0 3 11\r\n{"id": "7"}\r\n' +
        'HMSG _INBOX.QZ7K1XJ2M8.QZ7K1XJ2P1 3 16 16\r\nNATS/1.0 503\r\n\r\n\r\n',
    );
  });

  it(`survives ${MUTATIONS} mutations, each answered or cut`, async () => {
    const running = await startHost({}, MOCKS);
    const number = xorshift32(20_240_229);
    const good = Buffer.from(SESSION, 'latin1');
    let cut = 0;
    const throwOne = async (): Promise<void> => {
      const client = await RawClient.connect(running.port);
      client.socket.end(mutate(good, number, INSERTS));
      const text = await client.untilClosed();
      if (/-ERR '[^']+'\r\n$/.test(text)) cut += 1;
      else expect(text).toMatch(/^$|\r\n$/);
    };
    for (let done = 0; done < MUTATIONS; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, throwOne));
    }
    expect(cut).toBeGreaterThan(MUTATIONS / 4);
    await checkWell(running);
  }, 60_000);
});

describe('bad input', () => {
  it.each([
    ['an unknown operation', 'FOO\r\n', 'Unknown Protocol Operation'],
    ['an empty line', '\r\n', 'Unknown Protocol Operation'],
    ['what only a server sends', 'MSG a 1 1\r\nx\r\n', 'Unknown Protocol Operation'],
    ['a request of HTTP', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 'Unknown Protocol Operation'],
    ['a TLS hello', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1', 'Unknown Protocol Operation'],
    ['letters without end', 'A'.repeat(1_000_000), 'Unknown Protocol Operation'],
    ['a line without end', `PUB ${'a'.repeat(1_000_000)}`, 'maximum control line exceeded'],
    ['a line that is too long', `SUB ${'a'.repeat(4_100)} 1\r\n`, 'maximum control line exceeded'],
    [
      'CONNECT that is too long',
      `CONNECT {"name":"${'a'.repeat(70_000)}"}\r\n`,
      'maximum control line exceeded',
    ],
    ['CONNECT that is no JSON', 'CONNECT {verbose}\r\n', 'Parser Error'],
    ['deep JSON', `CONNECT ${'['.repeat(4_000)}\r\n`, 'Parser Error'],
    ['a protocol to come', 'CONNECT {"protocol":5}\r\n', 'invalid client protocol'],
    [
      'no responders without headers',
      'CONNECT {"no_responders":true}\r\n',
      'no responders requires headers support',
    ],
    [
      'headers that were not announced',
      'CONNECT {"verbose":false}\r\nHPUB a 12 12\r\nNATS/1.0\r\n\r\n\r\n',
      'message headers not supported',
    ],
    ['a negative size', `${QUIET}PUB a -1\r\n\r\n`, 'Parser Error'],
    ['no size', `${QUIET}PUB a\r\n`, 'Parser Error'],
    ['2 GiB', `${QUIET}PUB a 2147483648\r\n`, 'Maximum Payload Violation'],
    ['a size beyond all numbers', `${QUIET}PUB a ${'9'.repeat(1_000)}\r\n`, 'Maximum Payload Violation'],
    ['one byte too many', `${QUIET}PUB a 1048577\r\n`, 'Maximum Payload Violation'],
    ['headers beyond the total', `${QUIET}HPUB a 10 2\r\nhello\r\n`, 'Parser Error'],
    ['headers of a negative size', `${QUIET}HPUB a -1 2\r\nhello\r\n`, 'Parser Error'],
    ['headers of 4 GiB', `${QUIET}HPUB a 4294967295 4294967295\r\n`, 'Maximum Payload Violation'],
    ['a payload longer than its size', `${QUIET}PUB a 2\r\nhello\r\n`, 'Unknown Protocol Operation'],
    ['a payload without its line end', `${QUIET}PUB a 2\r\nhi\nPING\r\n`, 'Unknown Protocol Operation'],
    ['a lone CR', `${QUIET}SUB a\rb 1\r\n`, 'Parser Error'],
    ['SUB without a number', `${QUIET}SUB a\r\n`, 'Parser Error'],
    ['UNSUB with too much', `${QUIET}UNSUB 1 2 3\r\n`, 'Parser Error'],
  ])('%s is told and cut', async (_name, text, error) => {
    const running = await startHost({}, MOCKS);
    const answer = await converse(running.port, text);
    expect(answer.replace(/^\+OK\r\n/, '')).toBe(`-ERR '${error}'\r\n<closed>`);
    await checkWell(running);
  });

  it.each(['a..b', '.a', 'a.', '>.a', 'a.>.b', `${'a.'.repeat(1_000)}a`])(
    'subscribing to %j is told, and all goes on',
    async (subject) => {
      const { port } = await startHost();
      expect(await converse(port, `${QUIET}SUB ${subject} 1\r\nSUB ok 2\r\nPUB ok 0\r\n\r\n`)).toBe(
        "-ERR 'Invalid Subject'\r\nMSG ok 2 0\r\n\r\n",
      );
    },
  );

  it('an error of the client ends its connection', async () => {
    const { port } = await startHost();
    expect(await converse(port, `${QUIET}-ERR 'x'\r\n`)).toBe('<closed>');
  });

  it('is nothing that another client notices', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    await client.ask(`${QUIET}SUB a 1\r\n`);
    await converse(port, `${QUIET}SUB a 1\r\nPUB a 1\r\nx\r\nPUB a 1\r\nxx\r\nPUB a 1\r\ny\r\n`);
    expect(await client.ask('')).toBe('');
    await eventually(() => !client.isClosed);
  });

  it('many half sent messages hold no memory that was only announced', async () => {
    const running = await startHost({ max_payload: 64 * 1024 * 1024, max_pending: 256 * 1024 * 1024 }, MOCKS);
    const before = process.memoryUsage();
    const clients = await Promise.all(Array.from({ length: 100 }, () => RawClient.connect(running.port)));
    for (const client of clients) {
      await client.ask(QUIET);
      client.send('PUB a 67108864\r\nx');
    }
    await eventually(() => running.kind.status()['connections'] === 100);
    const { arrayBuffers } = process.memoryUsage();
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(64 * 1024 * 1024);
    for (const client of clients) client.socket.destroy();
    await checkWell(running);
  });

  it('a subscription storm leaves nothing behind', async () => {
    const running = await startHost({}, MOCKS);
    const client = await RawClient.connect(running.port);
    const subs = Array.from({ length: 10_000 }, (_, index) => `SUB s.${index}.* ${index}\r\n`).join('');
    await client.ask(QUIET + subs);
    expect(await client.ask('PUB s.5.x 1\r\ny\r\n')).toBe('MSG s.5.x 5 1\r\ny\r\n');
    client.socket.destroy();
    await eventually(() => running.kind.status()['connections'] === 0);
    expect(await converse(running.port, `${QUIET}SUB r r\r\nPUB s.5.x r 1\r\ny\r\n`)).toBe(
      'HMSG r r 16 16\r\nNATS/1.0 503\r\n\r\n\r\n',
    );
  });
});
