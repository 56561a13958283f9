import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { processCertificate } from '@backlot/kit';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, runCommand, startCommand, takePort, type Ended, type StartedServer } from './command.js';

let folder: ReturnType<typeof makeFolder>;
const servers: StartedServer[] = [];
beforeEach(() => {
  folder = makeFolder();
});
afterEach(async () => {
  for (const { child, stop } of servers.splice(0)) if (child.exitCode === null) await stop();
  folder.remove();
});

function write(text: string, file = 'backlot.yaml'): string {
  const path = join(folder.path, file);
  writeFileSync(path, text);
  return path;
}

async function start(...args: readonly string[]): Promise<StartedServer> {
  const server = await startCommand(args, { cwd: folder.path });
  servers.push(server);
  return server;
}

function command(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return runCommand(args, { cwd: folder.path, env });
}

/** The certificate that `--print-ca` prints. */
function printedCa(server: StartedServer): string {
  return /-----BEGIN CERTIFICATE-----[^]+-----END CERTIFICATE-----\n/.exec(server.output())?.[0] ?? '';
}

const API = 'api: {port: 0, tls: {self_signed: true}}\nprotocols: {http: {port: 0}}\n';

describe('a management port with a certificate that it has made', () => {
  it('is talked to with --ca, BACKLOT_API_CA or --insecure', async () => {
    write(API);
    const server = await start('--print-ca');
    const url = server.urls['api'] ?? '';
    const ca = write(printedCa(server), 'ca.pem');
    const unknown = await command(['list', '--url', url]);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: cannot talk to https:.*certificate; name its certificate by --ca or BACKLOT_API_CA \("backlot start --print-ca" prints it\), or trust any by --insecure\n$/,
      ),
    ]);
    expect((await command(['list', '--url', url, '--ca', ca])).stdout).toBe('no mocks\n');
    expect((await command(['list'], { BACKLOT_URL: url, BACKLOT_API_CA: ca })).stdout).toBe('no mocks\n');
    expect((await command(['list', '--url', url, '--insecure'])).stdout).toBe('no mocks\n');
  });

  it('is for the hosts that the file names', async () => {
    write(`${API}tls: {hosts: [mock.test, "*.shop.test", 10.0.0.7]}\n`);
    const certificate = new X509Certificate(printedCa(await start('--print-ca')));
    for (const name of ['localhost', 'mock.test', 'api.shop.test'])
      expect([name, certificate.checkHost(name)]).not.toEqual([name, undefined]);
    expect(certificate.checkIP('10.0.0.7')).toBe('10.0.0.7');
  });

  it('keeps it across starts where it is asked to', async () => {
    write(`${API}tls: {keep: certificates}\n`);
    const first = await start('--print-ca');
    const ca = join(folder.path, 'certificates', 'backlot-ca.pem');
    expect(readFileSync(ca, 'utf8')).toBe(printedCa(first));
    await first.stop();
    const second = await start('--print-ca');
    expect(printedCa(second)).toBe(printedCa(first));
    expect((await command(['list', '--url', second.urls['api'] ?? '', '--ca', ca])).code).toBe(0);
    await second.stop();
    write('not a folder', 'file');
    write(`${API}tls: {keep: file}\n`);
    const refused = await command(['start']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: tls\.keep: cannot keep the certificate in .*file: EEXIST.*\n$/),
    ]);
  });
});

