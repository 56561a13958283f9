import { randomBytes, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { domainToASCII } from 'node:url';
import { BacklotError, invalid, messageOf } from '@backlot/core/plugin';
import { certificateGenerator } from './certificate-generator.js';
import { keepCertificate } from './kept-certificate.js';
import { systemCode } from './listen-error.js';

/** A private key and its certificate (or chain), both PEM. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

/**
 * Where a server's certificate comes from: two files, or the self-signed one of this process. The names are those of
 * the configuration.
 */
export interface TlsOptions {
  /** Path of a PEM file with the certificate, or the chain with the server's own first. */
  readonly cert_file?: string;
  /** Path of a PEM file with the certificate's private key. */
  readonly key_file?: string;
  /** Whether the certificate of {@link processCertificate} is used; by default when no file is named. */
  readonly self_signed?: boolean;
  /** Path of a PEM file with the authorities that sign the certificates of clients, who must show one. */
  readonly client_ca?: string;
  /** What is wrong with the certificate: see {@link faultyCertificate}. */
  readonly fault?: TlsFault | undefined;
}

/** What may be wrong with a certificate on purpose: its time is over, or it is for another host. */
export type TlsFault = 'expired' | 'wrong_host';

const DAY = 24 * 60 * 60 * 1000;

/** In the realm's own registry: a plugin may bring a second copy of this package, whose servers show the same. */
const PROCESS_PAIR = Symbol.for('@backlot/kit: the certificate of this process');
const PROCESS_WISHES = Symbol.for('@backlot/kit: what the certificate of this process is for');
const PROCESS_SOURCE = Symbol.for('@backlot/kit: where the certificate of this process comes from');
const registry = globalThis as {
  [PROCESS_PAIR]?: Promise<KeyAndCertificate>;
  [PROCESS_SOURCE]?: () => Promise<KeyAndCertificate>;
  [PROCESS_WISHES]?: CertificateWishes;
};

/**
 * Which hosts the certificate of this process is for, beside `localhost`, 127.0.0.1 and ::1, and where it is stored.
 */
export interface CertificateWishes {
  /** Further names and addresses; `*.example.test` stands for every name with one label more. */
  readonly hosts?: readonly string[];
  /** A folder in which it is stored, so that the next process uses it again; see {@link keepCertificate}. */
  readonly folder?: string;
}

const OWN_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/**
 * Sets for which hosts {@link processCertificate} makes the certificate, and where it is stored. Call it before the
 * certificate is first used.
 *
 * @throws BacklotError `invalid` for a host that is neither a name nor an address; `conflict` when the certificate was
 * made already, for other wishes
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
 * The self-signed certificate of this process: ECDSA P-256, for `localhost`, 127.0.0.1, ::1 and the hosts that
 * {@link wishForCertificate} was given. It is made when it is first asked for, and all servers of the process use it.
 * Clients that should trust it add `cert` to their authorities.
 *
 * @throws BacklotError `invalid` when the folder that it is to be stored in cannot be used
 */
export function processCertificate(): Promise<KeyAndCertificate> {
  return (registry[PROCESS_PAIR] ??=
    registry[PROCESS_SOURCE]?.() ?? takeCertificate(registry[PROCESS_WISHES] ?? {}));
}

/** Lets {@link processCertificate} be one that another process has made, of which all are that serve the same ports. */
export function shareCertificate(give: () => Promise<KeyAndCertificate>): void {
  registry[PROCESS_SOURCE] = give;
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

function makeCertificate(hosts: readonly string[]): Promise<KeyAndCertificate> {
  const now = Date.now();
  // A container's clock may be behind; some systems refuse server certificates that are valid for more than 825 days.
  const validity = { from: now - DAY, to: now + 820 * DAY };
  return generateCertificate('localhost', hosts, validity, undefined, randomBytes(4).toString('hex'));
}

/** A host that no certificate is for. */
const WRONG_HOST = 'wrong.host.invalid';

/**
 * A certificate with something wrong, issued by another one, so that clients who trust that find this and nothing else wrong.
 * Where the other one is no authority it is self-signed, as that of the process is.
 *
 * @param good - what is shown when nothing is wrong
 */
async function faultyCertificate(good: KeyAndCertificate, fault: TlsFault): Promise<KeyAndCertificate> {
  const shown = new X509Certificate(good.cert);
  const now = Date.now();
  const isExpired = fault === 'expired';
  const hosts = isExpired ? hostsOf(shown) : [WRONG_HOST];
  const validity = isExpired
    ? { from: now - 90 * DAY, to: now - DAY }
    : { from: now - DAY, to: now + 90 * DAY };
  // Not the name of its issuer: it would be taken for self-signed.
  return generateCertificate(
    isExpired ? 'expired' : WRONG_HOST,
    hosts,
    validity,
    shown.ca ? good : undefined,
  );
}

/** Its own name, which is not that of its issuer: it would be taken for self-signed. */
const OTHER_HOST = 'made by Backlot';

/**
 * A certificate for a host, issued by that of this process, which clients of a proxy trust.
 *
 * @param host - a name or an address without brackets
 * @param fault - what is wrong with it
 */
export async function hostCertificate(host: string, fault: TlsFault | undefined): Promise<KeyAndCertificate> {
  const now = Date.now();
  const { key, cert } = await processCertificate();
  const validity =
    fault === 'expired'
      ? { from: now - 90 * DAY, to: now - DAY }
      : { from: now - DAY, to: Math.min(now + 390 * DAY, Date.parse(new X509Certificate(cert).validTo)) };
  const hosts = [fault === 'wrong_host' ? WRONG_HOST : asciiOf(host)];
  return generateCertificate(OTHER_HOST, hosts, validity, { key, cert });
}

/** The names and addresses that a certificate is for. */
function hostsOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const hosts = Array.from(subjectAltName.matchAll(/(?:DNS|IP Address):([^,\s]+)/g), ([, host = '']) => host);
  return hosts.length === 0 ? OWN_HOSTS : hosts;
}

/**
 * @param issuer - an authority that signs it; it signs itself when absent
 * @param mark - what tells it from another one of the same name: clients that trust both look for the issuer by its whole name
 */
async function generateCertificate(
  name: string,
  hosts: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  issuer?: KeyAndCertificate,
  mark?: string,
): Promise<KeyAndCertificate> {
  const { generate } = await certificateGenerator();
  const isAuthority = issuer === undefined;
  const names = [
    { name: 'commonName', value: name },
    ...(mark === undefined ? [] : [{ name: 'organizationName', value: `Backlot ${mark}` }]),
  ];
  const made = await generate(names, {
    ...(isAuthority ? {} : { ca: issuer }),
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(from),
    notAfterDate: new Date(to),
    extensions: [
      { name: 'basicConstraints', cA: isAuthority, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: isAuthority, critical: true },
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
 * Reads the certificate that the options name, or gives that of the process; with a fault, one with that issued by it.
 *
 * @throws BacklotError `invalid` when the options contradict each other, a file cannot be read, or key and certificate
 * are not a pair
 */
export async function loadTls({ fault, client_ca: _, ...options }: TlsOptions): Promise<KeyAndCertificate> {
  const good = await loadGood(options);
  return fault === undefined ? good : faultyCertificate(good, fault);
}

/** Looks whether a server could start with these options, and keeps nothing. @throws BacklotError `invalid` as its start would */
export async function checkTls(options: TlsOptions): Promise<void> {
  if (options.client_ca !== undefined) await loadClientAuthorities(options.client_ca);
  await loadTls(options);
}

/**
 * Reads the authorities whose certificates clients must show.
 *
 * @throws BacklotError `invalid` when the file cannot be read, or holds no certificate
 */
export async function loadClientAuthorities(path: string): Promise<string> {
  const text = await readPem('client_ca', path);
  try {
    if (!text.includes('-----BEGIN CERTIFICATE-----'))
      throw new Error('no "-----BEGIN CERTIFICATE-----" in it');
    createSecureContext({ ca: text });
  } catch (error) {
    throw new BacklotError(
      'invalid',
      `tls.client_ca: ${path} holds no certificate as PEM: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
  return text;
}

async function loadGood(options: Omit<TlsOptions, 'fault' | 'client_ca'>): Promise<KeyAndCertificate> {
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
