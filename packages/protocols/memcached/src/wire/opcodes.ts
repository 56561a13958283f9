/** What a request of the binary protocol is. */
export interface Opcode {
  /** The command in the words of the text protocol. */
  readonly command: string;
  /** Whether the usual answer is left out: a miss of a retrieval, a success of anything else. */
  readonly isQuiet: boolean;
  /** How many bytes of extras there are; several where there is a choice. */
  readonly extras: readonly number[];
  readonly hasKey: boolean;
  readonly hasValue: boolean;
  /** Whether the answer repeats the key. */
  readonly repeatsKey: boolean;
}

function make(command: string, needs: Partial<Omit<Opcode, 'command'>> = {}): Opcode {
  return { command, isQuiet: false, extras: [0], hasKey: true, hasValue: false, repeatsKey: false, ...needs };
}

const QUIET = { isQuiet: true } as const;
const STORAGE = { extras: [8], hasValue: true } as const;
const COUNT = { extras: [20] } as const;
const TOUCH = { extras: [4] } as const;
const KEYLESS = { hasKey: false } as const;
const REPEATS = { repeatsKey: true } as const;

/** Requests by the byte that names them (memcached wiki, BinaryProtocolRevamped, "Command Opcodes"). */
export const OPCODES: ReadonlyMap<number, Opcode> = new Map<number, Opcode>([
  [0x00, make('get')],
  [0x01, make('set', STORAGE)],
  [0x02, make('add', STORAGE)],
  [0x03, make('replace', STORAGE)],
  [0x04, make('delete')],
  [0x05, make('incr', COUNT)],
  [0x06, make('decr', COUNT)],
  [0x07, make('quit', KEYLESS)],
  [0x08, make('flush_all', { ...KEYLESS, extras: [0, 4] })],
  [0x09, make('get', QUIET)],
  [0x0a, make('noop', KEYLESS)],
  [0x0b, make('version', KEYLESS)],
  [0x0c, make('get', REPEATS)],
  [0x0d, make('get', { ...QUIET, ...REPEATS })],
  [0x0e, make('append', { hasValue: true })],
  [0x0f, make('prepend', { hasValue: true })],
  [0x10, make('stats')],
  [0x11, make('set', { ...QUIET, ...STORAGE })],
  [0x12, make('add', { ...QUIET, ...STORAGE })],
  [0x13, make('replace', { ...QUIET, ...STORAGE })],
  [0x14, make('delete', QUIET)],
  [0x15, make('incr', { ...QUIET, ...COUNT })],
  [0x16, make('decr', { ...QUIET, ...COUNT })],
  [0x17, make('quit', { ...QUIET, ...KEYLESS })],
  [0x18, make('flush_all', { ...QUIET, ...KEYLESS, extras: [0, 4] })],
  [0x19, make('append', { ...QUIET, hasValue: true })],
  [0x1a, make('prepend', { ...QUIET, hasValue: true })],
  [0x1b, make('verbosity', { ...KEYLESS, extras: [4] })],
  [0x1c, make('touch', TOUCH)],
  [0x1d, make('gat', TOUCH)],
  [0x1e, make('gat', { ...QUIET, ...TOUCH })],
  [0x20, make('sasl_list_mechs', KEYLESS)],
  [0x21, make('sasl_auth', { hasValue: true })],
  [0x22, make('sasl_step', { hasValue: true })],
  [0x23, make('gat', { ...TOUCH, ...REPEATS })],
  [0x24, make('gat', { ...QUIET, ...TOUCH, ...REPEATS })],
]);
