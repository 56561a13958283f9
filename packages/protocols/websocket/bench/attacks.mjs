// What a client may do to hold up all others, each once with a bare client and bounded in count and time. Whoever runs
// them watches how long the server's event loop was held. The server needs a mock for the path `/`, so that it lets
// clients in: `{ path: '/' }` will do.
import { once } from 'node:events';
import net from 'node:net';

/** Most milliseconds that one attack takes. */
const LIMIT = 20_000;

/** @type {readonly { readonly name: string, run(port: number): Promise<void> }[]} */
export const attacks = [
  {
    name: '60,000 small messages in one write',
    run: (port) => play(port, (client) => client.sendAll(60_000, () => frame(1, 'x'))),
  },
  {
    name: '100,000 pings in one write, whose answers are not read',
    run: (port) =>
      play(port, async (client) => {
        client.socket.pause();
        await client.sendAll(100_000, () => frame(9, 'ping'));
        client.socket.resume();
      }),
  },
  {
    name: 'messages of 16,000 fragments, and fragments without end',
    run: (port) =>
      play(port, async (client) => {
        for (let n = 0; n < 10; n += 1) {
          await client.sendAll(16_000, (at) => frame(at === 0 ? 1 : 0, 'x', at === 15_999));
        }
        await client.sendAll(200_000, (at) => frame(at === 0 ? 1 : 0, '', false));
      }),
  },
  {
    name: 'messages of a megabyte, as texts and as bytes',
    run: (port) =>
      play(port, async (client) => {
        const text = 'x'.repeat(1024 * 1024);
        await client.sendAll(30, () => frame(1, text));
        await client.sendAll(30, () => frame(2, text));
      }),
  },
];

/** Runs one attack, waits until the server has handled it, and ends what it has opened. */
async function play(port, run) {
  const client = await Client.open(port);
  const timer = setTimeout(() => client.socket.destroy(), LIMIT);
  try {
    await run(client);
    await client.bye();
  } finally {
    clearTimeout(timer);
    client.socket.destroy();
  }
}

/** A frame as clients send it; its mask is zero, which changes nothing. */
function frame(opcode, text, isLast = true) {
  const payload = Buffer.from(text);
  const { length } = payload;
  const size =
    length < 126
      ? Buffer.from([128 | length])
      : length < 65_536
        ? Buffer.from([254, length >> 8, length & 255])
        : Buffer.from([
            255,
            0,
            0,
            0,
            0,
            length >>> 24,
            (length >> 16) & 255,
            (length >> 8) & 255,
            length & 255,
          ]);
  return Buffer.concat([Buffer.from([(isLast ? 128 : 0) | opcode]), size, Buffer.alloc(4), payload]);
}

class Client {
  constructor(socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
  }

  static async open(port) {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    const client = new Client(socket);
    const lines = [
      'GET / HTTP/1.1',
      'Host: localhost',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    socket.resume();
    return client;
  }

  /** Sends many frames, no faster than they are taken. */
  async sendAll(count, make) {
    for (let from = 0; from < count && !this.socket.destroyed; from += 10_000) {
      const size = Math.min(10_000, count - from);
      if (this.socket.write(Buffer.concat(Array.from({ length: size }, (_, n) => make(from + n))))) continue;
      await drained(this.socket);
    }
  }

  /** Says goodbye, and resolves when the server has. */
  bye() {
    return new Promise((resolve) => {
      if (this.socket.destroyed) return resolve();
      this.socket.on('close', resolve);
      this.socket.on('end', resolve);
      this.socket.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 3, 232]));
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
