// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { openDatagrams } from '@backlot/tooling/attack-client';

const GET = 1;
const PUT = 3;
const FETCH = 5;
const OBSERVE = 6;
const PATH = 11;
const QUERY = 15;
const BLOCK2 = 23;
const BLOCK1 = 27;
/** An elective option that nobody knows, which is part of what a transfer is known by. */
const UNKNOWN = 65_000;

/** What the kind is configured with. */
export const settings = {
  mocks: [
    { id: 'good', path: '/good', response: { payload: 'good' } },
    { id: 'up', method: 'PUT', path: '/up' },
    { id: 'large', path: '/large', response: { payload: 'x'.repeat(1_000_000) } },
    { id: 'slow', path: '/slow', delay: '1h', response: { payload: 'late' } },
    { id: 'echo', method: 'FETCH', path: '/echo', response: { payload: '{{request.raw_body}}' } },
    ...Array.from({ length: 10_000 }, (_, n) => ({ path: `/resources/${n}`, response: { payload: 'x' } })),
  ],
};

const extended = (number) => {
  if (number < 13) return { nibble: number, octets: [] };
  if (number < 269) return { nibble: 13, octets: [number - 13] };
  return { nibble: 14, octets: [(number - 269) >> 8, (number - 269) & 255] };
};
const option = (delta, value) => {
  const head = extended(delta);
  const length = extended(value.length);
  return Buffer.concat([
    Buffer.from([(head.nibble << 4) | length.nibble, ...head.octets, ...length.octets]),
    value,
  ]);
};
const uint = (value) =>
  Buffer.from([value >> 16, (value >> 8) & 255, value & 255].slice(value > 65_535 ? 0 : 1));

/** A request; options are pairs of a number and a value, in their order. */
function request(
  id,
  options,
  { code = GET, type = 0, payload = Buffer.alloc(0), token = Buffer.alloc(0) } = {},
) {
  let last = 0;
  const parts = options.map(([number, value]) => {
    const octets = option(number - last, Buffer.from(value));
    last = number;
    return octets;
  });
  if (payload.length > 0) parts.push(Buffer.from([0xff]), payload);
  return Buffer.concat([
    Buffer.from([0x40 | (type << 4) | token.length, code, (id >> 8) & 255, id & 255]),
    token,
    ...parts,
  ]);
}

const PING = Buffer.from([0x40, 0, 0xab, 0xcd]);
const withDatagrams = (name, play) => ({
  name,
  async run(port, apiPort) {
    const client = await openDatagrams(port);
    await play(client, apiPort, port);
    await client.settle(PING);
    client.close();
  },
});
const upload = (id, number, hasMore, options = []) =>
  request(id, [[PATH, 'up'], [BLOCK1, uint((number << 4) | (hasMore ? 8 : 0))], ...options], {
    code: PUT,
    payload: Buffer.alloc(16, 'x'),
  });
const LARGE_OPTION = Buffer.alloc(60_000, 'k');

/** Clients of 64 observations each. */
async function observe(port, clients, make) {
  const all = [];
  for (let n = 0; n < clients; n += 1) {
    const client = await openDatagrams(port);
    all.push(client);
    await client.sendAll(64, make);
    await client.settle(PING);
  }
  return all;
}
const change = (apiPort, payload) =>
  fetch(`http://127.0.0.1:${apiPort}/api/mocks/coap/good`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ path: '/good', response: { payload } }),
  });

