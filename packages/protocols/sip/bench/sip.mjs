// What a request costs: a bare echo of node:dgram against this plugin with 1 and with 10,000 mocks, so many OPTIONS under way.
import { createHost } from '@backlot/core';
import { sip } from '@backlot/sip';
import { compareServers, listenDatagrams, loadDatagrams, serveMocks } from '@backlot/tooling/bench';

const MANY = 10_000;

const uriOf = (n) => `sip:user${n}@example.com`;
const serve = serveMocks(createHost, sip, (n) => ({
  method: 'OPTIONS',
  uri: uriOf(n),
  response: { status: 200 },
}));
let sent = 0;

await compareServers(import.meta.url, {
  name: 'sip',
  unit: 'request',
  servers: { bare: () => listenDatagrams((octets) => octets), one: serve(1), many: serve(MANY) },
  cases: [
    { label: 'bare dgram echo', server: 'bare', start: 'OPTIONS' },
    { label: '1 mock', server: 'one' },
    { label: '10,000 mocks', server: 'many', count: MANY },
  ],
  load: ({ port, count = 1, start = 'SIP/2.0 200' }, milliseconds) =>
    loadDatagrams({
      port,
      milliseconds,
      ask: (n) => makeOptions(uriOf(n % count)),
      isGood: (answer) => answer.toString('latin1', 0, start.length) === start,
    }),
  ratios: [
    { what: '10,000 mocks', of: '1 mock' },
    { what: '1 mock', of: 'bare dgram echo', goal: 0.7 },
  ],
});

/** No two are equal, so that none is taken for one that comes again. */
function makeOptions(uri) {
  sent += 1;
  return [
    `OPTIONS ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:5061;rport;branch=z9hG4bK${sent}`,
    'Max-Forwards: 70',
    'From: <sip:bench@example.com>;tag=bench',
    `To: <${uri}>`,
    `Call-ID: ${sent}@bench`,
    'CSeq: 1 OPTIONS',
    'Contact: <sip:bench@127.0.0.1:5061>',
    'User-Agent: bench',
    'Content-Length: 0\r\n\r\n',
  ].join('\r\n');
}
