import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { createManagementServer } from '@backlot/management';
import { smtp } from '@backlot/smtp';
import { addBacklotCommands, type BacklotActions, type SpacePlace } from '../src/cypress.js';
import { addBacklotTasks, type BacklotTasks, type CypressOptions } from '../src/cypress-node.js';
import { startBacklot, type Backlot } from '../src/index.js';
import { sendMail } from './clients.js';

const protocols = [http, smtp] as const;
let backlot: Backlot<typeof protocols, readonly []>;
let server: Server;
let url = '';

beforeAll(async () => {
  backlot = await startBacklot({ protocols });
  server = createManagementServer(backlot.host);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => backlot.reset());
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await backlot.stop();
});

type Run = (...given: unknown[]) => unknown;
interface Hooked {
  readonly currentTest: { readonly state: string; fullTitle(): string };
}
interface Intercepted {
  headers: Record<string, string>;
}

/**
 * What Cypress documents of its two halves, and nothing more: no browser of Cypress is to be had from a registry. Between the halves goes
 * JSON, `undefined` is refused, and commands wait for each other.
 */
function makeCypress(options: CypressOptions = {}) {
  const tasks: Record<string, Run> = {};
  const ends: Run[] = [];
  const printed: string[] = [];
  const logged: string[] = [];
  const before: Run[] = [];
  const after: Run[] = [];
  const intercepts: ((request: Intercepted) => void)[] = [];
  const commands: Record<string, Run> = {};
  let queue: Promise<unknown> = Promise.resolve();

  const on = (event: string, given: unknown): void => {
    if (event === 'task') Object.assign(tasks, given as Record<string, Run>);
    else if (event === 'after:run') ends.push(given as Run);
    else throw new Error(`Cypress has no ${event}`);
  };
  const added: BacklotTasks = addBacklotTasks(on, {
    url,
    protocols: ['http', 'smtp'],
    print: (text) => void printed.push(text),
    ...options,
  });
  const task = (name: string, value: unknown): { then(next: Run): unknown } => {
    const sent = JSON.parse(JSON.stringify(value)) as unknown;
    const done = queue.then(async () => {
      const answer = await tasks[name]?.(sent);
      if (answer === undefined) throw new Error(`The task '${name}' returned undefined.`);
      return JSON.parse(JSON.stringify(answer)) as unknown;
    });
    queue = done;
    return { then: (next) => (queue = done.then(next)) };
  };
  const inBrowser = {
    Cypress: {
      Commands: { add: (name: string, run: Run) => void (commands[name] = run) },
      log: ({ message }: { message: string }) => void logged.push(message),
    },
    cy: {
      task,
      intercept: (_: unknown, handler: (request: Intercepted) => void) => void intercepts.push(handler),
    },
    beforeEach: (hook: Run) => void before.push(hook),
    afterEach: (hook: Run) => void after.push(hook),
  };
  const whole = globalThis as unknown as Record<string, unknown>;
  const outside = Object.keys(inBrowser).map((name) => [name, whole[name]] as const);
  Object.assign(whole, inBrowser);
  try {
    addBacklotCommands();
  } finally {
    for (const [name, value] of outside) {
      if (value === undefined) delete whole[name];
      else whole[name] = value;
    }
  }
  const cy = async <Name extends keyof BacklotActions>(
    name: Name,
    ...args: Parameters<BacklotActions[Name]>
  ): Promise<ReturnType<BacklotActions[Name]>> => {
    commands['backlot']?.(name, ...args);
    const answer = queue;
    queue = answer.catch(() => undefined);
    return (await answer) as ReturnType<BacklotActions[Name]>;
  };
  /** What the browser asks for, on the port that all share. */
  const load = async (path: string, method = 'GET'): Promise<string> => {
    const request: Intercepted = { headers: { accept: '*/*' } };
    for (const handler of intercepts) handler(request);
    return (await fetch(backlot.http.url + path, { method, headers: request.headers })).text();
  };
  const test = async (title: string, body: () => Promise<void>): Promise<void> => {
    intercepts.length = 0;
    for (const hook of before) hook();
    await queue;
    const state = await body().then(
      () => 'passed',
      () => 'failed',
    );
    const hooked: Hooked = { currentTest: { state, fullTitle: () => title } };
    for (const hook of after) hook.call(hooked);
    await queue;
    if (state === 'failed' && !title.startsWith('fails')) throw new Error(`${title} failed`);
  };
  const end = async (): Promise<void> => {
    for (const each of ends) await each();
  };
  return { cy, load, test, end, printed, logged, added };
}

