import { expect, it } from '@jest/globals';
import { connect, startHost } from './support.js';

it('a connection shows its user and its subscriptions, and is told why it is closed', async () => {
  const { kind, port } = await startHost();
  const client = await connect(port, {
    clientId: 'lamp',
    username: 'ada',
    password: 'x',
    protocolVersion: 5,
  });
  await client.mqtt.subscribeAsync(['room/+', 'house/#']);
  expect(kind.connections.list()).toEqual([
    expect.objectContaining({ user: 'ada', client: 'lamp', subscriptions: ['room/+', 'house/#'] }),
  ]);
  const gone = new Promise<void>((resolve) => void client.mqtt.once('close', () => resolve()));
  expect(kind.connections.close({ user: 'nobody' })).toBe(0);
  expect(kind.connections.close({ user: 'ada' }, 'goodbye')).toBe(1);
  await gone;
  // Server shutting down.
  expect(client.disconnected).toBe(0x8b);
});

it('a fault is for the topics that it names', async () => {
  const { host, port } = await startHost();
  host.faults.set('mqtt', { match: { topic: 'a/+' }, after: 1, times: 1, reason_code: 0x97 });
  const { mqtt } = await connect(port, { protocolVersion: 5 });
  const codes: number[] = [];
  for (const topic of ['a/1', 'b', 'a/2', 'a/3'])
    codes.push(
      await mqtt.publishAsync(topic, 'x', { qos: 1 }).then(
        () => 0,
        (error: Error & { code?: number }) => error.code ?? -1,
      ),
    );
  expect(codes).toEqual([0, 0, 0x97, 0]);
  await mqtt.endAsync(true);
});
