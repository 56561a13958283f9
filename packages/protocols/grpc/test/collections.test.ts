import { expect, it } from '@jest/globals';
import { get, startHost } from './support/grpc-host.js';

it('a call reads a row of a collection; without one the next mock answers', async () => {
  const { add, users, host } = await startHost();
  host.collection('users').setAll([{ id: '7', name: 'Ada', role: 'ADMIN', scores: [1, 2] }]);
  add(
    {
      method: 'acme.Users/Get',
      collection: { name: 'users', get: '{{request.body.id}}' },
      response: { id: '{{row.id}}', name: '{{row.name}}', role: '{{row.role}}', scores: '{{row.scores}}' },
    },
    {
      method: 'acme.Users/Get',
      match: { id: '9' },
      collection: { name: 'users', upsert: '{{request.body.id}}', value: { name: '{{request.body.name}}' } },
      response: { id: '{{row.id}}', name: '{{row.name}}' },
    },
    { method: 'acme.Users/Get', error: { code: 'NOT_FOUND', message: 'no user {{request.body.id}}' } },
  );
  expect((await get(users, { id: 7 })).value).toMatchObject({
    id: '7',
    name: 'Ada',
    role: 'ADMIN',
    scores: [1, 2],
  });
  expect(await get(users, { id: 8 })).toMatchObject({ code: 'NOT_FOUND', message: 'no user 8' });
  expect((await get(users, { id: 9, name: 'New' })).value).toMatchObject({ id: '9', name: 'New' });
  expect(host.collection('users').size).toBe(2);
});

it('a text that is one tag inserts a whole message', async () => {
  const { add, users, host } = await startHost();
  host.collection('users').setAll([
    { id: '7', name: 'Ada', scores: [1, 2] },
    { id: '8', no_such: 1 },
  ]);
  add({
    method: 'acme.Users/Get',
    collection: { name: 'users', get: '{{request.body.id}}' },
    response: '{{row}}',
  });
  expect((await get(users, { id: 7 })).value).toMatchObject({ id: '7', name: 'Ada', scores: [1, 2] });
  expect(await get(users, { id: 8 })).toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('no_such'),
  });
  add({ method: 'acme.Users/Get', match: { id: '9' }, response: '{{request.body.name}}' });
  expect(await get(users, { id: 9, name: 'x' })).toMatchObject({
    code: 'INTERNAL',
    message: expect.stringContaining('must be an object'),
  });
  expect(() => host.kind('grpc').mocks.create({ method: 'acme.Users/Get', response: 'no tag' })).toThrow(
    /response/,
  );
});
