import { once } from 'node:events';
import { connect, receiveUntil, startProgram } from '@backlot/tooling/bench';

const CONNECT = 'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n';

/** A connection behind the handshake; each `line` is sent after it, and was handled when this resolves. */
export async function join(port, line = '') {
  const socket = await connect(port);
  await once(socket, 'data');
  socket.write(CONNECT + line);
  await flush(socket);
  return socket;
}

/** Resolves once the server has handled all that was sent. */
export async function flush(socket) {
  socket.write('PING\r\n');
  await receiveUntil(socket, 'PONG\r\n');
}

/** The nats-server that is installed, as a server to compare with. */
export function startReference() {
  return startProgram('nats-server', (port) => ['-a', '127.0.0.1', '-p', port]);
}
