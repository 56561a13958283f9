import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isCertificateHost, keptCaFile, processCertificate, wishForCertificate } from '../src/index.js';
import type { KeyAndCertificate } from '../src/index.js';
import { keepCertificate } from '../src/kept-certificate.js';

const HOSTS = ['localhost', '127.0.0.1', '::1', 'mock.test', '*.shop.test', '10.1.2.3', 'xn--bcher-kva.test'];

let top = '';
let folder = '';
let made: KeyAndCertificate;
beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), 'backlot-kit-'));
  wishForCertificate({
    hosts: ['Mock.test', '*.shop.test', '10.1.2.3', 'bücher.test'],
    folder: join(top, 'process'),
  });
  made = await processCertificate();
});
beforeEach(async () => {
  folder = await mkdtemp(join(top, 'keep-'));
});
afterAll(() => rm(top, { recursive: true }));

/** Counts how often a certificate has to be made. */
function counting(pair: KeyAndCertificate = made): { make(): Promise<KeyAndCertificate>; count: number } {
  const counter = {
    count: 0,
    make() {
      counter.count += 1;
      return Promise.resolve(pair);
    },
  };
  return counter;
}

describe('the certificate of the process', () => {
  it('is for what was wished, and kept where it was', async () => {
    const certificate = new X509Certificate(made.cert);
    for (const name of ['localhost', 'mock.test', 'any.shop.test', 'xn--bcher-kva.test'])
      expect([name, certificate.checkHost(name)]).not.toEqual([name, undefined]);
    expect(certificate.checkHost('other.test')).toBeUndefined();
    for (const address of ['127.0.0.1', '::1', '10.1.2.3'])
      expect(certificate.checkIP(address)).toBe(address);
    expect(await readFile(keptCaFile(join(top, 'process')), 'utf8')).toBe(made.cert);
    // Wishes that come too late are an error when they are others.
    wishForCertificate({
      hosts: ['Mock.test', '*.shop.test', '10.1.2.3', 'bücher.test'],
      folder: join(top, 'process'),
    });
    expect(() => wishForCertificate({ hosts: ['late.test'] })).toThrow('made already, for other hosts');
  });

  it.each([
    ['mock.test', true],
    ['*.mock.test', true],
    ['mock', true],
    ['my_mock', true],
    ['fe80::1', true],
    ['', false],
    ['*', false],
    ['a b', false],
    ['a..b', false],
    ['https://mock.test', false],
    ['mock.test:8080', false],
    ['x*.test', false],
  ])('can be for %j: %s', (host, isPossible) => {
    expect(isCertificateHost(host)).toBe(isPossible);
    if (!isPossible)
      expect(() => wishForCertificate({ hosts: [host] })).toThrow('no host name and no address');
  });
});

describe('a certificate that is kept', () => {
  it('is made once and found again, its key for its owner alone', async () => {
    const counter = counting();
    const place = join(folder, 'new', 'folder');
    expect(await keepCertificate(place, HOSTS, counter.make)).toBe(made);
    expect(await keepCertificate(place, HOSTS, counter.make)).toMatchObject({ cert: made.cert });
    const again = await keepCertificate(place, ['localhost'], counter.make);
    expect(again.key.trimEnd()).toBe(made.key.trimEnd());
    expect(counter.count).toBe(1);
    expect((await readdir(place)).sort()).toEqual(['backlot-ca.pem', 'backlot-tls.pem']);
    expect((await stat(join(place, 'backlot-tls.pem'))).mode & 0o077).toBe(0);
    expect(await readFile(keptCaFile(place), 'utf8')).toBe(made.cert);
  });

  it('is the same for all that start together', async () => {
    const { generate } = await import('selfsigned');
    const makeAnother = async (): Promise<KeyAndCertificate> => {
      const { private: key, cert } = await generate([{ name: 'commonName', value: 'x' }], {
        keyType: 'ec',
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
      });
      return { key, cert };
    };
    const all = await Promise.all([1, 2, 3].map(() => keepCertificate(folder, ['localhost'], makeAnother)));
    expect(new Set(all.map(({ cert }) => cert)).size).toBe(1);
    expect(await readFile(keptCaFile(folder), 'utf8')).toBe(all[0]?.cert);
  });

  it.each([
    ['is for other hosts', async () => undefined, [...HOSTS, 'further.test']],
    ['is none', (file: string) => writeFile(file, 'not PEM'), HOSTS],
    ['has another key', (file: string) => swapKey(file), HOSTS],
  ])('is made anew when what is there %s', async (_, damage, hosts) => {
    const counter = counting();
    await keepCertificate(folder, HOSTS, counter.make);
    await damage(join(folder, 'backlot-tls.pem'));
    expect(await keepCertificate(folder, hosts, counter.make)).toBe(made);
    expect(counter.count).toBe(2);
    expect((await readdir(folder)).sort()).toEqual(['backlot-ca.pem', 'backlot-tls.pem']);
  });

  it('says what is wrong with the folder', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(keepCertificate(file, HOSTS, counting().make)).rejects.toThrow(
      `tls.keep: cannot keep the certificate in ${file}: `,
    );
    await mkdir(join(folder, 'taken', 'backlot-tls.pem'), { recursive: true });
    await expect(keepCertificate(join(folder, 'taken'), HOSTS, counting().make)).rejects.toThrow('EISDIR');
  });
});

async function swapKey(file: string): Promise<void> {
  const { generateKeyPairSync } = await import('node:crypto');
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(file, privateKey + made.cert);
}
