// What a client may do to hold up all others, each once with bare clients and bounded in count and time. Whoever runs them
// watches how long the server's event loop was held.
import { CountingClient, playAttack } from '@backlot/tooling/attack-client';
import { countByMark } from '@backlot/tooling/bench';

export const settings = { jetstream: true };

/** @type {readonly { readonly name: string, run(port: number, api: number): Promise<void> }[]} */
export const attacks = [
  {
    name: '2,000 subscriptions of 120 words with wildcards, and messages that they may take',
    run: (port) =>
      play(port, async ({ join }) => {
        const client = await join();
        await client.sendAll(2000, (n) => `SUB ${wildSubject(n)} ${n}\r\n`);
        await client.flush();
        await client.sendAll(200, (n) => publish(`${'a.'.repeat(119)}a${n % 2 === 0 ? '' : n}`, 'x'));
        await client.sendAll(20, (n) => publish(`a${'.b'.repeat(1500)}${n}`, 'x'));
        await client.flush();
      }),
  },
  {
    name: '50,000 subscriptions of one client take a message, and go',
    run: (port) =>
      play(port, async ({ join }) => {
        const wide = await join();
        await wide.sendAll(50_000, (n) => `SUB news ${n}\r\n`);
        await wide.flush();
        const publisher = await join();
        await publisher.sendAll(20, () => publish('news', 'x'));
        await publisher.flush();
        await wide.flush();
        await publisher.sendAll(2, () => publish('news', 'x'.repeat(1_000_000)));
        await publisher.flush();
        wide.socket.destroy();
        await publisher.sendAll(1000, () => publish('news', 'x'));
        await publisher.flush();
      }),
  },
  {
    name: '20,000 queue groups, and one of 20,000 members',
    run: (port) =>
      play(port, async ({ join }) => {
        const client = await join('{"echo":false}');
        await client.sendAll(20_000, (n) => `SUB work g${n} ${n}\r\n`);
        await client.sendAll(20_000, (n) => `SUB task g t${n}\r\n`);
        await client.flush();
        await client.sendAll(50, () => publish('work', 'x'));
        await client.sendAll(50, () => publish('task', 'x'));
        const publisher = await join();
        await publisher.sendAll(20, () => publish('work', 'x'));
        await publisher.sendAll(500, () => publish('task', 'x'));
        await publisher.flush();
        await client.flush();
      }),
  },
  {
    name: 'one message for 2,000 clients',
    run: (port) =>
      play(port, async ({ join }) => {
        const clients = [];
        for (let n = 0; n < 2000; n += 1) {
          const client = await join();
          client.socket.write('SUB news.> 1\r\n');
          await client.flush();
          clients.push(client);
        }
        const publisher = await join();
        await publisher.sendAll(20, (n) => publish(`news.${n}`, 'x'.repeat(1000)));
        await publisher.flush();
        for (const client of clients) await client.flush();
      }),
  },
  {
    name: 'subscriptions that end after one message, and that come and go',
    run: (port) =>
      play(port, async ({ join }) => {
        const client = await join();
        await client.sendAll(40_000, (n) => `SUB once ${n}\r\nUNSUB ${n} 1\r\n`);
        await client.flush();
        await client.sendAll(3, () => publish('once', 'x'));
        await client.sendAll(40_000, (n) => `SUB a.${n} ${n}\r\n${publish('once', '')}UNSUB ${n}\r\n`);
        await client.flush();
      }),
  },
  {
    name: 'a snapshot of 100,000 subjects of a stream, put back twice',
    run: (port, api) =>
      play(port, async ({ join }) => {
        const client = await join();
        const stream = JSON.stringify({ name: 's', subjects: ['s.>'] });
        client.send(`PUB $JS.API.STREAM.CREATE.s ${stream.length}\r\n${stream}\r\n`);
        await client.sendAll(100_000, (n) => publish(`s.${n}`, `payload ${n}`));
        await client.flush();
        const post = async (path) => {
          const response = await fetch(`http://127.0.0.1:${api}/api/${path}`, { method: 'POST' });
          return JSON.parse((await response.text()) || '{}');
        };
        const { id } = await post('snapshots');
        for (let count = 0; count < 2; count += 1) {
          await post(`snapshots/${id}/restore`);
          await client.sendAll(1, () => publish('s.1', 'x'));
          await client.flush();
        }
        await post('reset');
        await post(`snapshots/${id}/restore`);
        await fetch(`http://127.0.0.1:${api}/api/snapshots/${id}`, { method: 'DELETE' });
      }),
  },
];

function wildSubject(n) {
  let seed = n * 7919 + 1;
  return Array.from({ length: 120 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 2 === 0 ? '*' : 'a';
  }).join('.');
}

function publish(subject, payload) {
  return `PUB ${subject} ${payload.length}\r\n${payload}\r\n`;
}

function play(port, run) {
  return playAttack((options) => Client.join(port, options), run);
}

/** A client that counts its PONGs. */
class Client extends CountingClient {
  #pings = 0;
  #count = countByMark('PONG\r\n');

  static async join(port, options = '{}') {
    const client = await Client.open(port);
    client.send(`CONNECT ${options}\r\n`);
    await client.flush();
    return client;
  }

  /** Resolves once the server has handled all that was sent, or the connection is gone. */
  flush() {
    this.#pings += 1;
    this.send('PING\r\n');
    return this.has('PONG', this.#pings);
  }

  take(chunk) {
    for (let count = this.#count(chunk); count > 0; count -= 1) this.came('PONG');
  }
}
