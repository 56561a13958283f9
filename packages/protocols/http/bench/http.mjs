// What a request costs: a bare node:http server against this plugin with 1 and with 10,000 mocks, same bytes on the wire.
import { createServer } from 'node:http';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { compareServers, loadHttp, portOf, serveMocks } from '@backlot/tooling/bench';

const BODY = '{"id":1,"name":"Alice","role":"admin"}';
const MANY = 10_000;

/** Exact, parameter and wildcard paths, a third each. */
const KINDS = [
  { mock: (n) => `/exact/${n}`, path: (n) => `/exact/${n}` },
  { mock: (n) => `/users/${n}/{name}`, path: (n) => `/users/${n}/ada` },
  { mock: (n) => `/files/${n}/*`, path: (n) => `/files/${n}/a/b` },
];
const serve = serveMocks(createHost, http, (n) => ({
  id: `m${n}`,
  request: { method: 'GET', path: KINDS[n % KINDS.length].mock(n) },
  response: { body: BODY },
}));
const requestsOf = (count) =>
  Array.from({ length: count }, (_, n) => ({ path: KINDS[n % KINDS.length].path(n) }));

await compareServers(import.meta.url, {
  name: 'http',
  unit: 'request',
  servers: { bare: serveBare, one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare node:http', server: 'bare', requests: requestsOf(1) },
    { label: '1 mock', server: 'one', requests: requestsOf(1) },
    { label: '10,000 mocks', server: 'many', requests: requestsOf(MANY) },
  ],
  load: ({ port, requests }, milliseconds) => loadHttp({ port, milliseconds, requests }),
  ratios: [
    { what: '1 mock', of: 'bare node:http', least: 0.65 },
    { what: '10,000 mocks', of: '1 mock', least: 0.9 },
  ],
});

function serveBare() {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': BODY.length };
  const server = createServer((request, response) => response.writeHead(200, headers).end(BODY));
  return portOf(server.listen(0, '127.0.0.1'));
}