describe('backlot run', () => {
  const SCRIPT = `
    const { readFileSync } = await import('node:fs');
    const { BACKLOT_CA_FILE, BACKLOT_API_CA, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, HTTP_URL, BACKLOT_URL } = process.env;
    const get = (url) => fetch(url).then((answer) => answer.status);
    console.log(JSON.stringify({
      file: BACKLOT_CA_FILE, same: BACKLOT_CA_FILE === BACKLOT_API_CA, extra: NODE_EXTRA_CA_CERTS, ssl: SSL_CERT_FILE,
      pem: readFileSync(BACKLOT_CA_FILE, 'utf8').startsWith('-----BEGIN CERTIFICATE-----'),
      statuses: [await get(HTTP_URL), await get(BACKLOT_URL + '/api/mocks/http')],
    }));`;
  const CONFIG = 'api: {tls: {}}\nprotocols: {http: {tls: {self_signed: true}}}\n';

  it('gives the command the certificate, which Node.js trusts beside the others', async () => {
    write(CONFIG);
    const { stdout, stderr, code } = await command(['run', '--', process.execPath, '-e', SCRIPT], {
      NODE_EXTRA_CA_CERTS: '',
      SSL_CERT_FILE: 'as it was',
    });
    expect([code, stderr]).toEqual([0, '']);
    const told = JSON.parse(stdout) as { file: string };
    expect(told).toEqual({
      file: expect.stringMatching(/backlot-ca\.pem$/),
      same: true,
      extra: told.file,
      ssl: 'as it was',
      pem: true,
      statuses: [404, 200],
    });
    expect(existsSync(dirname(told.file))).toBe(false);
  });

  it('keeps what Node.js is told to trust already, and gives the file further names', async () => {
    write(`${CONFIG}tls: {keep: certificates}\n`);
    const others = write('# what was trusted before\n', 'own.pem');
    const script = `
      const { readFileSync } = await import('node:fs');
      const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env;
      console.log(JSON.stringify({ extra: readFileSync(NODE_EXTRA_CA_CERTS, 'utf8'), file: SSL_CERT_FILE }));`;
    const { stdout } = await command(
      ['run', '--env', 'BACKLOT_CA_FILE=SSL_CERT_FILE', '--', process.execPath, '-e', script],
      { NODE_EXTRA_CA_CERTS: others },
    );
    const kept = join(folder.path, 'certificates', 'backlot-ca.pem');
    expect(JSON.parse(stdout)).toEqual({
      extra: `# what was trusted before\n\n${readFileSync(kept, 'utf8')}`,
      file: kept,
    });
  });
});

describe('backlot health', () => {
  it.each([
    ['with a token and TLS', 'tls: {self_signed: true}, token: secret', 'https'],
    ['in the clear', 'enabled', 'http'],
    ['on every address', 'host: 0.0.0.0, token: secret', 'http'],
  ])('finds the server that the file of the folder makes, %s', async (_, settings, scheme) => {
    const free = await takePort();
    await free.release();
    const own = settings === 'enabled' ? '' : `, ${settings}`;
    write(`api: {port: "\${API_PORT:-${free.port}}"${own}}\nprotocols: {http: {port: 0}}\n`);
    const server = await start();
    expect(server.urls['api']).toBe(`${scheme}://localhost:${free.port}`);
    expect(await command(['health'])).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Backlot.*: ok\n$/),
      stderr: '',
    });
    // Whose certificate it is matters where it is said.
    const other = write((await processCertificate()).cert, 'other.pem');
    const distrusted = await command(['health', '--ca', other]);
    expect(distrusted.code).toBe(scheme === 'https' ? 1 : 0);
    await server.stop();
    expect((await command(['health'])).code).toBe(1);
  });

  it('takes another file, or a url', async () => {
    const free = await takePort();
    await free.release();
    write(`api: {port: ${free.port}, token: secret}\nprotocols: {http: {port: 0}}\n`, 'other.yaml');
    const server = await start('other.yaml');
    expect((await command(['health', '-c', 'other.yaml'])).code).toBe(0);
    expect(
      (await command(['health', '--token', 'secret'], { BACKLOT_URL: server.urls['api'] ?? '' })).code,
    ).toBe(0);
    write('api: {port: 0}\n');
    expect((await command(['health'])).stderr).toMatch(
      /^error: the port of the management API in backlot\.yaml is 0, .*name the server by --url or BACKLOT_URL\n$/,
    );
  });
});
