import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FREE_PORTS, makeFolder, runCommand, startCommand, type Ended, useOneProcess } from './command.js';

const KINDS: readonly string[] = INSTALLED_PROTOCOLS.map(({ kind }) => kind);

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.remove());

const runTogether = useOneProcess();
const runAlone = (...args: string[]): Promise<Ended> => runCommand(args, { cwd: folder.path });

function run(...args: string[]): Promise<Ended> {
  return runTogether(args, { cwd: folder.path });
}

describe('backlot', () => {
  it('prints its version and its help', async () => {
    expect(await runAlone('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    const help = await runAlone('--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toMatch(/^Usage: backlot/);
    expect(help.stdout).toContain('start the mock servers');
    expect((await runAlone('start', '--help')).stdout).toContain('--dns-port <port>');
  });

  it('without a command prints the help and ends with 1', async () => {
    expect(await runAlone()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Usage: backlot/),
    });
  });
});

describe('backlot init', () => {
  it('writes a file that is valid and starts, and its schema', async () => {
    expect(await run('init')).toMatchObject({ code: 0, stderr: '' });
    const text = readFileSync(join(folder.path, 'backlot.yaml'), 'utf8');
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/backlot\.schema\.json\n/);
    const schema = JSON.parse(readFileSync(join(folder.path, 'backlot.schema.json'), 'utf8')) as {
      properties: object;
    };
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['api', 'protocols', 'scenarios', 'state', 'vars', 'seed']),
    );
    expect(await run('validate')).toMatchObject({ code: 0, stderr: '' });
    const server = await startCommand(FREE_PORTS, { cwd: folder.path });
    expect((await server.stop()).code).toBe(0);
  });

  it('is valid with everything that is commented out, too', async () => {
    await run('init');
    const file = join(folder.path, 'backlot.yaml');
    const text = readFileSync(file, 'utf8')
      .replaceAll(new RegExp(`^( *)# (?=(?:api|state|scenarios|${KINDS.join('|')}):| +|- )`, 'gm'), '$1')
      .replaceAll(/^ +# (?=[A-Z])/gm, '# ');
    writeFileSync(file, text);
    const { code, stdout, stderr } = await run('validate');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(KINDS.map((kind) => `${kind} \\d+`).join(', ')));
  });

  it('replaces nothing without --force', async () => {
    writeFileSync(join(folder.path, 'backlot.yaml'), 'seed: 1\n');
    expect(await run('init')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: backlot\.yaml is there already; --force/),
    });
    expect(readFileSync(join(folder.path, 'backlot.yaml'), 'utf8')).toBe('seed: 1\n');
    expect((await run('init', '--force')).code).toBe(0);
    expect(readFileSync(join(folder.path, 'backlot.yaml'), 'utf8')).toContain('protocols:');
  });
});

describe('backlot validate', () => {
  it('says what is wrong and where', async () => {
    writeFileSync(
      join(folder.path, 'x.yaml'),
      'protocols:\n  htpp:\n    port: 1\n  http:\n    mocks:\n      - request: {path: /a}\n        response: {status: 9}\n',
    );
    const { code, stdout, stderr } = await run('validate', 'x.yaml');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^x\.yaml:2:3: protocols\.htpp: unknown protocol "htpp"; did you mean "http"\?$/),
      expect.stringMatching(/^x\.yaml:7:\d+: protocols\.http\.mocks\[0\]\.response\.status: /),
    ]);
  });

  it('checks several files, each by itself', async () => {
    const text = (status: number): string =>
      `protocols:\n  http:\n    port: 0\n    mocks:\n      - request: {path: /a}\n        response: {status: ${status}}\n`;
    writeFileSync(join(folder.path, 'one.yaml'), text(201));
    writeFileSync(join(folder.path, 'two.yaml'), text(9));
    mkdirSync(join(folder.path, 'sub'), { recursive: true });
    writeFileSync(join(folder.path, 'sub/three.yaml'), text(203));
    expect(await run('validate', 'one.yaml', 'sub/three.yaml')).toEqual({
      code: 0,
      stdout: 'one.yaml: valid (http 1)\nsub/three.yaml: valid (http 1)\n',
      stderr: '',
    });
    const { code, stdout, stderr } = await run(
      'validate',
      'one.yaml',
      'two.yaml',
      'none.yaml',
      'sub/three.yaml',
    );
    expect([code, stdout]).toEqual([1, 'one.yaml: valid (http 1)\nsub/three.yaml: valid (http 1)\n']);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^two\.yaml:6:\d+: protocols\.http\.mocks\[0\]\.response\.status: /),
      expect.stringMatching(/^none\.yaml: /),
      'error: 2 of 4 files cannot be used',
    ]);
    // As parts of one configuration.
    const together = await run('validate', '-c', 'one.yaml', '-c', 'sub/three.yaml');
    expect([together.code, together.stdout, together.stderr]).toEqual([
      0,
      'one.yaml, sub/three.yaml: valid (http 2)\n',
      '',
    ]);
  });

  it('gives hints for a file of Mockly, which is valid', async () => {
    writeFileSync(
      join(folder.path, 'mockly.yaml'),
      'mockly: {api: {port: 9091}}\nprotocols:\n  http:\n    enabled: true\n    port: 8080\n    mocks:\n      - id: bad\n        request: {method: POST, path: /token, body: invalid_grant}\n        response: {status: 401, headers: {X-Count: 3}, body: "{}"}\n',
    );
    const { code, stdout, stderr } = await run('validate');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(
        /^mockly\.yaml:8:\d+: protocols\.http\.mocks\[0\]\.request\.body: hint: .*"\*invalid_grant\*"/,
      ),
      'mockly.yaml: valid (http 1)',
    ]);
  });

  it('needs a file', async () => {
    expect(await run('validate')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: there is no backlot\.yaml/),
    });
  });
});

