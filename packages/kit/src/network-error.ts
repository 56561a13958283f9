import { systemCode } from './listen-error.js';

const NETWORK_CODES = new Set([
  'ECANCELED',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTCONN',
  'EPIPE',
  'ETIMEDOUT',
]);
const LIBRARY_CODES = /^ERR_(HTTP2|SSL|STREAM|TLS)_[A-Z0-9_]+$/;

/** Whether the code of an error says that the network or the client has failed, as ECONNRESET does. */
export function isNetworkError(error: unknown): boolean {
  const code = systemCode(error);
  return NETWORK_CODES.has(code) || LIBRARY_CODES.test(code);
}
