// The way of one replica to the engine, with toxics: it can be cut, held, and made slow.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * @typedef {object} Link
 * @property {number} port
 * @property {(isCut: boolean) => void} cut Ends all connections and takes no more, or takes them again.
 * @property {(isHeld: boolean) => void} hold Lets nothing through, as when packets are lost; connections stay.
 * @property {(milliseconds: number) => void} delay Lets everything through so much later.
 * @property {() => void} close
 */

/**
 * Makes a way to a port of this machine.
 *
 * @param {number} target
 * @returns {Promise<Link>}
 */
export async function linkTo(target) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  let isCut = false;
  let isHeld = false;
  let delay = 0;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [socket, far],
      [far, socket],
    ]) {
      if (from === undefined || to === undefined) continue;
      sockets.add(from);
      let before = Promise.resolve();
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (data) => {
        if (delay === 0) {
          // What was delayed before goes first.
          before = before.then(() => void (to.destroyed || to.write(data)));
          return;
        }
        const late = new Promise((resolve) => setTimeout(resolve, delay));
        before = Promise.all([before, late]).then(() => void (to.destroyed || to.write(data)));
      });
      if (isHeld) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    port,
    cut(now) {
      isCut = now;
      if (now) for (const socket of sockets) socket.destroy();
    },
    hold(now) {
      isHeld = now;
      for (const socket of sockets) {
        if (now) socket.pause();
        else socket.resume();
      }
    },
    delay: (milliseconds) => void (delay = milliseconds),
    close() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
