import { expect, it } from '@jest/globals';
import { RawClient, startHost } from './support.js';

it('a connection shows its user, and is closed with 421', async () => {
  const { kind, port } = await startHost({ users: [{ username: 'ada', password: 'secret' }] });
  const client = await RawClient.greet(port);
  expect(kind.connections.list()[0]?.user).toBeUndefined();
  await client.say(`AUTH PLAIN ${Buffer.from('\0ada\0secret').toString('base64')}`);
  expect(kind.connections.list()).toEqual([expect.objectContaining({ user: 'ada' })]);
  expect(kind.connections.close({ user: 'ada' }, 'goodbye')).toBe(1);
  expect(await client.reply()).toMatch(/^421 /);
});
