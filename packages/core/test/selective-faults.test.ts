import { afterEach, expect, it } from '@jest/globals';
import { createHost, type Host } from '../src/index.js';
import { probe, type Probe } from './support.js';

const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop(0);
});

async function start(mode?: 'items'): Promise<{ host: Host; made: Probe; ask(path: string): unknown }> {
  const made = probe('probe', mode === undefined ? {} : { mode });
  const host = await createHost({ seed: 1, protocols: [made.protocol] });
  hosts.push(host);
  await host.start();
  const ask = (path: string): unknown => {
    const exchange = made.context().receive({ method: 'GET', path, remote: '' });
    const outcome = exchange.resolve();
    exchange.done();
    return (outcome as { type: string }).type;
  };
  return { host, made, ask };
}

it('counts what has fired, and not what the error rate has spared', async () => {
  const { host, ask } = await start('items');
  host.faults.set('probe', { match: { path: 'a*' }, error_rate: 0.5, times: 3 });
  const types = Array.from({ length: 100 }, (_, n) => ask(n % 2 === 0 ? 'ab' : 'b'));
  expect(types.filter((type) => type === 'fault')).toHaveLength(3);
  expect(types.filter((type, n) => type === 'fault' && n % 2 === 1)).toEqual([]);
  expect(host.faults.get('probe')).toMatchObject({ left: { times: 0 } });
});

it('counts connections in the phase of those', async () => {
  const { host, made } = await start('items');
  host.faults.set('probe', { phase: 'connect', after: 1, times: 2 });
  const rolled = Array.from({ length: 4 }, () => made.context().faults.rollForConnection());
  expect(rolled).toEqual([undefined, { delay: 0, refuse: true }, { delay: 0, refuse: true }, undefined]);
  expect(() => host.faults.set('probe', { phase: 'connect', match: { path: 'a' } })).toThrow(
    'probe fault/match: is about messages, and a fault of phase "connect" hits none; leave one of the two out',
  );
});

it('rolls for logins in the phase of those, with the fields that were given, and leaves the rest alone', async () => {
  const more = {
    fault: { schema: probe().protocol.fault?.schema, default: { text: 'broken' }, login: true },
  };
  const made = probe('probe', { more });
  const host = await createHost({ seed: 1, protocols: [made.protocol] });
  hosts.push(host);
  await host.start();
  const { faults } = made.context();
  host.faults.set('probe', { phase: 'login', after: 1, times: 2, delay: '2s' });
  const refused = { delay: 2000, refuse: true, fields: {} };
  expect(Array.from({ length: 4 }, () => faults.rollForLogin())).toEqual([
    undefined,
    refused,
    refused,
    undefined,
  ]);
  expect(host.faults.get('probe')?.left).toEqual({ after: 0, times: 0 });
  host.faults.set('probe', { phase: 'login', error_rate: 0, text: 'no' });
  expect(faults.rollForLogin()).toEqual({ delay: 0, refuse: false, fields: { text: 'no' } });
  expect(faults.rollForConnection()).toBeUndefined();
  host.faults.set('probe', { phase: 'connect' });
  expect(faults.rollForLogin()).toBeUndefined();
  expect(() => host.faults.set('probe', { phase: 'login', match: { path: 'a' } })).toThrow(
    'is about messages, and a fault of phase "login" hits none',
  );
});

it('refuses the phase of logins for a kind that has none', async () => {
  const { host } = await start();
  expect(() => host.faults.set('probe', { phase: 'login' })).toThrow(
    'probe fault/phase: must not be "login": clients of "probe" do not log in',
  );
});

it('tells of what is left, takes that back, and begins anew with each scenario', async () => {
  const { host, ask } = await start('items');
  host.faults.set('probe', { times: 2 });
  ask('a');
  expect(host.faults.all()).toEqual({ probe: { times: 2, left: { times: 1 } } });
  host.faults.set('probe', host.faults.get('probe'));
  expect(host.faults.get('probe')).toEqual({ times: 2, left: { times: 2 } });
  ask('a');
  host.scenarios.create({ id: 'more', faults: { probe: { match: { method: 'PUT' } } } });
  host.scenarios.activate('more');
  expect(host.faults.effective('probe')).toEqual({
    times: 2,
    match: { method: 'PUT' },
    left: { times: 2 },
  });
  expect(ask('a')).toBe('proceed');
  const { id } = host.snapshots.create();
  host.scenarios.deactivate('more');
  expect(ask('a')).toBe('fault');
  host.snapshots.restore(id);
  expect(host.faults.effective('probe')?.left).toEqual({ times: 2 });
  expect(ask('a')).toBe('proceed');
});

it('refuses a match that mocks of the kind would not take, at its place', async () => {
  const { host } = await start('items');
  expect(() => host.faults.set('probe', { match: { path: 're:(' } })).toThrow(/^probe fault\/match\/path: /);
  expect(() => host.scenarios.create({ faults: { probe: { match: { color: 'red' } } } })).toThrow(
    /^scenario \/faults\/probe\/match/,
  );
});
