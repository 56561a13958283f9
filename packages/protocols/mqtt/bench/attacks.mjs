// What a client may do to hold up all others, each once with a bare client and bounded in count and time. Whoever runs
// them watches how long the server's event loop was held.
import { once } from 'node:events';
import net from 'node:net';

/** Most milliseconds that one attack takes. */
const LIMIT = 20_000;

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

/** Runs one attack, and ends whatever it has opened. */
async function play(port, run) {
  const clients = [];
  const timer = new AbortController();
  const join = async (id, options) => {
    timer.signal.throwIfAborted();
    const client = await Client.join(port, id, options);
    clients.push(client);
    return client;
  };
  const limit = setTimeout(() => {
    timer.abort();
    for (const { socket } of clients) socket.destroy();
  }, LIMIT);
  try {
    await run({ join });
  } catch (error) {
    if (!timer.signal.aborted) throw error;
  } finally {
    clearTimeout(limit);
    for (const { socket } of clients) socket.destroy();
  }
}

/** A client of MQTT 3.1.1 that counts what comes. */
class Client {
  #rest = Buffer.alloc(0);
  #counts = new Map();
  #waiting = [];

  constructor(socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('close', () => this.#look());
  }

  static async join(port, id, { clean = true, will } = {}) {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    const client = new Client(socket);
    const flags = (clean ? 2 : 0) | (will === undefined ? 0 : 4);
    const parts = [text('MQTT'), Buffer.from([4, flags, 0, 0]), text(id)];
    if (will !== undefined) parts.push(text(will), text('gone'));
    client.send(packet(0x10, ...parts));
    await client.answers(0x20);
    return client;
  }

  send(bytes) {
    this.socket.write(bytes);
  }

  /** Sends many packets, no faster than they are taken. */
  async sendAll(count, make) {
    for (let from = 0; from < count && !this.socket.destroyed; from += 1000) {
      const size = Math.min(1000, count - from);
      if (this.socket.write(Buffer.concat(Array.from({ length: size }, (_, n) => make(from + n))))) continue;
      await drained(this.socket);
    }
  }

  /** Resolves once the server has handled all that was sent. */
  async ping() {
    this.send(Buffer.from([0xc0, 0]));
    await this.answers(0xd0);
  }

  /** Resolves once a further packet of a type has come. */
  answers(first) {
    return this.has(first, (this.#counts.get(first) ?? 0) + 1);
  }

  /** Resolves once so many packets of a type have come in all, or the connection is gone. */
  has(first, count) {
    return new Promise((resolve) => {
      this.#waiting.push({ first, count, resolve });
      this.#look();
    });
  }

  closes() {
    return this.has(0xff, 1);
  }

  #take(chunk) {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      let length = 0;
      let index = 1;
      for (; index < 5; index += 1) {
        const byte = bytes[at + index];
        if (byte === undefined) break;
        length += (byte & 0x7f) * 128 ** (index - 1);
        if (byte < 0x80) break;
      }
      if (bytes[at + index] === undefined || bytes.length < at + index + 1 + length) break;
      const first = bytes[at] & 0xf0;
      this.#counts.set(first, (this.#counts.get(first) ?? 0) + 1);
      at += index + 1 + length;
    }
    this.#rest = bytes.subarray(at);
    this.#look();
  }

  #look() {
    this.#waiting = this.#waiting.filter(({ first, count, resolve }) => {
      if (!this.socket.destroyed && (this.#counts.get(first) ?? 0) < count) return true;
      resolve();
      return false;
    });
  }
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

/** Resolves once all that was sent has left, or the connection is gone. */
function drained(socket) {
  return new Promise((resolve) => {
    const end = () => {
      socket.off('drain', end).off('close', end);
      resolve();
    };
    socket.on('drain', end).on('close', end);
  });
}
