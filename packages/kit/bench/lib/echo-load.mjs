import { countBySize, loadStreams } from '@backlot/tooling/bench';

/**
 * Messages of one size to a server that sends them back, over eight connections.
 *
 * @param {number} size bytes of a message
 * @param {number} underWay messages that each connection has sent and not had back
 */
export function echoLoad(size, underWay) {
  const message = Buffer.alloc(size, 'x');
  return (/** @type {{ port: number }} */ { port }, /** @type {number} */ milliseconds) =>
    loadStreams({
      port,
      milliseconds,
      connections: 8,
      underWay,
      ask: () => message,
      counter: () => countBySize(size),
    });
}
