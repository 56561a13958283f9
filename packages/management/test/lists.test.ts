import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Type,
  type PagesDeclaration,
  type Protocol,
  type Route,
  type RouteAnswer,
} from '@backlot/core/plugin';
import { echo } from './support/echo.js';
import { plain } from './support/plain.js';
import { start, stopAll, type Management } from './support/start.js';
import { expand } from './support/expand.js';

afterEach(stopAll);

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);

/** Fills a list with seven items; answers the ids in their order. */
type Fill = (management: Management) => Promise<readonly string[]>;

const lists: [path: string, fill: Fill, idField?: string][] = [
  [
    '/api/mocks/echo',
    ({ host }) => {
      for (const id of names(7)) host.kind('echo').mocks.create({ id });
      return Promise.resolve(names(7));
    },
  ],
  [
    '/api/mocks/echo?unused=true',
    async ({ host, ask }) => {
      for (const id of names(9)) host.kind('echo').mocks.create({ id, match: id });
      for (const used of ['n0', 'n4']) await ask(`SAY ${used}`);
      return names(9).filter((name) => name !== 'n0' && name !== 'n4');
    },
  ],
  [
    '/api/scenarios',
    ({ host }) => {
      for (const id of names(7)) host.scenarios.create({ id });
      return Promise.resolve(names(7));
    },
  ],
  [
    '/api/echoes',
    async ({ connect, host }) => {
      const client = await connect();
      for (const id of names(7)) client.send(`KEEP ${id}`);
      for (let left = 7; left > 0; left -= 1) await client.nextLine();
      return Array.from(host.kind('echo').captures?.items() ?? [], ({ id }) => id);
    },
  ],
  [
    '/api/echo/targets',
    ({ host }) => {
      const targets = host.kind('echo').itemLists.get('targets');
      for (const id of names(7)) targets?.create({ id, to: 'somewhere' });
      return Promise.resolve(names(7));
    },
  ],
  ['/api/snapshots', ({ host }) => Promise.resolve(names(7).map((name) => host.snapshots.create(name).id))],
  [
    '/api/streams',
    async ({ host, connect }) => {
      host.kind('echo').mocks.create({ id: 's', stream: true });
      for (let left = 7; left > 0; left -= 1) {
        const client = await connect();
        client.send('OPEN x');
        await client.nextLine();
      }
      return host.streams.list().map(({ id }) => id);
    },
  ],
  [
    '/api/logs?limit=100',
    async ({ host, ask }) => {
      for (const name of names(7)) await ask(`SAY ${name}`);
      return host.journal.list().map(({ id }) => id);
    },
  ],
  ['/api/protocols', ({ host }) => Promise.resolve(host.kinds.map(({ kind }) => kind)), 'protocol'],
];

describe.each(lists)('pages of %s', (list, fill, idField = 'id') => {
  const [path = '', filter] = list.split('?');
  const isLog = path === '/api/logs';

  it('make the whole list', async () => {
    const management = await start();
    const ids = await fill(management);
    const get = async (query: string): Promise<string[]> => {
      const { status, body } = await management.call(
        'GET',
        `${path}?${[isLog ? '' : filter, query].filter(Boolean).join('&')}`,
      );
      expect([query, status]).toEqual([query, 200]);
      return body.map((item: Record<string, string>) => item[idField]);
    };
    expect(ids.length).toBeGreaterThan(2);
    expect(await get('')).toEqual(ids);
    expect(await get('limit=2')).toEqual(isLog ? ids.slice(-2) : ids.slice(0, 2));
    expect(await get('limit=0')).toEqual([]);
    expect(await get('limit=99999999999999999999')).toEqual(ids);
    const read: string[] = isLog ? await get('limit=2&after=0') : await get('limit=2');
    for (;;) {
      const page = await get(`limit=2&after=${encodeURIComponent(read.at(-1) ?? '')}`);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(2);
      read.push(...page);
    }
    expect(read).toEqual(ids);
    expect(await get(`after=${encodeURIComponent(ids[0] ?? '')}`)).toEqual(ids.slice(1));
  });

  it('that there are not are refused with what was given', async () => {
    const management = await start();
    await fill(management);
    for (const wrong of ['limit=-1', 'limit=1.5', 'limit=many', 'limit=', 'after=', 'after=no%20such%20id']) {
      const { status, body } = await management.call('GET', `${path}?${wrong}`);
      const [name = '', value = ''] = wrong.split('=');
      expect([wrong, status]).toEqual([wrong, 400]);
      expect(body.error).toContain(`query parameter ${name} must`);
      expect(body.error).toContain(decodeURIComponent(value));
      expect(body.details).toEqual([{ path: `/${name}`, message: expect.any(String) }]);
    }
  });
});

