import { createSecureContext } from 'node:tls';
import type { Command } from 'commander';
import type { ApiClient, Trust } from '../client/api-client.js';
import { readNamed, readToken } from '../config/read-token.js';
import { CommandError } from './command-error.js';

/** What every command that talks to a running server is given. */
export interface ClientFlags {
  readonly url?: string;
  readonly token?: string;
  /** A file with the token. */
  readonly tokenFile?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
  /** Files with the certificate that is shown to the server, and its private key. */
  readonly cert?: string;
  readonly key?: string;
  readonly json?: boolean;
}

const DEFAULT_URL = 'http://127.0.0.1:9091';

/** Adds `--url`, `--token`, `--ca` and `--insecure`, and `--json` unless the output is no data. */
export function addClientFlags(command: Command, options: { json?: boolean } = {}): Command {
  command
    .option('--url <url>', `the management API (default: BACKLOT_URL, else ${DEFAULT_URL})`)
    .option('--token <token>', 'its token (default: BACKLOT_API_TOKEN)')
    .option('--token-file <file>', 'a file with that token (default: BACKLOT_API_TOKEN_FILE)')
    .option('--ca <file>', 'the certificate to trust over TLS (default: BACKLOT_API_CA)')
    .option('--insecure', 'trust any certificate')
    .option('--cert <file>', 'the certificate to show to the server (default: BACKLOT_API_CERT)')
    .option('--key <file>', 'its private key (default: BACKLOT_API_KEY)');
  return options.json === false ? command : command.option('--json', 'print as JSON');
}

/**
 * Makes the client that the flags and the environment name.
 *
 * @throws CommandError when the url is none, or the certificate cannot be read
 */
export async function connect(flags: ClientFlags): Promise<ApiClient> {
  return connectTo(flags.url ?? environment('BACKLOT_URL') ?? DEFAULT_URL, tokenOf(flags), trustOf(flags));
}

/** Makes a client; what it is made of is loaded now. */
export async function connectTo(url: string, token: string | undefined, trust: Trust): Promise<ApiClient> {
  const { ApiClient: Client } = await import('../client/api-client.js');
  return new Client(url, token, trust);
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
