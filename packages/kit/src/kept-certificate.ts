import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { BacklotError, messageOf } from '@backlot/core/plugin';
import type { KeyAndCertificate } from './certificate.js';
import { systemCode } from './listen-error.js';

/** The private key and its certificate, readable by their owner only. */
const PAIR_FILE = 'backlot-tls.pem';
/** The certificate alone, for clients to trust. */
const CA_FILE = 'backlot-ca.pem';
/** A certificate that ends sooner is replaced. */
const LEAST_LIFE = 7 * 24 * 60 * 60 * 1000;

/** The file in a folder in which {@link keepCertificate} stores the certificate for clients. */
export function keptCaFile(folder: string): string {
  return join(folder, CA_FILE);
}

/**
 * Gives the certificate that is stored in a folder. A new one is made and stored when there is none, or when the one
 * that is there is not for every host, ends within a week, or cannot be read as a key and its certificate.
 *
 * @param folder - the folder, which is made when it does not exist
 * @param hosts - every name and address that the certificate must be for
 * @throws BacklotError `invalid` when the folder cannot be used
 */
export async function keepCertificate(
  folder: string,
  hosts: readonly string[],
  make: () => Promise<KeyAndCertificate>,
): Promise<KeyAndCertificate> {
  try {
    await mkdir(folder, { recursive: true });
    const pair = await takePair(folder, hosts, make);
    if ((await readIfThere(keptCaFile(folder))) !== pair.cert)
      await put(keptCaFile(folder), pair.cert, 0o644);
    return pair;
  } catch (error) {
    throw new BacklotError(
      'invalid',
      `tls.keep: cannot keep the certificate in ${folder}: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

async function takePair(
  folder: string,
  hosts: readonly string[],
  make: () => Promise<KeyAndCertificate>,
): Promise<KeyAndCertificate> {
  const file = join(folder, PAIR_FILE);
  const kept = parse(await readIfThere(file), hosts);
  if (kept !== undefined) return kept;
  const made = await make();
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, `${made.key.trimEnd()}\n${made.cert}`, { mode: 0o600 });
  try {
    // Of several processes that start together the first one's is everybody's.
    await link(temporary, file);
    return made;
  } catch (error) {
    const others = systemCode(error) === 'EEXIST' ? parse(await readIfThere(file), hosts) : undefined;
    if (others !== undefined) return others;
    await rename(temporary, file);
    return made;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function put(file: string, text: string, mode: number): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, file);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The pair in a text, when it is one that serves these hosts for a while. */
function parse(text: string | undefined, hosts: readonly string[]): KeyAndCertificate | undefined {
  const [cert] = /-----BEGIN CERTIFICATE-----[^]*/.exec(text ?? '') ?? [];
  const [key] =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?-----END [A-Z ]*PRIVATE KEY-----\n/.exec(text ?? '') ?? [];
  if (cert === undefined || key === undefined) return undefined;
  try {
    const certificate = new X509Certificate(cert);
    const isFor = hosts.every((host) => serves(certificate, host));
    const isLasting = Date.parse(certificate.validTo) > Date.now() + LEAST_LIFE;
    const isPair = certificate.checkPrivateKey(createPrivateKey(key));
    return isFor && isLasting && isPair ? { key, cert } : undefined;
  } catch {
    return undefined;
  }
}

function serves(certificate: X509Certificate, host: string): boolean {
  if (isIP(host) !== 0) return certificate.checkIP(host) !== undefined;
  // A name with a star is in it as it stands, and no name to be checked.
  const names = (certificate.subjectAltName ?? '').split(', ');
  // Each with its type before a colon.
  return names.some((name) => name.slice(name.indexOf(':') + 1).toLowerCase() === host);
}
