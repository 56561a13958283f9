import { afterEach, expect, it } from '@jest/globals';
import { createHost, type Host } from '../src/index.js';
import { probe } from './support.js';

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

async function start(): Promise<Host> {
  const host = await createHost({ seed: 1, protocols: [probe().protocol] });
  hosts.push(host);
  await host.start();
  host.clock.freeze(true);
  return host;
}

it('ends a fault after its time, and says how long it has', async () => {
  const host = await start();
  host.faults.set('probe', { expires: '30s', times: 5 });
  await host.clock.advance(10_000);
  expect(host.faults.get('probe')).toEqual({
    expires: '30s',
    times: 5,
    left: { times: 5, expires_ms: 20_000 },
  });
  expect(host.faults.effective('probe')).toMatchObject({ left: { expires_ms: 20_000 } });
  await host.clock.advance(20_000);
  expect(host.faults.all()).toEqual({});
  expect(host.faults.effective('probe')).toBeUndefined();
});

it('lets an earlier end not touch a later fault', async () => {
  const host = await start();
  host.faults.set('probe', { expires: '1s' });
  host.faults.set('probe', { error_rate: 0.5 });
  await host.clock.advance(5000);
  expect(host.faults.get('probe')).toEqual({ error_rate: 0.5 });
  host.faults.set('probe', { expires: '1s' });
  host.faults.clear('probe');
  host.faults.set('probe', { expires: '10s' });
  await host.clock.advance(5000);
  expect(host.faults.get('probe')).toMatchObject({ left: { expires_ms: 5000 } });
});

it('is put back by a snapshot while it has time, and not after its end', async () => {
  const host = await start();
  host.faults.set('probe', { expires: '10s' });
  const { id } = host.snapshots.create();
  host.faults.clearAll();
  await host.clock.advance(4000);
  host.snapshots.restore(id);
  expect(host.faults.get('probe')).toMatchObject({ left: { expires_ms: 6000 } });
  await host.clock.advance(6000);
  expect(host.faults.get('probe')).toBeUndefined();
  host.snapshots.restore(id);
  expect(host.faults.get('probe')).toBeUndefined();
});

it('refuses a time that is none, and one in a scenario', async () => {
  const host = await start();
  expect(() => host.faults.set('probe', { expires: 'soon' })).toThrow(/probe fault\/expires: .*"soon"/);
  expect(() => host.scenarios.create({ id: 'down', faults: { probe: { expires: '1s' } } })).toThrow(
    '/faults/probe/expires: is for a fault that is set by itself; this one ends when the scenario is deactivated',
  );
});
