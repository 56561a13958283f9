import type { Connection } from './connection.js';
import { sniff } from './sniff.js';

/** The first byte of a TLS record with a handshake (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;

/**
 * Serves a connection whose client may begin with TLS or in the clear: its first byte tells. One that is silent is
 * served in the clear, since it may be waiting for a greeting.
 *
 * @param serve - takes the connection, once its handshake is done where there is one
 */
export function secureOrServe(connection: Connection, serve: (connection: Connection) => void): void {
  sniff(connection, {
    bytes: 1,
    choose: (head) => (head[0] === TLS_HANDSHAKE ? (taken) => secureAndServe(taken, serve) : serve),
    onSilence: serve,
  });
}

/** Does the TLS handshake and then serves the connection; one whose handshake fails is gone. */
export function secureAndServe(connection: Connection, serve: (connection: Connection) => void): void {
  connection.startTls().then(
    () => serve(connection),
    () => undefined,
  );
}
