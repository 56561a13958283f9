// What a client may do to hold up all others, each once with a bare client and bounded in count and time. Whoever runs
// them watches how long the server's event loop was held.
import { CountingClient, playAttack, tlsAttacks } from '@backlot/tooling/attack-client';
import { countFrames } from '@backlot/tooling/bench';

/** Numbers of class and method. */
const EXCHANGE_DECLARE_OK = (40 << 16) | 11;
const BASIC_DELIVER = (60 << 16) | 60;

/** @type {readonly { readonly name: string, run(port: number): Promise<void> }[]} */
export const attacks = [
  {
    name: '2,000 bindings with many #, and publishes that they all may take',
    run: (port) =>
      play(port, async (client) => {
        client.declareExchange('t', 'topic');
        client.declareQueue('q');
        for (let n = 0; n < 150; n += 1) client.bind('q', 't', manyHashes(n));
        await client.flush();
        for (let n = 0; n < 20; n += 1) client.publish('t', `${'a.'.repeat(126)}a`);
        await client.flush();
        for (let n = 150; n < 2000; n += 1) client.bind('q', 't', manyHashes(n));
        for (let n = 0; n < 20; n += 1) client.publish('t', `${'a.'.repeat(126)}a`);
        await client.flush();
      }),
  },
  {
    name: '50,000 bindings of one queue, by keys and by headers, made, used and taken away',
    run: (port) =>
      play(port, async (client) => {
        client.declareExchange('d', 'direct');
        client.declareExchange('h', 'headers');
        client.declareQueue('q');
        await client.sendAll(40_000, (n) => client.frames.bind('q', 'd', `key.${n}`));
        await client.sendAll(10_000, (n) =>
          client.frames.bind('q', 'h', '', { kind: `k${n}`, 'x-match': 'any' }),
        );
        await client.flush();
        for (let n = 0; n < 50; n += 1) client.publish('h', '', { headers: { kind: 'none' } });
        await client.sendAll(20_000, (n) => client.frames.unbind('q', 'd', `key.${n}`));
        client.deleteQueue('q');
        await client.flush();
      }),
  },
  {
    name: 'publishes to an exchange with 10,000 queues, which are deleted then',
    run: (port) =>
      play(port, async (client) => {
        client.declareExchange('f', 'fanout');
        await client.sendAll(10_000, (n) =>
          Buffer.concat([
            client.frames.declareQueue(`q${n}`, { exclusive: true }),
            client.frames.bind(`q${n}`, 'f', ''),
          ]),
        );
        await client.sendAll(5000, (n) => client.frames.consume(`q${n}`, `c${n}`));
        await client.flush();
        for (let n = 0; n < 20; n += 1) client.publish('f', '');
        await client.flush();
      }),
  },
  {
    name: '100,000 messages refused at once, three times, and purged',
    run: (port) =>
      play(port, async (client) => {
        client.declareQueue('q');
        await client.sendAll(100_000, () => client.frames.publish('', 'q'));
        for (let round = 0; round < 3; round += 1) {
          client.consume('q', 'c');
          await client.hasDeliveries(100_000 * (round + 1));
          client.cancel('c');
          if (round < 2) client.nackAll();
          else client.recover();
          await client.flush();
        }
        client.purge('q');
        await client.flush();
      }),
  },
  {
    name: '100,000 dead letters at once: rejected, expired, over the length, in a chain of queues',
    run: (port) =>
      play(port, async (client) => {
        client.declareQueue('dead');
        const dead = { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': 'dead' };
        client.declareQueue('rejected', { arguments: dead });
        client.declareQueue('expired', { arguments: { ...dead, 'x-message-ttl': 500 } });
        client.declareQueue('full', { arguments: { ...dead, 'x-max-length-bytes': 1_000_000 } });
        for (let n = 0; n < 3000; n += 1) {
          const next = {
            'x-max-length': 0,
            'x-dead-letter-exchange': '',
            'x-dead-letter-routing-key': `chain${n + 1}`,
          };
          client.declareQueue(`chain${n}`, { arguments: next });
        }
        await client.flush();
        client.publish('', 'chain0');
        await client.sendAll(30_000, () => client.frames.publish('', 'expired'));
        await client.sendAll(50_000, () => client.frames.publish('', 'rejected'));
        await client.sendAll(50_000, () => client.frames.publish('', 'full', { body: Buffer.alloc(10) }));
        client.publish('', 'full', { body: Buffer.alloc(1_000_000) });
        client.consume('rejected', 'c');
        await client.hasDeliveries(50_000);
        client.nackAll(false);
        client.get('expired');
        await client.flush();
      }),
  },
  {
    name: '10,000 consumers of one queue that may take no more, and a transaction of 50,000 messages',
    run: (port) =>
      play(port, async (client) => {
        client.declareQueue('q');
        for (let channel = 2; channel <= 11; channel += 1) client.openChannel(channel);
        for (let channel = 1; channel <= 10; channel += 1) client.qos(1, false, channel);
        await client.sendAll(10_000, (n) => client.frames.consume('q', `c${n}`, (n % 10) + 1));
        await client.sendAll(20_000, () => client.frames.publish('', 'q'));
        client.qos(5, true);
        await client.flush();
        for (let n = 1; n <= 100; n += 1) client.ack(n);
        await client.flush();
        client.select(11);
        await client.sendAll(50_000, () => client.frames.publish('', 'q', { channel: 11 }));
        client.commit(11);
        await client.flush(11);
      }),
  },
];

export const further = [
  {
    settings: { tls: { enabled: true } },
    // What follows the header is no frame, and ends the connection.
    attacks: tlsAttacks('TLS', { speech: 'AMQP\0\0\x09\x01' }),
  },
];

/** Words of all kinds that a key of nothing but `a` fits, different for each number. */
function manyHashes(n) {
  const words = ['#', 'a', '*', '#'];
  let seed = n * 7919 + 1;
  return Array.from({ length: 100 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return words[seed % 4];
  }).join('.');
}

const short = (text) => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);
const long = (bytes) => Buffer.concat([u32(bytes.length), bytes]);
const u16 = (value) => Buffer.from([value >> 8, value & 255]);
const u32 = (value) => Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const u64 = (value) => Buffer.concat([u32(0), u32(value)]);

