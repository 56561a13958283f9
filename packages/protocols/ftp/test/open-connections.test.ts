import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, startHost } from './support.js';

it('a connection shows its user, and is closed with 421', async () => {
  const { kind, port } = await startHost({ users: [{ username: 'ada', password: 'secret' }] });
  const client = await RawClient.open(port);
  expect(kind.connections.list()[0]?.user).toBeUndefined();
  await client.ask('USER ada');
  await client.ask('PASS secret');
  expect(kind.connections.list()).toEqual([expect.objectContaining({ user: 'ada' })]);
  expect(kind.connections.close({ user: 'ada' }, 'goodbye')).toBe(1);
  expect(await client.next()).toMatch(/^421 /);
  expect(await client.next()).toBe('closed');
  await eventually(() => kind.connections.list().length === 0);
});
