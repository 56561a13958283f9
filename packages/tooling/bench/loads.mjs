import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';

/** Milliseconds after the end of a load at which it has failed. */
const PATIENCE = 10_000;

/** A connection to a server of this machine, once it is there. @param {number} port */
export async function connect(port) {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/**
 * Waits until what comes ends with a text, and gives all that came.
 *
 * @param {net.Socket} socket
 * @param {string} end - latin1
 */
export async function receiveUntil(socket, end) {
  let text = '';
  while (!text.endsWith(end)) text += (await once(socket, 'data'))[0].toString('latin1');
  return text;
}

/**
 * Keeps requests under way over some connections until the time is over.
 *
 * @param {object} load
 * @param {number} load.port
 * @param {number} load.milliseconds
 * @param {number} [load.connections]
 * @param {number} [load.underWay] - requests of one connection at a time
 * @param {(socket: net.Socket, index: number) => unknown} [load.open] - what a connection begins with; `index` is its number
 * @param {(n: number, index: number) => string | Uint8Array} load.ask - the request with a number, from 0 on for each connection;
 * text is latin1
 * @param {(socket: net.Socket) => (chunk: Buffer) => number} load.counter - makes what says how many answers have come with a chunk
 * @returns {Promise<number>} how many were answered
 */
export async function loadStreams({
  port,
  milliseconds,
  connections = 1,
  underWay = 1,
  open = () => undefined,
  ask,
  counter,
}) {
  const numbers = Array.from({ length: connections }, (_, index) => index);
  const sockets = await Promise.all(numbers.map(() => connect(port)));
  await Promise.all(sockets.map((socket, index) => open(socket, index)));
  const end = performance.now() + milliseconds;
  let answered = 0;
  try {
    await inTime(milliseconds, (resolve, reject) => {
      let running = connections;
      for (const [index, socket] of sockets.entries()) {
        const count = counter(socket);
        let sent = 0;
        const send = (/** @type {number} */ times) => {
          const requests = Array.from({ length: times }, () => ask(sent++, index));
          const [request] = requests;
          if (typeof request === 'string') socket.write(requests.join(''), 'latin1');
          else if (request !== undefined) socket.write(times === 1 ? request : Buffer.concat(requests));
        };
        const take = (/** @type {Buffer} */ chunk) => {
          const came = count(chunk);
          answered += came;
          if (performance.now() < end) return send(came);
          socket.off('data', take).off('close', broken).destroy();
          running -= 1;
          if (running === 0) resolve();
        };
        const broken = () => reject(new Error('the server closed a connection'));
        socket.on('error', reject).on('close', broken).on('data', take);
        send(underWay);
      }
    });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return answered;
}

/**
 * Counts answers of one size.
 *
 * @param {number} size - in bytes
 */
export function countBySize(size) {
  let bytes = 0;
  return (/** @type {Buffer} */ chunk) => {
    bytes += chunk.length;
    const whole = Math.floor(bytes / size);
    bytes -= whole * size;
    return whole;
  };
}

/**
 * Counts answers by something that each holds once.
 *
 * @param {string} mark - latin1
 */
export function countByMark(mark) {
  const wanted = Buffer.from(mark, 'latin1');
  let rest = Buffer.alloc(0);
  return (/** @type {Buffer} */ chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let count = 0;
    let from = 0;
    for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, from)) {
      count += 1;
      from = at + wanted.length;
    }
    // Shorter than what is looked for, so that nothing counts twice.
    rest = bytes.subarray(Math.max(from, bytes.length - wanted.length + 1));
    return count;
  };
}

/**
 * Counts frames that say how long they are.
 *
 * @param {(bytes: Buffer, at: number) => number} sizeOf - the size of the frame that begins there; 0 while that is not known
 * @param {(frame: Buffer) => unknown} take - gives whether it counts
 */
export function countFrames(sizeOf, take) {
  let rest = Buffer.alloc(0);
  return (/** @type {Buffer} */ chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let count = 0;
    let at = 0;
    for (;;) {
      const size = at < bytes.length ? sizeOf(bytes, at) : 0;
      if (size === 0 || at + size > bytes.length) break;
      if (take(bytes.subarray(at, at + size))) count += 1;
      at += size;
    }
    rest = bytes.subarray(at);
    return count;
  };
}

/**
 * Keeps requests under way over UDP until the time is over.
 *
 * @param {object} load
 * @param {number} load.port
 * @param {number} load.milliseconds
 * @param {number} [load.underWay]
 * @param {(n: number) => string | Uint8Array} load.ask
 * @param {(answer: Buffer) => boolean} [load.isGood]
 * @returns {Promise<number>} how many were answered
 */
export async function loadDatagrams({ port, milliseconds, underWay = 64, ask, isGood = () => true }) {
  const socket = dgram.createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
  const end = performance.now() + milliseconds;
  let sent = 0;
  let answered = 0;
  const send = () => socket.send(ask(sent++), port, '127.0.0.1');
  try {
    await inTime(milliseconds, (resolve, reject) => {
      socket.on('error', reject).on('message', (answer) => {
        if (!isGood(answer)) return reject(new Error(`a wrong answer: ${answer.toString('latin1')}`));
        answered += 1;
        if (performance.now() < end) send();
        else resolve();
      });
      for (let started = 0; started < underWay; started += 1) send();
    });
  } finally {
    socket.close();
  }
  return answered;
}

/**
 * Fails when a load does not end soon after its time.
 *
 * @param {number} milliseconds
 * @param {(resolve: () => void, reject: (error: Error) => void) => void} run
 */
export async function inTime(milliseconds, run) {
  let timer;
  try {
    await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error('answers stay away')), milliseconds + PATIENCE);
      run(() => resolve(undefined), reject);
    });
  } finally {
    clearTimeout(timer);
  }
}
