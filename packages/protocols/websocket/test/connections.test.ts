import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { WebSocket } from 'ws';
import { Client, Raw, clientFrame, startHost, upgradeRequest } from './support.js';

const HOUR = 3_600_000;
const MEBIBYTE = 1024 * 1024;

describe('a connection', () => {
  it('is greeted with text and bytes, after the delay, before messages are answered', async () => {
    const { host, url, logged } = await startHost([
      {
        path: '/{name}',
        on_connect: { send: 'hello {{request.params.name}}', send_binary: 'AAEC', delay: '1h' },
        on_message: [{ respond: 'got {{request.body}}' }],
      },
    ]);
    host.clock.freeze(true);
    const client = await Client.connect(`${url}/ann`);
    client.send('1');
    client.send('2');
    await client.settle();
    expect(client.left).toEqual([]);
    expect(logged('CONNECT')).toMatchObject([{ status: 101 }]);
    await host.clock.advance(HOUR);
    expect(await client.next()).toBe('hello ann');
    expect(await client.next()).toEqual(Buffer.from([0, 1, 2]));
    expect([await client.next(), await client.next()]).toEqual(['got 1', 'got 2']);
  });

  it('answers messages in order, also behind one that is delayed, and pings at once', async () => {
    const { host, url } = await startHost([
      {
        path: '/',
        on_message: [
          { match: 'slow', respond: 'slow {{request.raw_body}}', delay: '1h' },
          { respond: '{{request.raw_body}}' },
        ],
      },
    ]);
    host.clock.freeze(true);
    const client = await Client.connect(url);
    for (const message of ['slow', 'a', Buffer.from([9]), 'slow', 'b']) client.send(message);
    await client.settle();
    expect(client.left).toEqual([]);
    await host.clock.advance(HOUR);
    expect([await client.next(), await client.next(), await client.next()]).toEqual([
      'slow slow',
      'a',
      Buffer.from([9]),
    ]);
    await client.settle();
    expect(client.left).toEqual([]);
    await host.clock.advance(HOUR);
    expect([await client.next(), await client.next()]).toEqual(['slow slow', 'b']);
  });

  it('that leaves while its answer waits is recorded so, and so are the messages behind it', async () => {
    const { host, url, logged } = await startHost([
      { id: 'slow', path: '/', on_message: [{ respond: 'never', delay: '1h' }] },
    ]);
    const client = await Client.connect(url);
    client.send('1');
    client.send('2');
    await host.kind('websocket').calls.wait('slow', 1, 60_000);
    client.socket.close(4000, 'enough');
    await eventually(() => logged('CLOSE').length === 1);
    expect(logged('MESSAGE')).toMatchObject([
      { body: '1', aborted: true, matched_id: 'slow' },
      { body: '2', aborted: true, matched_id: 'slow' },
    ]);
    expect(logged('CLOSE')).toMatchObject([{ status: 4000, body: 'enough', path: '/' }]);
  });

  it('that leaves while the handshake waits is recorded as aborted', async () => {
    const { host, port, logged } = await startHost([
      { id: 'slow', path: '/', delay: '1h', on_connect: { send: 'hello' } },
    ]);
    const raw = await Raw.open(port);
    raw.send(upgradeRequest('/'));
    await host.kind('websocket').calls.wait('slow', 1, 60_000);
    raw.socket.end();
    await raw.closes();
    await eventually(() => logged('CONNECT')[0]?.['aborted'] === true);
    expect(logged('CONNECT')).toMatchObject([{ matched_id: 'slow', aborted: true }]);
    expect(logged('CLOSE')).toEqual([]);
  });

  it('may send messages before a delayed handshake is answered', async () => {
    const { host, port } = await startHost([
      { id: 'slow', path: '/', delay: '1h', on_connect: { send: 'hello' } },
      { path: '/', on_message: [{ respond: '<{{request.body}}>' }] },
    ]);
    const raw = await Raw.open(port);
    raw.send(Buffer.concat([Buffer.from(upgradeRequest('/')), clientFrame(0x81, 'one')]));
    await host.kind('websocket').calls.wait('slow', 1, 60_000);
    raw.send(clientFrame(0x81, 'two'));
    await host.clock.advance(HOUR);
    await raw.untilText((text) => text.includes('<two>'));
    expect(raw.received.toString('latin1')).toMatch(/^HTTP\/1\.1 101 [^]*hello[^]*<one>[^]*<two>$/);
  });
});

