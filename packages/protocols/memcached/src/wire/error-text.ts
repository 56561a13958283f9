/** The classes of errors (protocol.txt, "Error strings"). */
export const ERROR_TYPES = ['SERVER_ERROR', 'CLIENT_ERROR', 'ERROR'] as const;

/** See {@link ERROR_TYPES}. */
export type ErrorType = (typeof ERROR_TYPES)[number];

/** An error of the protocol: its class, and what is said about it. */
export interface ProtocolError {
  readonly type: ErrorType;
  readonly text: string;
}

/** Errors in memcached's own words. */
export const ERRORS = {
  unknown: { type: 'ERROR', text: '' },
  badLine: { type: 'CLIENT_ERROR', text: 'bad command line format' },
  badToken: { type: 'CLIENT_ERROR', text: 'bad token in command line format' },
  badChunk: { type: 'CLIENT_ERROR', text: 'bad data chunk' },
  badDelete: { type: 'CLIENT_ERROR', text: 'bad command line format.  Usage: delete <key> [noreply]' },
  badDelta: { type: 'CLIENT_ERROR', text: 'invalid numeric delta argument' },
  badExptime: { type: 'CLIENT_ERROR', text: 'invalid exptime argument' },
  notNumeric: { type: 'CLIENT_ERROR', text: 'cannot increment or decrement non-numeric value' },
  lineTooLong: { type: 'CLIENT_ERROR', text: 'line too long' },
  tooLarge: { type: 'SERVER_ERROR', text: 'object too large for cache' },
  noMemory: { type: 'SERVER_ERROR', text: 'out of memory storing object' },
} as const satisfies Readonly<Record<string, ProtocolError>>;

/** An error as a line of the text protocol, without its end. */
export function errorLine({ type, text }: ProtocolError): string {
  return text === '' ? type : `${type} ${text}`;
}
