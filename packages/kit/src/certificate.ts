import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { BacklotError, invalid, messageOf } from '@backlot/core/plugin';
import { systemCode } from './listen-error.js';

/** A private key and its certificate (or chain), both PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

/** Where a server's certificate comes from: two files, or the process's own. Named as in the configuration file. */
export interface TlsOptions {
  /** Path of a PEM file with the certificate, or the chain with the server's own first. */
  readonly cert_file?: string;
  /** Path of a PEM file with the certificate's private key. */
  readonly key_file?: string;
  /** The certificate of {@link processCertificate}; by default where no file is named. */
  readonly self_signed?: boolean;
}

const DAY = 24 * 60 * 60 * 1000;

/** In the realm's own registry: a plugin may bring a second copy of this package, whose servers show the same. */
const PROCESS_PAIR = Symbol.for('@backlot/kit: the certificate of this process');
const registry = globalThis as { [PROCESS_PAIR]?: Promise<KeyAndCertificate> };

/**
 * The self-signed certificate of this process: ECDSA P-256, for `localhost`, 127.0.0.1 and ::1. It is made when first
 * asked for, and is the same for every server. Its `cert` is also what clients put in their list of authorities.
 */
export function processCertificate(): Promise<KeyAndCertificate> {
  return (registry[PROCESS_PAIR] ??= makeCertificate());
}

async function makeCertificate(): Promise<KeyAndCertificate> {
  // The generator takes 100 ms to load, which servers without TLS should not pay.
  const { generate } = await import('selfsigned');
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // A container's clock may be behind; some systems refuse server certificates that are valid for more than 825 days.
    notBeforeDate: new Date(now - DAY),
    notAfterDate: new Date(now + 820 * DAY),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/**
 * Reads the certificate that the options name.
 *
 * @throws BacklotError `invalid` when the options contradict each other, a file cannot be read, or key and certificate
 * are not a pair
 */
export async function loadTls(options: TlsOptions): Promise<KeyAndCertificate> {
  const { cert_file, key_file, self_signed } = options;
  const hasFiles = cert_file !== undefined || key_file !== undefined;
  if (self_signed ?? !hasFiles) {
    if (hasFiles) {
      throw invalid(
        'tls has self_signed and files; give either self_signed: true, or cert_file and key_file',
      );
    }
    return processCertificate();
  }
  if (cert_file === undefined || key_file === undefined) {
    const given =
      cert_file === undefined
        ? key_file === undefined
          ? 'neither file'
          : 'key_file only'
        : 'cert_file only';
    throw invalid(`tls has ${given}; give cert_file and key_file, or self_signed: true`);
  }
  const cert = await readPem('cert_file', cert_file);
  const key = await readPem('key_file', key_file);
  try {
    createSecureContext({ key, cert });
  } catch (error) {
    throw new BacklotError(
      'invalid',
      `tls: cert_file ${cert_file} and key_file ${key_file} are not a PEM certificate and its key: ${messageOf(error)}`,
      { cause: error },
    );
  }
  return { key, cert };
}

async function readPem(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = systemCode(error) === 'ENOENT' ? 'there is no such file' : messageOf(error);
    throw new BacklotError('invalid', `tls.${name}: cannot read ${path}: ${reason}`, { cause: error });
  }
}
