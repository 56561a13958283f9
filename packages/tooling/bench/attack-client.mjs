export { CountingClient, playAttack } from './counting-client.mjs';
export { tlsAttacks } from './tls-attacks.mjs';

import dgram from 'node:dgram';
import net from 'node:net';

/** How long an attack waits for one thing, in ms: then it is over, since what it measures is the server. */
const PATIENCE = 20_000;
/** The newest so many characters of what came are kept to be looked at. */
const MAX_KEPT = 256 * 1024;

/**
 * A raw client over TCP. Nothing it does fails when the server ends the connection: that is one of the right answers.
 *
 * @param {number} port
 */
export async function connect(port) {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  let text = '';
  let received = 0;
  let isClosed = false;
  /** @type {Set<() => void>} */
  const watchers = new Set();
  const tell = () => {
    for (const watcher of [...watchers]) watcher();
  };
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
    tell();
  });
  socket.on('connect', tell);
  socket.on('drain', tell);
  socket.on('data', (chunk) => {
    received += chunk.length;
    text = (text + chunk.toString('latin1')).slice(-MAX_KEPT);
    tell();
  });
  /** @param {() => boolean} isThere */
  const wait = (isThere) =>
    new Promise((resolve) => {
      const settle = (/** @type {boolean} */ found) => {
        clearTimeout(timer);
        watchers.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => settle(false), PATIENCE);
      const look = () => {
        if (isThere()) settle(true);
        else if (isClosed) settle(false);
      };
      watchers.add(look);
      look();
    });
  await wait(() => socket.readyState === 'open' || isClosed);
  return {
    socket,
    /** How many bytes have come. */
    get received() {
      return received;
    },
    get isClosed() {
      return isClosed;
    },
    /**
     * Sends, as fast as the server takes it.
     *
     * @param {string | Uint8Array} bytes - text is latin1
     */
    async send(bytes) {
      if (isClosed || socket.destroyed) return;
      if (!socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes))
        await wait(() => socket.writableLength < 1024 * 1024);
    },
    /**
     * Waits until what came holds the pattern, and forgets it with all before it.
     *
     * @param {RegExp} pattern
     */
    async until(pattern) {
      const found = await wait(() => pattern.test(text));
      const match = pattern.exec(text);
      text = match === null ? '' : text.slice(match.index + match[0].length);
      return found;
    },
    /** Waits until so many bytes have come in all. @param {number} bytes */
    receive: (bytes) => wait(() => received >= bytes),
    /** Waits for the server to end the connection. */
    closed: () => wait(() => isClosed),
    close() {
      socket.destroy();
    },
    reset() {
      socket.resetAndDestroy();
    },
  };
}

/**
 * A raw client over UDP.
 *
 * @param {number} port
 */
export async function openDatagrams(port) {
  const socket = dgram.createSocket('udp4');
  let received = 0;
  let answers = 0;
  let last = Buffer.alloc(0);
  /** @type {Set<() => void>} */
  const watchers = new Set();
  socket.on('error', () => undefined);
  socket.on('message', (message) => {
    received += message.length;
    answers += 1;
    last = message;
    for (const watcher of [...watchers]) watcher();
  });
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', () => resolve(undefined)));
  return {
    socket,
    get received() {
      return received;
    },
    get answers() {
      return answers;
    },
    get last() {
      return last;
    },
    /** @param {Uint8Array} message */
    send: (message) =>
      new Promise((resolve) => {
        socket.send(message, port, '127.0.0.1', () => resolve(undefined));
      }),
    /**
     * Sends many, in so small groups that the system drops few before the server has taken them.
     *
     * @param {number} count
     * @param {(n: number) => Uint8Array} make
     */
    async sendAll(count, make) {
      const until = performance.now() + PATIENCE;
      for (let n = 0; n < count && performance.now() < until; n += 1) {
        const sent = new Promise((resolve) => {
          socket.send(make(n), port, '127.0.0.1', () => resolve(undefined));
        });
        if (n % 20 === 19) await sent.then(() => new Promise((resolve) => setTimeout(resolve, 1)));
      }
    },
    /**
     * Asks until there is an answer: then all that was sent before was dealt with, or dropped.
     *
     * @param {Uint8Array} message
     */
    async settle(message) {
      const until = performance.now() + PATIENCE;
      const before = answers;
      while (answers === before && performance.now() < until) {
        socket.send(message, port, '127.0.0.1', () => undefined);
        for (let n = 0; n < 10 && answers === before; n += 1)
          await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    /** Waits until so many answers have come in all, or for so long. @param {number} count @param {number} milliseconds */
    receive: (count, milliseconds = PATIENCE) =>
      new Promise((resolve) => {
        const settle = () => {
          clearTimeout(timer);
          watchers.delete(look);
          resolve(answers >= count);
        };
        const timer = setTimeout(settle, milliseconds);
        const look = () => {
          if (answers >= count) settle();
        };
        watchers.add(look);
        look();
      }),
    close() {
      socket.close();
    },
  };
}

/**
 * A text or bytes, so many times.
 *
 * @param {string} unit - latin1
 * @param {number} count
 */
export function repeat(unit, count) {
  return Buffer.alloc(unit.length * count, unit, 'latin1');
}
