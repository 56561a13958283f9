// What a unary call costs: a bare grpc-js server against this plugin with 1 and with 1,000 mocks, same bytes on the wire.
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createHost } from '@backlot/core';
import { grpc } from '@backlot/grpc';
import { compareServers, inTime, serveMocks } from '@backlot/tooling/bench';
import grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const PROTO = fileURLToPath(new URL('./bench.proto', import.meta.url));
const LOADING = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };
const USER = { id: '1', name: 'Alice', role: 'admin', tags: ['a', 'b'] };
const MANY = 1000;
const UNDER_WAY = 50;

const { bench } = grpcJs.loadPackageDefinition(loadSync(PROTO, LOADING));
const methodOf = (n) => (n === 0 ? 'bench.Users/Get' : `bench.Other${n}/Get`);
const serve = serveMocks(createHost, grpc, (n) => ({ method: methodOf(n), response: USER }), {
  protos: [PROTO],
});

await compareServers(import.meta.url, {
  name: 'grpc, unary',
  unit: 'call',
  servers: { bare: serveBare, one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare grpc-js', server: 'bare' },
    { label: '1 mock', server: 'one' },
    { label: '1,000 mocks', server: 'many' },
  ],
  load,
  ratios: [
    { what: '1 mock', of: 'bare grpc-js', least: 0.75 },
    { what: '1,000 mocks', of: '1 mock' },
  ],
});

function serveBare() {
  const server = new grpcJs.Server();
  server.addService(bench.Users.service, { Get: (call, callback) => callback(null, USER) });
  const bind = promisify(server.bindAsync.bind(server));
  return bind('127.0.0.1:0', grpcJs.ServerCredentials.createInsecure());
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
        client.Get({ id: '5', name: 'Bob' }, (error, user) => {
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
