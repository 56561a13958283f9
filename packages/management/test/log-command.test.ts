import { afterEach, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

it('answers the command of an entry, null where the kind has none, and 404 for an entry that is not there', async () => {
  const { call, ask } = await start();
  await ask('x');
  const [entry] = (await call('GET', '/api/logs')).body as readonly { id: string }[];
  const answer = await call('GET', `/api/logs/${entry?.id ?? ''}/command`);
  expect([answer.status, answer.body]).toEqual([200, { tool: null, command: null }]);
  expect((await call('GET', '/api/logs/999/command')).status).toBe(404);
});

it('answers null for a span of an application, which was sent to no protocol', async () => {
  const { call, host } = await start();
  host.addSpan({
    ...{
      trace: 'a'.repeat(32),
      id: 'b'.repeat(16),
      name: 'work',
      kind: 'internal',
      service: 'shop',
      status: 'ok',
    },
    ...{ start: '0', end: '1', attributes: {}, resource: {}, scope: { name: 'test' } },
  });
  const [entry] = (await call('GET', '/api/logs')).body as readonly { id: string }[];
  const answer = await call('GET', `/api/logs/${entry?.id ?? ''}/command`);
  expect([answer.status, answer.body]).toEqual([200, { tool: null, command: null }]);
});
