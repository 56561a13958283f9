import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, startHost } from './support.js';

it('a connection shows its user, and is closed with BYE', async () => {
  const { kind, port } = await startHost();
  const client = await RawClient.open(port);
  expect(kind.connections.list()[0]?.user).toBeUndefined();
  await client.ask('LOGIN ada secret');
  await client.ask('SELECT INBOX');
  client.write('i IDLE\r\n');
  await client.receive(/^\+ /m);
  expect(kind.connections.list()).toEqual([expect.objectContaining({ user: 'ada' })]);
  expect(kind.connections.close({ user: 'ada' }, 'goodbye')).toBe(1);
  expect(await client.closed()).toMatch(/^\* BYE [^\r\n]+\r\n$/);
  await eventually(() => kind.connections.list().length === 0);
});
