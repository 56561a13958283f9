import type { Connection } from '@backlot/kit';
import type { Args } from './commands/command.js';

/** Milliseconds without a byte after which the other end is asked whether it is still there, as Redis does. */
export const KEEP_ALIVE = 300_000;
/** What browsers, and people who trick them, send: a client of HTTP is not to reach the commands in its body. */
const HTTP_WORDS = new Set(['post', 'host:']);
const IPV4_IN_IPV6 = /^::ffff:(?=[\d.]+$)/;

/** Whether a request that is no command is a line of HTTP. */
export function isHttp(args: Args): boolean {
  return HTTP_WORDS.has((args[0] ?? '').slice(0, 8).toLowerCase());
}

/** The address that a client has connected to; one of IPv4 as such. */
export function localAddressOf(connection: Connection): string {
  return (connection.socket.localAddress ?? '').replace(IPV4_IN_IPV6, '');
}
