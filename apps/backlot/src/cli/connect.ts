import { createSecureContext } from 'node:tls';
import type { Command } from 'commander';
import type { ApiClient, Trust } from '../client/api-client.js';
import { readNamed, readToken } from '../config/read-token.js';
import { CommandError } from './command-error.js';
import { note } from './output.js';

/** What every command that talks to a running server is given. */
export interface ClientFlags {
  readonly url?: string;
  readonly token?: string;
  /** A file with the token. */
  readonly tokenFile?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
  /** The space that it is about; the main world when absent. */
  readonly space?: string;
  /** Files with the certificate that is shown to the server, and its private key. */
  readonly cert?: string;
  readonly key?: string;
  readonly json?: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:9091';

/** What a command that talks to a server is about. */
export interface ClientFlagOptions {
  /** False when its output is no data: then there is no `--json`. */
  readonly json?: boolean;
  /** False when it is about the server, and not about one of its worlds: then there is no `--space`. */
  readonly space?: boolean;
}

/** Adds `--url`, `--token`, `--ca`, `--insecure`, `--space` and `--json`. */
export function addClientFlags(command: Command, { json, space }: ClientFlagOptions = {}): Command {
  command
    .option('--url <url>', `the management API (default: BACKLOT_URL, else ${DEFAULT_URL})`)
    .option('--token <token>', 'its token (default: BACKLOT_API_TOKEN)')
    .option('--token-file <file>', 'a file with that token (default: BACKLOT_API_TOKEN_FILE)')
    .option('--ca <file>', 'the certificate to trust over TLS (default: BACKLOT_API_CA)')
    .option('--insecure', 'trust any certificate')
    .option('--cert <file>', 'the certificate to show to the server (default: BACKLOT_API_CERT)')
    .option('--key <file>', 'its private key (default: BACKLOT_API_KEY)');
  if (space !== false) command.option('--space <id>', 'the space that it is about (default: none of them)');
  return json === false ? command : command.option('--json', 'print as JSON');
}

/**
 * Makes the client that the flags and the environment name.
 *
 * @throws CommandError when the url is none, the certificate cannot be read, or no space can have that id
 */
export async function connect(flags: ClientFlags): Promise<ApiClient> {
  return connectTo(urlOf(flags), tokenOf(flags), trustOf(flags), flags.space);
}

/** The url of the flags, else of the environment. */
export function urlOf({ url }: ClientFlags): string {
  return url ?? environment('BACKLOT_URL') ?? DEFAULT_URL;
}

/** Makes a client; what it is made of is loaded now. @param space - the space that its requests are about */
export async function connectTo(
  url: string,
  token: string | undefined,
  trust: Trust,
  space?: string,
): Promise<ApiClient> {
  const { ApiClient: Client } = await import('../client/api-client.js');
  return new Client(url, { token, trust, space, onWarning: (text) => note(`warning: ${text}`) });
}

/** A variable that is set and not empty. */
export function environment(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

/**
 * The token of the flags, else that in the file that they or the environment name, else that of the environment.
 *
 * @throws CommandError when the file cannot be read, or holds none
 */
export function tokenOf({ token, tokenFile }: Pick<ClientFlags, 'token' | 'tokenFile'>): string | undefined {
  if (token !== undefined) return token;
  return tokenFile === undefined ? environment('BACKLOT_API_TOKEN') : readToken(tokenFile, '--token-file');
}

/**
 * Whose certificate is trusted, and which one is shown.
 *
 * @throws CommandError when a file that is named holds none, or only one of a certificate and its key is given
 */
export function trustOf({ ca, insecure, cert, key }: ClientFlags): Trust {
  const shown = shownPair(cert, key);
  if (insecure === true) return { isInsecure: true, ...shown };
  return ca === undefined
    ? shown
    : { ca: readCa(ca, ca === environment('BACKLOT_API_CA') ? 'BACKLOT_API_CA' : '--ca'), ...shown };
}

function shownPair(cert: string | undefined, key: string | undefined): Pick<Trust, 'cert' | 'key'> {
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined) {
    const [given, missing] = cert === undefined ? ['--key', '--cert'] : ['--cert', '--key'];
    throw new CommandError(
      `${given} is given without ${missing}; a certificate is shown with its private key`,
    );
  }
  const pair = { cert: readNamed(cert, '--cert'), key: readNamed(key, '--key') };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new CommandError(
      `--cert ${cert} and --key ${key} are not a PEM certificate and its key: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return pair;
}

function readCa(file: string, source: string): string {
  const text = readNamed(file, source);
  try {
    if (!text.includes('-----BEGIN CERTIFICATE-----'))
      throw new Error('no "-----BEGIN CERTIFICATE-----" in it');
    createSecureContext({ ca: text });
  } catch (error) {
    throw new CommandError(
      `${source}: ${file} holds no certificate as PEM: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return text;
}
