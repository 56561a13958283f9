/** An error that a command answers; its text begins with its class, such as `ERR` or `WRONGTYPE`. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** The errors of Redis that commands share, in its words. */
export const ERRORS = {
  busyScript: 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  busyFunction: 'BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.',
  syntax: 'ERR syntax error',
  notInteger: 'ERR value is not an integer or out of range',
  notPositive: 'ERR value is out of range, must be positive',
  notFloat: 'ERR value is not a valid float',
  wrongType: 'WRONGTYPE Operation against a key holding the wrong kind of value',
  noSuchKey: 'ERR no such key',
  outOfRange: 'ERR index out of range',
  tooLarge: 'ERR string exceeds maximum allowed size (proto-max-bulk-len)',
  overflow: 'ERR increment or decrement would overflow',
  notANumber: 'ERR increment would produce NaN or Infinity',
  minOrMax: 'ERR min or max is not a float',
  minOrMaxText: 'ERR min or max not valid string range item',
  timeoutNotFloat: 'ERR timeout is not a float or out of range',
  timeoutNegative: 'ERR timeout is negative',
  cursor: 'ERR invalid cursor',
  numkeys: 'ERR numkeys should be greater than 0',
  memory: "OOM command not allowed when used memory > 'maxmemory'.",
  noAuth: 'NOAUTH Authentication required.',
  wrongPass: 'WRONGPASS invalid username-password pair or user is disabled.',
  noPassword:
    'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
  helloNoAuth:
    'NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol version at the same time',
  noProto: 'NOPROTO unsupported protocol version',
  protocolNumber: 'ERR Protocol version is not an integer or out of range',
  dbIndex: 'ERR DB index is out of range',
  nestedMulti: 'ERR MULTI calls can not be nested',
  execWithoutMulti: 'ERR EXEC without MULTI',
  discardWithoutMulti: 'ERR DISCARD without MULTI',
  watchInMulti: 'ERR WATCH inside MULTI is not allowed',
  aborted: 'EXECABORT Transaction discarded because of previous errors.',
  noScript: 'NOSCRIPT No matching script. Please use EVAL.',
} as const;

/** Answers an error. */
export function fail(text: string): never {
  throw new CommandError(text);
}

/** The error of a command with too few or too many arguments. */
export function wrongArity(name: string): string {
  return `ERR wrong number of arguments for '${name.toLowerCase()}' command`;
}

/** The error of a command that is not known, with the beginning of what was given. */
export function unknownCommand(args: readonly string[]): string {
  const [name = '', ...rest] = args;
  let shown = '';
  for (const arg of rest) {
    if (shown.length >= 128) break;
    shown += `'${arg.slice(0, 128 - shown.length)}' `;
  }
  return `ERR unknown command '${name.slice(0, 128)}', with args beginning with: ${shown}`;
}

/** The error of a container command whose subcommand is not known. */
export function unknownSubcommand(container: string, subcommand: string): string {
  return `ERR unknown subcommand '${subcommand.slice(0, 128)}'. Try ${container.toUpperCase()} HELP.`;
}
