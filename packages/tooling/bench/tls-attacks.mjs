import { Duplex } from 'node:stream';
import net from 'node:net';
import tls from 'node:tls';

/** Most milliseconds that an attack takes, and that it waits for one thing: what is measured is the server. */
const MAX_TIME = 20_000;
const RECORD = 16_384;

/**
 * What a client may do to a port with TLS, whatever is spoken on it: each bounded in count and time.
 *
 * @param {string} name - what stands before each name: how the port begins with TLS
 * @param {object} way
 * @param {string} way.speech - what the kind answers once there is TLS, latin1
 * @param {string} [way.more] - what may be said again and again behind it; the same when absent
 * @param {readonly string[]} [way.upgrade] - what is said in the clear, a line after the answer to the one before, until
 *   TLS begins; the server greets before the first
 * @param {Buffer} [way.request] - what asks for TLS where that is no line; the server does not greet then
 * @returns {{ name: string, run: (port: number) => Promise<void> }[]}
 */
export function tlsAttacks(name, { speech, more = speech, upgrade, request }) {
  /** @param {number} port @param {number} count @param {number} together @param {(raw: net.Socket, tools: Tools) => Promise<unknown>} act */
  const withMany = async (port, count, together, act) => {
    const tools = new Tools();
    let next = 0;
    const one = async () => {
      while (next < count && !tools.isOver) {
        next += 1;
        const raw = await tools.open(port, upgrade, request);
        if (raw !== undefined) await act(raw, tools);
      }
    };
    try {
      await Promise.all(Array.from({ length: together }, one));
    } finally {
      tools.end();
    }
  };
  /** All are there before any of them goes on. */
  const atOnce = (
    /** @type {number} */ count,
    /** @type {(raw: net.Socket, tools: Tools) => Promise<unknown>} */ act,
  ) => {
    return async (/** @type {number} */ port) => {
      const tools = new Tools();
      try {
        const opened = [];
        for (let left = count; left > 0; left -= 50)
          opened.push(
            ...(await Promise.all(Array.from({ length: 50 }, () => tools.open(port, upgrade, request)))),
          );
        await Promise.all(opened.map((raw) => raw && act(raw, tools)));
      } finally {
        tools.end();
      }
    };
  };
  const attacks = [
    [
      '2,000 handshakes, 50 at once, and a word',
      (port) => withMany(port, 2_000, 50, (raw, tools) => tools.talk(raw, speech)),
    ],
    ['500 clients whose handshakes begin at once', atOnce(500, (raw, tools) => tools.talk(raw, speech))],
    [
      '2,000 clients with half a handshake, who leave then',
      atOnce(2_000, (raw, tools) => tools.write(raw, tools.hello.subarray(0, tools.hello.length >> 1))),
    ],
    [
      '2,000 clients that are gone when they are answered',
      atOnce(2_000, async (raw, tools) => {
        await tools.write(raw, tools.hello);
        raw.resetAndDestroy();
      }),
    ],
    [
      '200 handshakes byte by byte',
      atOnce(200, async (raw, tools) => {
        for (const byte of tools.hello) await tools.write(raw, Buffer.from([byte]));
      }),
    ],
    [
      '500 clients that begin with records of nonsense',
      atOnce(500, (raw, tools) =>
        tools.write(
          raw,
          Buffer.concat([Buffer.from([22, 3, 1, RECORD >> 8, RECORD & 255]), Buffer.alloc(RECORD, 7)]),
        ),
      ),
    ],
    [
      '500 clients with 64 KB of nonsense behind their handshakes',
      (port) =>
        withMany(port, 500, 50, async (raw, tools) => {
          await tools.talk(raw, '');
          await tools.write(raw, Buffer.alloc(65_536, 23));
        }),
    ],
    [
      '200 clients that negotiate anew, ten times each',
      (port) => withMany(port, 200, 20, (raw, tools) => tools.negotiateAnew(raw, 10)),
    ],
    [
      '30,000 records of one byte',
      (port) =>
        withMany(port, 3, 3, (raw, tools) =>
          tools.talk(raw, speech + more.repeat(Math.ceil(10_000 / more.length)), 1),
        ),
    ],
    [
      '32 MB in records of 16 KB, which come at once',
      (port) =>
        withMany(port, 1, 1, (raw, tools) =>
          tools.talk(raw, speech + more.repeat(Math.ceil((32 * 1024 * 1024) / more.length)), 1024 * 1024),
        ),
    ],
  ];
  return attacks.map(([what, run]) => ({ name: `${name}: ${what}`, run }));
}

