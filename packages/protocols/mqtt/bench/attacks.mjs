// What a client may do to hold up all others, each once with a bare client and bounded in count and time. Whoever runs
// them watches how long the server's event loop was held.
import { CountingClient, playAttack, tlsAttacks } from '@backlot/tooling/attack-client';
import { countFrames } from '@backlot/tooling/bench';

/** @type {readonly { readonly name: string, run(port: number): Promise<void> }[]} */
export const attacks = [
  {
    name: 'SUBSCRIBE with 9,000 filters over 100,000 retained topics',
    run: (port) =>
      play(port, async ({ join }) => {
        const publisher = await join('publisher');
        await publisher.sendAll(100_000, (n) =>
          publish(`plant/${n % 100}/sensor/${n}`, 'x', { retain: true }),
        );
        await publisher.ping();
        const subscriber = await join('subscriber');
        subscriber.send(
          subscribe(
            1,
            Array.from({ length: 9000 }, (_, n) => `+/+/sensor/${n}/#`),
          ),
        );
        await subscriber.answers(0x90);
        subscriber.send(
          subscribe(
            2,
            Array.from({ length: 9000 }, (_, n) => `+/+/+/x${n}`),
          ),
        );
        await subscriber.answers(0x90);
        await subscriber.ping();
        await publisher.sendAll(100_000, (n) =>
          publish(`plant/${n % 100}/sensor/${n}`, '', { retain: true }),
        );
        await publisher.ping();
      }),
  },
  {
    name: 'SUBSCRIBE and UNSUBSCRIBE with 10,000 filters, in a session that is kept',
    run: (port) =>
      play(port, async ({ join }) => {
        const filters = Array.from({ length: 10_000 }, (_, n) => `a/${n}/+/#`);
        const client = await join('part', { clean: false });
        client.send(subscribe(1, filters, 1));
        await client.answers(0x90);
        const again = await join('part', { clean: false });
        await again.ping();
        again.send(unsubscribe(2, filters));
        await again.answers(0xb0);
        await join('part');
      }),
  },
  {
    name: '10,000 subscriptions of one client take one message',
    run: (port) =>
      play(port, async ({ join }) => {
        const subscriber = await join('wide');
        subscriber.send(
          subscribe(
            1,
            Array.from({ length: 5000 }, (_, n) => `${'+/'.repeat(n % 50)}#`),
          ),
        );
        await subscriber.answers(0x90);
        subscriber.send(
          subscribe(
            2,
            Array.from({ length: 5000 }, (_, n) => `$share/g${n}/#`),
          ),
        );
        await subscriber.answers(0x90);
        const publisher = await join('publisher');
        await publisher.sendAll(200, (n) => publish(`a/${n}`, 'x'.repeat(1000)));
        await publisher.ping();
        await subscriber.ping();
      }),
  },
  {
    name: 'one message for 2,000 clients',
    run: (port) =>
      play(port, async ({ join }) => {
        const clients = [];
        for (let n = 0; n < 2000; n += 1) clients.push(await join(`reader-${n}`));
        for (const client of clients) {
          client.send(subscribe(1, ['news/#']));
          await client.answers(0x90);
        }
        const publisher = await join('publisher');
        await publisher.sendAll(20, (n) => publish(`news/${n}`, 'x'.repeat(1000)));
        await publisher.ping();
        for (const client of clients) await client.ping();
      }),
  },
  {
    name: '2,000 clients with wills are lost at once',
    run: (port) =>
      play(port, async ({ join }) => {
        const watcher = await join('watcher');
        watcher.send(subscribe(1, ['gone/#']));
        await watcher.answers(0x90);
        const clients = [];
        for (let n = 0; n < 2000; n += 1) clients.push(await join(`mortal-${n}`, { will: `gone/${n}` }));
        for (const client of clients) client.socket.destroy();
        await watcher.has(0x30, 2000);
      }),
  },
  {
    name: '30,000 small packets in one write, and topics of 65,000 levels',
    run: (port) =>
      play(port, async ({ join }) => {
        const client = await join('quick');
        client.send(Buffer.concat(Array.from({ length: 30_000 }, () => Buffer.from([0xc0, 0]))));
        client.send(Buffer.concat(Array.from({ length: 10_000 }, (_, n) => publish(`a/${n % 10}`, ''))));
        await client.ping();
        client.send(publish('/'.repeat(65_000), 'x'));
        await client.closes();
      }),
  },
];

export const further = [
  {
    settings: { tls: { enabled: true } },
    // CONNECT, and then PINGREQ again and again.
    attacks: tlsAttacks('TLS', { speech: '\x10\x0d\0\x04MQTT\x04\x02\0\0\0\x01a', more: '\xc0\0' }),
  },
];

function play(port, run) {
  return playAttack((...args) => Client.join(port, ...args), run);
}

/** A client of MQTT 3.1.1 that counts packets by their type. */
class Client extends CountingClient {
  #count = countFrames(sizeOf, (bytes) => this.came(bytes[0] & 0xf0));

  static async join(port, id, { clean = true, will } = {}) {
    const client = await Client.open(port);
    const flags = (clean ? 2 : 0) | (will === undefined ? 0 : 4);
    const parts = [text('MQTT'), Buffer.from([4, flags, 0, 0]), text(id)];
    if (will !== undefined) parts.push(text(will), text('gone'));
    client.send(packet(0x10, ...parts));
    await client.answers(0x20);
    return client;
  }

  /** Resolves once the server has handled all that was sent. */
  async ping() {
    this.send(Buffer.from([0xc0, 0]));
    await this.answers(0xd0);
  }

  /** Resolves once a further packet of a type has come. */
  answers(first) {
    return this.has(first, this.count(first) + 1);
  }

  take(chunk) {
    this.#count(chunk);
  }
}

/** The bytes of the packet that begins there; 0 while its length has not come. */
function sizeOf(bytes, at) {
  let length = 0;
  for (let index = 1; index < 5; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) return 0;
    length += (byte & 0x7f) * 128 ** (index - 1);
    if (byte < 0x80) return index + 1 + length;
  }
  return 0;
}

function publish(topic, payload, { retain = false } = {}) {
  return packet(retain ? 0x31 : 0x30, text(topic), Buffer.from(payload));
}

function subscribe(id, filters, qos = 0) {
  return packet(0x82, [id >> 8, id & 255], ...filters.flatMap((filter) => [text(filter), [qos]]));
}

function unsubscribe(id, filters) {
  return packet(0xa2, [id >> 8, id & 255], ...filters.map(text));
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
}

function packet(first, ...parts) {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = [];
  let rest = body.length;
  do {
    const more = rest >= 128;
    length.push((rest % 128) | (more ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from([first, ...length]), body]);
}
