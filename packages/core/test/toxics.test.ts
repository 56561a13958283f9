import { afterEach, expect, it } from '@jest/globals';
import { createHost, type Host, type HostOptions, type KindToxics } from '../src/index.js';
import type { ToxicFeed } from '../src/plugin.js';
import { probe } from './support.js';

const hosts: Host[] = [];

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop(0)));
});

interface Made {
  readonly host: Host;
  readonly toxics: KindToxics;
  readonly feed: ToxicFeed;
  readonly changes: string[][];
}

async function make(
  settings: Record<string, unknown> = {},
  options: Partial<HostOptions> & { transport?: string; follows?: boolean } = {},
): Promise<Made> {
  const { transport = 'stream', follows = true, ...rest } = options;
  let feed: ToxicFeed | undefined;
  const changes: string[][] = [];
  const made = probe('probe', {
    more: {
      meta: { title: 'Probe', summary: 'A test.', transport, defaultPort: 1, url: 'probe://{host}:{port}' },
    },
    onCreate: (context) => {
      feed = (context as { readonly toxics: ToxicFeed }).toxics;
      const { current } = feed;
      if (follows) feed.follow(() => changes.push(feed?.current.map(({ name }) => name) ?? []));
      changes.push(current.map(({ name }) => name));
    },
  });
  const host = await createHost({
    seed: 7,
    ...rest,
    protocols: [made.protocol],
    settings: { probe: settings },
  });
  hosts.push(host);
  await host.start();
  return { host, toxics: host.kind('probe').toxics, feed: feed as unknown as ToxicFeed, changes };
}

const problemOf = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return 'nothing was thrown';
};

it('are stored with their defaults, replaced, removed, and told to the service', async () => {
  const { toxics, host, changes, feed } = await make();
  expect(toxics.add({ type: 'latency', attributes: { latency: 5 } })).toEqual({
    name: 'latency_downstream',
    type: 'latency',
    stream: 'downstream',
    toxicity: 1,
    attributes: { latency: 5, jitter: 0 },
  });
  toxics.add({ name: 'other', type: 'down', stream: 'upstream', toxicity: 0.5, client: '10.0.0.0/8' });
  const [first] = feed.current;
  expect(toxics.replace('other', { type: 'limit_data', attributes: { bytes: 9 } })).toMatchObject({
    name: 'other',
    attributes: { bytes: 9 },
  });
  // What has not changed stays the same object, and so keeps its chance.
  expect(feed.current[0]).toBe(first);
  expect(host.toxics.all()).toEqual({ probe: toxics.list() });
  toxics.remove('latency_downstream');
  host.toxics.clearAll();
  expect(changes).toEqual([
    [],
    ['latency_downstream'],
    ['latency_downstream', 'other'],
    ['latency_downstream', 'other'],
    ['other'],
    [],
  ]);
});

it('are refused with what would be right', async () => {
  const { toxics } = await make();
  const add = (toxic: unknown): string => problemOf(() => toxics.add(toxic));
  expect(add([])).toContain('must be an object');
  expect(add({})).toContain('/type: is needed: one of latency, bandwidth');
  expect(add({ type: 'latencyy' })).toContain('did you mean "latency"?');
  expect(add({ type: 'loss' })).toContain(
    '"loss" is a toxic of datagrams, and probe has connections and no datagrams: use one of latency,',
  );
  expect(add({ type: 'latency', speed: 1 })).toContain('speed');
  expect(add({ type: 'latency', attributes: { latenc: 1 } })).toContain('latenc');
  expect(add({ type: 'slicer' })).toContain('attributes');
  expect(add({ type: 'latency', stream: 'sideways' })).toContain('/stream');
  expect(add({ type: 'latency', toxicity: 2 })).toContain('/toxicity');
  expect(add({ type: 'latency', ttl: 'soon' })).toContain('/ttl');
  expect(add({ type: 'latency', ttl: '0s' })).toContain('/ttl');
  for (const client of ['somewhere', '10.0.0.0/33', '1.2.3.4:99999', '::1/129'])
    expect(add({ type: 'latency', client })).toContain('/client');
  toxics.add({ type: 'latency' });
  expect(add({ type: 'latency' })).toContain('has a toxic "latency_downstream" already');
  expect(problemOf(() => toxics.replace('latency_downstream', { type: 'latency', name: 'b' }))).toContain(
    'names it "b"',
  );
  expect(problemOf(() => toxics.remove('other'))).toContain('there are latency_downstream');
  const datagrams = await make({}, { transport: 'datagram' });
  expect(problemOf(() => datagrams.toxics.add({ type: 'latency' }))).toContain(
    'is a toxic of connections, and probe has datagrams and no connections: use one of down, corrupt, loss',
  );
});

