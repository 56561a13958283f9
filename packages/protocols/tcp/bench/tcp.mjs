// What a message costs: a bare node:net server against this plugin, as a constant answer and as a template's echo, with 1
// and with 10,000 mocks.
import { createHost } from '@backlot/core';
import { tcp } from '@backlot/tcp';
import { compareServers, countBySize, listen, loadStreams, serveMocks } from '@backlot/tooling/bench';

const MANY = 10_000;

const messageOf = (n) => `message number ${String(n).padStart(4, '0')} of a client that asks for an answer\n`;
const serve = serveMocks(createHost, tcp, (n, make) => make(n));
const exact = (n) => ({ match: messageOf(n), response: messageOf(n) });
const echo = (n) =>
  n === 0
    ? { match: '*', response: '{{request.raw_body}}', priority: -1 }
    : { match: `never ${n}\n`, response: 'x' };

await compareServers(import.meta.url, {
  name: 'tcp',
  unit: 'message',
  servers: {
    bare: () => listen((socket) => socket.on('data', (chunk) => socket.write(chunk))),
    exact: serve(1, exact),
    'exact-many': serve(MANY, exact),
    echo: serve(1, echo),
    'echo-many': serve(MANY, echo),
  },
  cases: [
    { label: 'bare node:net', server: 'bare' },
    { label: 'exact, 1 mock', server: 'exact' },
    { label: 'exact, 10,000 mocks', server: 'exact-many', count: MANY },
    { label: 'echo, 1 mock', server: 'echo' },
    { label: 'echo, 10,000 mocks', server: 'echo-many' },
  ],
  load: ({ port, count = 1 }, milliseconds) =>
    loadStreams({
      port,
      milliseconds,
      connections: 16,
      ask: (n, index) => messageOf((index * 617 + n) % count),
      counter: () => countBySize(messageOf(0).length),
    }),
  ratios: [
    { what: 'exact, 10,000 mocks', of: 'exact, 1 mock', goal: 0.9 },
    { what: 'echo, 1 mock', of: 'bare node:net', goal: 0.95 },
    { what: 'echo, 10,000 mocks', of: 'echo, 1 mock' },
  ],
});
