import dgram from 'node:dgram';
import net from 'node:net';
import tls from 'node:tls';

/** How long a client waits for one answer, in ms. */
export const PATIENCE = 3_000;
/** The newest so many characters of what came are looked at. */
const MAX_KEPT = 64 * 1024;

/**
 * A raw client of one session. Nothing it does throws: that the server ends the connection is one of the right answers.
 *
 * @param {{ port: number, secure?: boolean }} place
 */
export function openStream({ port, secure = false }) {
  const raw = net.connect({ host: '127.0.0.1', port, noDelay: true });
  const socket = secure ? tls.connect({ socket: raw, rejectUnauthorized: false }) : raw;
  let text = '';
  let isClosed = false;
  /** @type {(() => void) | undefined} */
  let look;
  raw.on('error', () => undefined);
  socket.on('error', () => undefined);
  raw.on('close', () => {
    isClosed = true;
    look?.();
  });
  socket.on('data', (chunk) => {
    text = (text + chunk.toString('latin1')).slice(-MAX_KEPT);
    look?.();
  });
  /** @param {() => boolean} isThere @param {number} patience */
  const wait = (isThere, patience) =>
    new Promise((resolve) => {
      const settle = (/** @type {boolean} */ found) => {
        clearTimeout(timer);
        look = undefined;
        resolve(found);
      };
      const timer = setTimeout(() => settle(false), patience);
      look = () => {
        if (isThere()) settle(true);
        else if (isClosed) settle(false);
      };
      look();
    });
  return {
    /** @param {string | Uint8Array} bytes - text is latin1 */
    send(bytes) {
      if (!socket.destroyed) socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    },
    /** Waits for text in what has come, and forgets it; gives the match. @param {RegExp} pattern */
    async until(pattern, patience = PATIENCE) {
      await wait(() => pattern.test(text), patience);
      const found = pattern.exec(text);
      if (found !== null) text = '';
      return found;
    },
    closed: (patience = PATIENCE) => wait(() => isClosed, patience),
    end() {
      socket.end();
    },
    close() {
      socket.destroy();
      raw.destroy();
    },
    reset() {
      if (raw.readyState === 'open') raw.resetAndDestroy();
      raw.destroy();
    },
  };
}

/**
 * Sends datagrams from a port of their own, and resolves once as many answers came as are wanted, or none came for a
 * while.
 *
 * @param {number} port
 * @param {readonly Uint8Array[]} messages
 * @param {number} wanted
 * @param {number} [patience]
 */
export function sendDatagrams(port, messages, wanted, patience = PATIENCE) {
  return new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    let count = 0;
    const settle = () => {
      clearTimeout(timer);
      socket.close();
      resolve(count >= wanted);
    };
    const timer = setTimeout(settle, patience);
    socket.on('error', () => undefined);
    socket.on('message', () => {
      count += 1;
      if (count === wanted) settle();
    });
    socket.bind(0, '127.0.0.1', () => {
      for (const message of messages) socket.send(message, port, '127.0.0.1', () => undefined);
    });
  });
}
