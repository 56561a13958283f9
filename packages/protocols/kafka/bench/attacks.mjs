// What a client may do to hold up all others, each once with bare clients and bounded in count and time. Whoever runs them
// watches how long the server's event loop was held.
import { gzipSync } from 'node:zlib';
import { CountingClient, playAttack } from '@backlot/tooling/attack-client';

/** @type {readonly { readonly name: string, run(port: number): Promise<void> }[]} */
export const attacks = [
  {
    name: '200 records of 1 MB, and the list of them',
    async run(_port, api) {
      const messages = `http://127.0.0.1:${api}/api/kafka/messages`;
      const body = JSON.stringify({ topic: 'large', value: 'x'.repeat(1_000_000) });
      const headers = { 'content-type': 'application/json' };
      for (let sent = 0; sent < 200; sent += 1)
        await (await fetch(messages, { method: 'POST', headers, body })).text();
      const answer = await fetch(`${messages}?limit=10000`);
      for await (const _ of answer.body);
    },
  },
  {
    name: '20,000 topics made by Metadata and by CreateTopics, described, configured and deleted',
    run: (port) =>
      play(port, async (client) => {
        const names = Array.from({ length: 20_000 }, (_, n) => `topic-${n}`);
        await client.ask(3, 4, array(names, string), Buffer.from([1]));
        await client.ask(3, 1, int32(-1));
        await client.ask(
          19,
          2,
          array(names, (name) => topicToMake(`${name}-too`)),
          int32(1000),
          Buffer.from([0]),
        );
        await client.ask(
          19,
          2,
          array(names, () => topicToMake('twice')),
          int32(1000),
          Buffer.from([0]),
        );
        await client.ask(
          32,
          0,
          array(names.slice(0, 10_000), (name) => concat(int8(2), string(name), int32(-1))),
        );
        await client.ask(20, 1, array(names, string), int32(1000));
      }),
  },
  {
    name: 'Fetch and ListOffsets that name one partition 90,000 times, over 50,000 batches',
    run: (port) =>
      play(port, async (client) => {
        await client.ask(3, 4, array(['log'], string), Buffer.from([1]));
        const one = batch(1, record(0));
        const part = concat(
          string('log'),
          array([0], () => concat(int32(0), int32(one.length), one)),
        );
        const produce = request(
          0,
          3,
          int16(-1),
          int16(1),
          int32(1000),
          array([0], () => part),
        );
        await client.sendAll(50_000, () => produce);
        await client.answers(50_000);
        const many = Array.from({ length: 90_000 }, (_, n) => n);
        for (const wait of [0, 500]) {
          const head = concat(int32(-1), int32(wait), int32(2 ** 31 - 1), int32(2 ** 31 - 1), int8(0));
          const partitions = array(many, () => concat(int32(0), int64(0), int32(1000)));
          await client.ask(
            1,
            4,
            head,
            array(['log'], (name) => concat(string(name), partitions)),
          );
        }
        const times = array(many, (n) => concat(int32(0), int64(n)));
        await client.ask(
          2,
          1,
          int32(-1),
          array(['log'], (name) => concat(string(name), times)),
        );
      }),
  },
  {
    name: 'batches that are large once they are decompressed, and looked through by time',
    run: (port) =>
      play(port, async (client) => {
        await client.ask(3, 4, array(['bomb'], string), Buffer.from([1]));
        const large = gzipSync(record(0, Buffer.alloc(30 * 1024 * 1024)));
        const many = gzipSync(Buffer.concat(Array.from({ length: 90_000 }, (_, n) => record(n))));
        const tooMany = gzipSync(Buffer.concat(Array.from({ length: 250_000 }, (_, n) => record(n))));
        for (const [count, records] of [
          [1, large],
          [90_000, many],
          [250_000, tooMany],
          [1, large],
        ]) {
          const bytes = batch(count, records, 1);
          const part = concat(
            string('bomb'),
            array([0], () => concat(int32(0), int32(bytes.length), bytes)),
          );
          await client.ask(
            0,
            3,
            int16(-1),
            int16(1),
            int32(1000),
            array([0], () => part),
          );
        }
        const times = array(Array.from({ length: 200 }), () => concat(int32(0), int64(0)));
        await client.ask(
          2,
          1,
          int32(-1),
          array(['bomb'], (name) => concat(string(name), times)),
        );
      }),
  },
  {
    name: 'groups with 40,000 ways to share, offsets of 50,000 partitions, and one group described 90,000 times',
    run: (port) =>
      play(port, async (client) => {
        const ways = Array.from({ length: 40_000 }, (_, n) =>
          concat(string(`way-${n}`), bytes(Buffer.from('m'))),
        );
        const join = concat(string('g'), int32(10_000), int32(1000), string(''), string('consumer'));
        await client.ask(
          11,
          1,
          join,
          array(ways, (way) => way),
        );
        const same = Array.from({ length: 90_000 }, () => 'g');
        await client.ask(15, 0, array(same, string));
        await client.ask(
          19,
          2,
          array([0, 1, 2, 3, 4], (n) => topicToMake(`wide-${n}`, 1000)),
          int32(1000),
          Buffer.from([0]),
        );
        const partitions = array(
          Array.from({ length: 1000 }, (_, n) => n),
          (n) => concat(int32(n), int64(1), string('x'.repeat(100))),
        );
        const topics = array([0, 1, 2, 3, 4], (n) => concat(string(`wide-${n}`), partitions));
        await client.ask(8, 2, string('simple'), int32(-1), string(''), int64(-1), topics);
        await client.ask(9, 2, string('simple'), int32(-1));
      }),
  },
  {
    name: '20,000 small requests in one write',
    run: (port) =>
      play(port, async (client) => {
        await client.sendAll(20_000, () => request(18, 0));
        await client.answers(20_000);
      }),
  },
];