describe('the journal', () => {
  it('names what a connection did; connections count when they are greeted, and messages when they are answered', async () => {
    const { host, url, logged } = await startHost([
      {
        id: 'greets',
        path: '/greets',
        on_connect: { send: 'hi' },
        on_message: [{ match: 'a', respond: 'b' }],
      },
      { id: 'silent', path: '/silent', on_message: [{ match: 'a', respond: 'b' }] },
    ]);
    const { calls } = host.kind('websocket');
    for (const path of ['greets', 'silent']) {
      const client = await Client.connect(`${url}/${path}?q=1`);
      client.send('a');
      client.send('x');
      await client.settle();
      client.socket.close(1000, 'done');
      await eventually(() => logged('CLOSE').some((entry) => entry['path'] === `/${path}`));
    }
    expect([calls.of('greets').count, calls.of('silent').count]).toEqual([2, 1]);
    expect(calls.of('greets').calls.map((call) => call['method'])).toEqual(['CONNECT', 'MESSAGE']);
    expect(
      host.journal.list().map(({ method, path, matched_id: id, status }) => [method, path, id, status]),
    ).toEqual([
      ['CONNECT', '/greets', 'greets', 101],
      ['MESSAGE', '/greets', 'greets', undefined],
      ['MESSAGE', '/greets', undefined, undefined],
      ['CLOSE', '/greets', undefined, 1000],
      ['CONNECT', '/silent', undefined, 101],
      ['MESSAGE', '/silent', 'silent', undefined],
      ['MESSAGE', '/silent', undefined, undefined],
      ['CLOSE', '/silent', undefined, 1000],
    ]);
    expect(logged('CONNECT')[0]).toMatchObject({
      query: { q: '1' },
      headers: { upgrade: 'websocket' },
      response: { status: 101, body: 'hi' },
    });
    expect(host.journal.list({ unmatched: true }).map(({ method }) => method)).toEqual([
      'MESSAGE',
      'MESSAGE',
    ]);
    expect(logged('MESSAGE')[1]?.['near_misses']).toEqual([
      { mock_id: 'greets', reason: 'message: got "x", want "a"' },
      { mock_id: 'silent', reason: 'path: got "/greets", want "/silent"' },
    ]);
  });

  it('says why a binary message did not match', async () => {
    const { url, logged } = await startHost([
      { id: 'a', path: '/', on_message: [{ match_binary: 'AAEC' }, { match: 'x' }] },
    ]);
    const client = await Client.connect(url);
    client.send(Buffer.from([255]));
    await client.settle();
    expect(logged('MESSAGE')).toMatchObject([
      {
        body: '/w==',
        body_encoding: 'base64',
        near_misses: [{ mock_id: 'a', reason: 'message: got base64 "/w==", want base64 "AAEC" or "x"' }],
      },
    ]);
  });

  it('tells a lost connection from one that was closed', async () => {
    const { url, logged } = await startHost([{ path: '/' }]);
    const client = await Client.connect(url);
    client.socket.terminate();
    await eventually(() => logged('CLOSE').length === 1);
    expect(logged('CLOSE')[0]).toMatchObject({ aborted: true });
    const polite = await Client.connect(url);
    polite.socket.close();
    await eventually(() => logged('CLOSE').length === 2);
    expect(logged('CLOSE')[1]).toMatchObject({ status: 1005 });
  });

  it('explains connections and messages', async () => {
    const { host } = await startHost([
      { id: 'a', path: '/x', subprotocol: 'v1', on_connect: { send: 'hi' } },
      { id: 'b', path: '/x', on_message: [{ match_binary: '/w==' }] },
    ]);
    const kind = host.kind('websocket');
    expect(kind.explain({ path: '/x?a=b', body: '/w==', body_encoding: 'base64' })).toMatchObject({
      outcome: 'matched',
      mock_id: 'b',
    });
    expect(
      kind.explain({ method: 'CONNECT', path: '/x', headers: { 'Sec-WebSocket-Protocol': 'v2, v1' } }),
    ).toMatchObject({
      mock_id: 'a',
      others: [{ mock_id: 'b', reason: 'on_connect: it has nothing to send to a client that connects' }],
    });
    expect(kind.explain({ path: '/x', subprotocol: 'v2', body: 'hi' }).others).toContainEqual({
      mock_id: 'a',
      reason: 'subprotocol: got "v2", want "v1"',
    });
    for (const bad of [
      { method: 'SHOUT' },
      { path: 1 },
      { headers: { a: 1 } },
      { body_encoding: 'hex' },
      { body: '!!', body_encoding: 'base64' },
    ]) {
      expect(() => kind.explain(bad)).toThrow();
    }
  });
});

