import { constants, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { createStreamServer, type Connection } from '@backlot/kit';
import { HttpAcceptor } from '@backlot/kit/http';
import { WebSocketServer } from 'ws';
import { keepAlive } from '../src/wire/keep-alive.js';
import { afterThis, Client, clientFrame, closeCodeIn, Raw, startHost, upgradeRequest } from './support.js';

const ECHO = [{ path: '/', on_message: [{ respond: '{{request.raw_body}}' }] }];
const MEBIBYTE = 1024 * 1024;

const FINAL_TEXT = 0x81;
const FINAL_BINARY = 0x82;
const CLOSE = 0x88;
const PING = 0x89;

describe('frames', () => {
  it('in fragments are one message, and a ping may stand between them', async () => {
    const { port } = await startHost(ECHO);
    const raw = await Raw.upgrade(port, '/');
    raw.send(
      Buffer.concat([
        clientFrame(0x01, 'one '),
        clientFrame(PING, 'alive'),
        clientFrame(0x00, 'two '),
        clientFrame(0x80, 'three'),
      ]),
    );
    await raw.untilText((text) => text.endsWith('three'));
    expect(raw.received.toString('latin1')).toBe('\x8a\x05alive\x81\x0done two three');
  });

  it('that arrive a byte at a time are messages all the same', async () => {
    const { port } = await startHost(ECHO);
    const raw = await Raw.upgrade(port, '/');
    for (const byte of clientFrame(FINAL_BINARY, Buffer.from([1, 2, 3]))) raw.send(Buffer.from([byte]));
    await raw.untilText((text) => text.length === 5);
    expect(raw.received).toEqual(Buffer.from([FINAL_BINARY, 3, 1, 2, 3]));
  });

  it('of all lengths are answered in frames of the right form', async () => {
    const { url } = await startHost(ECHO);
    const client = await Client.connect(url);
    for (const length of [0, 1, 125, 126, 65_535, 65_536, MEBIBYTE]) {
      expect((await client.ask(Buffer.alloc(length, 1))).length).toBe(length);
      expect((await client.ask('a'.repeat(length))).length).toBe(length);
    }
  });

  it.each([
    ['an unmasked frame', Buffer.from([FINAL_TEXT, 1, 65]), 1002],
    ['a reserved opcode', clientFrame(0x83, 'a'), 1002],
    ['a reserved bit', clientFrame(0xa1, 'a'), 1002],
    ['a compressed frame, since compression was not agreed on', clientFrame(0xc1, 'a'), 1002],
    ['a continuation of nothing', clientFrame(0x80, 'a'), 1002],
    ['a message inside of a message', Buffer.concat([clientFrame(0x01, 'a'), clientFrame(0x81, 'b')]), 1002],
    ['a ping in fragments', clientFrame(0x09, 'a'), 1002],
    ['a ping of 126 bytes', clientFrame(PING, 'a'.repeat(126)), 1002],
    ['a close frame of one byte', clientFrame(CLOSE, 'a'), 1002],
    ['a close code that is never sent', clientFrame(CLOSE, Buffer.from([3, 0xed])), 1002],
    ['a text that is not UTF-8', clientFrame(FINAL_TEXT, Buffer.from([0xc3, 0x28])), 1007],
    ['a close reason that is not UTF-8', clientFrame(CLOSE, Buffer.from([3, 0xe8, 0xff])), 1007],
    ['more than 1 MiB', clientFrame(FINAL_BINARY, '', MEBIBYTE + 1), 1009],
    ['an announced 2^40', clientFrame(FINAL_BINARY, '', 2 ** 40), 1009],
    ['an announced 2^63', Buffer.from('82ff800000000000000000000000', 'hex'), 1009],
    [
      'more than 1 MiB in fragments',
      Buffer.concat([clientFrame(0x02, Buffer.alloc(MEBIBYTE)), clientFrame(0x80, 'a')]),
      1009,
    ],
    ['100,000 fragments', Buffer.concat(Array.from({ length: 100_000 }, () => clientFrame(0x01, ''))), 1002],
    [
      '20,000 fragments of one message',
      Buffer.concat([
        clientFrame(0x01, 'a'),
        ...Array.from({ length: 20_000 }, () => clientFrame(0x00, 'a')),
      ]),
      1008,
    ],
  ])('of %s close the connection with %3$d', async (_what, frame, code) => {
    const { port, logged } = await startHost(ECHO);
    const raw = await Raw.upgrade(port, '/');
    raw.send(frame);
    expect(closeCodeIn(await raw.end())).toBe(code);
    await eventually(() => logged('CLOSE').length === 1);
    expect(logged('CLOSE')[0]?.['status']).toBe(code);
    expect(logged('MESSAGE')).toEqual([]);
  });

  it('that are compressed without agreement are no way around the limit', async () => {
    const { port } = await startHost(ECHO);
    const raw = await Raw.open(port);
    raw.send(upgradeRequest('/', { 'Sec-WebSocket-Extensions': 'permessage-deflate' }));
    await raw.untilText((text) => text.includes('\r\n\r\n'));
    expect(raw.received.toString()).not.toContain('Sec-WebSocket-Extensions');
    raw.take();
    const bomb = deflateRawSync(Buffer.alloc(64 * MEBIBYTE), { finishFlush: constants.Z_SYNC_FLUSH });
    raw.send(clientFrame(0xc2, bomb));
    expect(closeCodeIn(await raw.end())).toBe(1002);
  });
});

describe('handshakes', () => {
  it.each([
    ['without a key', { 'Sec-WebSocket-Key': undefined }, 400],
    ['with a bad key', { 'Sec-WebSocket-Key': 'short' }, 400],
    ['of an unknown version', { 'Sec-WebSocket-Version': '7' }, 400],
    ['with bad subprotocols', { 'Sec-WebSocket-Protocol': 'a,,b' }, 400],
    ['for another protocol', { Upgrade: 'h2c' }, 426],
    ['that are plain requests', { Upgrade: undefined, Connection: undefined }, 426],
  ])('%s are refused with %3$d, and no mock hears of them', async (_what, headers, status) => {
    const { port, host } = await startHost([{ path: '/', on_connect: { send: 'hi' } }]);
    const raw = await Raw.open(port);
    raw.send(upgradeRequest('/', headers));
    expect((await raw.end()).toString()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(host.journal.list()).toEqual([]);
  });

  it('may name the whole url', async () => {
    const { port, logged } = await startHost(ECHO);
    await Raw.upgrade(port, 'ws://localhost:1234/?a=b');
    expect(logged('CONNECT')).toMatchObject([{ path: '/', query: { a: 'b' }, status: 101 }]);
  });

  it('may have their first frame in the same packet', async () => {
    const { port } = await startHost(ECHO);
    const raw = await Raw.open(port);
    raw.send(Buffer.concat([Buffer.from(upgradeRequest('/')), clientFrame(FINAL_TEXT, 'early')]));
    await raw.untilText((text) => text.endsWith('\r\n\r\n\x81\x05early'));
    // The example of RFC 6455, section 1.3.
    expect(raw.received.toString()).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n');
  });
});

describe('a client that says nothing', () => {
  async function startWatched(): Promise<{ port: number; connections: () => number }> {
    const upgrader = new WebSocketServer({ noServer: true });
    const acceptor = new HttpAcceptor({
      upgrade: {
        token: 'websocket',
        take: (request, socket, head, connection: Connection) =>
          upgrader.handleUpgrade(request, socket, head, (client) =>
            keepAlive(connection, client, { idle: 20, answer: 40 }),
          ),
      },
    });
    const server = createStreamServer({
      host: '127.0.0.1',
      port: 0,
      onConnection: (connection) => acceptor.take(connection),
    });
    const { port } = await server.start();
    afterThis(() => server.stop(0));
    return { port, connections: () => server.connections };
  }

  it('is pinged, and stays as long as it answers', async () => {
    const { port } = await startWatched();
    const client = await Client.connect(`ws://127.0.0.1:${port}`);
    let pings = 0;
    client.socket.on('ping', () => (pings += 1));
    await eventually(() => pings >= 5);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it('and does not answer the ping either is cut', async () => {
    const { port, connections } = await startWatched();
    const raw = await Raw.upgrade(port, '/');
    await raw.closes();
    expect(raw.received).toEqual(Buffer.from([PING, 0]));
    await eventually(() => connections() === 0);
  });
});
