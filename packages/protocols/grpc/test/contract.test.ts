import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { status } from '@grpc/grpc-js';
import { ACME } from './support/acme.js';
import { folderWith, get, readAll, startHost, type Running } from './support/grpc-host.js';

/** What is agreed: no phone, and no guests. */
const AGREED = ACME.replace('string phone = 6;', '')
  .replace('GUEST = 2;', '')
  .replace('rpc Watch', 'rpc Look');

function agreed(): string {
  return join(folderWith({ 'agreed.proto': AGREED }), 'agreed.proto');
}

function noted({ host }: Running): unknown[] {
  return host.journal.list().map(({ contract }) => contract);
}

it('refuses methods and fields that the contract does not have', async () => {
  const running = await startHost({
    contract: { file: agreed() },
    mocks: [
      { id: 'get', method: 'Get', response: { id: 7, name: 'Ann' } },
      { id: 'add', method: 'Add', response: { count: 2 } },
    ],
  });
  const { users } = running;
  expect(await get(users, { id: 7 })).toMatchObject({ value: { id: '7', name: 'Ann' } });
  expect(await readAll(users.Watch({ id: 7 }))).toEqual([
    'UNIMPLEMENTED: /acme.Users/Watch must be a method of the contract',
  ]);
  const sum = await new Promise((resolve) => {
    const call = users.Add((error) => resolve(error));
    call.write({ id: 1, address: { city: 'Rome' } });
    call.end({ id: 2, phone: '555' });
  });
  expect(sum).toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: 'the contract does not allow it: /message/6 must be a field of acme.User',
  });
  expect(noted(running)).toEqual([
    { operation: '/acme.Users/Get' },
    {
      violations: [
        {
          in: 'request',
          path: '/method',
          message: 'must be a method of the contract',
          value: '/acme.Users/Watch',
        },
      ],
    },
    {
      operation: '/acme.Users/Add',
      violations: [{ in: 'request', path: '/message/6', message: 'must be a field of acme.User' }],
    },
  ]);
  expect(running.kind.contract?.coverage()).toMatchObject({
    operations: { total: 4, touched: 2 },
    answers: { total: 4, touched: 1 },
    violations: { requests: 2, answers: 0 },
    unknown: 1,
  });
});

it('refuses mocks, and answers that are made as they are given', async () => {
  const file = agreed();
  const start = (mock: object): Promise<unknown> => startHost({ contract: { file }, mocks: [mock] });
  await expect(start({ id: 'g', method: 'Get', response: { address: { town: 'Rome' } } })).rejects.toThrow(
    /town/,
  );
  await expect(start({ id: 'g', method: 'Get', response: { role: 'GUEST' } })).rejects.toThrow(
    /\/response: mock "g" answers what the contract does not allow: \/role .*\(\/acme\.Users\/Get\)/,
  );
  await expect(start({ id: 'w', method: 'Watch', stream: [] })).rejects.toThrow(
    /\/method: mock "w" answers what the contract does not allow: Watch must be a method of the contract/,
  );
  const running = await startHost({
    contract: { file },
    mocks: [
      { id: 'role', method: 'Get', match: { id: '1' }, response: { role: '{{request.body.name}}' } },
      { id: 'gone', method: 'Get', match: { id: '2' }, error: { code: 'NOT_FOUND' } },
    ],
  });
  const { users } = running;
  expect(await get(users, { id: 1, name: 'ADMIN' })).toMatchObject({ value: { role: 'ADMIN' } });
  expect(await get(users, { id: 1, name: 'GUEST' })).toMatchObject({
    code: 'INTERNAL',
    message:
      'mock "role" answers what the contract does not allow: /message/role must be a value of acme.Role, and not 2',
  });
  expect(await get(users, { id: 2 })).toMatchObject({ code: 'NOT_FOUND' });
  expect(running.kind.contract?.coverage()).toMatchObject({ violations: { requests: 0, answers: 1 } });
  expect(running.kind.contract?.coverage().list).toContainEqual({
    name: '/acme.Users/Get',
    requests: 3,
    answers: { OK: 1, INTERNAL: 1, NOT_FOUND: 1 },
  });
});

it('notes with mode warn, and goes on', async () => {
  const running = await startHost({
    contract: { file: agreed(), mode: 'warn' },
    mocks: [{ id: 'g', method: 'Get', response: { role: 'GUEST' } }],
  });
  expect(running.log.join()).toContain('mock "g" answers what the contract does not allow: /role');
  expect(await get(running.users, { id: 1 })).toMatchObject({ value: { role: 'GUEST' } });
  expect(running.kind.contract?.coverage().violations).toEqual({ requests: 0, answers: 1 });
});

it('takes messages that are too long to be checked, or hold too much, and says so', async () => {
  const running = await startHost({
    contract: { file: agreed() },
    mocks: [
      { id: 'add', method: 'Add', response: { count: 1 } },
      { id: 'long', method: 'Get', response: { name: 'x'.repeat(256 * 1024) } },
    ],
  });
  const { users } = running;
  const add = (message: object): Promise<unknown> =>
    new Promise((resolve) => {
      const call = users.Add((error) => resolve(error?.details));
      call.write(message);
      call.end({ id: 1 });
    });
  const phone = { phone: '555' };
  const scores = (length: number): number[] => Array.from({ length }, () => 1);
  expect(await add({ ...phone, scores: scores(1000) })).toMatch('/message/6 must be a field');
  expect(await add({ ...phone, scores: scores(60_000) })).toBeUndefined();
  expect(await add({ ...phone, name: 'x'.repeat(256 * 1024) })).toBeUndefined();
  expect(await get(users, { id: 1, name: 'long' })).toHaveProperty('value');
  expect(noted(running).map((contract) => (contract as { unchecked?: unknown }).unchecked)).toEqual([
    ...[undefined, ['request'], ['request'], ['answer']],
  ]);
});

it('says what is wrong with a file', async () => {
  const folder = folderWith({ 'empty.proto': 'syntax = "proto3"; message A {}', 'no.proto': 'message' });
  const start = (name: string): Promise<unknown> => startHost({ contract: { file: join(folder, name) } });
  await expect(start('empty.proto')).rejects.toThrow(/empty\.proto" has no services/);
  await expect(start('no.proto')).rejects.toThrow(/no\.proto": /);
  await expect(start('none.binpb')).rejects.toThrow(/none\.binpb": is not there/);
});
