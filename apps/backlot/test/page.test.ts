import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, startCommand, type StartedServer } from './command.js';

let folder: ReturnType<typeof makeFolder>;

beforeAll(() => {
  folder = makeFolder();
});
afterAll(() => folder.remove());

/** What a server answers that was started with a configuration, and is stopped then. */
async function answersOf<Answer>(
  config: string,
  args: readonly string[],
  ask: (url: string) => Promise<Answer>,
): Promise<Answer> {
  const file = join(folder.path, 'backlot.yaml');
  writeFileSync(file, config);
  const server: StartedServer = await startCommand(['-c', file, ...args], { cwd: folder.path });
  try {
    return await ask(server.urls['api'] ?? '');
  } finally {
    await server.stop();
  }
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
    const { looks, names, files } = await answersOf(ONE, ['--api-port=0'], async (url) => {
      const html = await (await fetch(url)).text();
      const named = [...html.matchAll(/(?:href|src)="(ui\/[^"]+)"/g)].map(([, name = '']) => name);
      const found = await Promise.all(
        named.map(async (name) => {
          const answer = await fetch(new URL(name, url));
          await answer.arrayBuffer();
          return answer.status;
        }),
      );
      return { looks: await lookAt(url), names: named, files: found };
    });
    expect(looks).toEqual([
      [200, 'text/html'],
      [302, ''],
      [200, 'application/json'],
    ]);
    expect(names).toHaveLength(3);
    expect(files).toEqual([200, 200, 200]);
  });

  it.each([
    ['--no-ui', ONE, ['--api-port=0', '--no-ui']],
    ['api.ui: false', `api: {port: 0, ui: false}\n${ONE}`, []],
  ])('is not there with %s, and a plain description of the interface is', async (_how, config, args) => {
    expect(await answersOf(config, args, lookAt)).toEqual([
      [404, 'application/json'],
      [200, 'text/html'],
      [200, 'application/json'],
    ]);
  });
});