describe('pages', () => {
  it('of calls are of their entries', async () => {
    const { call, ask, host } = await start();
    host.kind('echo').mocks.create({ id: 'm', match: 'x' });
    for (const word of ['x', 'y', 'x', 'x']) await ask(`SAY ${word}`);
    const path = '/api/calls/echo/m';
    const [first, second, third] = host.journal.list({ matchedId: 'm' });
    expect((await call('GET', path)).body).toEqual({ mock_id: 'm', count: 3, calls: [first, second, third] });
    expect((await call('GET', `${path}?limit=1`)).body).toEqual({ mock_id: 'm', count: 3, calls: [first] });
    expect((await call('GET', `${path}?limit=1&after=${first?.id}`)).body.calls).toEqual([second]);
    expect((await call('GET', `${path}?after=${second?.id}`)).body.calls).toEqual([third]);
    for (const wrong of ['limit=-1', 'after=x']) {
      expect([wrong, (await call('GET', `${path}?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });

  it('of active scenarios are of the scenarios', async () => {
    const { call, host } = await start();
    for (const id of ['a', 'b', 'c']) {
      host.scenarios.create({ id });
      host.scenarios.activate(id);
    }
    const { body } = await call('GET', '/api/scenarios/active?limit=1&after=a');
    expect(body).toEqual({ active: ['a', 'b', 'c'], scenarios: [expect.objectContaining({ id: 'b' })] });
  });

  it('go on after a mock that was used meanwhile, and not after one that is gone', async () => {
    const { call, host, ask } = await start();
    for (const id of ['a', 'b', 'c']) host.kind('echo').mocks.create({ id, match: id });
    const [last] = (await call('GET', '/api/mocks/echo?unused=true&limit=1')).body;
    await ask(`SAY ${last.id}`);
    const next = `/api/mocks/echo?unused=true&limit=1&after=${last.id}`;
    expect((await call('GET', next)).body).toMatchObject([{ id: 'b' }]);
    host.kind('echo').mocks.remove('a');
    const gone = await call('GET', next);
    expect([gone.status, gone.body.error]).toEqual([
      400,
      'query parameter after must be the id of an item of this list, got "a"; it may be gone: begin again without "after"',
    ]);
  });

  it('are of lists of a plugin as well, in its own words', async () => {
    const words = names(5).map((name) => ({ name }));
    const { call } = await start({}, { protocols: [withRoute({ list: words }, { idField: 'name' }), plain] });
    expect((await call('GET', '/api/echo/words')).body).toEqual(words);
    expect((await call('GET', '/api/echo/words?limit=2&after=n1')).body).toEqual(words.slice(2, 4));
    expect((await call('GET', '/api/echo/words?after=n9')).status).toBe(400);
    const { body: document } = await call('GET', '/api/openapi.json');
    const { get } = document.paths['/api/echo/words'];
    const parameters = expand(get.parameters, document) as { name: string }[];
    expect(parameters.map(({ name }) => name)).toEqual(['limit', 'after']);
    expect(get.responses['400']).toBeDefined();
  });

  it('are not of lists that do not declare them', async () => {
    const { call } = await start({}, { protocols: [withRoute({ list: [1, 2, 3] }), plain] });
    expect((await call('GET', '/api/echo/words')).body).toEqual([1, 2, 3]);
    expect((await call('GET', '/api/echo/words?limit=1')).status).toBe(400);
    await stopAll();
    const wrapped = { list: [1], status: 202, within: { fields: { all: true }, name: 'words' } };
    const other = await start({}, { protocols: [withRoute(wrapped), plain] });
    const { status, body } = await other.call('GET', '/api/echo/words');
    expect([status, body]).toEqual([202, { all: true, words: [1] }]);
  });
});

describe('one item', () => {
  it('of what was captured is found by its id', async () => {
    const { call, ask } = await start();
    for (const id of names(3)) await ask(`KEEP ${id}`);
    expect((await call('GET', '/api/echoes/2')).body).toEqual({ id: '2', text: 'KEEP n1' });
    const none = await call('GET', '/api/echoes/7');
    expect([none.status, none.body]).toEqual([404, { error: 'no captured message "7"' }]);
    expect((await call('GET', '/api/asleep/messages/1')).status).toBe(404);
  });

  it('of the log is found by its id', async () => {
    const { call, ask } = await start();
    for (const name of names(3)) await ask(`SAY ${name}`);
    const entries = (await call('GET', '/api/logs')).body;
    expect((await call('GET', `/api/logs/${entries[1].id}`)).body).toEqual(entries[1]);
    for (const id of ['0', '99', '1e1', '-1', 'x', '1.0', '9'.repeat(40)]) {
      const none = await call('GET', `/api/logs/${id}`);
      expect([none.status, none.body]).toEqual([404, { error: `no log entry "${id}"` }]);
    }
    expect((await call('GET', '/api/logs/count')).body).toEqual({ count: 3 });
  });
});

describe('long texts', () => {
  it('of captured messages are cut in lists, and whole by id', async () => {
    const { call, connect } = await start();
    const client = await connect();
    const text = `KEEP ${'x'.repeat(1024 * 1024)}`;
    for (const line of [text, 'KEEP short']) {
      client.send(line);
      await client.nextLine();
    }
    const cut = { id: '1', text: text.slice(0, 1024 * 1024), truncated: { text: text.length } };
    const list = (await call('GET', '/api/echoes')).body;
    expect(list[0].truncated).toEqual(cut.truncated);
    expect(list[0].text === cut.text).toBe(true);
    expect(list[1]).toEqual({ id: '2', text: 'KEEP short' });
    expect((await call('GET', '/api/echoes/1')).body.text === text).toBe(true);
    const [whole] = (await call('GET', '/api/echoes?max_body=2000000')).body;
    expect([whole.text === text, whole.truncated]).toEqual([true, undefined]);
    const [short] = (await call('GET', '/api/echoes?max_body=258&limit=1')).body;
    expect(short).toEqual({ id: '1', text: text.slice(0, 256), truncated: { text: text.length } });
    for (const wrong of ['255', 'x', '-1', '']) {
      expect((await call('GET', `/api/echoes?max_body=${wrong}`)).status).toBe(400);
    }
  });

  it('of mocks are not', async () => {
    const { call, host } = await start();
    const answer = 'x'.repeat(2 * 1024 * 1024);
    host.kind('echo').mocks.create({ id: 'long', answer });
    const [{ answer: listed }] = (await call('GET', '/api/mocks/echo')).body;
    expect(listed === answer).toBe(true);
    const { body, headers } = await call('GET', '/api/mocks/echo/long');
    expect([body.answer === answer, headers.get('transfer-encoding')]).toEqual([true, 'chunked']);
  });
});

/** The test protocol with a route that answers what is given. */
function withRoute(answer: RouteAnswer, pages?: PagesDeclaration): Protocol {
  const route: Route<never> = {
    method: 'GET',
    path: '/api/echo/words',
    name: 'listEchoWords',
    tag: 'Echo words',
    summary: 'Lists words.',
    ...(pages === undefined ? {} : { pages }),
    responses: { 200: { description: 'The words.', schema: Type.Array(Type.Unknown()) } },
    handle: () => answer,
  };
  return { ...echo, routes: [route] };
}
