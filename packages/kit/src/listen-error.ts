import { BacklotError, messageOf } from '@backlot/core/plugin';
import type { ListenAddress } from '@backlot/core/plugin';
import { formatAddress } from './address.js';

/** The code of a system error (`EADDRINUSE`, ...), or `''`. */
export function systemCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}

/**
 * Makes the error a person sees when a port cannot be had. The system's own error stays in `cause`, with its `code`.
 *
 * @param error - what binding reported
 * @param place - the host and port that were asked for
 */
export function listenError(error: unknown, place: ListenAddress): BacklotError {
  const where = formatAddress(place.host, place.port);
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return new BacklotError(
        'port_in_use',
        `address already in use ${where}: stop what listens there, or choose another port (0 takes a free one)`,
        { cause: error },
      );
    case 'EACCES':
      return new BacklotError('invalid', `no permission to listen on ${where}: choose a port above 1023`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new BacklotError(
        'invalid',
        `cannot listen on ${where}: this machine has no address ${place.host}; use localhost, 0.0.0.0 or one of its own`,
        { cause: error },
      );
    case 'EMFILE':
    case 'ENFILE':
      return new BacklotError(
        'invalid',
        `cannot listen on ${where}: too many open files (${systemCode(error)}): raise the limit before the start, as in "ulimit -n 65536"`,
        { cause: error },
      );
    default:
      return new BacklotError('invalid', `cannot listen on ${where}: ${messageOf(error)}`, { cause: error });
  }
}
