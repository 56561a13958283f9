import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../src/cli/load-config.js';
import { addPortOptions, readServerFlags } from '../src/cli/start-options.js';
import { planFor, type StartFlags } from '../src/cli/start.js';
import { startServer } from '../src/server/start-server.js';
import { makeFolder, startCommand } from './command.js';

let folder: ReturnType<typeof makeFolder>;

beforeAll(() => {
  folder = makeFolder();
});
afterAll(() => folder.remove());

/** A file with a configuration. */
function fileOf(config: string): string {
  const file = join(folder.path, 'backlot.yaml');
  writeFileSync(file, config);
  return file;
}

/** What there is at the root, at the address of the interface, and of the management API. */
async function lookAt(url: string): Promise<readonly (readonly [status: number, type: string])[]> {
  const paths = ['', 'api/docs', 'api/protocols'];
  return Promise.all(
    paths.map(async (path) => {
      const answer = await fetch(new URL(path, url), { redirect: 'manual' });
      await answer.arrayBuffer();
      return [answer.status, answer.headers.get('content-type')?.split(';')[0] ?? ''] as const;
    }),
  );
}

const ONE = 'protocols: {http: {port: 0}}\n';

describe('the page of a started server', () => {
  it('is at its root, with the files that it names', async () => {
    const server = await startCommand(['-c', fileOf(ONE), '--api-port=0'], { cwd: folder.path });
    try {
      const url = server.urls['api'] ?? '';
      const html = await (await fetch(url)).text();
      const names = [...html.matchAll(/(?:href|src)="(ui\/[^"]+)"/g)].map(([, name = '']) => name);
      const files = await Promise.all(
        names.map(async (name) => {
          const answer = await fetch(new URL(name, url));
          await answer.arrayBuffer();
          return answer.status;
        }),
      );
      expect(await lookAt(url)).toEqual([
        [200, 'text/html'],
        [302, ''],
        [200, 'application/json'],
      ]);
      expect(names).toHaveLength(3);
      expect(files).toEqual([200, 200, 200]);
    } finally {
      await server.stop();
    }
  });

  // Starting the command takes a second; what its flags and files make of a server is the same in this process.
  it.each([
    ['--no-ui', ONE, ['--api-port=0', '--no-ui']],
    ['api.ui: false', `api: {port: 0, ui: false}\n${ONE}`, []],
  ])('is not there with %s, and a plain description of the interface is', async (_how, config, args) => {
    const options = addPortOptions(new Command(), args).parse(args, { from: 'user' }).opts();
    const flags = readServerFlags(options, args) as StartFlags;
    const loaded = await loadConfig([fileOf(config)], []);
    const plan = planFor(loaded, flags);
    expect(plan.api.ui).toBe(false);
    const server = await startServer({
      plan,
      protocols: loaded.protocols,
      version: '0.0.0',
      log: () => undefined,
    });
    try {
      expect(await lookAt(server.apiUrl)).toEqual([
        [404, 'application/json'],
        [200, 'text/html'],
        [200, 'application/json'],
      ]);
    } finally {
      await server.stop();
    }
  });
});
