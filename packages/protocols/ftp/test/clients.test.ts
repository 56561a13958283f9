import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { afterThis, download, openClient, startHost, upload } from './support.js';

const SCRIPT = fileURLToPath(new URL('clients.py', import.meta.url));
const LARGE = Buffer.alloc(30_000_000, 'x').toString('base64');
const MODIFIED = '2024-05-01T12:00:00Z';
const FILES = [
  { id: 'hello', path: '/docs/hello.txt', content: 'hello\n', modified: MODIFIED },
  { id: 'large', path: '/large.bin', content: LARGE, encoding: 'base64', modified: MODIFIED },
];
const SMALL = FILES.slice(0, 1);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ftp-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('basic-ftp', () => {
  it.each([
    ['in the clear', undefined, undefined],
    ['with AUTH TLS', 'starttls', true],
    ['with implicit TLS', 'implicit', 'implicit'],
  ] as const)('does everything %s', async (_name, mode, secure) => {
    const { port, log } = await startHost({
      files: SMALL,
      ...(mode === undefined ? {} : { tls: { mode } }),
    });
    const client = await openClient(port, secure === undefined ? {} : { secure });
    expect((await client.features()).has('MLST')).toBe(true);
    const [docs] = await client.list();
    expect(docs).toMatchObject({ name: 'docs', isDirectory: true });
    const [hello] = await client.list('docs');
    expect(hello).toMatchObject({ name: 'hello.txt', size: 6, isFile: true });
    expect(hello?.modifiedAt).toEqual(new Date(MODIFIED));
    expect(await client.lastMod('docs/hello.txt')).toEqual(new Date(MODIFIED));
    expect(await client.size('docs/hello.txt')).toBe(6);
    expect(await download(client, 'docs/hello.txt')).toBe('hello\n');
    expect(await download(client, 'docs/hello.txt', 2)).toBe('llo\n');
    await client.ensureDir('a/b c/d');
    expect(await client.pwd()).toBe('/a/b c/d');
    await upload(client, 'ü.txt', 'grüße');
    expect(await download(client, '/a/b c/d/ü.txt')).toBe('grüße');
    await client.rename('ü.txt', '/renamed.txt');
    expect(await client.size('/renamed.txt')).toBe(7);
    await client.remove('/renamed.txt');
    await upload(client, 'kept', '1');
    await client.cd('/');
    await client.removeDir('a');
    expect((await client.list()).map(({ name }) => name)).toEqual(['docs']);
    expect(log).toEqual([]);
  });

  it('reaches a server on IPv6, and by name', async () => {
    const { port } = await startHost({ files: SMALL, host: 'localhost' });
    for (const host of ['::1', 'localhost', '127.0.0.1']) {
      const client = await openClient(port, { host });
      expect(await download(client, 'docs/hello.txt')).toBe('hello\n');
    }
  });
});

describe('ftplib', () => {
  for (const mode of ['plain', 'active', 'tls', 'tls-clear']) {
    itWithTool(PYTHON, `does everything, ${mode}`, async () => {
      const { port, log } = await startHost({
        files: FILES,
        ...(mode.startsWith('tls') ? { tls: { mode: 'starttls' } } : {}),
      });
      const { out, err } = await runTool(PYTHON, [SCRIPT, String(port), mode]);
      expect(err + out).toBe('done\n');
      expect(log).toEqual([]);
    });
  }
});

