import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptCaFile, processCertificate } from '@backlot/kit';
import type { ServerPlan } from '../server/plan.js';

/** The certificate of a server as a file, for the programs that talk to it. */
export interface CaFile {
  readonly variables: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * Writes the certificate that is made for this process where a program can read it; `undefined` when no listener of the plan
 * has it, since making one takes time.
 *
 * `NODE_EXTRA_CA_CERTS` adds to the authorities that Node.js knows, and is left alone where it is set. What OpenSSL, curl
 * and Python read (`SSL_CERT_FILE` and the like) takes the place of all others, so it is for the user to say.
 */
export async function writeCaFile(plan: ServerPlan): Promise<CaFile | undefined> {
  const isForApi = isSelfSigned(plan.api.tls);
  const blocks = Object.values(plan.host.settings ?? {}) as readonly Tls[];
  if (!isForApi && !blocks.some((block) => block.enabled !== false && isSelfSigned(block.tls)))
    return undefined;
  const { cert } = await processCertificate();
  const { keep } = plan.tls;
  const folder = keep === undefined ? mkdtempSync(join(tmpdir(), 'backlot-')) : undefined;
  const file = folder === undefined ? keptCaFile(keep ?? '') : join(folder, 'backlot-ca.pem');
  if (folder !== undefined) writeFileSync(file, cert);
  return {
    variables: {
      BACKLOT_CA_FILE: file,
      ...(isForApi ? { BACKLOT_API_CA: file } : {}),
      ...((process.env['NODE_EXTRA_CA_CERTS'] ?? '') === '' ? { NODE_EXTRA_CA_CERTS: file } : {}),
    },
    remove() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A block that may have TLS. */
interface Tls {
  readonly enabled?: boolean;
  readonly tls?: { readonly enabled?: boolean; readonly cert_file?: string };
}

function isSelfSigned(tls: Tls['tls']): boolean {
  return tls !== undefined && tls.enabled !== false && tls.cert_file === undefined;
}