describe('Cypress', () => {
  it('each test has a space, to which belongs what pages ask for, and every action works', async () => {
    const { cy, load, test, end } = makeCypress({
      setup: async (space) =>
        void (await space.mock('http', { id: 'page', request: { path: '/' }, response: { body: 'page' } })),
    });
    const ids: string[] = [];
    await test('does everything', async () => {
      const place: SpacePlace = await cy('space');
      ids.push(place.id);
      expect(place).toMatchObject({
        urls: { http: expect.stringMatching(/^http:/), smtp: expect.stringMatching(/^smtp:/) },
        env: { HTTP_URL: place.urls['http'] },
        headers: { 'Backlot-Space': place.id, baggage: `backlot.space=${place.id}` },
      });
      expect(await load('/')).toBe('page');
      const mock = {
        id: 'order',
        request: { method: 'POST', path: '/orders' },
        response: { body: '{{state.who}}' },
      };
      expect(await cy('mock', 'http', mock)).toMatchObject({ id: 'order' });
      expect(await cy('state', { who: 'Ann' })).toEqual({ who: 'Ann' });
      expect(await load('/orders', 'POST')).toBe('Ann');
      expect(await cy('calls', 'http', 'order')).toMatchObject([{ path: '/orders' }]);
      expect(await cy('waitForCalls', 'http', 'order', 1, 5_000)).toHaveLength(1);
      expect(await cy('journal', { matchedId: 'page' })).toMatchObject([{ path: '/' }]);
      await sendMail(place.urls['smtp'] ?? '', { subject: 'Welcome', to: 'ann@example.com' });
      expect(await cy('waitForCaptured', 'smtp', { subject: 'Welcome' }, 5_000)).toMatchObject({
        subject: 'Welcome',
      });
      expect(await cy('captured', 'smtp', { subject: 'Other' })).toEqual([]);
      await cy('assertSeen', [{ http: { mock: 'order' }, times: 1 }, { smtp: { to: 'ann@*' } }]);
      await cy('assertAllMatched');
      await cy('call', 'POST', '/scenarios', { id: 'down', faults: { http: { status: 503 } } });
      expect(await cy('scenario', 'down')).toEqual(['down']);
      expect(await cy('scenario', 'down', false)).toEqual([]);
      await cy('fault', 'http', { status: 500, body: 'broken' });
      expect(await load('/')).toBe('broken');
      await cy('fault', 'http');
      const { now } = (await cy('call', 'GET', '/clock')) as { readonly now: string };
      await cy('advance', 3_600_000);
      const later = (await cy('call', 'GET', '/clock')) as { readonly now: string };
      expect(Date.parse(later.now) - Date.parse(now)).toBeGreaterThanOrEqual(3_600_000);
      await cy('remove', 'http', 'order');
      await expect(cy('calls', 'http', 'nobody')).rejects.toMatchObject({ code: 'not_found' });
      await expect(cy('calls', 'ftp', 'order')).rejects.toThrow('the Backlot has no ftp');
      await expect(cy('clock' as 'space')).rejects.toThrow('cy.backlot has no "clock"; it has space, mock');
      await cy('reset');
      expect(await cy('state')).toEqual({});
    });
    await test('has another space', async () => {
      const { id } = await cy('space');
      expect(ids).not.toContain(id);
      expect(await cy('journal')).toEqual([]);
      expect(await cy('call', 'GET', '/mocks/http')).toMatchObject([{ id: 'page' }]);
    });
    expect(backlot.host.spaces.list()).toHaveLength(1);
    await end();
    expect(backlot.host.spaces.list()).toEqual([]);
    expect(backlot.journal.list()).toEqual([]);
  });

  it('a test that fails shows what met no mock, and one that passes shows nothing', async () => {
    const { cy, load, test, end, printed, logged } = makeCypress();
    await test('passes', async () => void (await load('/nothing')));
    expect(printed).toEqual([]);
    await test('fails: shop orders', async () => {
      await cy('mock', 'http', { id: 'order', request: { path: '/orders' }, response: {} });
      await load('/order');
      await cy('assertAllMatched');
    });
    const text = /what met no mock:[^]*http GET \/order -> 404[^]*not "order"/;
    expect(printed).toEqual([expect.stringMatching(text)]);
    expect(printed[0]).toContain('Backlot, "fails: shop orders": ');
    expect(logged.at(-1)).toMatch(text);
    await end();
  });

  it('one space for all tests is put back before each, and ended by whoever has a handler of after:run', async () => {
    const { cy, test, added } = makeCypress({ scope: 'run' });
    const ids: string[] = [];
    for (const title of ['one', 'two'])
      await test(title, async () => {
        ids.push((await cy('space')).id);
        expect(await cy('state')).toEqual({});
        await cy('state', { k: title });
      });
    expect(new Set(ids).size).toBe(1);
    await added.stop();
    expect(backlot.host.spaces.list()).toEqual([]);
    await expect(cy('state')).rejects.toMatchObject({
      code: 'not_enabled',
      message: expect.stringContaining(
        'call addBacklotCommands() of @backlot/testing/cypress in the support file',
      ),
    });
  });
});
