import { ERRORS, ProtocolError } from './errors.js';

/** What a client says of itself in CONNECT (NATS client protocol, "CONNECT"). */
export interface ConnectOptions {
  readonly verbose: boolean;
  readonly pedantic: boolean;
  /** Whether it gets its own messages back. */
  readonly echo: boolean;
  readonly headers: boolean;
  /** Whether it is told that nobody is there to answer. */
  readonly noResponders: boolean;
  readonly username: string;
  readonly password: string;
  readonly token: string;
  /** What the client calls itself. */
  readonly name: string;
}

/** What holds before CONNECT, and for fields that it leaves out. */
export const DEFAULT_OPTIONS: ConnectOptions = {
  verbose: true,
  pedantic: true,
  echo: true,
  headers: false,
  noResponders: false,
  username: '',
  password: '',
  token: '',
  name: '',
};

/**
 * Reads the JSON of CONNECT. Unknown fields are left alone; field names are in any case.
 *
 * @throws ProtocolError when it is no such JSON, or asks for what there is not
 */
export function parseConnect(json: string): ConnectOptions {
  const fields = readFields(json);
  const flag = (name: string, instead: boolean): boolean => read(fields, name, 'boolean', instead);
  const text = (name: string): string => read(fields, name, 'string', '');
  const protocol = read(fields, 'protocol', 'number', 0);
  if (protocol < 0 || protocol > 1) throw new ProtocolError(ERRORS.clientProtocol);
  text('lang');
  text('version');
  const options: ConnectOptions = {
    verbose: flag('verbose', DEFAULT_OPTIONS.verbose),
    pedantic: flag('pedantic', DEFAULT_OPTIONS.pedantic),
    echo: flag('echo', DEFAULT_OPTIONS.echo),
    headers: flag('headers', DEFAULT_OPTIONS.headers),
    noResponders: flag('no_responders', DEFAULT_OPTIONS.noResponders),
    username: text('user'),
    password: text('pass'),
    token: text('auth_token'),
    name: text('name'),
  };
  if (options.noResponders && !options.headers) throw new ProtocolError(ERRORS.noRespondersWithoutHeaders);
  return options;
}

function readFields(json: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(json, 'latin1').toString('utf8'));
  } catch {
    throw new ProtocolError(ERRORS.parser);
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw new ProtocolError(ERRORS.parser);
  return new Map(Object.entries(value ?? {}).map(([name, field]) => [name.toLowerCase(), field]));
}

function read<T extends boolean | string | number>(
  fields: ReadonlyMap<string, unknown>,
  name: string,
  type: 'boolean' | 'string' | 'number',
  instead: T,
): T {
  const value = fields.get(name) ?? instead;
  if (typeof value !== type) throw new ProtocolError(ERRORS.parser);
  return value as T;
}
