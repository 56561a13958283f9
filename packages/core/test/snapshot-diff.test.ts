import { afterEach, expect, it } from '@jest/globals';
import { createHost, type Host } from '../src/index.js';
import { probe } from './support.js';

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

async function start(mocks: readonly object[]): Promise<Host> {
  const host = await createHost({
    seed: 1,
    protocols: [probe().protocol],
    settings: { probe: { mocks } },
    scenarios: [{ id: 'down' }],
    collections: { users: { key: 'id', rows: [{ id: 'u1', name: 'Ada' }] } },
  });
  hosts.push(host);
  await host.start();
  return host;
}

it('says what was added, removed and changed since', async () => {
  const host = await start([
    { id: 'a', match: 'a' },
    { id: 'b', match: 'b' },
  ]);
  const { id } = host.snapshots.create('before');
  expect(await host.snapshots.diff('before')).toEqual({ changes: [], more: 0 });
  const { mocks } = host.kind('probe');
  mocks.remove('a');
  mocks.replace('b', { match: 'other' });
  mocks.create({ id: 'c', match: 'c' });
  host.scenarios.activate('down');
  host.faults.set('probe', { error_rate: 0.5 });
  host.state.setAll({ mode: 'on' });
  host.collection('users').update('u1', { name: 'Grace' });
  const { changes, more } = await host.snapshots.diff(id);
  expect(more).toBe(0);
  expect(changes).toEqual([
    expect.objectContaining({ part: 'mocks', name: 'probe', id: 'a', change: 'removed' }),
    expect.objectContaining({
      part: 'mocks',
      id: 'b',
      change: 'changed',
      before: expect.objectContaining({ match: 'b' }),
      after: expect.objectContaining({ match: 'other' }),
    }),
    expect.objectContaining({ part: 'mocks', id: 'c', change: 'added' }),
    expect.objectContaining({
      part: 'scenarios',
      id: 'down',
      before: expect.objectContaining({ active: false }),
      after: expect.objectContaining({ active: true }),
    }),
    { part: 'faults', id: 'probe', change: 'added', after: { error_rate: 0.5 } },
    { part: 'state', id: 'mode', change: 'added', after: 'on' },
    {
      part: 'collections',
      name: 'users',
      id: 'u1',
      change: 'changed',
      before: { id: 'u1', name: 'Ada' },
      after: { id: 'u1', name: 'Grace' },
    },
  ]);
  const after = host.snapshots.create('after');
  host.snapshots.restore(id);
  expect(await host.snapshots.diff(id)).toEqual({ changes: [], more: 0 });
  expect((await host.snapshots.diff(id, after.id)).changes).toEqual(changes);
  await expect(host.snapshots.diff(id, 'nothing')).rejects.toThrow('no snapshot "nothing"');
});

it('tells so many changes and counts the others', async () => {
  const host = await start([]);
  const { id } = host.snapshots.create();
  for (let index = 0; index < 1200; index += 1) host.state.setAll({ [`key${index}`]: 'x' });
  const { changes, more } = await host.snapshots.diff(id);
  expect(changes).toHaveLength(1000);
  expect(more).toBe(200);
});
