import { Type } from '@sinclair/typebox';
import { afterEach, expect, it } from '@jest/globals';
import { createHost, type Host } from '../src/index.js';
import { probe, startProbe, type Probe } from './support.js';

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

it('tells a kind of every change of its fault, and what it gives, and outlives what a listener throws', async () => {
  const errors: string[] = [];
  const made = probe('probe');
  const host = await createHost({
    seed: 1,
    protocols: [made.protocol],
    log: ({ text }) => errors.push(text),
  });
  hosts.push(host);
  await host.start();
  const { faults } = made.context();
  const seen: unknown[] = [];
  const end = faults.onChange(() => {
    // It may be told of a change that is none.
    if (seen.length === 0 || JSON.stringify(seen.at(-1)) !== JSON.stringify(faults.current))
      seen.push(faults.current);
  });
  faults.onChange(() => {
    throw new Error('a bad listener');
  });
  host.faults.set('probe', { text: 'a', delay: '1s' });
  host.faults.set('probe', { phase: 'connect' });
  host.scenarios.create({ id: 'more', faults: { probe: { phase: 'message', text: 'b' } } });
  host.scenarios.activate('more');
  const { id } = host.snapshots.create();
  host.scenarios.deactivate('more');
  host.snapshots.restore(id);
  host.reset();
  expect(seen).toEqual([{ text: 'a' }, undefined, { text: 'b' }, undefined, { text: 'b' }, undefined]);
  expect(errors[0]).toContain('a change of the fault could not be followed');
  end();
  host.faults.set('probe', { text: 'c' });
  expect(seen).toHaveLength(6);
  expect(faults.current).toEqual({ text: 'c' });
});

it('fires for no message when all that it gives are standing fields', async () => {
  const schema = Type.Object({
    text: Type.Optional(Type.String()),
    full: Type.Optional(Type.Boolean()),
  });
  const more = { fault: { schema, default: { text: 'broken' }, standing: ['full'] } };
  const { host, ask } = await startProbe({}, {}, probe('probe', { more }));
  hosts.push(host);
  host.faults.set('probe', { full: true });
  expect(await ask('a')).not.toContain('fault');
  host.faults.set('probe', { full: true, text: 'x' });
  expect(await ask('a')).toBe('fault x');
  host.faults.set('probe', { full: true, error_rate: 1 });
  expect(await ask('a')).toBe('fault broken');
  expect(() => host.faults.set('probe', { full: true, times: 1 })).toThrow(
    'probe fault/full: is how things stand while the fault is in effect, not what befalls a message; leave times out',
  );
  expect(() => host.faults.set('probe', { full: true, phase: 'connect' })).toThrow(
    'leave phase "connect" out',
  );
});
