import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { domainToASCII } from 'node:url';
import { BacklotError, invalid, messageOf } from '@backlot/core/plugin';
import { keepCertificate } from './kept-certificate.js';
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
const PROCESS_WISHES = Symbol.for('@backlot/kit: what the certificate of this process is for');
const registry = globalThis as {
  [PROCESS_PAIR]?: Promise<KeyAndCertificate>;
  [PROCESS_WISHES]?: CertificateWishes;
};

/** What the certificate of a process is for, beside `localhost`, 127.0.0.1 and ::1, and where it is kept. */
export interface CertificateWishes {
  /** Further names and addresses; `*.example.test` is every name below one. */
  readonly hosts?: readonly string[];
  /** A folder in which it is found again by the next process; see {@link keepCertificate}. */
  readonly folder?: string;
}

const OWN_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/**
 * Says what {@link processCertificate} is for; before anybody asks for it.
 *
 * @throws BacklotError `invalid` for a host that is neither a name nor an address; `conflict` when the certificate is made
 * already and others were wished for
 */
export function wishForCertificate(wishes: CertificateWishes): void {
  for (const host of wishes.hosts ?? []) {
    if (!isCertificateHost(host)) throw invalid(`"${host}" is no host name and no address`);
  }
  const before = JSON.stringify(registry[PROCESS_WISHES] ?? {});
  if (registry[PROCESS_PAIR] !== undefined && before !== JSON.stringify(wishes)) {
    throw new BacklotError('conflict', 'the certificate of this process is made already, for other hosts');
  }
  registry[PROCESS_WISHES] = wishes;
}

/** Whether a certificate can be made for this: an IP address, or a host name, which may begin with `*.`. */
export function isCertificateHost(host: string): boolean {
  return isIP(host) !== 0 || /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$/.test(asciiOf(host).replace(/^\*\./, ''));
}

/**
 * The self-signed certificate of this process: ECDSA P-256, for `localhost`, 127.0.0.1, ::1 and what
 * {@link wishForCertificate} was told. It is made when first asked for, and is the same for every server. Its `cert` is
 * also what clients put in their list of authorities.
 *
 * @throws BacklotError `invalid` when it is to be kept in a folder that cannot be used
 */
export function processCertificate(): Promise<KeyAndCertificate> {
  return (registry[PROCESS_PAIR] ??= takeCertificate(registry[PROCESS_WISHES] ?? {}));
}

function takeCertificate({ hosts = [], folder }: CertificateWishes): Promise<KeyAndCertificate> {
  const all = [...new Set([...OWN_HOSTS, ...hosts.map(asciiOf)])];
  const make = (): Promise<KeyAndCertificate> => makeCertificate(all);
  return folder === undefined ? make() : keepCertificate(folder, all, make);
}

/** A host as certificates have it: names in lower case, and those of other scripts in their ASCII form (RFC 5891). */
function asciiOf(host: string): string {
  if (isIP(host) !== 0) return host;
  const star = host.startsWith('*.') ? '*.' : '';
  return star + domainToASCII(host.slice(star.length));
}

async function makeCertificate(hosts: readonly string[]): Promise<KeyAndCertificate> {
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
        altNames: hosts.map((host) =>
          isIP(host) === 0 ? { type: 2 as const, value: host } : { type: 7 as const, ip: host },
        ),
      },
    ],
  });
  return { key: made.private, cert: `${made.cert.trimEnd()}\n` };
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
