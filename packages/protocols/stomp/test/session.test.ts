import net from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, startHost } from './support.js';

/** Sends one frame on a new connection, and gives what comes first. */
async function first(port: number, frame: string, command: string): Promise<RawClient['frames'][number]> {
  const client = await RawClient.open(port);
  client.send(frame);
  const received = await client.next(command);
  if (command === 'ERROR') await client.closes();
  return received;
}

describe('connecting', () => {
  it.each([
    ['1.0', '1.0'],
    ['1.1', '1.1'],
    ['1.2', '1.2'],
    ['1.0,1.1', '1.1'],
    ['1.2,1.1,1.0', '1.2'],
    ['1.1, 2.0', '1.1'],
  ])('agrees with accept-version %s on %s', async (accepted, agreed) => {
    const { port } = await startHost();
    const { headers } = await first(port, `CONNECT\naccept-version:${accepted}\nhost:a\n\n\0`, 'CONNECTED');
    expect(headers['version']).toBe(agreed);
    expect(headers['session']).toMatch(/./);
    expect(headers['server']).toMatch(/^[a-z]+$/);
  });

  it('speaks 1.0 with a client that names no version, and trims its padding', async () => {
    const { port } = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    const client = await RawClient.open(port);
    client.send('CONNECT\nlogin: ann\npasscode:secret \n\n\0');
    expect((await client.next('CONNECTED')).headers).toMatchObject({ version: '1.0' });
    client.send('SUBSCRIBE\ndestination: /queue/a\n\n\0');
    client.send('SEND\ndestination: /queue/a\nx : y\\n\n\nhello\0');
    const { headers, body } = await client.next('MESSAGE');
    expect(headers).toMatchObject({ destination: '/queue/a', x: 'y\\n' });
    expect(headers['subscription']).toBeUndefined();
    expect(body).toBe('hello');
    await client.request('UNSUBSCRIBE\ndestination: /queue/a\n\n\0');
  });

  it('takes STOMP as CONNECT, with CRLF and line ends before it', async () => {
    const { port } = await startHost();
    const frame = '\n\r\nSTOMP\r\naccept-version:1.2\r\nhost:a\r\n\r\n\0';
    expect((await first(port, frame, 'CONNECTED')).headers['version']).toBe('1.2');
  });

  it('refuses versions that it does not speak, and names those that it does', async () => {
    const { port } = await startHost();
    const { headers, body } = await first(port, 'CONNECT\naccept-version:2.0,3.1\nhost:a\n\n\0', 'ERROR');
    expect(headers).toMatchObject({ version: '1.0,1.1,1.2', 'content-type': 'text/plain' });
    expect(body).toContain('"2.0,3.1"');
  });

  it('asks for a login only when there are users', async () => {
    const { port } = await startHost({ users: [{ username: 'ann', password: 'a:b' }] });
    const connect = (headers: string): string => `CONNECT\naccept-version:1.2\nhost:a\n${headers}\n\0`;
    expect((await first(port, connect(''), 'ERROR')).headers['message']).toBe('login required');
    expect((await first(port, connect('login:ann\n'), 'ERROR')).headers['message']).toBe('login refused');
    expect((await first(port, connect('login:ann\npasscode:x\n'), 'ERROR')).headers['message']).toBe(
      'login refused',
    );
    expect((await first(port, connect('login:bob\npasscode:a:b\n'), 'ERROR')).headers['message']).toBe(
      'login refused',
    );
    await first(port, connect('login:ann\npasscode:a:b\n'), 'CONNECTED');
    const open = await startHost();
    await first(open.port, connect('login:anybody\npasscode:anything\n'), 'CONNECTED');
  });

  it('answers heart-beat with what the client wishes for', async () => {
    const { port } = await startHost();
    const beat = async (header: string): Promise<string | undefined> =>
      (await first(port, `CONNECT\naccept-version:1.1\nhost:a\n${header}\n\0`, 'CONNECTED')).headers[
        'heart-beat'
      ];
    expect(await beat('')).toBe('0,0');
    expect(await beat('heart-beat:10000,20000\n')).toBe('20000,10000');
    expect(await beat('heart-beat:1,0\n')).toBe('0,50');
    const { headers } = await first(port, 'CONNECT\naccept-version:1.2\nheart-beat:1;2\n\n\0', 'ERROR');
    expect(headers['message']).toBe('bad heart-beat');
  });
});

