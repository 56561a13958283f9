import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server, TLSSocket } from 'node:tls';
import { lendAddresses } from './beneath.js';

/**
 * Does the server's half of a TLS handshake on a stream that has no handle, and so no address by which its socket would be
 * told from others when the server says that it is encrypted: what the server emits for this one is caught.
 *
 * @throws the TLS error, or an error for a connection that closed; the socket is destroyed then
 */
export function secureBeneath(server: Server, raw: Socket, beneath: Duplex): Promise<TLSSocket> {
  return new Promise<TLSSocket>((resolve, reject) => {
    const onClose = (): void => {
      beneath.destroy();
      reject(new Error('the connection closed during the TLS handshake'));
    };
    if (raw.destroyed) return onClose();
    raw.once('close', onClose);
    const settled = (secured: TLSSocket): void => {
      raw.off('close', onClose);
      secured.on('error', ignore);
    };
    const own = Object.create(server) as Server;
    own.emit = (event: string, ...args: unknown[]): boolean => {
      if (event === 'secureConnection') {
        const secured = args[0] as TLSSocket;
        settled(secured);
        lendAddresses(secured, raw);
        secured.allowHalfOpen = true;
        resolve(secured);
        return true;
      }
      if (event === 'tlsClientError') {
        const [error, secured] = args as [Error, TLSSocket];
        settled(secured);
        secured.destroy();
        raw.destroy();
        reject(error);
        return true;
      }
      return EventEmitter.prototype.emit.call(server, event, ...args);
    };
    EventEmitter.prototype.emit.call(own, 'connection', beneath);
  });
}

function ignore(): void {
  // The error reaches the one who waits; without a listener it would end the process.
}
