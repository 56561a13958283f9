import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadTls, processCertificate } from '../src/index.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backlot-kit-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the certificate of the process', () => {
  it('is the same for every copy of this package', async () => {
    const file = new URL('../src/certificate.ts?second', import.meta.url).href;
    const copy = (await import(file)) as { processCertificate: typeof processCertificate };
    expect(copy.processCertificate).not.toBe(processCertificate);
    expect(await copy.processCertificate()).toBe(await processCertificate());
  });

  it('is made once, for localhost and both loopback addresses', async () => {
    const made = await processCertificate();
    expect(await processCertificate()).toBe(made);
    const certificate = new X509Certificate(made.cert);
    expect(certificate.subject).toMatch(/^CN=localhost\nO=Backlot [0-9a-f]{8}$/);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('example.test')).toBeUndefined();
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(700);
    expect(days).toBeLessThan(825);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
  });
});

describe('loadTls', () => {
  it('reads a pair of files', async () => {
    const made = await processCertificate();
    const cert_file = join(folder, 'cert.pem');
    const key_file = join(folder, 'key.pem');
    await writeFile(cert_file, made.cert);
    await writeFile(key_file, made.key);
    expect(await loadTls({ cert_file, key_file })).toEqual(made);
    expect(await loadTls({ self_signed: true })).toBe(made);
  });

  it('says what is wrong', async () => {
    const missing = join(folder, 'missing.pem');
    const text = join(folder, 'text.pem');
    await writeFile(text, 'not PEM');
    await expect(loadTls({ cert_file: missing, key_file: text })).rejects.toThrow(
      `tls.cert_file: cannot read ${missing}: there is no such file`,
    );
    await expect(loadTls({ cert_file: text, key_file: folder })).rejects.toThrow(
      /^tls\.key_file: cannot read .*EISDIR/,
    );
    await expect(loadTls({ cert_file: text, key_file: text })).rejects.toThrow(
      'are not a PEM certificate and its key',
    );
    await expect(loadTls({ cert_file: text })).rejects.toThrow('tls has cert_file only; give');
    await expect(loadTls({ key_file: text })).rejects.toThrow('tls has key_file only; give');
    expect(await loadTls({})).toBe(await processCertificate());
    await expect(loadTls({ self_signed: false })).rejects.toThrow('tls has neither file; give');
    await expect(loadTls({ cert_file: text, self_signed: true })).rejects.toThrow('give either');
  });
});
