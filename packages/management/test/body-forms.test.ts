import { afterEach, describe, expect, it } from '@jest/globals';
import { JSON_FORMS } from '@backlot/conformance';
import { allRoutes } from '../src/index.js';
import { start, stopAll, type Management } from './support/start.js';

afterEach(stopAll);

/** Bodies that are JSON, and what no route wants. */
const FORMS: readonly string[] = [
  ...JSON_FORMS,
  '{"__proto__": null}',
  '{"constructor": {"prototype": null}}',
  `{${'"a":{'.repeat(30)}${'}'.repeat(30)}}`,
];

/** Where a route is asked: with ids of things that are there. */
function pathOf(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, 'there');
}

/** Whether the body is a list of nothing where rows are put in place of all. */
function isList({ method, path }: { readonly method: string; readonly path: string }, form: string): boolean {
  return form === '[]' && method === 'PUT' && path === '/api/collections/{name}';
}

async function fill({ host }: Management): Promise<void> {
  host.kind('echo').mocks.create({ id: 'there' });
  host.kind('plain-text').mocks.create({ id: 'there' });
  host.kind('echo').itemLists.get('targets')?.create({ id: 'there', to: 'x' });
  host.scenarios.create({ id: 'there' });
  await Promise.resolve();
}

describe('bodies of other forms', () => {
  it('are refused by every route that takes a body', async () => {
    const caught: unknown[] = [];
    const management = await start({ onError: (thrown) => caught.push(thrown) });
    await fill(management);
    const before = JSON.stringify(await pictureOf(management));
    const routes = allRoutes(management.host).filter(({ body }) => body !== undefined);
    expect(routes.length).toBeGreaterThan(20);
    for (const route of routes) {
      for (const form of FORMS) {
        const what = `${route.method} ${route.path} with ${form}`;
        const { status, body } = await management.call(route.method, pathOf(route.path), form);
        // A patch, an explanation and a row take any object.
        const isTaken = (form.startsWith('{') || isList(route, form)) && status < 300;
        if (isTaken) continue;
        // What a kind that is not enabled is given is not looked at.
        const isRefused =
          (status >= 400 && status < 500) || (status === 503 && route.path.includes('asleep'));
        expect([what, isRefused]).toEqual([what, true]);
        expect([what, typeof body.error]).toEqual([what, 'string']);
      }
    }
    expect(caught).toEqual([]);
    expect(JSON.stringify(await pictureOf(management))).toBe(before);
  });

  it('are refused in the fields of a body', async () => {
    const caught: unknown[] = [];
    const management = await start({ onError: (thrown) => caught.push(thrown) });
    await fill(management);
    for (const route of allRoutes(management.host)) {
      const { properties } = (route.body ?? {}) as { properties?: object };
      for (const name of Object.keys(properties ?? {})) {
        for (const form of FORMS) {
          const text = `{${JSON.stringify(name)}: ${form}}`;
          const { status } = await management.call(route.method, pathOf(route.path), text);
          const isKnown = status < 500 || status === 503;
          expect([route.name, text, isKnown, caught]).toEqual([route.name, text, true, []]);
        }
      }
    }
    expect(caught).toEqual([]);
  });

  it.each(['POST /api/scenarios', 'PUT /api/scenarios/there'])('are refused by %s', async (what) => {
    const management = await start();
    await fill(management);
    const [method = '', path = ''] = what.split(' ');
    for (const form of ['null', '1', '"text"', 'false', '[]', '[null]']) {
      const { status, body } = await management.call(method, path, form);
      expect([form, status]).toEqual([form, 400]);
      expect(body).toEqual({ error: expect.stringContaining('must be'), details: [expect.anything()] });
    }
  });
});

/** What the host holds that a route could change. */
async function pictureOf({ call }: Management): Promise<unknown> {
  const paths = [
    '/api/mocks/echo',
    '/api/mocks/plain-text',
    '/api/scenarios',
    '/api/echo/targets',
    '/api/fault',
  ];
  return Promise.all(paths.map(async (path) => (await call('GET', path)).body));
}