it('are for one client, by address, port or range', async () => {
  const { toxics, feed } = await make();
  const clients = ['10.0.0.7', '10.0.0.0/8', '10.0.0.7:5000', '[::1]:5000', '::/0'];
  clients.forEach((client, index) => toxics.add({ name: `t${index}`, type: 'down', client }));
  const fit = (address: string, remote: string): number[] =>
    feed.current.flatMap((toxic, index) => (toxic.isFor(address, remote) ? index : []));
  expect(fit('10.0.0.7', '10.0.0.7:5000')).toEqual([0, 1, 2]);
  expect(fit('10.9.9.9', '10.9.9.9:5000')).toEqual([1]);
  expect(fit('::1', '[::1]:5000')).toEqual([3, 4]);
  expect(fit('', ':0')).toEqual([]);
});

it('end by the clock of the host, and come back with a reset as the configuration has them', async () => {
  const { host, toxics, changes } = await make({ toxics: [{ name: 'own', type: 'latency', ttl: '1m' }] });
  host.clock.freeze(true);
  toxics.add({ name: 'brief', type: 'down', ttl: '30s' });
  expect(toxics.get('brief').expires_at).toBe(new Date(host.clock.now() + 30_000).toISOString());
  const names = (): string[] => toxics.list().map(({ name }) => name);
  const { id } = host.snapshots.create();
  await host.clock.advance(30_000);
  expect(names()).toEqual(['own']);
  await host.clock.advance(31_000);
  expect(names()).toEqual([]);
  // Their time was over when the snapshot was put back.
  host.snapshots.restore(id);
  expect(names()).toEqual([]);
  host.reset();
  expect(names()).toEqual(['own']);
  await host.clock.advance(59_000);
  expect(names()).toEqual(['own']);
  await host.clock.advance(2_000);
  expect(names()).toEqual([]);
  toxics.add({ name: 'lasting', type: 'down' });
  const later = host.snapshots.create();
  toxics.clear();
  host.snapshots.restore(later.id);
  expect(names()).toEqual(['lasting']);
  expect(changes.at(-1)).toEqual(['lasting']);
});

it('act while their scenario is active, over those of the same name', async () => {
  const { host, toxics } = await make(
    {
      toxics: [
        { name: 'a', type: 'latency' },
        { type: 'down', client: '10.0.0.1' },
      ],
    },
    {
      scenarios: [
        {
          id: 'bad net',
          toxics: { probe: [{ name: 'a', type: 'timeout' }, { type: 'bandwidth' }] },
          active: true,
        },
      ],
    },
  );
  const effective = (): string[] => toxics.effective().map(({ name, type }) => `${name} ${type}`);
  expect(effective()).toEqual(['down_downstream down', 'a timeout', 'bandwidth_downstream bandwidth']);
  host.scenarios.deactivate('bad net');
  expect(effective()).toEqual(['a latency', 'down_downstream down']);
  await host.scenarios.inSlices.activate('bad net');
  expect(toxics.effective()).toHaveLength(3);
  await host.scenarios.inSlices.replace('bad net', { toxics: { probe: [] } });
  expect(toxics.effective()).toHaveLength(2);
  const create = (list: unknown): string =>
    problemOf(() => host.scenarios.create({ toxics: { probe: list as never } }));
  expect(create([{ type: 'loss' }])).toContain('/toxics/probe/0/type');
  expect(create([{ type: 'down', ttl: '1s' }])).toContain('lasts while that is active');
  expect(create([{ type: 'down' }, { type: 'down' }])).toContain('is the name of an earlier toxic');
  expect(problemOf(() => host.scenarios.create({ toxics: { nobody: [{ type: 'down' }] } }))).toContain(
    'protocol "nobody" is not installed; installed are probe',
  );
});