type Schema = Readonly<Record<string, unknown>>;

/** A schema, or what it refers to. */
function resolved({ $defs }: Schema, schema: unknown): Schema {
  const { $ref: reference } = schema as { readonly $ref?: string };
  return reference === undefined
    ? (schema as Schema)
    : (($defs as Record<string, Schema>)[reference.replace('#/$defs/', '')] ?? {});
}

/** The schema of a field within fields. */
function find(file: Schema, fields: readonly string[]): Schema {
  return fields.reduce<Schema>(
    (schema, name) => resolved(file, (schema['properties'] as Schema)[name]),
    file,
  );
}

describe('backlot schema, plugins and openapi', () => {
  it('print documents', async () => {
    const schema = JSON.parse((await run('schema')).stdout) as {
      $defs: object;
      properties: { protocols: { properties: object } };
    };
    expect(Object.keys(schema.properties.protocols.properties)).toEqual(KINDS);
    expect(schema).toMatchObject({
      $defs: { Pattern: { anyOf: expect.any(Array) }, Place: { anyOf: expect.any(Array) } },
    });
    // A mock, or an entry that stands for several.
    const [mock] = [find(schema, ['protocols', 'http', 'mocks'])['items']].flatMap(
      (items) => (resolved(schema, items)['anyOf'] ?? []) as object[],
    );
    const kept = { ...resolved(schema, mock), $defs: schema.$defs };
    expect(find(kept, ['request', 'body'])).toMatchObject({
      description: 'A pattern; empty or missing matches anything.',
      anyOf: expect.arrayContaining([{ $ref: '#/$defs/Pattern' }]),
    });
    const { patternProperties } = find(kept, ['request', 'body_json']);
    expect(Object.values(patternProperties as Schema).map((each) => resolved(schema, each))).toEqual([
      expect.objectContaining({ $ref: '#/$defs/Place' }),
    ]);
    expect(JSON.stringify(schema).match(/"Exact text;/g)).toHaveLength(1);
    const openapi = JSON.parse((await run('openapi')).stdout) as { openapi: string; paths: object };
    expect(JSON.stringify(openapi).match(/"Exact text;/g)).toHaveLength(1);
    expect(openapi.openapi).toBe('3.1.0');
    expect(Object.keys(openapi.paths)).toEqual(
      expect.arrayContaining(['/api/health', '/api/mocks/http', '/api/mocks/dns/{id}']),
    );
    const plugins = JSON.parse((await run('plugins', '--json')).stdout) as { protocol: string }[];
    expect(plugins.map(({ protocol }) => protocol)).toEqual(KINDS);
    expect((await run('plugins')).stdout).toMatch(
      /^PROTOCOL +PACKAGE +PORT +WHAT IT IS\nhttp +@backlot\/http +8080 /,
    );
  });
});
