import { join } from 'node:path';
import http2, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import * as grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ACME } from './support/acme.js';
import { folderWith, later, LOADING, startHost } from './support/grpc-host.js';

const LIMIT = 100_000;

/** What an answer was on the wire. */
interface Seen {
  readonly headers: Record<string, unknown>;
  readonly body: string;
  readonly trailers: Record<string, unknown>;
}

/** A server of grpc-js that answers as the mocks do. */
function startReal(file: string): Promise<number> {
  const loaded = grpcJs.loadPackageDefinition(loadSync(file, LOADING)) as unknown as {
    acme: { Users: { service: grpcJs.ServiceDefinition } };
  };
  const server = new grpcJs.Server({ 'grpc.max_receive_message_length': LIMIT });
  const metadata = (fields: Readonly<Record<string, string | Buffer>>): grpcJs.Metadata => {
    const made = new grpcJs.Metadata();
    for (const [name, value] of Object.entries(fields)) made.set(name, value);
    return made;
  };
  server.addService(loaded.acme.Users.service, {
    Get(call: grpcJs.ServerUnaryCall<{ id: string }, unknown>, answer: grpcJs.sendUnaryData<unknown>) {
      if (call.request.id === '404') {
        answer({ code: grpcJs.status.NOT_FOUND, details: 'no user ä %' });
        return;
      }
      call.sendMetadata(metadata({ 'x-head': 'yes' }));
      answer(null, { name: 'well' }, metadata({ 'x-late': 'yes', 'x-late-bin': Buffer.from('late') }));
    },
    Watch(call: grpcJs.ServerWritableStream<unknown, unknown>) {
      call.write({ name: 'one' });
      call.write({ name: 'two' });
      call.end();
    },
    Add(call: grpcJs.ServerReadableStream<unknown, unknown>, answer: grpcJs.sendUnaryData<unknown>) {
      call.on('data', () => undefined);
      call.on('end', () => answer(null, { count: 2 }));
    },
    Chat(call: grpcJs.ServerDuplexStream<unknown, unknown>) {
      call.sendMetadata(new grpcJs.Metadata());
      call.on('data', () => undefined);
      call.on('end', () => call.end());
    },
  });
  later(() => server.forceShutdown());
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpcJs.ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    ),
  );
}

function message(bytes: Buffer, flag = 0, length = bytes.length): Buffer {
  const head = Buffer.from([flag, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}

/** Sends a request in pieces, and resolves with what was answered. */
function ask(
  port: number,
  method: string,
  pieces: readonly Buffer[],
  more: OutgoingHttpHeaders,
): Promise<Seen> {
  return new Promise((resolve) => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    const stream = session.request({
      ':method': 'POST',
      ':path': `/acme.Users/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...more,
    });
    let headers: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    const body: Buffer[] = [];
    stream.on('response', (came) => (headers = came));
    stream.on('trailers', (came: IncomingHttpHeaders) => (trailers = came));
    stream.on('data', (chunk: Buffer) => body.push(chunk));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      session.destroy();
      resolve({
        headers: show(headers),
        body: Buffer.concat(body).toString('hex'),
        trailers: show(trailers),
      });
    });
    for (const piece of pieces) stream.write(piece);
    stream.end();
  });
}

/** What a client goes by: not the moment, not which compressions are known, and not the words of what is wrong. */
function show(headers: IncomingHttpHeaders): Record<string, unknown> {
  const { date: _date, 'grpc-encoding': _coding, 'grpc-accept-encoding': _codings, ...shown } = headers;
  const { 'grpc-message': words } = shown;
  if (words !== 'OK' && !String(words).startsWith('no%20user')) delete shown['grpc-message'];
  return { ...shown };
}

describe('a server of grpc-js', () => {
  it.each<[string, string, Buffer[], OutgoingHttpHeaders?]>([
    ['a message with metadata and trailers', 'Get', [message(Buffer.from('0805', 'hex'))]],
    ['an error', 'Get', [message(Buffer.from('089403', 'hex'))]],
    ['a stream of messages', 'Watch', [message(Buffer.alloc(0))]],
    [
      'a stream of requests in one piece',
      'Add',
      [Buffer.concat([message(Buffer.alloc(0)), message(Buffer.alloc(0))])],
    ],
    [
      'messages a byte at a time',
      'Add',
      [...message(Buffer.from('0805', 'hex'))].map((byte) => Buffer.of(byte)),
    ],
    ['no requests and no answers', 'Chat', []],
    ['gzip', 'Get', [message(gzipSync(Buffer.from('0805', 'hex')), 1)], { 'grpc-encoding': 'gzip' }],
    ['an unknown compression', 'Get', [message(Buffer.from('x'), 1)], { 'grpc-encoding': 'snappy' }],
    ['broken gzip', 'Get', [message(Buffer.from('x'), 1)], { 'grpc-encoding': 'gzip' }],
    ['a bomb', 'Get', [message(gzipSync(Buffer.alloc(1 << 24)), 1)], { 'grpc-encoding': 'gzip' }],
    ['a message that is too large', 'Get', [message(Buffer.alloc(0), 0, LIMIT + 1)]],
    ['what is no message', 'Get', [message(Buffer.from('08', 'hex'))]],
    ['a deadline that is none', 'Get', [message(Buffer.alloc(0))], { 'grpc-timeout': 'soon' }],
    ['a long deadline', 'Get', [message(Buffer.from('0805', 'hex'))], { 'grpc-timeout': '99999999S' }],
  ])('is answered for as ours: %s', async (_, method, pieces, headers = {}) => {
    const running = await startHost({
      max_message_bytes: LIMIT,
      mocks: [
        {
          method: 'Get',
          match: { id: '404' },
          error: { code: 'NOT_FOUND', message: 'no user ä %' },
        },
        {
          method: 'Get',
          metadata: { 'x-head': 'yes' },
          response: { name: 'well' },
          trailers: { 'x-late': 'yes', 'x-late-bin': Buffer.from('late').toString('base64') },
        },
        { method: 'Watch', stream: [{ response: { name: 'one' } }, { response: { name: 'two' } }] },
        { method: 'Add', response: { count: 2 } },
        { method: 'Chat', stream: [] },
      ],
    });
    const file = join(folderWith({ 'acme.proto': ACME }), 'acme.proto');
    const real = await ask(await startReal(file), method, pieces, headers);
    expect(await ask(running.port, method, pieces, headers)).toEqual(real);
    expect(real.headers[':status']).toBe(200);
  });
});
