import http2 from 'node:http2';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { abandon, eventually, mulberry32, type SeededNumbers } from '@backlot/conformance';
import * as grpcJs from '@grpc/grpc-js';
import { SESSION } from './support/session.js';
import { get, later, readAll, startHost, type Running } from './support/grpc-host.js';

const PREFACE = SESSION.subarray(0, 24);
const MUTATIONS = 10_000;
const AT_A_TIME = 100;

function mutate(random: SeededNumbers): Buffer {
  const bytes = Buffer.from(SESSION);
  const changes = 1 + random(4);
  for (let change = 0; change < changes; change += 1) {
    // The preface alone is soon told; what comes after it matters more.
    const place = random(10) === 0 ? random(24) : 24 + random(bytes.length - 24);
    bytes[place] = random(256);
  }
  const cut = random(4) === 0 ? random(bytes.length) : bytes.length;
  return bytes.subarray(0, cut);
}

/** Sends bytes and the end; resolves with what came once the server has said goodbye or closed as well. */
function throwAt(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let got = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      got = Buffer.concat([got, chunk]);
      if (hasGoodbye(got)) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(got.toString('latin1')));
    socket.end(bytes);
  });
}

/** Whether there is a GOAWAY among the frames (RFC 9113, section 6.8). */
function hasGoodbye(bytes: Buffer): boolean {
  for (let place = 0; place + 9 <= bytes.length; place += 9 + bytes.readUIntBE(place, 3)) {
    if (bytes[place + 3] === 7) return true;
  }
  return false;
}

async function isWell({ users, log }: Running): Promise<void> {
  expect(await get(users, { id: 1 })).toMatchObject({ code: 'OK', value: { name: 'well' } });
  expect(log).toEqual([]);
}

async function start(settings: object = {}): Promise<Running> {
  const running = await startHost({
    ...settings,
    mocks: [
      { method: 'Get', response: { name: 'well' } },
      { method: 'Add', response: {} },
      { id: 'watch', method: 'Watch', keep_open: true },
    ],
  });
  return running;
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The status of a call whose body is sent byte for byte. */
function callRaw(port: number, body: Buffer, headers: http2.OutgoingHttpHeaders = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    later(() => session.destroy());
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/acme.Users/Get',
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    let answer = '';
    const note = (found: http2.IncomingHttpHeaders): void => {
      const status = String(found[':status'] ?? 200);
      const code = grpcJs.status[Number(found['grpc-status'])];
      if (code !== undefined) answer = `${code}: ${decodeURI(String(found['grpc-message']))}`;
      else if (status !== '200') answer = `HTTP ${status}`;
    };
    stream.on('response', note).on('trailers', note);
    stream.on('error', () => undefined);
    stream.on('close', () => {
      session.close();
      resolve(answer === '' ? `reset ${stream.rstCode}` : answer);
    });
    stream.resume();
    stream.end(body);
  });
}

function message(payload: Uint8Array, { flag = 0, length = payload.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, payload]);
}

