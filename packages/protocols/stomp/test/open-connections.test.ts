import { expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, startHost } from './support.js';

it('a connection shows its user and its subscriptions, and is closed with an ERROR frame', async () => {
  const { kind, port } = await startHost();
  const client = await RawClient.connect(port, '1.2', 'login:ada\npasscode:secret\n');
  await client.request('SUBSCRIBE\nid:1\ndestination:/queue/jobs\n\n\0');
  expect(kind.connections.list()).toEqual([
    expect.objectContaining({ user: 'ada', subscriptions: ['/queue/jobs'] }),
  ]);
  expect(kind.connections.close({ user: 'ada' }, 'goodbye')).toBe(1);
  expect(await client.next('ERROR')).toMatchObject({
    headers: { message: 'connection closed' },
    body: 'the connection was closed on the server',
  });
  await client.closes();
  await eventually(() => kind.connections.list().length === 0);
});
