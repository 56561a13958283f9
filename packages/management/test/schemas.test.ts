import { createValidator } from '@backlot/core';
import { afterEach, expect, it } from '@jest/globals';
import { KindSchema } from '../src/routes/schemas.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

it('answers what there is of a kind, with every schema that is referred to', async () => {
  const { call, host } = await start();
  for (const { kind } of host.kinds) {
    const { status, body } = await call('GET', `/api/schema/${kind}`);
    expect(status).toBe(200);
    expect(createValidator(KindSchema).check(body)).toEqual([]);
    const text = JSON.stringify(body);
    for (const [, name = ''] of text.matchAll(/"#\/\$defs\/([^"]+)"/g))
      expect(body.$defs).toHaveProperty([name]);
    expect(text).not.toContain('#/components/');
  }
  expect((await call('GET', '/api/schema/echo')).body).toMatchObject({
    protocol: 'echo',
    captures: { path: '/api/echoes', attachments: true, view: { as: 'list', html: 'text' } },
  });
  expect((await call('GET', '/api/schema/nothing')).status).toBe(404);
});
