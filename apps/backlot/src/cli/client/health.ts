import { findConfigFile } from '../../config/find-file.js';
import type { ApiClient } from '../../client/api-client.js';
import { CommandError } from '../command-error.js';
import { connect, connectTo, environment, tokenOf, trustOf, type ClientFlags } from '../connect.js';
import { print } from '../output.js';

const DEFAULT_PORT = 9091;

/**
 * `backlot health`: ends with 0 when the server answers that it is up. Without a url it asks the server that `start` makes
 * of the file of this folder, whatever its port, token and certificate are.
 */
export async function health(flags: ClientFlags & { readonly config?: string }): Promise<void> {
  const isNamed = flags.url !== undefined || environment('BACKLOT_URL') !== undefined;
  const api = isNamed ? await connect(flags) : await connectToOwn(flags);
  const { status, version } = (await api.get('/api/health')) as { status: string; version?: string };
  print(`Backlot${version === undefined ? '' : ` ${version}`}: ${status}`);
}

type Tree = Readonly<Record<string, unknown>>;

async function connectToOwn(flags: ClientFlags & { readonly config?: string }): Promise<ApiClient> {
  const folder = process.cwd();
  const file = flags.config ?? findConfigFile(folder);
  // Only the address is read: the protocols are none of the question, and to load them would take a second.
  const root =
    file === undefined
      ? {}
      : (await import('../../config/open.js')).openConfig(file, folder, process.env).root;
  const api = treeOf(root['api']);
  const tls = api['tls'] === undefined ? undefined : treeOf(api['tls']);
  const isEncrypted = tls !== undefined && tls['enabled'] !== false && tls['enabled'] !== 'false';
  const port = Number(api['port'] ?? DEFAULT_PORT);
  if (!(port > 0)) {
    throw new CommandError(
      `the port of the management API in ${file ?? folder} is ${String(api['port'])}, which does not say where it is; name the server by --url or BACKLOT_URL`,
    );
  }
  const token = typeof api['token'] === 'string' ? api['token'] : undefined;
  const trust = trustOf(flags);
  const url = `${isEncrypted ? 'https' : 'http'}://${hostOf(api, root)}:${port}`;
  // It is this machine's own server that is asked, at the address that its own file says.
  return connectTo(url, tokenOf(flags) ?? token, trust.ca === undefined ? { isInsecure: true } : trust);
}

function hostOf(api: Tree, root: Tree): string {
  const host = environment('BACKLOT_HOST') ?? api['host'] ?? root['host'];
  if (typeof host !== 'string' || host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function treeOf(value: unknown): Tree {
  return typeof value === 'object' && value !== null ? (value as Tree) : {};
}