describe('what is no client', () => {
  it(`survives ${MUTATIONS} mutations of a session`, async () => {
    const running = await start();
    const random = mulberry32(20_261_120);
    for (let done = 0; done < MUTATIONS; done += AT_A_TIME) {
      await Promise.all(Array.from({ length: AT_A_TIME }, () => throwAt(running.port, mutate(random))));
    }
    await eventually(() => running.host.kind('grpc').status()['connections'] === 0);
    await isWell(running);
  }, 60_000);

  it.each<[string, Buffer]>([
    ['garbage before the preface', Buffer.from('garbage garbage garbage garbage')],
    ['a TLS hello', Buffer.from('16030100a5010000a10303', 'hex')],
    [
      'HPACK garbage',
      Buffer.concat([PREFACE, frame(4, 0, 0, Buffer.alloc(0)), frame(1, 4, 1, Buffer.alloc(64, 0xff))]),
    ],
    [
      'a frame that is too long',
      Buffer.concat([PREFACE, frame(4, 0, 0, Buffer.alloc(0)), Buffer.from('ffffff000000000001', 'hex')]),
    ],
    ['bad settings', Buffer.concat([PREFACE, frame(4, 0, 0, Buffer.from('0004ffffffff', 'hex'))])],
    [
      'data before headers',
      Buffer.concat([PREFACE, frame(4, 0, 0, Buffer.alloc(0)), frame(0, 1, 1, Buffer.alloc(8))]),
    ],
  ])('closes after %s', async (_, bytes) => {
    const running = await start();
    await throwAt(running.port, bytes);
    await isWell(running);
  });

  it('tells HTTP/1.1 what it is', async () => {
    const running = await start();
    const answer = await throwAt(running.port, Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*gRPC/);
    const grpc = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nContent-Length: 0\r\n\r\n';
    expect(await throwAt(running.port, Buffer.from(grpc))).toMatch(/^HTTP\/1\.1 505 [\s\S]*HTTP\/2/);
    await isWell(running);
  });

  it('survives floods of continuation frames and of streams that are reset', async () => {
    const running = await start();
    const begin = Buffer.concat([PREFACE, frame(4, 0, 0, Buffer.alloc(0))]);
    const headers = SESSION.subarray(24 + 15 + 9 + 9, 24 + 15 + 9 + 9 + 0x75);
    const continuations = Array.from({ length: 20_000 }, () => frame(9, 0, 1, Buffer.alloc(0)));
    await throwAt(
      running.port,
      Buffer.concat([begin, frame(1, 0, 1, headers.subarray(0, 4)), ...continuations]),
    );
    const resets = Array.from({ length: 20_000 }, (_, index) => {
      const id = 2 * index + 1;
      return Buffer.concat([
        frame(1, 4, id, Buffer.from('8386', 'hex')),
        frame(3, 0, id, Buffer.from('00000008', 'hex')),
      ]);
    });
    await throwAt(running.port, Buffer.concat([begin, ...resets]));
    await eventually(() => running.host.kind('grpc').status()['connections'] === 0);
    await isWell(running);
  });
});

describe('bad messages', () => {
  it.each<[string, string, Buffer, http2.OutgoingHttpHeaders?]>([
    [
      'no protobuf',
      'INTERNAL: the request is no acme.GetUser: the message ends too early',
      message(Buffer.from('08', 'hex')),
    ],
    [
      'an announced length of 4 GB',
      'RESOURCE_EXHAUSTED: ',
      message(Buffer.from('x'), { length: 0xffffffff }),
    ],
    ['5 MiB', 'RESOURCE_EXHAUSTED: ', message(Buffer.alloc(5 * 1024 * 1024))],
    ['no message', 'INTERNAL: /acme.Users/Get takes one request message, got none', Buffer.alloc(0)],
    ['half a message', 'INTERNAL: ', message(Buffer.from('0805', 'hex')).subarray(0, 6)],
    [
      'two messages',
      'INTERNAL: /acme.Users/Get takes one request message, got more',
      Buffer.concat([message(Buffer.alloc(0)), message(Buffer.alloc(0))]),
    ],
    [
      'a bomb',
      'RESOURCE_EXHAUSTED: ',
      message(gzipSync(Buffer.alloc(64 * 1024 * 1024)), { flag: 1 }),
      { 'grpc-encoding': 'gzip' },
    ],
    ['broken gzip', 'INTERNAL: ', message(Buffer.from('nothing'), { flag: 1 }), { 'grpc-encoding': 'gzip' }],
    [
      'an unknown compression',
      'UNIMPLEMENTED: ',
      message(Buffer.from('x'), { flag: 1 }),
      { 'grpc-encoding': 'snappy' },
    ],
    ['a bad deadline', 'INTERNAL: ', message(Buffer.alloc(0)), { 'grpc-timeout': 'soon' }],
    ['another content type', 'HTTP 415', message(Buffer.alloc(0)), { 'content-type': 'text/plain' }],
    [
      'another method',
      'UNIMPLEMENTED: method /no/such not mocked',
      message(Buffer.alloc(0)),
      { ':path': '/no/such' },
    ],
  ])('get the error of gRPC: %s', async (_, expected, body, headers = {}) => {
    const running = await start();
    expect(await callRaw(running.port, body, headers)).toMatch(expected);
    await isWell(running);
  });

  it('take gzip, and messages as large as configured', async () => {
    const running = await start({ max_message_bytes: 1000 });
    const packed = message(gzipSync(Buffer.from('0805', 'hex')), { flag: 1 });
    expect(await callRaw(running.port, packed, { 'grpc-encoding': 'gzip' })).toBe('OK: OK');
    expect(await get(running.users, { name: 'x'.repeat(900) })).toMatchObject({ code: 'OK' });
    expect(await get(running.users, { name: 'x'.repeat(1001) })).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
    });
    await eventually(() => running.host.journal.list().at(-1)?.['status'] === 'RESOURCE_EXHAUSTED');
    await isWell(running);
  });
});

