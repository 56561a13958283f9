import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import { INSTALLED_PROTOCOLS } from '../src/installed.generated.js';
import { FREE_PORTS, makeFolder, runCommand, startCommand } from './command.js';
import { readDockerfile, type Stage } from './docs/dockerfile.js';
import { ROOT } from './docs/page.js';

const stages = readDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const final = stages.at(-1) as Stage;
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly packageManager: string;
  readonly scripts: Readonly<Record<string, string>>;
};

/** Runs a command to its end; gives its exit code and what it printed. */
async function run(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn('sh', ['-c', command], { cwd, env: { ...process.env, NODE_OPTIONS: '', ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

function argument(stage: Stage, name: string): string {
  const found = stage.steps.filter((step) => step.name === name);
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
}

describe('the container file', () => {
  it('has stages of slim images of Node 20, and ends as a user without privileges', () => {
    expect(stages.map(({ image }) => image)).toEqual(['node:20-slim', 'node:20-slim', 'node:20-slim']);
    expect(stages.map(({ alias }) => alias)).toEqual(['build', 'install', undefined]);
    const copied = stages.flatMap(({ steps }) =>
      steps.flatMap(({ name, text }) => (name === 'COPY' ? (/--from=(\S+)/.exec(text)?.[1] ?? []) : [])),
    );
    expect(copied).toEqual(['build', 'install']);
    expect(argument(final, 'USER')).toBe('node');
    expect(argument(final, 'WORKDIR')).toBe('/config');
    expect(argument(final, 'ENV')).toContain('BACKLOT_HOST=0.0.0.0');
    expect(final.steps.filter(({ name }) => name === 'RUN')).toEqual([]);
  });

  it('exposes the management port and the default port of every protocol, and nothing else', async () => {
    const { stdout } = await runCommand(['plugins', '--json']);
    const plugins = JSON.parse(stdout) as { transport: string; default_port: number; protocol: string }[];
    const { stdout: help } = await runCommand(['start', '--help']);
    expect(help).toContain('9091');
    const transports: Readonly<Record<string, readonly string[]>> = {
      stream: ['tcp'],
      datagram: ['udp'],
      both: ['udp', 'tcp'],
    };
    const expected = plugins.flatMap(({ transport, default_port: port }) =>
      (transports[transport] ?? [transport]).map((each) => `${port}/${each}`),
    );
    const exposed = argument(final, 'EXPOSE')
      .split(/\s+/)
      .map((port) => (port.includes('/') ? port : `${port}/tcp`));
    expect(exposed).toEqual(['9091/tcp', ...expected]);
  });

  it('builds with the package manager and the scripts of the repository', () => {
    const [build] = stages;
    const commands = build?.steps.flatMap(({ name, text }) => (name === 'RUN' ? [text] : [])) ?? [];
    expect(commands.slice(0, 3)).toEqual([
      `npm install --global ${manifest.packageManager}`,
      'pnpm install --frozen-lockfile',
      'pnpm build',
    ]);
    expect(manifest.scripts['build']).toBeDefined();
  });

  it('leaves out what is built inside, and nothing that is needed there', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(ignored).toEqual(expect.arrayContaining(['.git', '**/node_modules', '**/dist', '**/*.tgz']));
    const needed = [
      'package.json',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      'turbo.json',
      'tsconfig.base.json',
    ];
    for (const name of [...needed, 'packages', 'apps']) {
      expect(existsSync(join(ROOT, name))).toBe(true);
      expect(ignored).not.toContain(name);
    }
  });
});

describe('the steps of the container file, in folders instead of an image', () => {
  let folder: ReturnType<typeof makeFolder>;
  beforeAll(() => {
    folder = makeFolder();
  });
  afterAll(() => folder.remove());

  /** The last RUN of a stage, with the folders of the image in ours. */
  const commandOf = (stage: Stage | undefined): string =>
    (stage?.steps.findLast(({ name }) => name === 'RUN')?.text ?? 'false').replaceAll(
      '/tarballs',
      join(folder.path, 'tarballs'),
    );

  it('pack the packages, install them in an empty folder, and start a server that is healthy', async () => {
    const [build, install] = stages;
    // What was built before the tests is what `pnpm build` makes there.
    expect(await run(commandOf(build), ROOT)).toMatchObject({ code: 0 });
    const place = join(folder.path, 'opt');
    mkdirSync(place);
    const installed = await run(commandOf(install), place, { npm_config_prefer_offline: 'true' });
    expect(installed).toMatchObject({ code: 0 });

    const config = join(folder.path, 'config');
    mkdirSync(config);
    const bin = join(place, 'node_modules', '.bin');
    const path = `${bin}${delimiter}${process.env['PATH'] ?? ''}`;
    const [entry] = JSON.parse(argument(final, 'ENTRYPOINT')) as [string];
    const words = JSON.parse(argument(final, 'CMD')) as string[];
    expect(existsSync(join(bin, entry))).toBe(true);
    const ports = [
      '--api-port=0',
      '--host=127.0.0.1',
      '--only=http,redis',
      '--http-port=0',
      '--redis-port=0',
    ];
    const child = spawn(entry, [...words, ...ports], {
      cwd: config,
      env: { PATH: path, NODE_ENV: 'production' },
    });
    let output = '';
    const api = await new Promise<string>((resolve, reject) => {
      const read = (text: Buffer): void => {
        output += text.toString();
        const found = /^ready .*\bapi=(\S+)/m.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('close', (code) => reject(new Error(`ended with ${code}: ${output}`)));
    });
    // npm leaves an optional dependency out without a word when it finds no package.
    const listed = (await (await fetch(`${api}/api/protocols`)).json()) as { protocol: string }[];
    expect(listed.map(({ protocol }) => protocol)).toEqual(INSTALLED_PROTOCOLS.map(({ kind }) => kind));
    const health = JSON.parse(/CMD (\[.*\])$/.exec(argument(final, 'HEALTHCHECK'))?.[1] ?? '[]') as string[];
    const check = (): ReturnType<typeof run> =>
      run(health.join(' '), config, { PATH: path, BACKLOT_URL: api });
    expect(await check()).toMatchObject({ code: 0, output: expect.stringContaining('Backlot') });
    child.removeAllListeners('close');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect((await check()).code).not.toBe(0);
  }, 240_000);
});

describe('the example with compose', () => {
  const place = join(ROOT, 'examples/compose');
  const compose = parse(readFileSync(join(place, 'compose.yaml'), 'utf8')) as {
    readonly services: Readonly<
      Record<
        string,
        {
          readonly build?: string;
          readonly volumes?: readonly string[];
          readonly environment?: Readonly<Record<string, string>>;
          readonly command?: readonly string[];
          readonly depends_on?: object;
        }
      >
    >;
  };

  it('names files, ports and services that are there', () => {
    const { backlot, tests } = compose.services;
    expect(Object.keys(compose.services)).toEqual(['backlot', 'tests']);
    expect(join(place, backlot?.build ?? '', 'Dockerfile')).toBe(join(ROOT, 'Dockerfile'));
    for (const volume of backlot?.volumes ?? [])
      expect(existsSync(join(place, volume.split(':')[0] ?? ''))).toBe(true);
    expect(tests?.depends_on).toEqual({ backlot: { condition: 'service_healthy' } });
    const { protocols } = parse(readFileSync(join(place, 'backlot.yaml'), 'utf8')) as {
      readonly protocols: Readonly<Record<string, { readonly port: number }>>;
    };
    expect(tests?.environment).toEqual({
      PAYMENTS_URL: `http://backlot:${protocols['http']?.port}`,
      WAREHOUSE_ADDRESS: `backlot:${protocols['tcp']?.port}`,
      BACKLOT_URL: 'http://backlot:9091',
    });
  });

  it('passes its tests', async () => {
    const server = await startCommand(FREE_PORTS, { cwd: place });
    try {
      const { urls } = server;
      const command = compose.services['tests']?.command?.join(' ') ?? 'false';
      const { code, output } = await run(command, place, {
        PAYMENTS_URL: urls['http'] ?? '',
        WAREHOUSE_ADDRESS: new URL(urls['tcp'] ?? '').host,
        BACKLOT_URL: urls['api'] ?? '',
      });
      expect(output).toMatch(/# pass 2\n# fail 0/);
      expect(code).toBe(0);
    } finally {
      await server.stop();
    }
  }, 30_000);
});
