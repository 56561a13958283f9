import { resolve } from 'node:path';
import type { ApiClient } from '../../client/api-client.js';
import { findConfigFile } from '../../config/find-file.js';
import { readToken } from '../../config/read-token.js';
import { CommandError } from '../command-error.js';
import { namedFiles } from '../config-file.js';
import { connect, connectTo, environment, tokenOf, trustOf, type ClientFlags } from '../connect.js';
import { print } from '../output.js';

const DEFAULT_PORT = 9091;

/**
 * `backlot health`: ends with 0 when the server answers that it is up. Without a url it asks the server that `start` makes
 * of the file of this folder, whatever its port, token and certificate are.
 */
export async function health(flags: ClientFlags & { readonly config?: readonly string[] }): Promise<void> {
  const isNamed = flags.url !== undefined || environment('BACKLOT_URL') !== undefined;
  const api = isNamed ? await connect(flags) : await connectToOwn(flags);
  const { status, version } = (await api.get('/api/health')) as { status: string; version?: string };
  print(`Backlot${version === undefined ? '' : ` ${version}`}: ${status}`);
}

/** What the files and the settings of the environment over them say; nothing is checked. */
async function readRoot(files: readonly string[], folder: string): Promise<Read> {
  const { settingsOfEnvironment, setValues } = await import('../../config/set-values.js');
  const given = settingsOfEnvironment(process.env);
  if (files.length === 0 && given.length === 0) return { root: {}, folderOf: () => folder };
  const opened =
    files.length === 0
      ? (await import('../../config/open.js')).openNothing(folder)
      : (await import('../../config/open-parts.js')).openConfig(files, folder, process.env);
  return setValues(opened, given);
}

type Tree = Readonly<Record<string, unknown>>;

interface Read {
  readonly root: Tree;
  /** The folder that a path is relative to, by the place where it stands. */
  readonly folderOf: (pointer: string) => string;
}

async function connectToOwn(
  flags: ClientFlags & { readonly config?: readonly string[] },
): Promise<ApiClient> {
  const folder = process.cwd();
  const named = namedFiles([], flags.config);
  const found = named.length > 0 ? undefined : findConfigFile(folder);
  const files = found === undefined ? named : [found];
  // Only the address is read: the protocols are none of the question, and to load them would take a second.
  const { root, folderOf } = await readRoot(files, folder);
  const api = treeOf(root['api']);
  const tls = api['tls'] === undefined ? undefined : treeOf(api['tls']);
  const isEncrypted = tls !== undefined && tls['enabled'] !== false && tls['enabled'] !== 'false';
  const given = environment('BACKLOT_API_PORT') ?? api['port'];
  const port = Number(given ?? DEFAULT_PORT);
  if (!(port > 0)) {
    throw new CommandError(
      `the port of the management API in ${files.join(', ') || folder} is ${String(given)}, which does not say where it is; name the server by --url or BACKLOT_URL`,
    );
  }
  const token = typeof api['token'] === 'string' ? api['token'] : fileToken(api, folderOf('/api/token_file'));
  const trust = trustOf(flags);
  const url = `${isEncrypted ? 'https' : 'http'}://${hostOf(api, root)}:${port}`;
  // It is this machine's own server that is asked, at the address that its own file says.
  return connectTo(
    url,
    tokenOf(flags) ?? token,
    trust.ca === undefined ? { ...trust, isInsecure: true } : trust,
  );
}

/** The token in the file that the settings name, relative to the folder of the configuration. */
function fileToken(api: Tree, folder: string): string | undefined {
  const file = api['token_file'];
  if (typeof file !== 'string') return undefined;
  return readToken(resolve(folder, file), 'api.token_file');
}

function hostOf(api: Tree, root: Tree): string {
  const host = environment('BACKLOT_HOST') ?? api['host'] ?? root['host'];
  if (typeof host !== 'string' || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function treeOf(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? (value as Tree) : {};
}
