import { expect, shared as test } from './test.js';

test.describe.configure({ mode: 'default' });

const seen: string[] = [];

for (const name of ['first', 'second'])
  test(`the ${name} test finds the space as it was`, async ({ backlot, request }) => {
    seen.push(backlot.id);
    expect(await backlot.http.mocks.list()).toEqual([]);
    await backlot.http.mock({ id: 'a', request: { path: '/a' }, response: { body: name } });
    expect(await (await request.get('/a')).text()).toBe(name);
    expect(new Set(seen).size).toBe(1);
  });
