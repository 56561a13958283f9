import { afterEach, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';
import { expand } from './support/expand.js';

afterEach(stopAll);

const settings = { echo: { port: 0, mocks: [{ id: 'a', match: 'x' }] } };

it('answers whether what was expected has come, and waits for it', async () => {
  const { call, ask } = await start({}, { settings });
  const waiting = call('POST', '/api/verify', { expect: [{ echo: { mock: 'a' }, times: 1 }], within: '5m' });
  await ask('SAY x');
  expect(await waiting).toMatchObject({
    status: 200,
    body: {
      verified: true,
      looked_at: 1,
      expectations: [{ verified: true, protocol: 'echo', count: 1, ids: ['1'] }],
    },
  });
  const { body } = await call('POST', '/api/verify', { expect: [{ echo: { path: 'y' } }] });
  expect(body).toEqual({
    verified: false,
    looked_at: 1,
    expectations: [
      {
        verified: false,
        protocol: 'echo',
        count: 0,
        ids: [],
        problem: 'got 0 messages, want at least 1',
        nearest: [{ id: '1', method: 'SAY', path: 'x', reason: 'path: got "x", want "y"' }],
      },
    ],
  });
});

it('refuses what is no check, and ends a wait at a reset', async () => {
  const { call } = await start({}, { settings });
  const { status, body } = await call('POST', '/api/verify', { expect: [{ ecko: {} }] });
  expect(status).toBe(400);
  expect(body.details[0].path).toBe('/expect/0/ecko');
  expect((await call('POST', '/api/verify', {})).status).toBe(400);
  const described = await call('GET', '/api/openapi.json');
  const { requestBody } = described.body.paths['/api/verify'].post;
  expect(expand(requestBody, described.body)).toMatchObject({
    content: {
      'application/json': {
        schema: {
          properties: { expect: { items: { properties: { echo: {}, times: {}, before: {} } } } },
        },
      },
    },
  });
});
