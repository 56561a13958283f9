import { afterEach, expect, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
import { Type, closedObject, type Context, type Service } from '@backlot/core/plugin';
import { echo } from './support/echo.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

it('what a plugin declares that it emits has a route, a schema, and is done by reactions', async () => {
  const sent: unknown[] = [];
  const bell = {
    ...echo,
    emits: {
      summary: 'Rings a bell.',
      schema: closedObject({ tone: Type.String({ minLength: 1, description: 'How it sounds.' }) }),
      examples: [{ tone: 'low' }],
    },
    create: async (context: Context<never>): Promise<Service> =>
      Object.assign(await echo.create(context), {
        emit(message: object) {
          sent.push(message);
          return { status: 'rung' };
        },
      }),
  } as unknown as Protocol;
  const { call, host } = await start({}, { protocols: [bell], settings: { echo: { port: 0 } } });
  expect((await call('POST', '/api/emit/echo', { tone: 'high' })).body).toEqual({ status: 'rung' });
  const wrong = await call('POST', '/api/emit/echo', { tune: 'high' });
  expect([wrong.status, wrong.body.error]).toEqual([400, 'what echo sends /tone: "tone" is required']);
  expect((await call('POST', '/api/emit/gong', { tone: 'high' })).status).toBe(404);
  const made = await call('POST', '/api/reactions', {
    on: { state: { key: 'mode' } },
    do: [{ echo: { tone: '{{request.value}}' } }],
  });
  expect(made.status).toBe(201);
  host.state.setAll({ mode: 'night' });
  await host.clock.advance(0);
  expect(sent).toEqual([{ tone: 'high' }, { tone: 'night' }]);
  const unfit = await call('POST', '/api/reactions', { on: { every: '1s' }, do: [{ echo: { tune: 'x' } }] });
  expect(unfit.body.details).toMatchObject([{ path: '/do/0/echo/tone' }, { path: '/do/0/echo/tune' }]);
  const { body: description } = await call('GET', '/api/openapi.json');
  expect(description.paths['/api/emit/echo'].post).toMatchObject({ summary: 'Rings a bell.' });
  expect(JSON.stringify(description)).toContain('How it sounds.');
});