describe('bounds', () => {
  it('cut a reader that does not read', async () => {
    const running = await start();
    const call = running.users.Watch({});
    call.on('error', () => undefined);
    const code = new Promise((resolve) =>
      call.once('status', (status: grpcJs.StatusObject) => resolve(grpcJs.status[status.code])),
    );
    await eventually(() => running.host.streams.list().length === 1);
    const push = (): unknown =>
      running.host.streams.push({ protocol: 'grpc', mock_id: 'watch' }, { name: 'x'.repeat(100_000) });
    let pushed = 0;
    while (running.host.streams.list().length === 1 && pushed < 1000) {
      push();
      pushed += 1;
      if (pushed % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(pushed).toBeLessThan(200);
    call.resume();
    expect(await code).toBe('RESOURCE_EXHAUSTED');
    await isWell(running);
  });

  it('keep but a part of an endless stream of requests', async () => {
    const running = await start();
    const answer = new Promise((resolve) => {
      const call = running.users.Add((error, value) => resolve(error ?? value));
      for (let count = 0; count < 200; count += 1) call.write({ name: 'x'.repeat(100_000) });
      call.end();
    });
    expect(await answer).toMatchObject({ count: 0 });
    await isWell(running);
  });

  it('leave other calls of the connection alone', async () => {
    const running = await start();
    const { users } = running;
    const call = users.Watch({});
    const all = readAll(call);
    await eventually(() => running.host.streams.list().length === 1);
    expect(await get(users, { name: 'x'.repeat(5_000_000) })).toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
    running.host.streams.push({ protocol: 'grpc', mock_id: 'watch' }, { name: 'still' });
    running.host.streams.close({ protocol: 'grpc', mock_id: 'watch' }, undefined);
    expect(await all).toMatchObject([{ name: 'still' }, 'OK']);
  });

  it('survive connections that are reset', async () => {
    const running = await start();
    for (const length of [1, 24, 60, SESSION.length]) {
      const socket = net.connect(running.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await new Promise<void>((resolve) => socket.write(SESSION.subarray(0, length), () => resolve()));
      abandon(socket);
    }
    await eventually(() => running.host.kind('grpc').status()['connections'] === 0);
    await isWell(running);
  });
});

describe('a call that its client has reset', () => {
  it('is answered no more, and the other calls of its connection go on', async () => {
    const running = await startHost({
      mocks: [
        { method: 'Get', delay: '100ms', response: { name: 'well' } },
        { method: 'Chat', on_message: [{ respond: [{ response: { name: 'late' }, delay: '20ms' }] }] },
      ],
    });
    const session = http2.connect(`http://127.0.0.1:${running.port}`);
    later(() => session.destroy());
    const open = (method: string): http2.ClientHttp2Stream => {
      const stream = session.request({
        ':method': 'POST',
        ':path': `/acme.Users/${method}`,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream.on('error', () => undefined);
      return stream;
    };
    const other = open('Get').resume();
    const status = new Promise<unknown>((resolve) => {
      other.on('trailers', (trailers) => resolve(trailers['grpc-status']));
      other.on('close', () => resolve('closed without a status'));
    });
    other.end(message(Buffer.from('0805', 'hex')));
    // More than is read while the first one is answered, so that the stream is closed before it has been read to its end.
    const chat = open('Chat');
    chat.write(Buffer.concat(Array.from({ length: 40_000 }, () => message(Buffer.from('0805', 'hex')))));
    await eventually(() => running.host.journal.list().some(({ path }) => path === '/acme.Users/Chat'));
    chat.close(http2.constants.NGHTTP2_CANCEL);
    expect(await status).toBe('0');
    expect(running.log).toEqual([]);
  });
});
