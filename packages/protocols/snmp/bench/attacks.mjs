// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { openDatagrams } from '@backlot/tooling/attack-client';

const GET = 0xa0;
const GETNEXT = 0xa1;
const SET = 0xa3;
const GETBULK = 0xa5;
const HIDDEN = 100_000;

/** What the kind is configured with. */
export const settings = {
  mocks: [
    { id: 'good', oid: '1.3.6.1.2.1.1.5.0', value: 'good' },
    { id: 'slow', oid: '1.3.6.1.9.9.0', value: 'late', delay: '1h' },
    ...Array.from({ length: 2000 }, (_, n) => ({ oid: `1.3.6.1.2.1.2.${n}`, value: n })),
    // Which SNMPv1 does not see, and whoever asks for what follows them has to pass.
    ...Array.from({ length: HIDDEN }, (_, n) => ({ oid: `1.3.6.1.4.1.1.${n}`, type: 'counter64', value: 1 })),
  ],
  v3_users: [
    {
      username: 'admin',
      auth_protocol: 'SHA',
      auth_passphrase: 'authpass1',
      priv_protocol: 'AES',
      priv_passphrase: 'privpass1',
    },
  ],
};

function element(tag, ...contents) {
  const content = Buffer.concat(contents.map((each) => Buffer.from(each)));
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 255]), content]);
}
const integer = (value) => {
  const octets = Buffer.alloc(4);
  octets.writeInt32BE(value);
  return element(2, octets);
};
const binding = (oid, value = Buffer.from([5, 0])) => element(0x30, element(6, oid), value);
/** 1.3.6.1 and what follows. */
const below = (...rest) => Buffer.from([0x2b, 6, 1, ...rest]);
const many = (each, size = 64_000) => Array(Math.floor(size / each.length)).fill(each);
const message = (operation, bindings, { version = 1, first = 0, second = 0, community = 'public' } = {}) =>
  element(
    0x30,
    integer(version),
    element(4, Buffer.from(community)),
    element(operation, integer(1), integer(first), integer(second), element(0x30, ...bindings)),
  );

const NAME = below(2, 1, 1, 5, 0);
const GOOD = message(GET, [binding(NAME)]);
/** What stands before the hidden ones. */
const BEFORE = below(4, 1, 1);
const withDatagrams = (name, play) => ({
  name,
  async run(port) {
    const client = await openDatagrams(port);
    await play(client);
    await client.settle(GOOD);
    client.close();
  },
});
const sends = (name, count, octets) => withDatagrams(name, (client) => client.sendAll(count, () => octets));

function deep(levels) {
  let inner = Buffer.from([5, 0]);
  for (let level = 0; level < levels && inner.length < 60_000; level += 1) inner = element(0x30, inner);
  return inner;
}
/** A message of v3 with these flags and this name. */
const version3 = (flags, name, engine = Buffer.from('8000b983046261636b6c6f74', 'hex')) =>
  element(
    0x30,
    integer(3),
    element(0x30, integer(1), integer(65_507), element(4, [flags]), integer(3)),
    element(
      4,
      element(
        0x30,
        element(4, engine),
        integer(0),
        integer(0),
        element(4, Buffer.from(name)),
        element(4, Buffer.alloc(12, 1)),
        element(4, Buffer.alloc(8)),
      ),
    ),
    (flags & 2) === 0
      ? element(
          0x30,
          element(4, engine),
          element(4, []),
          element(GET, integer(1), integer(0), integer(0), element(0x30, binding(NAME))),
        )
      : element(4, Buffer.alloc(60_000, 1)),
  );

export const attacks = [
  sends('50 GETNEXT over 100,000 hidden OIDs', 50, message(GETNEXT, [binding(BEFORE)], { version: 0 })),
  sends(
    '20 GETNEXT of 4,000 bindings over 100,000 hidden OIDs',
    20,
    message(GETNEXT, many(binding(BEFORE)), { version: 0 }),
  ),
  sends('100 GET of 8,000 bindings', 100, message(GET, many(binding([0x2b, 6])))),
  sends('100 GET of 4,500 bindings that are there', 100, message(GET, many(binding(below(2, 1, 2, 7))))),
  sends('100 GETNEXT of 8,000 bindings', 100, message(GETNEXT, many(binding([0x2b, 6])))),
  sends('100 SET of 3,500 bindings', 100, message(SET, many(binding(below(2, 1, 2, 7), integer(5))))),
  sends(
    '1,000 GETBULK of 2^31 - 1 repetitions',
    1000,
    message(GETBULK, [binding(below())], { second: 2 ** 31 - 1 }),
  ),
  sends(
    '100 GETBULK of 8,000 columns',
    100,
    message(GETBULK, many(binding([0x2b, 6])), { second: 2 ** 31 - 1 }),
  ),
  sends(
    '100 GETBULK of 8,000 that do not repeat',
    100,
    message(GETBULK, many(binding([0x2b, 6])), { first: 2 ** 31 - 1 }),
  ),
  sends('200 GET of OIDs of 60 KB', 200, message(GET, [binding(Buffer.alloc(60_000, 1))])),
  sends(
    '200 GET of OIDs whose numbers have 60 KB',
    200,
    message(GET, [binding(Buffer.concat([Buffer.alloc(60_000, 0xff), Buffer.from([1])]))]),
  ),
  sends('200 GET of 480 OIDs of 128 numbers', 200, message(GET, many(binding(Buffer.alloc(127, 1))))),
  sends('200 SET of a value of 60 KB', 200, message(SET, [binding(NAME, element(4, Buffer.alloc(60_000)))])),
  sends(
    '200 SET of an integer of 60 KB',
    200,
    message(SET, [binding(NAME, element(2, Buffer.alloc(60_000, 1)))]),
  ),
  sends('200 messages of 30,000 empty elements', 200, message(GET, many(Buffer.from([0x30, 0])))),
  sends(
    '500 messages that are nested as deep as there is room',
    500,
    element(0x30, integer(1), element(4, Buffer.from('public')), deep(20_000)),
  ),
  withDatagrams('20,000 messages of v3 that are wrongly signed', (client) =>
    client.sendAll(20_000, (n) => version3(n % 3 === 0 ? 5 : 4, n % 2 === 0 ? 'admin' : 'nobody')),
  ),
  sends('300 messages of v3 with 60 KB that cannot be decrypted', 300, version3(7, 'admin')),
  withDatagrams('lengths that lie', (client) =>
    client.sendAll(10_000, (n) =>
      Buffer.from(
        [['3084ffffffff02'], ['30840010000102'], ['308002010100'], ['30820100020101']][n % 4][0],
        'hex',
      ),
    ),
  ),
  sends(
    '8,000 datagrams of 60 KB whose answers are delayed',
    8000,
    message(GET, [binding(below(9, 9, 0)), ...many(binding([0x2b, 6]), 60_000)]),
  ),
  withDatagrams('40,000 GET', (client) => client.sendAll(40_000, () => GOOD)),
];
