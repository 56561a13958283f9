import dgram from 'node:dgram';
import net from 'node:net';
import { timers } from '@backlot/kit';
import { within } from './check.js';
import type { ListenAddress } from './probe.js';

/** Opens a TCP connection, for bytes of any kind. */
export async function connectRaw(address: ListenAddress, timeout: number): Promise<net.Socket> {
  const socket = net.connect({ ...address, allowHalfOpen: true });
  const connected = new Promise<void>((resolve, reject) =>
    socket.once('connect', resolve).once('error', reject),
  );
  // How the server ends such a connection is its own business.
  socket.on('error', () => undefined);
  try {
    await within(timeout, 'connecting a plain socket', connected);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

/** Whether something accepts connections at an address. */
export async function isListening(address: ListenAddress, timeout: number): Promise<boolean> {
  try {
    (await connectRaw(address, timeout)).destroy();
    return true;
  } catch {
    return false;
  }
}

/** Something that occupies a port. */
export interface Blocker {
  readonly port: number;
  release(): Promise<void>;
}

/** Occupies a port for connections, as another program would. */
export async function blockStreamPort(): Promise<Blocker> {
  const server = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    release: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/**
 * Occupies a port for datagrams.
 *
 * @throws the system's error when the port is taken
 */
export async function blockDatagramPort(port = 0): Promise<Blocker> {
  const socket = dgram.createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) =>
      socket.once('error', reject).bind(port, '127.0.0.1', resolve),
    );
  } catch (error) {
    socket.close();
    throw error;
  }
  return {
    port: socket.address().port,
    release: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/**
 * Sends datagrams and waits until they have left. The event loop turns after each, so that a server in this process takes
 * it before the next fills the system's buffer.
 */
export async function sendDatagrams(address: ListenAddress, datagrams: readonly Uint8Array[]): Promise<void> {
  const socket = dgram.createSocket('udp4');
  socket.on('error', () => undefined);
  for (const datagram of datagrams) {
    await new Promise<void>((resolve) => socket.send(datagram, address.port, address.host, () => resolve()));
    await new Promise<void>((resolve) => timers.afterTurn(resolve));
  }
  await new Promise<void>((resolve) => socket.close(() => resolve()));
}