function table(fields = {}) {
  const parts = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([
      short(name),
      typeof value === 'number'
        ? Buffer.concat([Buffer.from('I'), u32(value)])
        : Buffer.concat([Buffer.from('S'), long(Buffer.from(value))]),
    ]),
  );
  return long(Buffer.concat(parts));
}

function frame(type, channel, payload) {
  return Buffer.concat([Buffer.from([type]), u16(channel), u32(payload.length), payload, Buffer.from([206])]);
}

function method(channel, classId, methodId, ...parts) {
  return frame(1, channel, Buffer.concat([u16(classId), u16(methodId), ...parts]));
}

/** The methods that need no answer, as frames. */
const frames = {
  declareExchange: (name, type) =>
    method(1, 40, 10, u16(0), short(name), short(type), Buffer.from([0b10000]), table()),
  declareQueue: (name, { exclusive = false, arguments: fields } = {}) =>
    method(1, 50, 10, u16(0), short(name), Buffer.from([0b10000 | (exclusive ? 0b100 : 0)]), table(fields)),
  bind: (queue, exchange, key, fields) =>
    method(1, 50, 20, u16(0), short(queue), short(exchange), short(key), Buffer.from([1]), table(fields)),
  unbind: (queue, exchange, key) =>
    method(1, 50, 50, u16(0), short(queue), short(exchange), short(key), table()),
  deleteQueue: (name) => method(1, 50, 40, u16(0), short(name), Buffer.from([0b100])),
  purge: (name) => method(1, 50, 30, u16(0), short(name), Buffer.from([1])),
  consume: (queue, tag, channel = 1) =>
    method(channel, 60, 20, u16(0), short(queue), short(tag), Buffer.from([0b1000]), table()),
  cancel: (tag) => method(1, 60, 30, short(tag), Buffer.from([1])),
  get: (queue) => method(1, 60, 70, u16(0), short(queue), Buffer.from([0])),
  ack: (tag) => method(1, 60, 80, u64(tag), Buffer.from([0])),
  nackAll: (requeue = true) => method(1, 60, 120, u64(0), Buffer.from([1 | (requeue ? 2 : 0)])),
  recover: () => method(1, 60, 110, Buffer.from([1])),
  qos: (count, shared = false, channel = 1) =>
    method(channel, 60, 10, u32(0), u16(count), Buffer.from([shared ? 1 : 0])),
  openChannel: (channel) => method(channel, 20, 10, short('')),
  select: (channel) => method(channel, 90, 10),
  commit: (channel) => method(channel, 90, 20),
  publish: (exchange, key, { body = Buffer.alloc(0), headers, channel = 1 } = {}) => {
    const flags = headers === undefined ? u16(0) : Buffer.concat([u16(0x2000), table(headers)]);
    const parts = [
      method(channel, 60, 40, u16(0), short(exchange), short(key), Buffer.from([0])),
      frame(2, channel, Buffer.concat([u16(60), u16(0), u64(body.length), flags])),
    ];
    for (let from = 0; from < body.length; from += 100_000) {
      parts.push(frame(3, channel, body.subarray(from, from + 100_000)));
    }
    return Buffer.concat(parts);
  },
};

/** A client that counts methods by their numbers. */
class Client extends CountingClient {
  frames = frames;
  #asked = 0;
  #count = countFrames(
    (bytes, at) => (bytes.length - at < 8 ? 0 : bytes.readUInt32BE(at + 3) + 8),
    (bytes) => bytes[0] === 1 && this.came(bytes.readUInt32BE(7)),
  );

  constructor(socket) {
    super(socket);
    for (const [name, make] of Object.entries(frames)) this[name] = (...values) => this.send(make(...values));
  }

  static async join(port) {
    const client = await Client.open(port);
    client.send('AMQP\0\0\x09\x01');
    client.send(
      method(0, 10, 11, table(), short('PLAIN'), long(Buffer.from('\0guest\0guest')), short('en_US')),
    );
    client.send(method(0, 10, 31, u16(2047), u32(131_072), u16(0)));
    client.send(method(0, 10, 40, short('/'), short(''), Buffer.from([0])));
    client.send(frames.openChannel(1));
    await client.flush();
    return client;
  }

  /** Resolves once the server has handled all that was sent on a channel: exchange.declare, passively, is answered. */
  flush(channel = 1) {
    this.#asked += 1;
    this.send(
      method(channel, 40, 10, u16(0), short('amq.direct'), short('direct'), Buffer.from([1]), table()),
    );
    return this.has(EXCHANGE_DECLARE_OK, this.#asked);
  }

  hasDeliveries(count) {
    return this.has(BASIC_DELIVER, count);
  }

  get deliveries() {
    return this.count(BASIC_DELIVER);
  }

  take(chunk) {
    this.#count(chunk);
  }
}

function play(port, run) {
  return playAttack(
    () => Client.join(port),
    async ({ join }) => run(await join()),
  );
}