describe('a client that does not connect', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['says nothing', '', undefined],
    ['says too little', 'CONNECT\naccept-version:1.2\n', 'no CONNECT frame within 10 s'],
    ['sends only line ends', '\n\n', 'no CONNECT frame within 10 s'],
    ['begins with HTTP and stops', 'GE', undefined],
  ])('and %s is let go after 10 seconds', async (_what, bytes, message) => {
    const { port, host } = await startHost();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
    const client = await RawClient.open(port);
    await eventually(() => host.kind('stomp').status()['connections'] === 1);
    if (bytes !== '') await new Promise<void>((resolve) => client.socket.write(bytes, () => resolve()));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(9_000);
    expect(client.frames).toEqual([]);
    expect(client.isClosed).toBe(false);
    jest.advanceTimersByTime(1_000);
    if (message !== undefined) expect((await client.next('ERROR')).headers['message']).toBe(message);
    jest.advanceTimersByTime(1_000);
    await client.closes();
    expect(client.frames).toEqual([]);
  });
});

describe('heart-beats', () => {
  it('are sent when nothing else is', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port, '1.2', 'heart-beat:0,60\n');
    const began = performance.now();
    await client.until(() => client.beats >= 5);
    // Four intervals of 60 ms, of which each may be cut by half once.
    expect(performance.now() - began).toBeGreaterThan(4 * 30);
    expect(client.isClosed).toBe(false);
  });

  it('are expected, and a client that is silent is let go', async () => {
    const { port } = await startHost();
    const silent = await RawClient.connect(port, '1.2', 'heart-beat:60,0\n');
    const lively = await RawClient.connect(port, '1.2', 'heart-beat:60,0\n');
    const beat = setInterval(() => lively.send('\n'), 20);
    expect((await silent.next('ERROR')).headers['message']).toBe('heart-beat missed');
    await silent.closes();
    expect(lively.isClosed).toBe(false);
    clearInterval(beat);
    await lively.request('SEND\ndestination:/topic/a\n\n\0');
  });
});

describe('frames', () => {
  it('get a receipt, whatever they are', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    for (const frame of [
      'SUBSCRIBE\nid:1\ndestination:/topic/a\nack:client\n\n\0',
      'BEGIN\ntransaction:t\n\n\0',
      'SEND\ndestination:/topic/a\ntransaction:t\n\nhi\0',
      'COMMIT\ntransaction:t\n\n\0',
    ])
      await client.request(frame);
    const message = await client.next('MESSAGE');
    for (const frame of [
      'BEGIN\ntransaction:u\n\n\0',
      `ACK\nid:${message.headers['ack']}\ntransaction:u\n\n\0`,
      'ABORT\ntransaction:u\n\n\0',
      `NACK\nid:${message.headers['ack']}\n\n\0`,
      'UNSUBSCRIBE\nid:1\n\n\0',
      'DISCONNECT\n\n\0',
    ])
      await client.request(frame);
    await client.closes();
  });

  it('escape as their version has it', async () => {
    const { port } = await startHost();
    const receivers = new Map<string, RawClient>();
    for (const version of ['1.0', '1.1', '1.2']) {
      const client = await RawClient.connect(port, version);
      await client.request('SUBSCRIBE\nid:1\ndestination:/topic/a:b\n\n\0');
      receivers.set(version, client);
    }
    const sender = await RawClient.connect(port, '1.2');
    await sender.request('SEND\ndestination:/topic/a\\cb\nk\\cey:one\\ntwo\\rthree\\\\four\\cfive\n\n\0');
    const lineOf = async (version: string): Promise<string | undefined> =>
      (await receivers.get(version)?.next('MESSAGE'))?.raw.split('\n').find((line) => line.startsWith('k'));
    expect(await lineOf('1.2')).toBe('k\\cey:one\\ntwo\\rthree\\\\four\\cfive');
    expect(await lineOf('1.1')).toBe('k\\cey:one\\ntwo three\\\\four\\cfive');
    expect(await lineOf('1.0')).toBe('k_ey:one two three\\four:five');
  });

  it('may hold NUL bytes in the body with content-length, and line ends around', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    await client.request('SUBSCRIBE\nid:1\ndestination:/topic/a\n\n\0');
    client.send('\n\n\r\nSEND\r\ndestination:/topic/a\r\ncontent-length:5\r\n\r\na\0b\0c\0\r\n\n');
    const { headers, body } = await client.next('MESSAGE');
    expect(body).toBe('a\0b\0c');
    expect(headers['content-length']).toBe('5');
  });

  it('count the first of repeated headers', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    client.send('SUBSCRIBE\nid:1\nid:2\ndestination:/topic/a\ndestination:/topic/b\n\n\0');
    client.send('SEND\ndestination:/topic/a\ncontent-length:2\ncontent-length:9\nx:1\nx:2\n\nhi\0');
    const { headers, raw, body } = await client.next('MESSAGE');
    expect(headers).toMatchObject({ subscription: '1', x: '1' });
    expect(raw).not.toContain('x:2');
    expect(body).toBe('hi');
  });

  it('keep any header name as plain data, and all of the sender reach the receiver', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    client.send('SUBSCRIBE\nid:1\ndestination:/topic/a\n\n\0');
    const names = '__proto__:a\nconstructor:b\nhasOwnProperty:c\nX-Case:d\nempty:\n spaced : e \n';
    await client.request(`SEND\ndestination:/topic/a\nmessage-id:mine\nsubscription:mine\n${names}\n\0`);
    const { raw, headers } = await client.next('MESSAGE');
    for (const line of names.split('\n').filter((text) => text !== '')) expect(raw).toContain(`\n${line}\n`);
    expect(headers['message-id']).not.toBe('mine');
    expect(headers['subscription']).toBe('1');
    const [captured] = host.kind('stomp').captures?.values() ?? [];
    expect(captured).toMatchObject({ id: headers['message-id'], destination: '/topic/a', body: '' });
    expect(Object.entries((captured as { headers: object }).headers)).toContainEqual(['__proto__', 'a']);
    expect(host.journal.list()[0]?.['headers']).toMatchObject({ 'x-case': 'd' });
  });

  it('come in any pieces', async () => {
    const { port } = await startHost();
    const client = await RawClient.open(port);
    const bytes = Buffer.from(
      'CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:1\ndestination:/topic/a\n\n\0\n' +
        'SEND\r\ndestination:/topic/a\r\ncontent-length:4\r\n\r\n\0é\0\0SEND\ndestination:/topic/a\n\nplain\0',
    );
    for (const byte of bytes) {
      client.send(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await client.next('MESSAGE')).body).toBe('\0é\0');
    expect((await client.next('MESSAGE')).body).toBe('plain');
  });
});

