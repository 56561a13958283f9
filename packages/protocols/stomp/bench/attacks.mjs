// What a client may do to hold up all others, each once with bare clients and bounded in count and time. Whoever runs them
// watches how long the server's event loop was held.
import { CountingClient, playAttack } from '@backlot/tooling/attack-client';

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

function play(port, run) {
  return playAttack(() => Client.join(port), run);
}

/** A client of STOMP 1.2 that counts frames by their command. */
class Client extends CountingClient {
  #rest = '';
  #receipts = 0;

  static async join(port) {
    const client = await Client.open(port);
    client.send(frame('CONNECT', { 'accept-version': '1.2', host: 'x' }));
    await client.has('CONNECTED', 1);
    return client;
  }

  /** Resolves once the server has handled all that was sent, or the connection is gone. */
  flush() {
    this.#receipts += 1;
    this.send(frame('BEGIN', { transaction: `flush-${this.#receipts}`, receipt: 'r' }));
    this.send(frame('ABORT', { transaction: `flush-${this.#receipts}` }));
    return this.has('RECEIPT', this.#receipts);
  }

  take(chunk) {
    // No body here holds a NUL.
    const frames = (this.#rest + chunk.toString('latin1')).split('\0');
    this.#rest = frames.pop() ?? '';
    for (const each of frames) this.came(each.trimStart().split('\n', 1)[0]);
  }
}