export const attacks = [
  withDatagrams('an upload of a megabyte in blocks of 16 bytes', (client) =>
    client.sendAll(65_536, (n) => upload(n, n, n < 65_535)),
  ),
  withDatagrams('2,000 uploads begun, known by 60 KB of options each', (client) =>
    client.sendAll(2000, (n) => upload(n, 0, true, [[UNKNOWN, Buffer.concat([LARGE_OPTION, uint(n)])]])),
  ),
  withDatagrams('2,000 transfers of a megabyte begun, known by 60 KB of options each', (client) =>
    client.sendAll(2000, (n) =>
      request(n, [
        [PATH, 'large'],
        [BLOCK2, uint(0)],
        [UNKNOWN, Buffer.concat([LARGE_OPTION, uint(n)])],
      ]),
    ),
  ),
  withDatagrams('2,000 blocks of 16 bytes from anywhere in a megabyte', (client) =>
    client.sendAll(2000, (n) =>
      request(n, [
        [PATH, 'large'],
        [BLOCK2, uint(((n * 31) % 62_500) << 4)],
      ]),
    ),
  ),
  {
    name: '9,600 observers, told 20 times',
    async run(port, apiPort) {
      const make = (n) =>
        request(
          n,
          [
            [OBSERVE, ''],
            [PATH, 'good'],
          ],
          { type: n % 2, token: Buffer.from([n >> 8, n]) },
        );
      const clients = await observe(port, 150, make);
      for (let n = 0; n < 20; n += 1) await change(apiPort, `good ${n}`);
      await clients[0].settle(PING);
      for (const client of clients) client.close();
    },
  },
  {
    name: '3,200 observers with 60 KB of options each',
    async run(port, apiPort) {
      const make = (n) =>
        request(
          n,
          [
            [OBSERVE, ''],
            [PATH, 'good'],
            [UNKNOWN, LARGE_OPTION],
          ],
          { token: Buffer.from([n >> 8, n]) },
        );
      const clients = await observe(port, 50, make);
      await change(apiPort, 'better');
      for (const client of clients) client.close();
    },
  },
  {
    name: '640 observers of what they have sent, 60 KB each',
    async run(port) {
      const payload = Buffer.alloc(60_000, 'x');
      const make = (n) =>
        request(
          n,
          [
            [OBSERVE, ''],
            [PATH, 'echo'],
          ],
          { code: FETCH, payload, token: Buffer.from([n]) },
        );
      for (const client of await observe(port, 10, make)) client.close();
    },
  },
  withDatagrams('8,000 datagrams of 60 KB whose answers are delayed', (client) =>
    client.sendAll(8000, (n) =>
      request(n, [
        [PATH, 'slow'],
        [UNKNOWN, LARGE_OPTION],
      ]),
    ),
  ),
  withDatagrams('20,000 confirmable requests whose answers are delayed', (client) =>
    client.sendAll(20_000, (n) => request(n, [[PATH, 'slow']])),
  ),
  withDatagrams('the list of 10,000 resources, 200 times', (client) =>
    client.sendAll(200, (n) =>
      request(n, [
        [PATH, '.well-known'],
        [PATH, 'core'],
      ]),
    ),
  ),
  withDatagrams('the list of 10,000 resources with 250 filters, 20 times', (client) =>
    client.sendAll(20, (n) =>
      request(n, [
        [PATH, '.well-known'],
        [PATH, 'core'],
        ...Array.from({ length: 250 }, () => [QUERY, 'href=/resources/*']),
      ]),
    ),
  ),
  withDatagrams('60,000 options of no length, 500 times', (client) => {
    const tail = Buffer.alloc(60_000);
    return client.sendAll(500, (n) => Buffer.concat([request(n, [[PATH, 'good']]), tail]));
  }),
  withDatagrams('255 segments and 255 queries, 5,000 times', (client) => {
    const options = [
      ...Array.from({ length: 127 }, () => [PATH, '%'.repeat(200)]),
      ...Array.from({ length: 127 }, (_, n) => [QUERY, `${n}=${'&'.repeat(200)}`]),
    ];
    return client.sendAll(5000, (n) => request(n, options));
  }),
  withDatagrams('one request 40,000 times', (client) =>
    client.sendAll(40_000, () => request(7, [[PATH, 'large']])),
  ),
  withDatagrams('40,000 requests', (client) =>
    client.sendAll(40_000, (n) => request(n, [[PATH, `none${n}`]])),
  ),
  withDatagrams('20,000 datagrams of nonsense', (client) =>
    client.sendAll(20_000, (n) =>
      Buffer.from(Array.from({ length: 4 + (n % 50) }, (_, at) => (at === 0 ? 0x44 : (at * n * 7919) & 255))),
    ),
  ),
];
