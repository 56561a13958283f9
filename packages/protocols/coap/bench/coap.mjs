// What a request costs: libcoap's example server, where it is installed, against this plugin with 1 and with 10,000 mocks, so
// many requests under way.
import { coap } from '@backlot/coap';
import { createHost } from '@backlot/core';
import { compareServers, loadDatagrams, serveMocks, startProgram } from '@backlot/tooling/bench';

const MANY = 10_000;
const CONTENT = 0x45;

const pathOf = (n) => ['sensor', String(n)];
const serve = serveMocks(createHost, coap, (n) => ({
  method: 'GET',
  path: `/${pathOf(n).join('/')}`,
  response: { payload: '22.5 C' },
}));
let sent = 0;

await compareServers(import.meta.url, {
  name: 'coap',
  unit: 'request',
  servers: { one: serve(1), many: serve(MANY) },
  cases: [
    { label: '1 mock', server: 'one', paths: [pathOf(0)] },
    { label: '10,000 mocks', server: 'many', paths: Array.from({ length: MANY }, (_, n) => pathOf(n)) },
  ],
  others: async () => {
    const paths = [['time']];
    const started = await startProgram('coap-server-notls', (port) => ['-A', '127.0.0.1', '-p', port], {
      datagram: encodeGet(paths[0]),
    });
    return [started && { label: 'libcoap', ...started, paths }];
  },
  base: 'libcoap',
  load: ({ port, paths }, milliseconds) => {
    const packets = paths.map(encodeGet);
    return loadDatagrams({
      port,
      milliseconds,
      ask: (n) => numbered(packets[n % packets.length]),
      isGood: (answer) => answer[1] === CONTENT,
    });
  },
  ratios: [
    { what: '10,000 mocks', of: '1 mock', goal: 0.9 },
    { what: '1 mock', of: 'libcoap', goal: 1.2 },
  ],
});

/** A confirmable GET with a token of four bytes. */
function encodeGet(path) {
  const options = path.map((segment, index) =>
    Buffer.concat([Buffer.of(((index === 0 ? 11 : 0) << 4) | segment.length), Buffer.from(segment)]),
  );
  return Buffer.concat([Buffer.from([0x44, 1, 0, 0, 0, 0, 0, 0]), ...options]);
}

/** The message with a number as its ID and its token, so that no two are equal. */
function numbered(packet) {
  const octets = Buffer.from(packet);
  octets.writeUInt16BE(sent & 0xffff, 2);
  octets.writeUInt32BE(sent, 4);
  sent += 1;
  return octets;
}
