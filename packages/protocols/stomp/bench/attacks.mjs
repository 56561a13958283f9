// What a client may do to hold up all others, each once with bare clients and bounded in count and time. Whoever runs them
// watches how long the server's event loop was held.
import { once } from 'node:events';
import net from 'node:net';

/** Most milliseconds that one attack takes. */
const LIMIT = 20_000;

/** @type {readonly { readonly name: string, run(port: number): Promise<void> }[]} */
export const attacks = [
  {
    name: '10,000 subscriptions of one client to a topic, and messages for them',
    run: (port) =>
      play(port, async ({ join }) => {
        const wide = await join();
        await wide.sendAll(10_000, (n) => frame('SUBSCRIBE', { id: n, destination: '/topic/news' }));
        await wide.flush();
        const sender = await join();
        await sender.sendAll(50, () => frame('SEND', { destination: '/topic/news' }, 'x'));
        await sender.flush();
        await sender.sendAll(5, () => frame('SEND', { destination: '/topic/news' }, 'x'.repeat(500_000)));
        await sender.flush();
      }),
  },
  {
    name: '10,000 subscriptions of one client to a queue, with unacknowledged messages, are lost',
    run: (port) =>
      play(port, async ({ join }) => {
        const wide = await join();
        const headers = { destination: '/queue/jobs', ack: 'client-individual', 'prefetch-count': 5 };
        await wide.sendAll(10_000, (n) => frame('SUBSCRIBE', { id: n, ...headers }));
        await wide.flush();
        const sender = await join();
        await sender.sendAll(50_000, () => frame('SEND', { destination: '/queue/jobs' }, 'x'));
        await sender.flush();
        await wide.has('MESSAGE', 40_000);
        wide.socket.destroy();
        const other = await join();
        other.socket.write(frame('SUBSCRIBE', { id: 1, destination: '/queue/jobs' }));
        await other.has('MESSAGE', 10_000);
        await sender.flush();
      }),
  },
  {
    name: 'NACK of 10,000 messages from the last to the first, and of all at once',
    run: (port) =>
      play(port, async ({ join }) => {
        const client = await join();
        await client.sendAll(10_000, () => frame('SEND', { destination: '/queue/a' }, 'x'));
        client.socket.write(
          frame('SUBSCRIBE', { id: 'i', destination: '/queue/a', ack: 'client-individual' }),
        );
        await client.has('MESSAGE', 10_000);
        await client.sendAll(10_000, (n) => frame('NACK', { id: `1-${10_000 - n}` }));
        await client.flush();
        client.socket.write(frame('UNSUBSCRIBE', { id: 'i' }));
        client.socket.write(frame('SUBSCRIBE', { id: 'c', destination: '/queue/a', ack: 'client' }));
        await client.flush();
        client.socket.write(frame('ACK', { id: '2-30000' }));
        await client.flush();
      }),
  },
  {
    name: 'a transaction of 10,000 messages, and 10,000 queues',
    run: (port) =>
      play(port, async ({ join }) => {
        const client = await join();
        client.socket.write(frame('BEGIN', { transaction: 't' }));
        await client.sendAll(10_000, (n) =>
          frame('SEND', { destination: `/queue/${n % 100}`, transaction: 't' }, 'x'),
        );
        client.socket.write(frame('COMMIT', { transaction: 't' }));
        await client.flush();
        await client.sendAll(9000, (n) => frame('SEND', { destination: `/queue/x${n}` }, 'x'.repeat(8000)));
        await client.flush();
      }),
  },
  {
    name: 'one message for 2,000 clients, and 20,000 small frames in one write',
    run: (port) =>
      play(port, async ({ join }) => {
        const clients = [];
        for (let n = 0; n < 2000; n += 1) {
          const client = await join();
          client.socket.write(frame('SUBSCRIBE', { id: 1, destination: '/topic/news' }));
          await client.flush();
          clients.push(client);
        }
        const sender = await join();
        await sender.sendAll(20, () => frame('SEND', { destination: '/topic/news' }, 'x'.repeat(1000)));
        await sender.flush();
        for (const client of clients) await client.flush();
        sender.socket.write(
          Array.from({ length: 20_000 }, () => frame('SEND', { destination: '/topic/b' })).join(''),
        );
        await sender.flush();
      }),
  },
];

function frame(command, headers, body = '') {
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  return `${command}\n${lines.join('')}\n${body}\0`;
}

/** Runs one attack, and ends whatever it has opened. */
async function play(port, run) {
  const clients = [];
  const timer = new AbortController();
  const join = async () => {
    timer.signal.throwIfAborted();
    const client = await Client.join(port);
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

/** A client of STOMP 1.2 that counts what comes. */
class Client {
  #rest = '';
  #counts = new Map();
  #receipts = 0;
  #waiting = [];

  constructor(socket) {
    this.socket = socket;
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('data', (text) => this.#take(text));
    socket.on('close', () => this.#look());
  }

  static async join(port) {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    const client = new Client(socket);
    socket.write(frame('CONNECT', { 'accept-version': '1.2', host: 'x' }));
    await client.has('CONNECTED', 1);
    return client;
  }

  /** Sends many frames, no faster than they are taken. */
  async sendAll(count, make) {
    for (let from = 0; from < count && !this.socket.destroyed; from += 1000) {
      const size = Math.min(1000, count - from);
      if (this.socket.write(Array.from({ length: size }, (_, n) => make(from + n)).join(''))) continue;
      await drained(this.socket);
    }
  }

  /** Resolves once the server has handled all that was sent, or the connection is gone. */
  flush() {
    this.#receipts += 1;
    this.socket.write(frame('BEGIN', { transaction: `flush-${this.#receipts}`, receipt: 'r' }));
    this.socket.write(frame('ABORT', { transaction: `flush-${this.#receipts}` }));
    return this.has('RECEIPT', this.#receipts);
  }

  /** Resolves once so many frames of a kind have come in all, or the connection is gone. */
  has(command, count) {
    return new Promise((resolve) => {
      this.#waiting.push({ command, count, resolve });
      this.#look();
    });
  }

  #take(text) {
    // No body here holds a NUL.
    const frames = (this.#rest + text).split('\0');
    this.#rest = frames.pop() ?? '';
    for (const each of frames) {
      const command = each.trimStart().split('\n', 1)[0];
      this.#counts.set(command, (this.#counts.get(command) ?? 0) + 1);
    }
    this.#look();
  }

  #look() {
    this.#waiting = this.#waiting.filter(({ command, count, resolve }) => {
      if (!this.socket.destroyed && (this.#counts.get(command) ?? 0) < count) return true;
      resolve();
      return false;
    });
  }
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
