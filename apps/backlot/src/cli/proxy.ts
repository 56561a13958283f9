import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import type { Host, Protocol } from '@backlot/core';
import type { FileSettings } from '../config/settings.js';
import type { CaFile } from './ca-file.js';
import { CommandError } from './command-error.js';
import { environment } from './connect.js';

/** The kind that is a proxy. */
const KIND = 'http';

/** Variables that name a file with all authorities that a program trusts. */
const BUNDLES: readonly string[] = [
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
  'AWS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
];

/** Where programs find the servers of this run without the proxy. */
const OWN_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/**
 * The same settings with a proxy, which they may have already.
 *
 * @param only - the only kinds that start; all of the settings when absent
 * @throws CommandError when its kind is not installed, or does not start
 */
export function withProxy(
  settings: FileSettings | undefined,
  protocols: readonly Protocol[],
  only?: readonly string[],
): FileSettings {
  const block = settings?.protocols?.[KIND] as
    { readonly enabled?: boolean; readonly share?: unknown } | undefined;
  if (!protocols.some(({ kind }) => kind === KIND))
    throw new CommandError(`--proxy needs ${KIND}, which is not installed`);
  if (only?.includes(KIND) === false || block?.enabled === false)
    throw new CommandError(`--proxy needs ${KIND}, which does not start; name it by --only, or enable it`);
  return { ...settings, protocols: { ...settings?.protocols, [KIND]: { proxy: {}, ...block } } };
}

/**
 * The variables by which programs use the proxy and trust what it shows.
 *
 * @param ca - the files with the certificate; one is written beside them that has the public authorities as well, since programs take
 * what the variables name in place of those
 */
export function proxyVariables(host: Host, ca: CaFile): Readonly<Record<string, string>> {
  const url = host.kind(KIND).url ?? '';
  const excepted = [environment('NO_PROXY') ?? environment('no_proxy') ?? '', ...OWN_HOSTS]
    .filter((name) => name !== '')
    .join(',');
  const bundle = join(ca.folder, 'ca-bundle.pem');
  const own = ca.variables['BACKLOT_CA_FILE'] ?? '';
  writeFileSync(bundle, [...rootCertificates, readGiven(), readFileSync(own, 'utf8')].join('\n'));
  return {
    // Programs differ in which they read: curl reads http_proxy in small letters alone.
    ...{ HTTP_PROXY: url, http_proxy: url, HTTPS_PROXY: url, https_proxy: url },
    ...{ NO_PROXY: excepted, no_proxy: excepted },
    // Node.js reads the variables from version 24 on, where it is told to.
    NODE_USE_ENV_PROXY: '1',
    ...Object.fromEntries(BUNDLES.map((name) => [name, bundle])),
  };
}

/** What programs are told to trust already. */
function readGiven(): string {
  const files = new Set(BUNDLES.flatMap((name) => environment(name) ?? []));
  return Array.from(files, (file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      // They could not read it either.
      return '';
    }
  }).join('\n');
}
