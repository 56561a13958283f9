// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, openDatagrams } from '@backlot/tooling/attack-client';

const A = 1;
const TXT = 16;
const ANY = 255;
const RECORDS = Array.from({ length: 2000 }, (_, n) => `192.0.${n >> 8}.${n & 255}`);
const ALIASES = Array.from({ length: 40 }, (_, n) => ({
  name: `alias-${n}.test`,
  type: 'CNAME',
  records: [`alias-${n + 1}.test`],
}));

/** What the kind is configured with. */
export const settings = {
  mocks: [
    { name: 'good.test', records: ['192.0.2.1'] },
    { name: 'large.test', records: RECORDS },
    { name: 'large.test', type: 'TXT', records: ['x'.repeat(20_000), 'y'.repeat(20_000)] },
    { name: 'slow.test', records: ['192.0.2.1'], delay: '1h' },
    { name: 're:^(a+)+\\.pattern$', records: ['192.0.2.1'] },
    { name: '*a*a*a*a*b', records: ['192.0.2.1'] },
    ...ALIASES,
  ],
};

const word = (value) => Buffer.from([value >> 8, value & 255]);
const nameOf = (text) =>
  Buffer.concat([
    ...text.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.alloc(1),
  ]);
/** A query with a question and further octets behind it, which are so many records. */
const query = (name, type = A, more = Buffer.alloc(0), records = 0) =>
  Buffer.concat([
    Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0]),
    word(records),
    typeof name === 'string' ? nameOf(name) : name,
    word(type),
    word(1),
    more,
  ]);
const OPT = Buffer.from([0, 0, 41, 0xff, 0xff, 0, 0, 0, 0, 0, 0]);
const GOOD = query('good.test');
const framed = (message) => Buffer.concat([word(message.length), message]);
const record = (name, data = Buffer.alloc(0)) =>
  Buffer.concat([name, word(TXT), word(1), Buffer.alloc(4), word(data.length), data]);
/** As many of a record as fit into a message. */
const fill = (before, each) => {
  const count = Math.floor((65_535 - before.length) / each.length);
  return { count, octets: Buffer.concat(Array(count).fill(each)) };
};

/** A chain of pointers in the data of a record, and thousands of records whose names are its end. */
function pointerChain() {
  const question = query('a');
  const start = question.length + 11;
  const chain = Buffer.alloc(16_000);
  for (let at = 0; at < chain.length; at += 2)
    chain.writeUInt16BE(0xc000 | (at === 0 ? 12 : start + at - 2), at);
  const first = record(Buffer.alloc(1), chain);
  const { count, octets } = fill(Buffer.concat([question, first]), record(word(0xc000 | (start + 15_998))));
  return query('a', A, Buffer.concat([first, octets]), count + 1);
}

/** A question whose name is such a chain. */
function pointerQuestion() {
  const name = word(0xc000 | 12);
  return Buffer.concat([query(name), Buffer.alloc(60_000, 0xc0)]);
}

const withStream = (name, play) => ({
  name,
  async run(port) {
    const client = await connect(port);
    await play(client);
    await client.send(framed(GOOD));
    await client.until(/good/);
    client.close();
  },
});
const withDatagrams = (name, play) => ({
  name,
  async run(port) {
    const client = await openDatagrams(port);
    await play(client);
    await client.settle(GOOD);
    client.close();
  },
});
const labels = (octet) => Buffer.concat([...Array(126).fill(Buffer.from([1, octet])), Buffer.alloc(1)]);

export const attacks = [
  withStream('100 queries of 64 KB whose records point along a chain of 8,000', async (client) => {
    const message = framed(pointerChain());
    for (let n = 0; n < 100; n += 1) await client.send(message);
  }),
  withStream('100 queries of 64 KB with records of long names', async (client) => {
    const { count, octets } = fill(query('a'), record(labels(7)));
    const message = framed(query('a', A, octets, count));
    for (let n = 0; n < 100; n += 1) await client.send(message);
  }),
  withStream('100 queries of 64 KB with 5,957 records of the root', async (client) => {
    const { count, octets } = fill(query('a'), record(Buffer.alloc(1)));
    const message = framed(query('a', A, octets, count));
    for (let n = 0; n < 100; n += 1) await client.send(message);
  }),
  withStream('questions that point', async (client) => {
    for (let n = 0; n < 100; n += 1) await client.send(framed(pointerQuestion()));
  }),
  withStream('20,000 names of 126 labels that must be escaped', async (client) => {
    const message = framed(query(labels(0)));
    for (let n = 0; n < 200; n += 1) await client.send(Buffer.concat(Array(100).fill(message)));
  }),
  withStream('20,000 names that a pattern nearly fits', async (client) => {
    const message = framed(query(`${'a'.repeat(63)}.${'a'.repeat(63)}.${'a'.repeat(63)}`));
    for (let n = 0; n < 200; n += 1) await client.send(Buffer.concat(Array(100).fill(message)));
  }),
  withStream('50,000 queries in one pipeline', (client) =>
    client.send(Buffer.concat(Array(50_000).fill(framed(GOOD)))),
  ),
  withStream('3,000 questions for all of 2,000 records, which nobody reads', async (client) => {
    client.socket.pause();
    const message = framed(query('large.test'));
    await client.send(Buffer.concat(Array(3000).fill(message)));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    client.socket.resume();
  }),
  withStream('aliases, 10,000 times', (client) =>
    client.send(Buffer.concat(Array(10_000).fill(framed(query('alias-0.test'))))),
  ),
  {
    name: '2,000 connections that say half of a length, and are reset',
    async run(port) {
      for (let n = 0; n < 2000; n += 100) {
        const all = await Promise.all(Array.from({ length: 100 }, () => connect(port)));
        for (const client of all) {
          client.socket.write('\xff');
          client.reset();
        }
      }
    },
  },
  withDatagrams('20,000 questions for ANY of 2,000 records', (client) =>
    client.sendAll(20_000, () => query('large.test', ANY, OPT, 1)),
  ),
  withDatagrams('40,000 names that nobody knows', (client) =>
    client.sendAll(40_000, (n) => query(`n${n}.test`)),
  ),
  withDatagrams('8,000 datagrams of 60 KB whose answers are delayed', (client) => {
    const message = query('slow.test', A, Buffer.alloc(60_000));
    return client.sendAll(8000, () => message);
  }),
  withDatagrams('20,000 datagrams of nonsense', (client) =>
    client.sendAll(20_000, (n) =>
      Buffer.from(Array.from({ length: 12 + (n % 50) }, (_, at) => (at * n * 7919) & 255)),
    ),
  ),
];
