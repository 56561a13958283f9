// What a request costs: a bare node:http server, and one that finds 10,000 paths in a Map, against this plugin with 1 and with 10,000 mocks, same bytes on the wire.
import { createServer } from 'node:http';
import { createHost } from '@backlot/core';
import { http } from '@backlot/http';
import { compareServers, loadHttp, portOf, serveMocks } from '@backlot/tooling/bench';

const BODY = '{"id":1,"name":"Alice","role":"admin"}';
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': BODY.length };
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
  servers: { bare: serveBare, map: serveMap, one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare node:http', server: 'bare', requests: requestsOf(1) },
    { label: 'node:http with a Map', server: 'map', requests: requestsOf(MANY) },
    { label: '1 mock', server: 'one', requests: requestsOf(1) },
    { label: '10,000 mocks', server: 'many', requests: requestsOf(MANY) },
  ],
  load: ({ port, requests }, milliseconds) => loadHttp({ port, milliseconds, requests }),
  ratios: [
    { what: '1 mock', of: 'bare node:http', least: 0.65 },
    { what: '10,000 mocks', of: '1 mock', least: 0.9 },
    { what: '10,000 mocks', of: 'node:http with a Map', goal: 0.95 },
  ],
});

/** The same for each path, but one object each, as mocks are. */
function serveMap() {
  const answers = new Map(
    requestsOf(MANY).map(({ path }, n) => [path, { number: n, headers: HEADERS, body: BODY }]),
  );
  const server = createServer((request, response) => {
    const { headers, body } = answers.get(request.url);
    response.writeHead(200, headers).end(body);
  });
  return portOf(server.listen(0, '127.0.0.1'));
}

function serveBare() {
  const server = createServer((request, response) => response.writeHead(200, HEADERS).end(BODY));
  return portOf(server.listen(0, '127.0.0.1'));
}