describe('curl', () => {
  const curl = (...options: string[]): ReturnType<typeof runTool> => runTool('curl', ['-sS', ...options]);

  itWithTool('curl', 'downloads, lists, resumes, uploads, appends', async () => {
    const folder = makeFolder();
    const { port, host } = await startHost({ files: SMALL });
    const url = `ftp://127.0.0.1:${port}`;
    expect(await curl(`${url}/docs/hello.txt`)).toEqual({ code: 0, out: 'hello\n', err: '' });
    expect((await curl('-r', '2-', `${url}/docs/hello.txt`)).out).toBe('llo\n');
    expect((await curl('-l', `${url}/docs/`)).out).toBe('hello.txt\n');
    expect((await curl(`${url}/docs/`)).out).toMatch(
      /^-rw-r--r-- 1 ftp ftp {12}6 May {2}1 {2}2024 hello.txt\n$/,
    );
    const file = join(folder, 'local');
    writeFileSync(file, 'local text');
    expect(await curl('-T', file, '--ftp-create-dirs', `${url}/new/dir/up.txt`)).toMatchObject({
      code: 0,
      err: '',
    });
    expect(await curl('-a', '-T', file, `${url}/new/dir/up.txt`)).toMatchObject({ code: 0 });
    expect((await curl(`${url}/new/dir/up.txt`)).out).toBe('local textlocal text');
    expect((await curl('-I', `${url}/docs/hello.txt`)).out).toMatch(
      /Last-Modified: Wed, 01 May 2024 12:00:00 GMT[^]*Content-Length: 6/,
    );
    expect(await curl('-P', '-', `${url}/docs/hello.txt`)).toMatchObject({ code: 0, out: 'hello\n' });
    expect(await curl('--disable-eprt', '-P', '-', `${url}/docs/hello.txt`)).toMatchObject({
      out: 'hello\n',
    });
    expect(await curl('--disable-epsv', `${url}/docs/hello.txt`)).toMatchObject({ out: 'hello\n' });
    expect(await curl('--use-ascii', `${url}/docs/hello.txt`)).toMatchObject({ code: 0, out: 'hello\n' });
    expect(await curl('-Q', 'DELE /docs/hello.txt', `${url}/`)).toMatchObject({ code: 0 });
    expect(await curl(`${url}/docs/hello.txt`)).toMatchObject({ code: 78 });
    expect(host.kind('ftp').calls.of('hello').count).toBe(6);
  });

  itWithTool('curl', 'downloads files that are JSON values and bytes', async () => {
    const { port, host } = await startHost({
      files: [
        { path: '/stock.json', json: { left: '{{seq "n"}}', of: '{{request.username}}', list: [1, null] } },
        { path: '/fixed.json', json: ['a', { b: true }] },
        { path: '/two.bin', content_base64: 'AP8=' },
      ],
    });
    const url = `ftp://a%22b:x@127.0.0.1:${port}`;
    expect((await curl(`${url}/stock.json`)).out).toBe('{"left":1,"of":"a\\"b","list":[1,null]}');
    expect((await curl(`${url}/fixed.json`)).out).toBe('["a",{"b":true}]');
    expect((await curl('-I', `${url}/fixed.json`)).out).toContain('Content-Length: 16');
    const file = join(makeFolder(), 'two');
    expect(await curl('-o', file, `${url}/two.bin`)).toMatchObject({ code: 0 });
    expect(readFileSync(file)).toEqual(Buffer.of(0, 255));
    // What a client uploads takes the place of the value, and a new name keeps it.
    writeFileSync(file, 'plain');
    expect(await curl('-T', file, `${url}/stock.json`)).toMatchObject({ code: 0 });
    expect((await curl(`${url}/stock.json`)).out).toBe('plain');
    expect(await curl('-Q', 'RNFR fixed.json', '-Q', 'RNTO moved.json', `${url}/`)).toMatchObject({
      code: 0,
    });
    expect((await curl(`${url}/moved.json`)).out).toBe('["a",{"b":true}]');
    const { mocks } = host.kind('ftp');
    for (const [file, message] of [
      [{ path: '/x', content: '{}', json: {} }, 'content and json cannot stand together'],
      [{ path: '/x', json: {}, encoding: 'base64' }, 'leave it out'],
      [{ path: '/x', content: { a: 1 } }, 'a JSON value is given as "json"'],
      [{ path: '/x', content_base64: 'a' }, 'is not base64'],
    ] as const)
      expect(() => mocks.create(file)).toThrow(message);
  });

  itWithTool('curl', 'uses TLS, explicit and implicit', async () => {
    const explicit = await startHost({ files: SMALL, tls: { mode: 'starttls' } });
    const implicit = await startHost({ files: SMALL, tls: { mode: 'implicit' } });
    expect(await curl('-k', '--ssl-reqd', `ftp://127.0.0.1:${explicit.port}/docs/hello.txt`)).toMatchObject({
      code: 0,
      out: 'hello\n',
    });
    expect(
      await curl('-k', '--ftp-ssl-control', `ftp://127.0.0.1:${explicit.port}/docs/hello.txt`),
    ).toMatchObject({ code: 0, out: 'hello\n' });
    expect(await curl('-k', `ftps://127.0.0.1:${implicit.port}/docs/hello.txt`)).toMatchObject({
      code: 0,
      out: 'hello\n',
    });
  });

  itWithTool('curl', 'is refused with a wrong password', async () => {
    const { port } = await startHost({ files: SMALL, users: [{ username: 'ann', password: 'secret' }] });
    const url = `127.0.0.1:${port}/docs/hello.txt`;
    expect(await curl(`ftp://ann:secret@${url}`)).toMatchObject({ code: 0, out: 'hello\n' });
    expect(await curl(`ftp://ann:wrong@${url}`)).toMatchObject({ code: 67 });
    expect(await curl(`ftp://${url}`)).toMatchObject({ code: 67 });
  });
});

