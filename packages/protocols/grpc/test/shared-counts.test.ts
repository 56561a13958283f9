import { expect, it } from '@jest/globals';
import type { SharedCounts } from '@backlot/core';
import { get, readAll, startHost, type Running } from './support/grpc-host.js';

/** A host that counts with another one, which is asked by hand. */
async function startShared(): Promise<
  Running & { readonly asked: ((number: number | undefined) => void)[] }
> {
  const asked: ((number: number | undefined) => void)[] = [];
  const sharedCounts: SharedCounts = {
    revision: 1,
    count: () => new Promise((resolve) => asked.push(resolve)),
    read: () => Promise.resolve(0),
  };
  return { ...(await startHost({}, { host: { replica: 'one', sharedCounts } })), asked };
}

/** Waits until so many have been asked for. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

it('answers a call by the next mock when another replica has used one up', async () => {
  const { add, users, asked } = await startShared();
  add(
    { id: 'first', method: 'Users/Get', times: 2, priority: 1, response: { name: 'first' } },
    { id: 'next', method: 'Users/Get', response: { name: 'next' } },
  );
  const one = get(users);
  await until(() => asked.length === 1);
  asked[0]?.(2);
  expect(await one).toMatchObject({ code: 'OK', value: { name: 'first' } });
  // It is known here by that number that it is used up.
  expect(await get(users)).toMatchObject({ value: { name: 'next' } });
  expect(asked).toHaveLength(1);
});

it('goes on with a stream whose early answer is used up, with what has come meanwhile', async () => {
  const { add, users, asked } = await startShared();
  add(
    { id: 'early', method: 'Users/Chat', times: 1, priority: 1, stream: [{ response: { name: 'early' } }] },
    { id: 'late', method: 'Users/Chat', match: { name: 'Ada' }, response: { name: 'late' } },
  );
  const chat = users.Chat();
  const answers = readAll(chat);
  await until(() => asked.length === 1);
  chat.write({ name: 'Ada' });
  chat.end();
  await until(() => asked.length === 1);
  asked[0]?.(undefined);
  expect(await answers).toEqual([expect.objectContaining({ name: 'late' }), 'OK']);
});

it('goes on with a stream of which nothing has come yet', async () => {
  const { add, users, asked } = await startShared();
  add(
    { id: 'early', method: 'Users/Chat', times: 1, priority: 1, stream: [{ response: { name: 'early' } }] },
    { id: 'late', method: 'Users/Chat', match: { name: 'Ada' }, response: { name: 'late' } },
  );
  const chat = users.Chat();
  const answers = readAll(chat);
  await until(() => asked.length === 1);
  asked[0]?.(undefined);
  await new Promise((resolve) => setImmediate(resolve));
  chat.write({ name: 'Ada' });
  chat.end();
  expect(await answers).toEqual([expect.objectContaining({ name: 'late' }), 'OK']);
});
