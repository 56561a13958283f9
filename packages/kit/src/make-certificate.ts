import {
  createHash,
  createPrivateKey,
  generateKeyPair,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { invalid } from '@backlot/core/plugin';
import { DER, der, derIdentifier, derTime, readDer } from './der.js';

/** Identifiers of RFC 5280. */
const ID = {
  commonName: '2.5.4.3',
  organizationName: '2.5.4.10',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKey: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
};

/** How keys of authorities sign, by their type (RFC 5758, RFC 8017, RFC 8410). */
const SIGNATURES: Readonly<Record<string, { readonly algorithm: Buffer; readonly hash: string | null }>> = {
  ec: { algorithm: der(DER.sequence, derIdentifier('1.2.840.10045.4.3.2')), hash: 'sha256' },
  rsa: {
    algorithm: der(DER.sequence, derIdentifier('1.2.840.113549.1.1.11'), Buffer.of(0x05, 0)),
    hash: 'sha256',
  },
  ed25519: { algorithm: der(DER.sequence, derIdentifier('1.3.101.112')), hash: null },
};

const TRUE = der(DER.boolean, Buffer.of(0xff));

/** What a certificate says. */
export interface CertificateContent {
  readonly commonName: string;
  readonly organizationName?: string | undefined;
  /** The names and addresses that it is for. */
  readonly hosts: readonly string[];
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Who signs it, both PEM. */
interface Issuer {
  readonly key: string;
  readonly cert: string;
}

const makeKeys = promisify(generateKeyPair);

/**
 * Makes a key, ECDSA P-256, and a certificate for it (RFC 5280), for servers and clients. Node.js reads certificates and makes none.
 *
 * @param issuer - an authority that signs it; when absent it signs itself, and is an authority
 * @throws BacklotError `invalid` when the authority has a key of a kind that does not sign here
 */
export async function makeCertificate(
  content: CertificateContent,
  issuer?: Issuer,
): Promise<{ key: string; cert: string }> {
  const { privateKey, publicKey } = await makeKeys('ec', { namedCurve: 'prime256v1' });
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' });
  const keyId = idOf(keyInfo);
  const subject = nameOf(content);
  const signer = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const { algorithm, hash } = signatureOf(signer);
  const above = issuer && read(issuer.cert);
  const said = der(
    DER.sequence,
    der(0xa0, der(DER.integer, Buffer.of(2))),
    der(DER.integer, serial()),
    algorithm,
    above?.subject ?? subject,
    der(DER.sequence, derTime(content.from), derTime(content.to)),
    subject,
    keyInfo,
    der(0xa3, der(DER.sequence, ...extensionsOf(content.hosts, keyId, above))),
  );
  const signature = sign(hash, said, signer);
  const cert = der(DER.sequence, said, algorithm, der(DER.bits, Buffer.of(0), signature));
  const lines = cert.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function signatureOf(signer: KeyObject): { readonly algorithm: Buffer; readonly hash: string | null } {
  const type = signer.asymmetricKeyType ?? 'unknown';
  const found = SIGNATURES[type];
  if (found !== undefined) return found;
  const known = Object.keys(SIGNATURES).join(', ');
  throw invalid(`an authority with a key of the type ${type} cannot sign certificates here; ${known} can`);
}

/** Positive, and not to be guessed. */
function serial(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = 0x40 | ((bytes[0] ?? 0) & 0x3f);
  return bytes;
}

function nameOf({ commonName, organizationName }: CertificateContent): Buffer {
  const one = (id: string, value: string): Buffer =>
    der(DER.set, der(DER.sequence, derIdentifier(id), der(DER.utf8, value)));
  return der(
    DER.sequence,
    one(ID.commonName, commonName),
    ...(organizationName === undefined ? [] : [one(ID.organizationName, organizationName)]),
  );
}

function extensionsOf(hosts: readonly string[], keyId: Buffer, above: Read | undefined): Buffer[] {
  const isAuthority = above === undefined;
  const one = (id: string, value: Buffer, isCritical = false): Buffer =>
    der(DER.sequence, derIdentifier(id), ...(isCritical ? [TRUE] : []), der(DER.bytes, value));
  // The first bit is that of signatures, the sixth that of certificates; so many of the last byte are not used.
  const usage = isAuthority ? Buffer.of(2, 0x84) : Buffer.of(7, 0x80);
  return [
    one(ID.basicConstraints, der(DER.sequence, ...(isAuthority ? [TRUE] : [])), true),
    one(ID.keyUsage, der(DER.bits, usage), true),
    one(ID.extKeyUsage, der(DER.sequence, derIdentifier(ID.serverAuth), derIdentifier(ID.clientAuth))),
    one(ID.subjectAltName, der(DER.sequence, ...hosts.map(altNameOf))),
    one(ID.subjectKey, der(DER.bytes, keyId)),
    ...(above?.keyId === undefined ? [] : [one(ID.authorityKey, der(DER.sequence, der(0x80, above.keyId)))]),
  ];
}

function altNameOf(host: string): Buffer {
  return isIP(host) === 0 ? der(0x82, host) : der(0x87, addressBytes(host));
}

/** The octets of an address. */
function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split('.').map(Number));
  // The form that URLs have: no zone, no dots, one gap at the most.
  const plain = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  const [before = '', behind = ''] = plain.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const gap = 8 - groups(before).length - groups(behind).length;
  const all = [...groups(before), ...Array.from({ length: gap }, () => '0'), ...groups(behind)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** What identifies a key: the hash of its bits (RFC 5280, 4.2.1.2). */
function idOf(keyInfo: Buffer): Buffer {
  const [outer] = readDer(keyInfo);
  const bits =
    readDer(outer?.content ?? keyInfo)
      .at(-1)
      ?.content.subarray(1) ?? keyInfo;
  return createHash('sha1').update(bits).digest();
}

interface Read {
  readonly subject: Buffer;
  readonly keyId: Buffer | undefined;
}

/** What a certificate that an authority signs says of it, as it stands in its own. */
function read(cert: string): Read {
  const [outer] = readDer(new X509Certificate(cert).raw);
  const [said] = readDer(outer?.content ?? Buffer.alloc(0));
  const fields = readDer(said?.content ?? Buffer.alloc(0)).filter(({ tag }) => tag !== 0xa0);
  // Behind the serial number, the algorithm, the issuer and the time.
  const subject = fields[4]?.whole;
  if (subject === undefined) throw invalid('the certificate of the authority has no subject');
  const extensions = fields.find(({ tag }) => tag === 0xa3);
  const wanted = derIdentifier(ID.subjectKey);
  const all = readDer(readDer(extensions?.content ?? Buffer.alloc(0))[0]?.content ?? Buffer.alloc(0));
  const found = all.map(({ content }) => readDer(content)).find(([id]) => id?.whole.equals(wanted) === true);
  return { subject, keyId: readDer(found?.at(-1)?.content ?? Buffer.alloc(0))[0]?.content };
}