describe('faults', () => {
  it('close connections with the code, new ones and those that were open', async () => {
    const { host, url, logged } = await startHost([
      { id: 'a', path: '/', on_connect: { send: 'hi' }, on_message: [{ respond: 'yes' }] },
    ]);
    const open = await Client.connect(url);
    expect(await open.next()).toBe('hi');
    host.faults.set('websocket', { close_code: 4013, message: 'try later' });
    expect(await open.ask('?')).toBe('close 4013 try later');
    expect(await (await Client.connect(url)).next()).toBe('close 4013 try later');
    expect(await (await Client.connect(`${url}/unknown`)).next()).toBe('close 4013 try later');
    expect(logged('MESSAGE')).toMatchObject([{ fault: true, matched_id: 'a', status: 4013 }]);
    host.faults.set('websocket', {});
    expect(await (await Client.connect(url)).next()).toBe('close 1011');
  });

  it('leave no client unmatched for whom there is a mock', async () => {
    const { host, url, logged } = await startHost([
      { id: 'a', path: '/a', on_message: [{ respond: 'yes' }] },
      { id: 'b', path: '/b', on_connect: { send: 'hi' } },
    ]);
    host.faults.set('websocket', { close_code: 4013 });
    for (const path of ['/a', '/b', '/c'])
      expect(await (await Client.connect(`${url}${path}`)).next()).toBe('close 4013');
    host.faults.set('websocket', { delay: '1ms' });
    expect(await (await Client.connect(`${url}/a`)).ask('?')).toBe('yes');
    expect(logged('CONNECT')).toMatchObject([
      { path: '/a', fault: true },
      { path: '/b', fault: true, matched_id: 'b' },
      { path: '/c', fault: true },
      { path: '/a', status: 101 },
    ]);
    expect(host.journal.list({ unmatched: true })).toMatchObject([{ path: '/c' }]);
    expect(host.journal.list({ unmatched: false }).map(({ path }) => path)).toEqual(['/b', '/a']);
  });

  it('refuse handshakes with a status and a body', async () => {
    const { host, url, port, logged } = await startHost([
      { id: 'a', path: '/', on_message: [{ respond: 'yes' }] },
    ]);
    const open = await Client.connect(url);
    host.faults.set('websocket', { status: 429, body: 'slow down' });
    await expect(Client.connect(url)).rejects.toThrow('Unexpected server response: 429');
    const raw = await Raw.open(port);
    raw.send(upgradeRequest('/'));
    expect((await raw.end()).toString()).toBe(
      'HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\n' +
        'Content-Length: 9\r\nConnection: close\r\n\r\nslow down',
    );
    expect(await open.ask('?')).toBe('close 1011');
    host.faults.set('websocket', { json: { a: 1 } });
    await expect(Client.connect(url)).rejects.toThrow('Unexpected server response: 503');
    expect(logged('CONNECT').at(-1)).toMatchObject({
      status: 503,
      fault: true,
      response: { body: '{"a":1}' },
    });
  });

  it('are refused when they cannot be carried', async () => {
    const { host } = await startHost();
    for (const bad of [
      { close_code: 1005 },
      { close_code: 5000 },
      { message: 'm'.repeat(124) },
      { status: 101 },
      { status: 600 },
      { body: 'a', json: {} },
    ]) {
      expect(() => host.faults.set('websocket', bad)).toThrow();
    }
  });
});