describe('errors', () => {
  const known = 'CONNECT\naccept-version:1.2\nhost:a\n\n\0';
  it.each([
    ['a frame before CONNECT', 'SEND\ndestination:/queue/a\nreceipt:7\n\nx\0', 'not connected'],
    ['a second CONNECT', `${known}${known}`, 'connected already'],
    ['an unknown command', `${known}PUBLISH\ndestination:/queue/a\n\n\0`, 'unknown command'],
    ['a command of a server', `${known}MESSAGE\ndestination:/queue/a\n\n\0`, 'unknown command'],
    ['a command in small letters', `${known}send\n\n\0`, 'malformed frame'],
    ['a command without an end', `${known}${'S'.repeat(50)}`, 'malformed frame'],
    ['SEND without destination', `${known}SEND\n\nx\0`, 'missing header'],
    ['SUBSCRIBE without destination', `${known}SUBSCRIBE\nid:1\n\n\0`, 'missing header'],
    ['SUBSCRIBE without id', `${known}SUBSCRIBE\ndestination:/queue/a\n\n\0`, 'missing header'],
    ['a bad ack mode', `${known}SUBSCRIBE\nid:1\ndestination:/a\nack:never\n\n\0`, 'bad ack mode'],
    [
      'a bad prefetch',
      `${known}SUBSCRIBE\nid:1\ndestination:/a\nprefetch-count:x\n\n\0`,
      'bad prefetch-count',
    ],
    [
      'a subscription id twice',
      `${known}${'SUBSCRIBE\nid:1\ndestination:/queue/a\n\n\0'.repeat(2)}`,
      'subscription exists',
    ],
    ['UNSUBSCRIBE of an unknown id', `${known}UNSUBSCRIBE\nid:1\n\n\0`, 'unknown subscription'],
    ['UNSUBSCRIBE without id', `${known}UNSUBSCRIBE\ndestination:/queue/a\n\n\0`, 'missing header'],
    ['ACK of an unknown id', `${known}ACK\nid:1-1\n\n\0`, 'unknown message'],
    ['NACK of an odd id', `${known}NACK\nid:x\n\n\0`, 'unknown message'],
    ['ACK without id', `${known}ACK\nmessage-id:1\n\n\0`, 'missing header'],
    ['COMMIT of an unknown transaction', `${known}COMMIT\ntransaction:t\n\n\0`, 'unknown transaction'],
    ['ABORT without transaction', `${known}ABORT\n\n\0`, 'missing header'],
    ['BEGIN without transaction', `${known}BEGIN\n\n\0`, 'missing header'],
    ['BEGIN twice', `${known}${'BEGIN\ntransaction:t\n\n\0'.repeat(2)}`, 'transaction exists'],
    [
      'SEND in an unknown transaction',
      `${known}SEND\ndestination:/a\ntransaction:t\n\n\0`,
      'unknown transaction',
    ],
    ['an undefined escape', `${known}SEND\ndestination:/a\nx:\\t\n\n\0`, 'undefined escape in a header'],
    [
      'an escape without its letter',
      `${known}SEND\ndestination:/a\nx:a\\\n\n\0`,
      'undefined escape in a header',
    ],
    ['a header without a colon', `${known}SEND\ndestination\n\n\0`, 'a header without a name'],
    ['a header without a name', `${known}SEND\n:x\n\n\0`, 'a header without a name'],
    ['a NUL in the headers', `${known}SEND\ndestination:/a\0\n\n\0`, 'malformed frame'],
    ['a body where none may be', `${known}BEGIN\ntransaction:t\n\nbody\0`, 'unexpected body'],
    ['a missing NUL', `${known}SEND\ndestination:/a\ncontent-length:2\n\nabc\0`, 'malformed frame'],
    [
      'a content-length of 2 GiB',
      `${known}SEND\ndestination:/a\ncontent-length:2147483648\n\n`,
      'frame too large',
    ],
    [
      'a content-length beyond all numbers',
      `${known}SEND\ncontent-length:${'9'.repeat(400)}\n\n`,
      'frame too large',
    ],
    ['a negative content-length', `${known}SEND\ndestination:/a\ncontent-length:-1\n\n\0`, 'malformed frame'],
    [
      'a content-length that is no number',
      `${known}SEND\ndestination:/a\ncontent-length:0x10\n\n\0`,
      'malformed frame',
    ],
    ['too many headers', `${known}SEND\n${'a:b\n'.repeat(1_001)}\n\0`, 'frame too large'],
    ['headers that are too long', `${known}SEND\na:${'b'.repeat(40_000)}`, 'frame too large'],
    ['a large CONNECT', `CONNECT\ncontent-length:40000\n\n`, 'frame too large'],
    ['a large CONNECT without content-length', `CONNECT\n\n${'x'.repeat(70_000)}`, 'frame too large'],
  ])('answer %s with ERROR and the end', async (_name, bytes, message) => {
    const { port, log } = await startHost();
    const client = await RawClient.open(port);
    client.send(bytes);
    const error = await client.next('ERROR');
    expect(error.headers['message']).toBe(message);
    expect(error.body.length).toBeGreaterThan(0);
    expect(error.headers['receipt-id']).toBe(bytes.includes('receipt:7') ? '7' : undefined);
    await client.closes();
    expect(log).toEqual([]);
  });

  it('answer headers that are no UTF-8', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port);
    client.send(Buffer.from('SEND\ndestination:/topic/\xff\n\n\0', 'latin1'));
    expect((await client.next('ERROR')).headers['message']).toBe('the headers are not UTF-8');
    await client.closes();
  });

  it('answer the escape of a later version', async () => {
    const { port } = await startHost();
    const client = await RawClient.connect(port, '1.1');
    client.send('SEND\ndestination:/topic/a\nx:\\r\n\n\0');
    expect((await client.next('ERROR')).headers['message']).toBe('undefined escape in a header');
    await client.closes();
  });

  it('hold bodies to the limit, whatever way they come', async () => {
    const { port } = await startHost({ max_message_bytes: 1_000 });
    const exact = await RawClient.connect(port);
    await exact.request(`SEND\ndestination:/topic/a\n\n${'x'.repeat(1_000)}\0`);
    await exact.request(`SEND\ndestination:/topic/a\ncontent-length:1000\n\n${'x'.repeat(1_000)}\0`);
    exact.send(`SEND\ndestination:/topic/a\n\n${'x'.repeat(1_001)}\0`);
    expect((await exact.next('ERROR')).headers['message']).toBe('frame too large');
    const announced = await RawClient.connect(port);
    announced.send('SEND\ndestination:/topic/a\ncontent-length:1001\n\n');
    expect((await announced.next('ERROR')).body).toContain('1001');
  });

  it('do nothing of what comes after them', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    client.send('PUBLISH\n\n\0SEND\ndestination:/queue/a\n\nlate\0');
    await client.next('ERROR');
    await client.closes();
    expect(host.journal.count().count).toBe(0);
  });
});

describe('TLS', () => {
  it('is spoken from the first byte', async () => {
    const { port, host } = await startHost({ tls: {} });
    expect(host.kind('stomp').status()).toMatchObject({ tls: true });
    const client = await RawClient.open(port, { tls: true });
    client.send('CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:1\ndestination:/queue/a\n\n\0');
    client.send('SEND\ndestination:/queue/a\n\nsecret\0');
    expect((await client.next('MESSAGE')).body).toBe('secret');
  });
});

describe('a server that stops', () => {
  it('closes sessions', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    await host.stop(500);
    await client.closes();
    expect(client.isClosed).toBe(true);
    await expect(
      new Promise((resolve, reject) =>
        net.connect({ port, host: '127.0.0.1' }, () => resolve('open')).on('error', reject),
      ),
    ).rejects.toThrow('ECONNREFUSED');
  });

  it('counts its connections', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.connect(port);
    expect(host.kind('stomp').status()['connections']).toBe(1);
    client.socket.destroy();
    await eventually(() => host.kind('stomp').status()['connections'] === 0);
  });
});
