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

it('a connection shows how long it has been open, and what has gone over it', async () => {
  const { kind, port } = await startHost();
  const before = performance.now();
  const client = await RawClient.open(port);
  const greeted = performance.now();
  // Long enough for an age of nothing to be told from the true one.
  while (performance.now() - greeted < 20) await client.ask('NOOP');
  const least = Math.floor(performance.now() - greeted);
  const [shown] = kind.connections.list();
  expect(shown?.age_ms).toBeGreaterThanOrEqual(least);
  expect(shown?.age_ms).toBeLessThanOrEqual(performance.now() - before);
  expect(shown?.bytes_in).toBe(client.socket.bytesWritten);
  expect(shown?.bytes_out).toBe(client.socket.bytesRead);
});
