// What a message costs: a bare `ws` echo server against this plugin, as a constant answer and as a template's echo, with 1
// and with 1,000 mocks; 64 connections with 4 messages under way on each, whose frames are made beforehand.
import { once } from 'node:events';
import { createHost } from '@backlot/core';
import { compareServers, countBySize, loadStreams, receiveUntil, startMocks } from '@backlot/tooling/bench';
import { websocket } from '@backlot/websocket';
import { WebSocketServer } from 'ws';

const MANY = 1_000;
const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);
const UPGRADE =
  'GET /bench HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

const messageOf = (n) => `message number ${String(n).padStart(4, '0')} of a client that asks for an answer`;
const frames = Array.from({ length: MANY }, (_, n) => {
  const payload = Buffer.from(messageOf(n));
  const masked = payload.map((byte, index) => byte ^ MASK[index & 3]);
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), MASK, masked]);
});

const constant = (n) => ({ path: '/bench', on_message: [{ match: messageOf(n), respond: messageOf(n) }] });
const constants = (count) => Array.from({ length: count }, (_, n) => constant(n));
const others = constants(MANY - 1).map((mock, n) => ({ ...mock, path: `/other/${n}` }));
const echo = { path: '/bench', on_message: [{ respond: '{{request.raw_body}}' }] };
const serve = (mocks) => () => startMocks(createHost, websocket, mocks);

await compareServers(import.meta.url, {
  name: 'websocket',
  unit: 'message',
  servers: {
    bare: serveBare,
    constant: serve(constants(1)),
    'constant-many': serve(constants(MANY)),
    echo: serve([echo]),
    'echo-many': serve([...others, echo]),
  },
  cases: [
    { label: 'bare ws', server: 'bare' },
    { label: 'constant, 1 mock', server: 'constant' },
    { label: 'constant, 1,000 mocks', server: 'constant-many', count: MANY },
    { label: 'echo, 1 mock', server: 'echo' },
    { label: 'echo, 1,000 mocks', server: 'echo-many' },
  ],
  load: ({ port, count = 1 }, milliseconds) =>
    loadStreams({
      port,
      milliseconds,
      connections: 64,
      underWay: 4,
      open: async (socket) => {
        socket.write(UPGRADE);
        const head = await receiveUntil(socket, '\r\n\r\n');
        if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(head);
      },
      ask: (n, index) => frames[(index * 617 + n) % count],
      counter: () => countBySize(frames[0].length - MASK.length),
    }),
  ratios: [
    { what: 'echo, 1 mock', of: 'bare ws', goal: 1.1 },
    { what: 'constant, 1,000 mocks', of: 'constant, 1 mock' },
    { what: 'echo, 1,000 mocks', of: 'echo, 1 mock' },
  ],
});

async function serveBare() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await once(server, 'listening');
  return server.address().port;
}
