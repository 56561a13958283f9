import net from 'node:net';
import { text } from 'node:stream/consumers';
import type { ListenAddress } from '@backlot/conformance';

/** Sends a line and resolves with everything that comes back until the server closes. */
export function fetchItem(
  address: ListenAddress,
  line: string,
): { socket: net.Socket; answer: Promise<string> } {
  const socket = net.connect(address);
  socket.write(`${line}\r\n`);
  return { socket, answer: text(socket) };
}