const concat = (...parts) => Buffer.concat(parts);
const int8 = (value) => Buffer.from([value & 255]);
const int16 = (value) => Buffer.from([(value >> 8) & 255, value & 255]);
const int32 = (value) =>
  Buffer.from([(value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const int64 = (value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
const string = (text) => concat(int16(Buffer.byteLength(text)), Buffer.from(text));
const bytes = (value) => concat(int32(value.length), value);
const array = (values, make) => Buffer.concat([int32(values.length), ...values.map((value) => make(value))]);
const topicToMake = (name, partitions = 1) =>
  concat(string(name), int32(partitions), int16(1), int32(0), int32(0));

function zigzag(value) {
  const parts = [];
  let rest = value * 2;
  for (; rest >= 128; rest = Math.floor(rest / 128)) parts.push((rest % 128) | 128);
  return Buffer.from([...parts, rest]);
}

/** A record without key and headers. */
function record(offset, value = Buffer.alloc(0)) {
  const body = concat(
    int8(0),
    zigzag(0),
    zigzag(offset),
    Buffer.from([1]),
    zigzag(value.length),
    value,
    zigzag(0),
  );
  return concat(zigzag(body.length), body);
}

/** A record batch. @param codec - 1 is gzip */
function batch(count, records, codec = 0) {
  const rest = concat(
    int16(codec),
    int32(count - 1),
    int64(1),
    int64(1),
    int64(-1),
    int16(-1),
    int32(-1),
    int32(count),
    records,
  );
  return concat(int64(0), int32(rest.length + 9), int32(0), int8(2), int32(crc32c(rest)), rest);
}

function crc32c(data) {
  let crc = -1;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc;
}

function request(key, version, ...parts) {
  const body = Buffer.concat([int16(key), int16(version), int32(1), int16(-1), ...parts]);
  return concat(int32(body.length), body);
}

function play(port, run) {
  return playAttack(
    () => Client.open(port),
    async ({ join }) => run(await join()),
  );
}

/** A client that counts its answers, and holds none of them. */
class Client extends CountingClient {
  #left = 0;
  #head = Buffer.alloc(0);
  #wanted = 0;

  /** Sends a request, and resolves with its answer's arrival, or when the connection is gone. */
  ask(key, version, ...parts) {
    this.send(request(key, version, ...parts));
    return this.answers(1);
  }

  /** Resolves once so many further answers have come, or the connection is gone. */
  answers(count) {
    this.#wanted += count;
    return this.has('answer', this.#wanted);
  }

  take(chunk) {
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) {
        const part = Math.min(this.#left, chunk.length - at);
        this.#left -= part;
        at += part;
      } else {
        const need = 4 - this.#head.length;
        this.#head = Buffer.concat([this.#head, chunk.subarray(at, at + need)]);
        at += need;
        if (this.#head.length < 4) return;
        this.#left = this.#head.readInt32BE(0);
        this.#head = Buffer.alloc(0);
      }
      if (this.#left === 0 && this.#head.length === 0) this.came('answer');
    }
  }
}
