import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { INSTALLED_PROTOCOLS } from '../../src/installed.generated.js';
import { runCommand, startCommand } from '../command.js';
import { LanguageServer } from './language-server.js';
import { makePlace, PACKED, type Place } from './place.js';

const KINDS = INSTALLED_PROTOCOLS.map(({ kind }) => kind);

let place: Place;
let file: string;
beforeAll(async () => {
  place = makePlace();
  file = join(place.path, 'backlot.yaml');
  // What `npm install backlot` makes in a folder.
  place.write({ 'package.json': '{"private": true}' });
  symlinkSync(join(PACKED, 'app', 'node_modules'), join(place.path, 'node_modules'));
  expect(await backlot('init')).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => place.remove());

const backlot = (...args: string[]): ReturnType<typeof runCommand> => runCommand(args, { cwd: place.path });

describe('npx backlot', () => {
  it('runs the installed command, and stops it when npx is told to stop', async () => {
    const args = ['--no', 'backlot', 'start', '--api-port=0', '--http-port=0', '--only=http'];
    const child = spawn('npx', args, { cwd: place.path, env: { ...process.env, NODE_OPTIONS: '' } });
    // The server has the same pipes, so that they are closed when both have ended.
    const closed = new Promise((resolve) => child.once('close', resolve));
    const url = await new Promise<string>((resolve, reject) => {
      let output = '';
      const look = (chunk: Buffer): void => {
        output += chunk.toString();
        const [, api] = /^ready .*api=(.*)\n/m.exec(output) ?? [];
        if (api !== undefined) resolve(api);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      void closed.then(() => reject(new Error(output)));
    });
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
    child.kill('SIGTERM');
    await closed;
    await expect(fetch(`${url}/api/health`)).rejects.toThrow('fetch failed');
  });

  it('prints the version of the package', async () => {
    const { version } = JSON.parse(
      readFileSync(join(place.path, 'node_modules/backlot/package.json'), 'utf8'),
    ) as { version: string };
    expect(await backlot('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('has a help that fits a terminal and names every command once', async () => {
    const { code, stdout, stderr } = await backlot('--help');
    expect([code, stderr]).toEqual([0, '']);
    for (const command of [
      'start',
      'run',
      'init',
      'validate',
      'schema',
      'plugins',
      'status',
      'add',
      'logs',
    ]) {
      expect(stdout.match(new RegExp(`^  ${command} `, 'gm'))).toHaveLength(1);
    }
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toContain('npx backlot init');
  });
});

describe('the file that init writes', () => {
  it('is valid, and with every protocol that it comments out as well', async () => {
    expect((await backlot('validate')).stdout).toMatch(/^backlot\.yaml: valid \(http 2\)/);
    place.write({ 'all.yaml': uncommented() });
    const { code, stdout, stderr } = await backlot('validate', 'all.yaml');
    expect([code, stderr]).toEqual([0, '']);
    for (const kind of KINDS) expect(stdout).toMatch(new RegExp(`\\b${kind} [1-9]`));
  });

  it('starts, and answers as it says', async () => {
    const server = await startCommand(['--api-port=0', '--http-port=0'], { cwd: place.path });
    const line = /^Try: (.*)$/m.exec(server.output())?.[1] ?? '';
    const [, url = ''] = / (http\S+)$/.exec(line) ?? [];
    expect((await fetch(url)).status).toBe(200);
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('is explained by a schema that is valid and accepts it', async () => {
    const printed = await backlot('schema');
    const beside: unknown = JSON.parse(readFileSync(join(place.path, 'backlot.schema.json'), 'utf8'));
    expect(JSON.parse(printed.stdout)).toEqual(beside);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    expect(ajv.validateSchema(beside as object)).toBe(true);
    expect(beside).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });

  function uncommented(): string {
    return readFileSync(file, 'utf8').replaceAll(/^ {2}# ( *(?:[\w-]+:|- |[}\]]|\S+:).*)$/gm, '  $1');
  }
});

describe('an editor', () => {
  let editor: LanguageServer;
  beforeAll(async () => {
    editor = await LanguageServer.start(place.path);
  });
  afterAll(() => editor.stop());

  it('finds nothing wrong with the file that init writes', async () => {
    expect(await editor.open(file, readFileSync(file, 'utf8'))).toEqual([]);
  });

  it('offers the protocols, and the fields of one', async () => {
    const [schemaLine = ''] = readFileSync(file, 'utf8').split('\n');
    expect(schemaLine).toBe('# yaml-language-server: $schema=./backlot.schema.json');
    const [top, inner] = [join(place.path, 'top.yaml'), join(place.path, 'inner.yaml')];
    await editor.open(top, `${schemaLine}\nprotocols:\n  \n`);
    expect((await editor.complete(top, 2, 2)).sort()).toEqual([...KINDS].sort());
    await editor.open(inner, `${schemaLine}\nprotocols:\n  http:\n    \n`);
    expect(await editor.complete(inner, 3, 4)).toEqual(expect.arrayContaining(['port', 'mocks', 'tls']));
  });

  it('marks a field that is wrong', async () => {
    const text = readFileSync(file, 'utf8').replace(/^ {4}port: 8080$/m, '    prot: 8080');
    const diagnostics = await editor.open(join(place.path, 'wrong.yaml'), text);
    expect(diagnostics.map(({ message, range }) => [message, text.split('\n')[range.start.line]])).toEqual([
      [expect.stringContaining('prot'), '    prot: 8080'],
    ]);
  });
});
