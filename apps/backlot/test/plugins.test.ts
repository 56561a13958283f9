import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import { ALL_FREE_PORTS, FREE_PORTS, makeFolder, runCommand, startCommand, type Ended } from './command.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => folder.remove());

const NAME = 'backlot-tick';

function run(...args: string[]): Promise<Ended> {
  return runCommand(args, { cwd: folder.path });
}

function write(path: string, content: string | object): void {
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

/** Installs a plugin as a package; its code may lean on `tick`, a whole declaration, and `start`, which it is given. */
function install(
  { manifest = { backlot: { protocol: 'tick' } }, code = 'export { tick };', start = '' },
  place = `node_modules/${NAME}`,
): void {
  write(`${place}/package.json`, { name: NAME, type: 'module', exports: './index.js', ...manifest });
  write(
    `${place}/index.js`,
    `const object = properties => ({ type: 'object', properties, additionalProperties: false });
     const tick = {
       kind: 'tick', meta: { title: 'Tick', summary: 'Ticks.', transport: 'stream', defaultPort: 7777, url: 'tick://{host}:{port}' },
       config: object({}),
       mocks: { noun: 'mock', configKey: 'mocks', mode: 'first', schema: object({}), examples: [{ id: 'a' }], compile: () => ({}) },
       fault: { schema: object({ late: { type: 'boolean' } }), default: {} },
       capture: { schema: object({ id: { type: 'string' }, text: { type: 'string' } }) },
       create: context => ({ start: async () => { ${start}; return { host: 'localhost', port: context.config.port }; }, stop: async () => {} }),
     };
     ${code}`,
  );
}

/** What `plugins` says of a plugin that cannot be used. */
async function refusal(name = NAME): Promise<string> {
  const { code, stdout, stderr } = await run('plugins', '--plugin', name);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return stderr.trim();
}

describe('a further plugin', () => {
  it('is loaded from its package, by flag and by file', async () => {
    install({});
    expect((await run('plugins', '--plugin', NAME)).stdout).toMatch(/^tick +backlot-tick +7777 +Ticks\.$/m);
    write(
      'backlot.yaml',
      'plugins: [backlot-tick]\napi: {port: 0}\nprotocols: {tick: {mocks: [{id: one}]}}\n',
    );
    expect(await run('validate')).toMatchObject({ code: 0, stdout: 'backlot.yaml: valid (tick 1)\n' });
    // A file and a flag may name the same one, in different words.
    const flags = ['--plugin', './node_modules/backlot-tick', '--tick-port', '7000'];
    const server = await startCommand(flags, { cwd: folder.path });
    expect(server.urls).toMatchObject({ tick: 'tick://localhost:7000' });
    await server.stop();
  });

  it('has everything that follows from its declaration, after the kinds that come along', async () => {
    const start = `const exchange = context.receive({ method: 'TICK', path: 'tock', remote: '' });
      exchange.resolve(); context.captures.add({ id: '', text: 'tock' }, 4, exchange); exchange.done();`;
    install({ start });
    const server = await startCommand([...FREE_PORTS, '--plugin', NAME, '--tick-port=0', '--only=tick,dns'], {
      cwd: folder.path,
    });
    const ask = async (path: string, body?: string): Promise<unknown> =>
      (
        await fetch(`${server.urls['api']}${path}`, body === undefined ? {} : { method: 'POST', body })
      ).json();
    try {
      const protocols = (await ask('/api/protocols')) as { protocol: string }[];
      expect(protocols.map(({ protocol }) => protocol)).toEqual([
        ...INSTALLED_PROTOCOLS.map(({ kind }) => kind),
        'tick',
      ]);
      expect(protocols.at(-1)).toMatchObject({ title: 'Tick', state: 'running', mocks: 0, messages: 1 });
      expect(await ask('/api/tick/messages')).toEqual([expect.objectContaining({ text: 'tock' })]);
      expect(await ask('/api/logs?protocol=tick')).toEqual([
        expect.objectContaining({ method: 'TICK', path: 'tock' }),
      ]);
      expect(await ask('/api/fault/tick', '{"late": true}')).toEqual({ late: true });
      expect(await ask('/api/fault')).toEqual({ tick: { late: true } });
      expect(await ask('/api/fault/tick', '{"late": 1}')).toMatchObject({ details: [{ path: '/late' }] });
      expect(await ask('/api/mocks/tick', '{"id": "b"}')).toEqual({ id: 'b' });
    } finally {
      await server.stop();
    }
    const openapi = JSON.parse((await run('openapi', '--plugin', NAME)).stdout) as { paths: object };
    expect(Object.keys(openapi.paths)).toEqual(
      expect.arrayContaining(['/api/mocks/tick/{id}', '/api/fault/tick', '/api/tick/messages']),
    );
    const script = 'console.log(process.env.TICK_URL)';
    const ran = ['run', '--plugin', NAME, '--only', 'tick', '--', process.execPath, '-e', script];
    expect(await run(...ran)).toMatchObject({ code: 0, stdout: 'tick://localhost:0\n' });
  });

  it('stands in the file that init writes, and in its schema', async () => {
    install({}, 'plugins/tick');
    mkdirSync(join(folder.path, 'config'));
    const file = join('config', 'backlot.yaml');
    expect((await run('init', file, '--plugin', './plugins/tick')).code).toBe(0);
    const text = readFileSync(join(folder.path, file), 'utf8');
    expect(text).toContain('\nplugins: ["../plugins/tick"]\n');
    expect(text).toMatch(/^ {2}# Ticks\.\n {2}tick:\n {4}port: 7777\n/m);
    expect(await run('validate', file)).toMatchObject({ code: 0, stderr: '' });
    const schema = readFileSync(join(folder.path, 'config', 'backlot.schema.json'), 'utf8');
    expect(JSON.parse(schema)).toHaveProperty('properties.protocols.properties.tick.properties.mocks');
  });

  it('that throws where nobody catches is a log line, and everything else goes on', async () => {
    install({
      start:
        "setTimeout(() => { throw new Error('tick is\\nbroken'); }, 50); Promise.reject(new Error('so is its promise'))",
    });
    const server = await startCommand([...ALL_FREE_PORTS, '--plugin=backlot-tick', '--tick-port=0'], {
      cwd: folder.path,
    });
    while (!server.errors().includes('broken') || !server.errors().includes('promise')) {
      expect((await fetch(`${server.urls['api']}/api/health`)).status).toBe(200);
    }
    expect(server.errors().trim().split('\n')).toHaveLength(2);
    expect((await server.stop()).code).toBe(0);
  });

  it('that cannot start is named', async () => {
    install({ start: "throw new Error('no license')" });
    expect(await run('start', '--plugin', NAME, '--only', 'tick', '--api-port=0')).toMatchObject({
      code: 1,
      stderr: 'error: protocol "tick" cannot be started: no license\n',
    });
  });
});

describe('a plugin that cannot be used', () => {
  it('is not there', async () => {
    expect(await refusal()).toMatch(
      /^error: plugin "backlot-tick" is not there \(looked from .*\); install it, as in "npm install backlot-tick"$/,
    );
    expect(await refusal('./tick')).toMatch(
      /^error: plugin "\.\/tick" is not there: no such file or folder as \//,
    );
    install({}, 'tick');
    expect(await refusal('tick')).toMatch(
      /; what is in this folder is written with a dot, as in "\.\/tick"$/,
    );
  });

  it('is no package, or no plugin', async () => {
    mkdirSync(join(folder.path, 'empty'));
    expect(await refusal('./empty')).toMatch(
      /^error: plugin "\.\/empty" is no package: there is no .*package\.json$/,
    );
    write('bad/package.json', '{"name": }');
    expect(await refusal('./bad')).toMatch(
      /^error: plugin "\.\/bad": .*package\.json cannot be read: .*JSON/,
    );
    install({ manifest: {} as never });
    expect(await refusal()).toBe(
      'error: package "backlot-tick" is no plugin: its package.json has no "backlot": {"protocol": "<kind>"}',
    );
  });

  it('is not built, or lacks what it needs', async () => {
    install({ manifest: { backlot: { protocol: 'tick' }, exports: './dist/index.js' } as never });
    expect(await refusal()).toMatch(
      /^error: plugin "backlot-tick" is not built: its package\.json names .*index\.js, which is not there; build it/,
    );
    install({ code: "import '@nobody/nothing';" });
    expect(await refusal()).toMatch(
      /^error: plugin "backlot-tick" cannot be loaded: Cannot find package '@nobody\/nothing' .*; install what it needs, as in "npm install" in \//,
    );
  });

  it('throws as it is loaded', async () => {
    install({ code: "\nthrow new Error('first\\nsecond');" });
    expect(await refusal()).toMatch(
      /^error: plugin "backlot-tick" cannot be loaded: first second \(file:\/\/.*backlot-tick\/index\.js:\d+:\d+\)$/,
    );
  });

  it('exports no protocol, another one, or several', async () => {
    install({ code: 'export const clock = 1; export default undefined;' });
    expect(await refusal()).toBe(
      'error: plugin "backlot-tick" exports no protocol, as defineProtocol makes it; it exports clock, default',
    );
    install({ manifest: { backlot: { protocol: 'tock' } } });
    expect(await refusal()).toBe(
      'error: plugin "backlot-tick" does not export the protocol "tock" that its package.json names; it exports "tick"',
    );
    install({ code: "export { tick }; export const tock = { ...tick, kind: 'tock' };" });
    expect(await refusal('./node_modules/backlot-tick/index.js')).toMatch(
      /^error: plugin .* exports several protocols, "tick", "tock"; name a package/,
    );
    install({
      manifest: { backlot: { protocol: 'dns' } },
      code: "export const dns = { ...tick, kind: 'dns' };",
    });
    expect(await refusal()).toBe(
      'error: protocol "dns" is in two packages: @backlot/dns and backlot-tick; leave one of them out',
    );
  });

  it('declares what this core does not know, or was made for another contract', async () => {
    install({
      code: 'const { summary, ...meta } = tick.meta; const broken = { ...tick, meta, faults: {} }; export { broken as tick };',
    });
    expect(await refusal()).toBe(
      'error: plugin "backlot-tick": protocol "tick" cannot be used: faults: unknown field "faults"; did you mean "fault"?; meta.summary: "summary" is required',
    );
    install({ code: 'const later = { ...tick, contract: 9, novelty: {} }; export { later as tick };' });
    expect(await refusal()).toBe(
      'error: plugin "backlot-tick": protocol "tick" cannot be used: it was made for contract 9 of @backlot/core, and this one has contract 1; install a newer backlot or @backlot/core, or an older version of the plugin',
    );
  });
});

describe('backlot new-protocol', () => {
  it('writes a package that names the versions of this one', async () => {
    const { code, stdout, stderr } = await run('new-protocol', 'gopher');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'wrote gopher/.gitignore',
      'wrote gopher/README.md',
      'wrote gopher/jest.config.mjs',
      'wrote gopher/package.json',
      expect.stringMatching(/^wrote gopher\/src\//),
      ...Array.from({ length: 5 }, () => expect.stringMatching(/^wrote gopher\/src\//)),
      'wrote gopher/test/conformance.test.ts',
      'wrote gopher/test/gopher.test.ts',
      'wrote gopher/tsconfig.json',
      'next: npm install and npm test in ./gopher, then: backlot start --plugin ./gopher',
    ]);
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(JSON.parse(readFileSync(join(folder.path, 'gopher/package.json'), 'utf8'))).toMatchObject({
      name: 'backlot-gopher',
      backlot: { protocol: 'gopher' },
      peerDependencies: { '@backlot/core': `^${version}` },
      devDependencies: { '@backlot/core': version },
    });
  });

  it('writes where it is told to, and over nothing', async () => {
    expect((await run('new-protocol', 'gopher', '--folder', 'plugins/g')).stdout).toMatch(
      /start --plugin \.\/plugins\/g$/m,
    );
    expect(await run('new-protocol', 'gopher', '--folder', 'plugins/g')).toMatchObject({
      code: 1,
      stderr: 'error: plugins/g exists already; name a folder that is empty or not there\n',
    });
    expect(await run('new-protocol', 'dns')).toMatchObject({
      code: 1,
      stderr: 'error: protocol "dns" is there already, in @backlot/dns; choose another name\n',
    });
    expect(await run('new-protocol', 'Go-Pher')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: "Go-Pher" cannot be a kind: use lower-case letters/),
    });
  });
});