describe('the end', () => {
  it('is 1001 for everybody when the server stops, in time', async () => {
    const { host, url } = await startHost([
      { path: '/', on_message: [{ match: 'slow', respond: 'late', delay: '1h' }, { respond: 'yes' }] },
    ]);
    const idle = await Promise.all(Array.from({ length: 20 }, () => Client.connect(url)));
    const busy = await Client.connect(url);
    busy.send('slow');
    await busy.settle();
    // The late answer would let nothing move for an hour.
    await host.stop(600);
    for (const client of [...idle, busy]) expect(await client.next()).toBe('close 1001');
  });

  it('is 1001 without any grace, too', async () => {
    const { host, url } = await startHost([{ path: '/' }]);
    const clients = await Promise.all(Array.from({ length: 20 }, () => Client.connect(url)));
    await host.stop(0);
    for (const client of clients) expect(await client.next()).toBe('close 1001');
  });

  it('lets a started answer go out first', async () => {
    const { host, url } = await startHost([{ path: '/', on_message: [{ respond: 'late', delay: '50ms' }] }]);
    const client = await Client.connect(url);
    client.send('?');
    client.send('?');
    await client.settle();
    await host.stop(2_000);
    expect([await client.next(), await client.next(), await client.next()]).toEqual([
      'late',
      'late',
      'close 1001',
    ]);
  });
});

describe('a client that does not read', () => {
  it('is not read from either, and gets all answers once it reads', async () => {
    const { url, port, logged } = await startHost([
      { path: '/', on_message: [{ match: 'q', respond: 'x'.repeat(64 * 1024) }] },
    ]);
    const raw = await Raw.upgrade(port, '/');
    raw.socket.pause();
    // 20,000 questions of 7 bytes would be answered with more than a gigabyte.
    raw.send(Buffer.concat(Array.from({ length: 20_000 }, () => clientFrame(0x81, 'q'))));
    const other = await Client.connect(url);
    await eventually(() => logged('MESSAGE').length > 10);
    let answered = 0;
    do {
      answered = logged('MESSAGE').length;
      for (let round = 0; round < 20; round += 1) await other.settle();
    } while (logged('MESSAGE').length > answered);
    expect(answered * 64 * 1024).toBeLessThan(32 * MEBIBYTE);
    let read = 0;
    raw.socket.on('data', (chunk) => {
      read += chunk.length;
      raw.take();
    });
    raw.socket.resume();
    await eventually(() => read > 50 * MEBIBYTE);
    expect(logged('MESSAGE').length).toBeGreaterThan(answered);
  });

  it('has a bounded number of messages wait behind a delayed one', async () => {
    const { host, url } = await startHost([
      {
        path: '/',
        on_message: [{ match: 'slow', respond: 'slow', delay: '1h' }, { respond: '{{request.raw_body}}' }],
      },
    ]);
    const socket = new WebSocket(url);
    await once(socket, 'open');
    socket.on('error', () => undefined);
    const received: number[] = [];
    socket.on('message', (data: Buffer) => received.push(data.length));
    socket.send('slow');
    for (let n = 0; n < 100; n += 1) socket.send(Buffer.alloc(MEBIBYTE / 2));
    const other = await Client.connect(url);
    let waiting = 0;
    do {
      waiting = socket.bufferedAmount;
      for (let round = 0; round < 20; round += 1) await other.settle();
    } while (socket.bufferedAmount < waiting);
    expect(waiting).toBeGreaterThan(30 * MEBIBYTE);
    await host.clock.advance(HOUR);
    await eventually(() => received.length === 101);
    expect(received).toEqual([4, ...Array.from({ length: 100 }, () => MEBIBYTE / 2)]);
    socket.terminate();
  });
});
