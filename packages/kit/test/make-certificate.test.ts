import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DER, der, derIdentifier, derTime, readDer } from '../src/der.js';
import { makeCertificate } from '../src/make-certificate.js';

const DAY = 24 * 60 * 60 * 1000;
const times = { from: Date.now() - DAY, to: Date.now() + DAY };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'backlot-kit-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { encoding: 'utf8', cwd: folder, stdio: 'pipe' });

const isThere = spawnSync('openssl', ['version']).status === 0;
const needsTools = process.env['BACKLOT_REQUIRE_TOOLS'] === '1';
const itWithOpenssl = isThere || needsTools ? it : it.skip;

describe('makeCertificate', () => {
  itWithOpenssl(
    'makes an authority that OpenSSL reads, and takes strictly for what it has issued',
    async () => {
      const hosts = ['localhost', '*.example.test', '127.0.0.1', '::1', '2001:db8::7:0:1', '::ffff:10.0.0.1'];
      const authority = await makeCertificate({
        commonName: 'over all',
        organizationName: 'Bäcklot',
        hosts,
        ...times,
      });
      const issued = await makeCertificate({ commonName: 'one', hosts: ['one.test'], ...times }, authority);
      const [above, below] = [write('above.pem', authority.cert), write('below.pem', issued.cert)];
      expect(
        openssl(
          'verify',
          '-x509_strict',
          '-purpose',
          'sslserver',
          '-CAfile',
          above,
          '-verify_hostname',
          'one.test',
          below,
        ),
      ).toBe(`${below}: OK\n`);
      expect(openssl('verify', '-x509_strict', '-CAfile', above, above)).toBe(`${above}: OK\n`);
      const text = openssl('x509', '-in', above, '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus');
      expect(text).toContain('Subject: CN=over all,O=Bäcklot');
      expect(text).toMatch(/Basic Constraints: critical\s+CA:TRUE/);
      expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Certificate Sign\n/);
      expect(text).toMatch(
        /Extended Key Usage: ?\s+TLS Web Server Authentication, TLS Web Client Authentication\n/,
      );
      expect(text).toContain(
        'DNS:localhost, DNS:*.example.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:0:7:0:1, IP Address:0:0:0:0:0:FFFF:A00:1',
      );
      expect(openssl('x509', '-in', below, '-noout', '-text')).toMatch(
        /Basic Constraints: critical\s+CA:FALSE/,
      );
      const certificate = new X509Certificate(issued.cert);
      expect(certificate.checkIssued(new X509Certificate(authority.cert))).toBe(true);
      expect(certificate.subject).toBe('CN=one');
      expect(Date.parse(certificate.validTo)).toBe(Math.floor(times.to / 1000) * 1000);
    },
  );

  itWithOpenssl.each([
    ['RSA', ['-newkey', 'rsa:2048']],
    ['ECDSA on another curve', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['Ed25519', ['-newkey', 'ed25519']],
  ])('is issued by an authority of OpenSSL whose key is %s', async (_, kind) => {
    const [key, cert] = [join(folder, 'ca.key'), join(folder, 'ca.pem')];
    openssl(
      'req',
      '-x509',
      ...kind,
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      '-subj',
      '/C=DE/O=Somebody/CN=CA',
      '-addext',
      'keyUsage=critical,keyCertSign',
    );
    const read = (file: string): string => openssl('pkey', '-in', file);
    const issued = await makeCertificate(
      { commonName: 'one', hosts: ['one.test'], ...times },
      { key: read(key), cert: openssl('x509', '-in', cert) },
    );
    const file = write('issued.pem', issued.cert);
    expect(openssl('verify', '-x509_strict', '-CAfile', cert, file)).toBe(`${file}: OK\n`);
  });

  it('says which keys sign no certificates', async () => {
    const { cert } = await makeCertificate({ commonName: 'a', hosts: ['a.test'], ...times });
    const { privateKey } = generateKeyPairSync('x25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await expect(
      makeCertificate({ commonName: 'b', hosts: ['b.test'], ...times }, { key, cert }),
    ).rejects.toThrow(
      'an authority with a key of the type x25519 cannot sign certificates here; ec, rsa, ed25519 can',
    );
  });
});

describe('DER', () => {
  it('writes lengths in as few octets as they need, and reads them again', () => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const written = der(DER.bytes, Buffer.alloc(length, 7));
      expect(written.subarray(0, written.length - length).toString('hex')).toBe(
        {
          0: '0400',
          1: '0401',
          127: '047f',
          128: '048180',
          255: '0481ff',
          256: '04820100',
          65_535: '0482ffff',
          65_536: '0483010000',
        }[length],
      );
      const [first, second, ...others] = readDer(Buffer.concat([written, der(DER.bits, Buffer.of(0))]));
      expect(first?.content.length).toBe(length);
      expect(first?.whole).toEqual(written);
      expect(second?.tag).toBe(DER.bits);
      expect(others).toEqual([]);
    }
  });

  it('writes identifiers, and times of both forms', () => {
    expect(derIdentifier('1.2.840.113549.1.1.11').toString('hex')).toBe('06092a864886f70d01010b');
    expect(derTime(Date.UTC(2049, 11, 31, 23, 59, 59)).toString()).toBe('\x17\r491231235959Z');
    expect(derTime(Date.UTC(2050, 0, 1)).toString()).toBe('\x18\x0f20500101000000Z');
  });
});
