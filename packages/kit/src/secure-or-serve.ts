import type { Connection } from './connection.js';
import { sniff } from './sniff.js';

/** The first byte of a TLS record with a handshake (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;

/**
 * Serves a connection whose client begins either with a TLS handshake or in the clear, as its first byte tells. A
 * client that sends nothing for a while is served in the clear, since it may wait for a greeting.
 *
 * @param serve - called with the connection, after its handshake if there is one
 */
export function secureOrServe(connection: Connection, serve: (connection: Connection) => void): void {
  sniff(connection, {
    bytes: 1,
    choose: (head) => (head[0] === TLS_HANDSHAKE ? (taken) => secureAndServe(taken, serve) : serve),
    onSilence: serve,
  });
}

/**
 * Does the TLS handshake and then serves the connection. A connection whose handshake fails is closed, and `serve` is
 * not called.
 */
export function secureAndServe(connection: Connection, serve: (connection: Connection) => void): void {
  connection.startTls().then(
    () => serve(connection),
    () => undefined,
  );
}