describe('lftp', () => {
  const lftp = (port: number, commands: string, folder: string): ReturnType<typeof runTool> =>
    runTool('lftp', ['-e', `${commands}; quit`, '-p', String(port), '127.0.0.1'], {
      cwd: folder,
      env: { HOME: folder, XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    });

  itWithTool('lftp', 'gets, puts, mirrors and removes', async () => {
    const folder = makeFolder();
    const { port, host } = await startHost({ files: SMALL });
    writeFileSync(join(folder, 'up.txt'), 'from lftp');
    const { out, err, code } = await lftp(
      port,
      'ls docs; get docs/hello.txt -o got.txt; mkdir -p x/y; cd x/y; put ../up.txt -o up.txt; ' +
        'put up.txt; cat up.txt; mv up.txt moved.txt; chmod 600 moved.txt; cls -l; cd /; mirror x copy; rm -r x; cls -1',
      folder,
    );
    expect(err).toContain('../up.txt');
    expect(out).toContain('from lftp');
    expect(out).toMatch(/-rw------- .*moved.txt/);
    expect(out.trimEnd().endsWith('docs/')).toBe(true);
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'got.txt'), 'utf8')).toBe('hello\n');
    expect(readFileSync(join(folder, 'copy/y/moved.txt'), 'utf8')).toBe('from lftp');
    expect(host.kind('ftp').mocks.list()).toHaveLength(1);
  });

  itWithTool('lftp', 'resumes, and works in active mode', async () => {
    const folder = makeFolder();
    const { port } = await startHost({ files: SMALL });
    writeFileSync(join(folder, 'part.txt'), 'hel');
    const { err, code } = await lftp(
      port,
      'set ftp:passive-mode off; get -c docs/hello.txt -o part.txt',
      folder,
    );
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(readFileSync(join(folder, 'part.txt'), 'utf8')).toBe('hello\n');
  });

  itWithTool('lftp', 'upgrades to TLS by itself', async () => {
    const folder = makeFolder();
    const { port } = await startHost({ files: SMALL, tls: { mode: 'starttls' } });
    const { out, err } = await lftp(
      port,
      'set ssl:verify-certificate no; cat docs/hello.txt; cls -1',
      folder,
    );
    expect({ out, err }).toEqual({ out: 'hello\ndocs/\n', err: '' });
  });
});