it('act while the fault that names them is in effect, and befall no message alone', async () => {
  const { host, toxics, changes } = await make({ toxics: [{ name: 'a', type: 'latency' }] });
  const effective = (): string[] => toxics.effective().map(({ name, type }) => `${name} ${type}`);
  host.clock.freeze(true);
  host.faults.set('probe', { toxics: [{ name: 'a', type: 'timeout' }, { type: 'down' }], expires: '30s' });
  expect(effective()).toEqual(['a timeout', 'down_downstream down']);
  // It is no error of messages, unless the fault has one beside it.
  expect(host.troubles()).toMatchObject([{ fault: { toxics: [{}, {}] } }, { toxic: { name: 'a' } }]);
  const { id } = host.snapshots.create();
  await host.clock.advance(30_000);
  expect(effective()).toEqual(['a latency']);
  host.faults.set('probe', { text: 'x', toxics: [{ type: 'down' }] });
  expect(changes.at(-1)).toEqual(['a', 'down_downstream']);
  host.reset();
  expect(effective()).toEqual(['a latency']);
  host.clock.freeze(true);
  host.scenarios.create({ id: 's', faults: { probe: { toxics: [{ type: 'bandwidth' }] } } });
  host.scenarios.activate('s');
  expect(effective()).toEqual(['a latency', 'bandwidth_downstream bandwidth']);
  host.scenarios.deactivate('s');
  // The reset has put the time back as well: the fault of the snapshot has some left.
  host.snapshots.restore(id);
  expect(effective()).toEqual(['a timeout', 'down_downstream down']);
  const set = (fault: object): string => problemOf(() => host.faults.set('probe', fault));
  expect(set({ toxics: [{ type: 'loss' }] })).toContain('/toxics/0/type');
  expect(set({ toxics: [{ type: 'down', ttl: '1s' }] })).toContain('while that is in effect');
  expect(set({ toxics: [{ type: 'down' }], times: 1 })).toContain('leave times out');
  expect(set({ toxics: {} })).toContain('/toxics');
  const none = await make({}, { follows: false });
  expect(problemOf(() => none.host.faults.set('probe', { toxics: [{ type: 'down' }] }))).toContain(
    'takes no toxics',
  );
  const scenarios = [{ id: 's', faults: { probe: { toxics: [{ type: 'down' }] } } }];
  await expect(make({}, { follows: false, scenarios })).rejects.toThrow('/faults/probe/toxics');
});

it('are problems of a configuration, and of a service that takes none', async () => {
  await expect(make({ toxics: [{ type: 'loss' }, { type: 'latency' }] })).rejects.toThrow(
    '/settings/probe/toxics/0/type',
  );
  await expect(make({ toxics: [{ type: 'down' }, { type: 'down' }] })).rejects.toThrow('/toxics/1/name');
  await expect(make({ toxics: [{ type: 'down' }] }, { follows: false })).rejects.toThrow('takes no toxics');
  const scenarios = [{ id: 's', toxics: { probe: [{ type: 'down' }] } }];
  await expect(make({}, { follows: false, scenarios })).rejects.toThrow('takes no toxics');
  const { toxics } = await make({}, { follows: false });
  expect(problemOf(() => toxics.add({ type: 'down' }))).toBe('the service of probe takes no toxics');
});

it('roll the same for the same seed', async () => {
  const roll = async (): Promise<number[]> => {
    const { toxics, feed } = await make();
    toxics.add({ type: 'corrupt' });
    const [toxic] = feed.current;
    if (toxic === undefined) return [];
    return [1, 2, 3].map(() => feed.random(toxic, feed.nextNumber()).next());
  };
  const [one, two] = [await roll(), await roll()];
  expect(one).toEqual(two);
  expect(new Set(one).size).toBe(3);
});

it('are listed with what they come from', async () => {
  const scenario = { id: 'slow', toxics: { probe: [{ type: 'bandwidth', attributes: { rate: 64 } }] } };
  const { toxics, host } = await make({}, { scenarios: [scenario] });
  expect(host.troubles()).toEqual([]);
  toxics.add({ type: 'latency', attributes: { latency: 5 } });
  host.scenarios.activate('slow');
  const acts = { protocol: 'probe', in_force: true };
  expect(host.troubles()).toEqual([
    { ...acts, source: 'set', toxic: expect.objectContaining({ name: 'latency_downstream' }) },
    {
      ...{ ...acts, source: 'scenario', id: 'slow' },
      toxic: expect.objectContaining({ name: 'bandwidth_downstream', toxicity: 1 }),
    },
  ]);
  host.scenarios.deactivate('slow');
  expect(host.troubles()).toHaveLength(1);
});
