import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { listInstalled } from '@backlot/tooling/packed';
import { EXCHANGES } from './exchanges.js';
import { makePlace, type Place } from './place.js';

const COMPILER = createRequire(import.meta.url).resolve('typescript/bin/tsc');
/** Where `@types/node` is, which a project of TypeScript has. */
const TYPES = join(createRequire(import.meta.url).resolve('@types/node/package.json'), '../..');

/** What is in the tree of everybody who has one. */
const CORE = ['@backlot/core', '@sinclair/typebox', 'ajv', 'mustache', 're2js'];

const TREES = [
  {
    kinds: ['redis'],
    management: false,
    without: ['express', 'ws', 'aedes', 'commander', 'graphql', 'protobufjs'],
  },
  { kinds: ['dns'], management: false, without: ['express', 'ws', 'aedes', 'commander', 'dns-packet'] },
  {
    kinds: ['http', 'smtp', 'nats'],
    management: true,
    without: ['ws', 'aedes', 'commander', 'graphql', 'ldapjs'],
  },
];

describe.each(TREES)('core with $kinds, management: $management', ({ kinds, management, without }) => {
  let place: Place;
  beforeAll(async () => {
    place = makePlace();
    const further = management ? ['@backlot/management', '@backlot/webhooks'] : [];
    await place.install('@backlot/core', ...kinds.map((kind) => `@backlot/${kind}`), ...further);
  });
  afterAll(() => place.remove());

  it('brings its own libraries and no others', () => {
    const installed = listInstalled(place.path);
    expect(installed).toEqual(expect.arrayContaining(CORE));
    expect(installed.filter((name) => without.includes(name))).toEqual([]);
    const own = ['core', 'kit', ...kinds, ...(management ? ['management', 'webhooks'] : [])];
    expect(installed.filter((name) => name.startsWith('@backlot/'))).toEqual(
      own.map((name) => `@backlot/${name}`).sort(),
    );
    if (!management) expect(installed).not.toContain('express');
  });

  it.each(['mjs', 'cjs', 'require-of-esm.cjs'])('serves as %s', async (form) => {
    const file = `server.${form}`;
    place.write({ [file]: program(form, kinds, management) });
    const server = await startProgram(join(place.path, file), place.path);
    try {
      for (const kind of kinds) {
        const exchange = EXCHANGES[kind];
        expect(await exchange?.run(server.ports[kind] ?? 0)).toEqual(exchange?.want);
      }
      if (management) {
        const answer = await fetch(`http://127.0.0.1:${server.ports['api']}/api/protocols`);
        expect(await answer.json()).toEqual(
          kinds.map((protocol) => expect.objectContaining({ protocol, state: 'running' })),
        );
      }
    } finally {
      expect(await server.stop()).toEqual({ code: 0, errors: '' });
    }
  });

  it.each([
    ['nodenext', 'nodenext', ['server.mts', 'server.cts']],
    ['bundler', 'preserve', ['server.ts']],
    ['node10', 'commonjs', ['server.ts']],
  ])('is typed for %s', async (moduleResolution, module, files) => {
    for (const file of files)
      place.write({ [file]: program('mjs', kinds, management, true) + typedMocks(kinds) });
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true };
    const environment = { target: 'es2023', types: ['node'], typeRoots: [TYPES] };
    place.write({
      'tsconfig.json': JSON.stringify({
        compilerOptions: { module, moduleResolution, ...strict, ...environment },
        files,
      }),
    });
    expect(await run([COMPILER, '-p', place.path, '--pretty', 'false'], place.path)).toEqual({
      code: 0,
      output: '',
    });
  });

  it('says which protocol is not there', async () => {
    place.write({
      'missing.mjs': `import { createHost } from '@backlot/core';
await createHost({ protocols: [], settings: { kafka: {} } }).catch(({ code, message }) => console.log(code, message));
`,
    });
    const { output } = await run(['missing.mjs'], place.path);
    expect(output).toMatch(/^invalid \/settings\/kafka: the protocol "kafka" is not given to this host/);
    expect(output).toContain('install its package');
  });
});

/**
 * A server of some kinds. It says its ports, and stops when its standard input ends.
 *
 * @param form - `mjs`, `cjs`, or CommonJS that loads what ESM would
 */
function program(form: string, kinds: readonly string[], management: boolean, isTyped = false): string {
  const modules: [name: string, from: string][] = [
    ['createHost', '@backlot/core'],
    ...kinds.map((kind): [string, string] => [kind, `@backlot/${kind}`]),
    ...(management
      ? ([
          ['createManagementServer', '@backlot/management'],
          ['createWebhooks', '@backlot/webhooks'],
        ] as [string, string][])
      : []),
  ];
  const load = modules.map(([name, from]) => {
    if (form === 'mjs') return `import { ${name} } from '${from}';`;
    if (form === 'cjs') return `const { ${name} } = require('${from}');`;
    return `const { ${name} } = await import('${from}');`;
  });
  const settings = Object.fromEntries(kinds.map((kind) => [kind, { port: 0, ...EXCHANGES[kind]?.settings }]));
  const ports = isTyped ? 'const ports: Record<string, number | undefined> = {};' : 'const ports = {};';
  const body = `
  const host = await createHost({
    protocols: [${kinds.join(', ')}],
    settings: ${JSON.stringify(settings)},
    ${management ? 'webhooks: createWebhooks(),' : ''}
  });
  await host.start();
  ${ports}
  for (const { kind, address } of host.kinds) ports[kind] = address?.port;
  ${
    management
      ? `const server = createManagementServer(host);
  await new Promise${isTyped ? '<void>' : ''}((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const place = server.address();
  ports['api'] = typeof place === 'object' ? place?.port : undefined;`
      : ''
  }
  console.log(JSON.stringify(ports));
  process.stdin.resume().once('end', () => {
    ${management ? 'server.close();' : ''}
    void host.stop();
  });`;
  return form === 'mjs'
    ? `${load.join('\n')}\nasync function main()${isTyped ? ': Promise<void>' : ''} {${body}\n}\nvoid main();\n`
    : `${form === 'cjs' ? load.join('\n') : ''}\nasync function main() {\n${form === 'cjs' ? '' : load.join('\n')}${body}\n}\nvoid main();\n`;
}

/** Mocks with the types that the packages export, and what authors of plugins import. */
function typedMocks(kinds: readonly string[]): string {
  const lists = kinds.map((kind) => {
    const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    const mocks = JSON.stringify(EXCHANGES[kind]?.settings['mocks'] ?? []);
    return `import type { ${name}Mock } from '@backlot/${kind}';\nexport const ${kind}Mocks: readonly ${name}Mock[] = ${mocks};\n`;
  });
  return `${lists.join('')}import { Type, type PatternSource } from '@backlot/core/plugin';
export const schema = Type.String();
export const pattern: PatternSource = { any_of: ['a*'] };
`;
}

interface Program {
  readonly ports: Readonly<Record<string, number>>;
  stop(): Promise<{ readonly code: number | null; readonly errors: string }>;
}

/** Warnings of Node count as output: a package that makes some is not right. */
function startProgram(file: string, cwd: string): Promise<Program> {
  const child = spawn(process.execPath, [file], { cwd, env: { ...process.env, NODE_OPTIONS: '' } });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, errors })),
  );
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) =>
      resolve({
        ports: JSON.parse(line.toString()) as Record<string, number>,
        stop() {
          child.stdin.end();
          return ended;
        },
      }),
    );
    void ended.then(({ code }) => reject(new Error(`${file} ended with ${code}:\n${errors}`)));
  });
}

function run(args: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, NODE_OPTIONS: '' } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
