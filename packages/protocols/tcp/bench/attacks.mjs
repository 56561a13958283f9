// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, repeat } from '@backlot/tooling/attack-client';

const MEBIBYTE = 1024 * 1024;

const withClient = (name, play) => ({
  name,
  async run(port) {
    const client = await connect(port);
    await play(client, port);
    // The server ends the connection once it has taken all.
    client.socket.end();
    await client.closed();
  },
});

/** Sends in pieces, each in a packet of its own as a rule. */
async function trickle(client, bytes, size) {
  for (let at = 0, sent = 0; at < bytes.length && !client.isClosed; at += size, sent += 1) {
    client.socket.write(bytes.subarray(at, at + size));
    if (sent % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

export const attacks = [
  withClient('a megabyte in one piece', (client) => client.send(repeat('a', MEBIBYTE))),
  withClient('200,000 lines in one piece', (client) => client.send(repeat('line\n', 200_000))),
  withClient('100,000 messages of one byte', (client) => trickle(client, repeat('a', 100_000), 1)),
  // The start of a long message: whoever runs this gives the server a mock that is one.
  withClient('the start of a long message in pieces of 16 bytes', (client) =>
    trickle(client, repeat('long', 200_000), 16),
  ),
  withClient('bytes of every value', (client) =>
    client.send(Buffer.from(Array.from({ length: MEBIBYTE }, (_, n) => (n * 7919) % 256))),
  ),
  {
    name: '200 connections with 5,000 lines each at once',
    async run(port) {
      const all = await Promise.all(Array.from({ length: 200 }, () => connect(port)));
      await Promise.all(all.map(({ send }) => send(repeat('line\n', 5000))));
      for (const { socket } of all) socket.end();
      await Promise.all(all.map((client) => client.closed()));
    },
  },
  {
    name: '2000 connections that are reset',
    async run(port) {
      for (let n = 0; n < 2000; n += 100) {
        const all = await Promise.all(Array.from({ length: 100 }, () => connect(port)));
        for (const client of all) {
          client.socket.write('half');
          client.reset();
        }
      }
    },
  },
];
