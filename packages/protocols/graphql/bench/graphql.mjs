// What a query costs: a bare node:http server that reads the body and answers the same bytes, against this plugin with 1
// and with 1,000 mocks, told apart by name and by variable.
import { createServer } from 'node:http';
import { createHost } from '@backlot/core';
import { graphql } from '@backlot/graphql';
import { compareServers, loadHttp, portOf, serveMocks } from '@backlot/tooling/bench';

const RESPONSE = { user: { id: '7', name: 'Alice', role: 'admin' } };
const ANSWER = JSON.stringify({ data: RESPONSE });
const MANY = 1000;

const nameOf = (by, n) => (by === 'name' ? `GetUser${n}` : 'GetUser');
const serve = serveMocks(createHost, graphql, (n, by) => ({
  operation_type: 'query',
  operation_name: nameOf(by, n),
  ...(by === 'variable' ? { variables: { id: String(n) } } : {}),
  response: RESPONSE,
}));
const requestsOf = (count, by) => Array.from({ length: count }, (_, n) => requestOf(by, n));

await compareServers(import.meta.url, {
  name: 'graphql',
  unit: 'operation',
  servers: { bare: serveBare, one: serve(1), names: serve(MANY, 'name'), variables: serve(MANY, 'variable') },
  cases: [
    { label: 'bare node:http', server: 'bare', requests: requestsOf(1) },
    { label: '1 mock', server: 'one', requests: requestsOf(1) },
    { label: '1,000 mocks, by name', server: 'names', requests: requestsOf(MANY, 'name') },
    { label: '1,000 mocks, by variable', server: 'variables', requests: requestsOf(MANY, 'variable') },
  ],
  load: ({ port, requests }, milliseconds) => loadHttp({ port, milliseconds, requests }),
  ratios: [
    { what: '1 mock', of: 'bare node:http', least: 0.5 },
    { what: '1,000 mocks, by name', of: '1 mock', least: 0.9 },
    { what: '1,000 mocks, by variable', of: '1 mock', least: 0.9 },
  ],
});

function requestOf(by, n) {
  const name = nameOf(by, n);
  const query = `query ${name}($id: ID!) { user(id: $id) { id name role } }`;
  const body = { query, variables: { id: by === 'variable' ? String(n) : '7' }, operationName: name };
  return { method: 'POST', path: '/graphql', type: 'application/json', body: JSON.stringify(body) };
}

function serveBare() {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': ANSWER.length };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, headers).end(ANSWER));
  });
  return portOf(server.listen(0, '127.0.0.1'));
}
