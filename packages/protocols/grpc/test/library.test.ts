import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describePrivateNames } from '@backlot/conformance';
import { Client, credentials, Server, ServerCredentials, ServerInterceptingCall } from '@grpc/grpc-js';
import type { EventEmitter } from 'node:events';

type Members = Record<string, unknown>;

const IN = 'in src/wire/rpc-server.ts';
const asked: string[] = [];
let stream: Members | undefined;
let session: unknown;
const server = new Server({
  interceptors: [
    (_method, call) =>
      new ServerInterceptingCall(call, {
        start: (next) => {
          ({ stream } = call as unknown as { readonly stream: Members });
          session = stream['session'];
          next();
        },
      }),
  ],
});
const internals = server as unknown as Members;
const handlersBefore = internals['handlers'];
const listener = createServer();
const sockets = new Set<Socket>();

beforeAll(async () => {
  const same = (bytes: Buffer): Buffer => bytes;
  internals['handlers'] = {
    get: (path: string) => {
      asked.push(path);
      const func = (_call: unknown, done: (error: null, answer: Buffer) => void): void =>
        done(null, Buffer.from('b'));
      return { func, serialize: same, deserialize: same, type: 'unary', path };
    },
  };
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  listener.on('connection', (socket) => {
    sockets.add(socket);
    injector.injectConnection(socket);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const client = new Client(
    `127.0.0.1:${(listener.address() as AddressInfo).port}`,
    credentials.createInsecure(),
  );
  await new Promise<unknown>((resolve) =>
    client.makeUnaryRequest('/any.Service/Any', same, same, Buffer.from('a'), resolve),
  );
  client.close();
});

afterAll(async () => {
  server.forceShutdown();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => listener.close(resolve));
});

function http2Server(): EventEmitter | undefined {
  return [...((internals['http2Servers'] as Map<EventEmitter, unknown> | undefined)?.keys() ?? [])][0];
}

describePrivateNames({ name: '@grpc/grpc-js', testUrl: import.meta.url }, [
  {
    name: 'Server.handlers',
    use: `is where a handler for every path is put, ${IN}`,
    type: 'object',
    find: () => handlersBefore,
  },
  {
    name: 'Server.handlers.get',
    use: `is how the library finds a handler, ${IN}`,
    type: 'string',
    find: () => asked[0],
  },
  {
    name: 'Server.http2Servers',
    use: `is where the sessions of a connection are found, ${IN}`,
    type: 'object',
    find: http2Server,
  },
  {
    name: 'Server.http2Servers, event "stream"',
    use: `is taken over, so that a broken stream ends nothing else, ${IN}`,
    find: () => http2Server()?.listeners('stream')[0],
  },
  {
    name: 'ServerInterceptingCallInterface.stream',
    use: `is the stream of HTTP/2 below a call, ${IN}`,
    type: 'object',
    find: () => stream,
  },
  {
    name: 'ServerInterceptingCallInterface.stream.session',
    use: `says which connection a call belongs to, ${IN}`,
    type: 'object',
    find: () => session,
  },
]);

describe('grpc-js', () => {
  it('has one listener for streams, which takes a stream and its headers', () => {
    const listeners = http2Server()?.listeners('stream') ?? [];
    expect(listeners).toHaveLength(1);
    expect(asked).toEqual(['/any.Service/Any']);
  });
});
