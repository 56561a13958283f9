import { once } from 'node:events';
import net from 'node:net';

/** Most milliseconds that one attack takes. */
const LIMIT = 20_000;
/** Messages that are written together. */
const BATCH = 1000;

/**
 * Runs one attack, and ends whatever it has opened. An attack that takes too long is broken off, which is no failure: what is
 * measured is the server.
 *
 * @template {CountingClient} T
 * @param {(...args: any[]) => Promise<T>} open - opens a client
 * @param {(tools: { join: (...args: any[]) => Promise<T> }) => Promise<void>} run
 */
export async function playAttack(open, run) {
  /** @type {T[]} */
  const clients = [];
  const limit = new AbortController();
  const close = () => {
    for (const { socket } of clients) socket.destroy();
  };
  const timer = setTimeout(() => {
    limit.abort();
    close();
  }, LIMIT);
  try {
    await run({
      async join(...args) {
        limit.signal.throwIfAborted();
        const client = await open(...args);
        clients.push(client);
        return client;
      },
    });
  } catch (error) {
    if (!limit.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    close();
  }
}

/**
 * A client that counts what comes, by what it is. Its subclass cuts chunks into messages, and tells each by `came`. Nothing that
 * it waits for stays away when the connection is gone.
 */
export class CountingClient {
  #counts = new Map();
  /** @type {{ what: unknown, count: number, resolve: () => void }[]} */
  #waiting = [];

  /** @param {net.Socket} socket */
  constructor(socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.take(chunk);
      this.#look();
    });
    socket.on('close', () => this.#look());
  }

  /**
   * @template {CountingClient} T
   * @this {new (socket: net.Socket) => T}
   * @param {number} port
   */
  static async open(port) {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return new this(socket);
  }

  /** Takes what has come. @param {Buffer} _chunk */
  take(_chunk) {
    throw new Error('a subclass takes what has come');
  }

  /** Says that a message has come. @param {unknown} what */
  came(what) {
    this.#counts.set(what, this.count(what) + 1);
  }

  /** How many have come of one kind. @param {unknown} what @returns {number} */
  count(what) {
    return this.#counts.get(what) ?? 0;
  }

  /** @param {string | Uint8Array} message - text is latin1 */
  send(message) {
    this.socket.write(message, 'latin1');
  }

  /**
   * Sends many messages, no faster than they are taken.
   *
   * @param {number} count
   * @param {(n: number) => string | Uint8Array} make
   */
  async sendAll(count, make) {
    for (let from = 0; from < count && !this.socket.destroyed; from += BATCH) {
      const messages = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => make(from + n));
      const isText = typeof messages[0] === 'string';
      if (!this.socket.write(isText ? messages.join('') : Buffer.concat(messages), 'latin1'))
        await this.#drain();
    }
  }

  /** Resolves once so many of one kind have come in all, or the connection is gone. @param {unknown} what @param {number} count */
  has(what, count) {
    return new Promise((resolve) => {
      this.#waiting.push({ what, count, resolve: () => resolve(undefined) });
      this.#look();
    });
  }

  /** Resolves once the connection is gone. */
  closes() {
    return this.has(undefined, Infinity);
  }

  #look() {
    this.#waiting = this.#waiting.filter(({ what, count, resolve }) => {
      if (!this.socket.destroyed && this.count(what) < count) return true;
      resolve();
      return false;
    });
  }

  /** Resolves once all that was sent has left, or the connection is gone. */
  #drain() {
    return new Promise((resolve) => {
      const end = () => {
        this.socket.off('drain', end).off('close', end);
        resolve(undefined);
      };
      this.socket.on('drain', end).on('close', end);
    });
  }
}