/** The connections of one attack, and what is done with them. None of it fails when the server ends a connection. */
class Tools {
  hello = Buffer.alloc(0);
  isOver = false;
  /** @type {Set<net.Socket>} */
  #sockets = new Set();
  #timer = setTimeout(() => this.end(), MAX_TIME);
  /** @type {Set<() => void>} */
  #onEnd = new Set();

  /** Ends everything. */
  end() {
    clearTimeout(this.#timer);
    this.isOver = true;
    for (const socket of this.#sockets) socket.destroy();
    for (const end of this.#onEnd) end();
  }

  /**
   * A connection that is about to begin with TLS.
   *
   * @param {number} port
   * @param {readonly string[]} [upgrade]
   * @param {Buffer} [request]
   * @returns {Promise<net.Socket | undefined>}
   */
  async open(port, upgrade, request) {
    if (this.hello.length === 0) this.hello = await makeHello();
    const raw = net.connect({ host: '127.0.0.1', port, noDelay: true });
    raw.on('error', () => undefined);
    this.#sockets.add(raw);
    raw.once('close', () => this.#sockets.delete(raw));
    await this.#until(raw, 'connect');
    if (request !== undefined) {
      raw.write(request);
      await this.#until(raw, 'data');
    }
    if (upgrade !== undefined) {
      await this.#answer(raw);
      for (const line of upgrade) {
        raw.write(`${line}\r\n`);
        await this.#answer(raw);
      }
    }
    return raw.destroyed || this.isOver ? undefined : raw;
  }

  /** @param {net.Socket} raw @param {Uint8Array} bytes */
  async write(raw, bytes) {
    if (raw.destroyed) return;
    await this.#settled((done) => {
      raw.once('close', done);
      raw.write(bytes, () => {
        raw.off('close', done);
        done();
      });
    });
  }

  /**
   * Does the handshake, and sends a text in pieces, each after the one before.
   *
   * @param {net.Socket} raw
   * @param {string} text
   */
  async talk(raw, text, piece = text.length) {
    const secured = await this.#secure(raw);
    const answered = text === '' ? Promise.resolve() : this.#until(secured, 'data');
    for (let at = 0; at < text.length && !secured.destroyed; at += piece)
      await this.write(secured, Buffer.from(text.slice(at, at + piece), 'latin1'));
    await answered;
    return secured;
  }

  /** @param {net.Socket} raw @param {number} times */
  async negotiateAnew(raw, times) {
    const secured = await this.#secure(raw, { maxVersion: 'TLSv1.2' });
    for (let left = times; left > 0 && !secured.destroyed; left -= 1)
      await this.#settled((resolve) => {
        const done = () => {
          secured.off('close', done);
          resolve();
        };
        secured.once('close', done);
        if (secured.renegotiate({}, done) === false) done();
      });
  }

  /** @param {net.Socket} socket @param {tls.ConnectionOptions} [more] */
  async #secure(socket, more) {
    const secured = tls.connect({ socket, rejectUnauthorized: false, ...more });
    secured.on('error', () => undefined);
    await this.#until(secured, 'secureConnect');
    secured.on('data', () => undefined);
    return secured;
  }

  /** The last line of an answer to a line. @param {net.Socket} raw */
  async #answer(raw) {
    let text = '';
    const take = (/** @type {Buffer} */ chunk) => (text += chunk.toString('latin1'));
    raw.on('data', take);
    while (!raw.destroyed && !this.isOver && !/^(?:\d{3} |\* OK|\S+ OK).*\r\n$/m.test(text))
      await this.#until(raw, 'data');
    raw.off('data', take);
  }

  /** @param {import('node:events').EventEmitter & { destroyed: boolean }} emitter @param {string} event */
  #until(emitter, event) {
    return this.#settled((resolve) => {
      if (emitter.destroyed) return resolve();
      const done = () => {
        emitter.off(event, done).off('close', done);
        resolve();
      };
      emitter.once(event, done).once('close', done);
    });
  }

  /** @param {(done: () => void) => void} begin @returns {Promise<void>} resolves then, or when the attack is over */
  #settled(begin) {
    return new Promise((resolve) => {
      const done = () => {
        this.#onEnd.delete(done);
        resolve();
      };
      this.#onEnd.add(done);
      if (this.isOver) done();
      else begin(done);
    });
  }
}

/** @returns {Promise<Buffer>} what a client begins with */
function makeHello() {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read() {},
      write(chunk) {
        resolve(Buffer.from(chunk));
        setImmediate(() => secured.destroy());
      },
    });
    const secured = tls.connect({ socket, rejectUnauthorized: false });
    secured.on('error', () => undefined);
  });
}
