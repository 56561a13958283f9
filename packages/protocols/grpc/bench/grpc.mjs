// What a unary call costs: a bare grpc-js server, and one of node:http2 that knows its one answer, against this plugin with 1 and with
// 1,000 mocks, same bytes on the wire. By grpc-js's own client over one connection, and by h2load over eight, where it is installed.
import { once } from 'node:events';
import http2 from 'node:http2';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createHost } from '@backlot/core';
import { grpc } from '@backlot/grpc';
import { compareServers, inTime, isInstalled, loadH2, serveMocks } from '@backlot/tooling/bench';
import grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTO = fileURLToPath(new URL('./bench.proto', import.meta.url));
const LOADING = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };
const USER = { id: '1', name: 'Alice', role: 'admin', tags: ['a', 'b'] };
const MANY = 1000;
const UNDER_WAY = 50;
const PATH = '/bench.Users/Get';
const ASKED = { id: '5', name: 'Bob' };

const { bench } = grpcJs.loadPackageDefinition(loadSync(PROTO, LOADING));
const methodOf = (n) => (n === 0 ? 'bench.Users/Get' : `bench.Other${n}/Get`);
const serve = serveMocks(createHost, grpc, (n) => ({ method: methodOf(n), response: USER }), {
  protos: [PROTO],
});

await compareServers(import.meta.url, {
  name: 'grpc, unary',
  unit: 'call',
  servers: { bare: serveBare, http2: serveHttp2, one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare grpc-js', server: 'bare' },
    { label: 'bare node:http2', server: 'http2' },
    { label: '1 mock', server: 'one' },
    { label: '1,000 mocks', server: 'many' },
  ],
  load: {
    'grpc-js, 50 at a time': load,
    ...(isInstalled('h2load') && {
      'h2load, 8 connections of 16': ({ port }, milliseconds) =>
        loadH2({ port, milliseconds, path: PATH, message: bench.Users.service.Get.requestSerialize(ASKED) }),
    }),
  },
  ratios: [
    { what: '1 mock', of: 'bare grpc-js', least: 0.75, goal: 1.3 },
    { what: '1 mock', of: 'bare node:http2' },
    { what: '1,000 mocks', of: '1 mock' },
  ],
});

function serveBare() {
  const server = new grpcJs.Server();
  server.addService(bench.Users.service, { Get: (call, callback) => callback(null, USER) });
  const bind = promisify(server.bindAsync.bind(server));
  return bind('127.0.0.1:0', grpcJs.ServerCredentials.createInsecure());
}

/** The least that a server of gRPC in Node.js does: it reads a message, and sends one with headers before and after it. */
async function serveHttp2() {
  const message = bench.Users.service.Get.responseSerialize(USER);
  const answer = Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]);
  const server = http2.createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined).resume();
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': 'OK' }));
      stream.end(answer);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address().port;
}

/** Keeps so many calls under way. */
async function load({ port }, milliseconds) {
  const client = new bench.Users(`127.0.0.1:${port}`, grpcJs.credentials.createInsecure());
  const end = performance.now() + milliseconds;
  let answered = 0;
  let running = 0;
  try {
    await inTime(milliseconds, (resolve, reject) => {
      const next = () => {
        if (performance.now() >= end) return running === 0 ? resolve() : undefined;
        running += 1;
        client.Get(ASKED, (error, user) => {
          running -= 1;
          if (error || user.name !== USER.name) return reject(error ?? new Error('a wrong answer'));
          answered += 1;
          next();
        });
      };
      for (let started = 0; started < UNDER_WAY; started += 1) next();
    });
  } finally {
    client.close();
  }
  return answered;
}
