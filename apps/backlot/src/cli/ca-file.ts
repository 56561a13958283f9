import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptCaFile, processCertificate } from '@backlot/kit';
import type { ServerPlan } from '../server/plan.js';
import { environment } from './connect.js';

/** The certificate of a server as a file, for the programs that talk to it. */
export interface CaFile {
  /** The folder with the files, which goes with them. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * Writes the certificate that is made for this process where a program can read it; `undefined` when no listener of the plan
 * has it, since making one takes time.
 *
 * `NODE_EXTRA_CA_CERTS` adds to the authorities that Node.js knows; where it is set already, what it names is kept. What
 * OpenSSL, curl and Python read (`SSL_CERT_FILE` and the like) takes the place of all others, so it is for the user to say.
 */
export async function writeCaFile(plan: ServerPlan): Promise<CaFile | undefined> {
  const isForApi = isSelfSigned(plan.api.tls);
  const blocks = Object.values(plan.host.settings ?? {}) as readonly Tls[];
  if (!isForApi && !blocks.some((block) => block.enabled !== false && showsMade(block))) return undefined;
  const { cert } = await processCertificate();
  const folder = mkdtempSync(join(tmpdir(), 'backlot-'));
  const { keep } = plan.tls;
  const file = keep === undefined ? write(join(folder, 'backlot-ca.pem'), cert) : keptCaFile(keep);
  const others = readOthers();
  return {
    folder,
    variables: {
      BACKLOT_CA_FILE: file,
      ...(isForApi ? { BACKLOT_API_CA: file } : {}),
      NODE_EXTRA_CA_CERTS: others === '' ? file : write(join(folder, 'extra-ca.pem'), `${others}\n${cert}`),
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function write(file: string, text: string): string {
  writeFileSync(file, text);
  return file;
}

/** What Node.js is told to trust already; nothing where it could not read it either. */
function readOthers(): string {
  const file = environment('NODE_EXTRA_CA_CERTS');
  try {
    return file === undefined ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** A block that may have TLS. */
interface Tls {
  readonly enabled?: boolean;
  readonly tls?: { readonly enabled?: boolean; readonly cert_file?: string };
  readonly proxy?: object;
}

/** Whether a listener shows the certificate of this process, or one that it has signed, as a proxy does. */
function showsMade({ tls, proxy }: Tls): boolean {
  return proxy !== undefined || isSelfSigned(tls);
}

function isSelfSigned(tls: Tls['tls']): boolean {
  return tls !== undefined && tls.enabled !== false && tls.cert_file === undefined;
}
