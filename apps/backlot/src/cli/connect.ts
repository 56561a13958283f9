import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Command } from 'commander';
import type { ApiClient, Trust } from '../client/api-client.js';
import { CommandError } from './command-error.js';

/** What every command that talks to a running server is given. */
export interface ClientFlags {
  readonly url?: string;
  readonly token?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
  /** The space that it is about; the main world when absent. */
  readonly space?: string;
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
    .option('--ca <file>', 'the certificate to trust over TLS (default: BACKLOT_API_CA)')
    .option('--insecure', 'trust any certificate');
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
  return new Client(url, { token, trust, space });
}

/** A variable that is set and not empty. */
export function environment(name: string): string | undefined {
  const value = process.env[name];
  return value === '' ? undefined : value;
}

/**
 * Whether a variable switches something on.
 *
 * @throws CommandError when it is neither 1 or true, nor 0, false or empty
 */
export function isSet(name: string): boolean {
  const value = environment(name)?.toLowerCase();
  if (value === undefined || value === '0' || value === 'false') return false;
  if (value === '1' || value === 'true') return true;
  throw new CommandError(`${name} is ${JSON.stringify(value)}; it must be 1 or 0`);
}

/** The token of the flags, else of the environment. */
export function tokenOf({ token }: ClientFlags): string | undefined {
  return token ?? environment('BACKLOT_API_TOKEN');
}

/**
 * Whose certificate is trusted.
 *
 * @throws CommandError when a file that is named holds none
 */
export function trustOf({ ca, insecure }: ClientFlags): Trust {
  if (insecure === true) return { isInsecure: true };
  const file = ca ?? environment('BACKLOT_API_CA');
  return file === undefined ? {} : { ca: readCa(file, ca === undefined ? 'BACKLOT_API_CA' : '--ca') };
}

function readCa(file: string, source: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `${source}: cannot read ${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`,
    );
  }
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
