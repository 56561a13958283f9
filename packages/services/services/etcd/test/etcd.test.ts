import { afterEach, describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';
import { noop } from 'cockatiel';
import { EtcdLockFailedError, Etcd3 } from 'etcd3';

const backlot = useBacklot({ services: ['etcd'] });
const clients: Etcd3[] = [];

function connect(): Etcd3 {
  // The client goes on trying for ever where a call ends with UNAVAILABLE.
  const faultHandling = { global: noop, host: () => noop };
  const client = new Etcd3({ hosts: backlot.env.ETCDCTL_ENDPOINTS, faultHandling });
  clients.push(client);
  return client;
}

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

const row = (key: string): unknown => backlot.collection('etcd:keys').get(key);

describe('keys', () => {
  it('are put, read and deleted', async () => {
    const etcd = connect();
    const put = await etcd.put('a').value('1');
    expect(Number(put.header.revision)).toBe(2);
    expect(await etcd.get('a').string()).toBe('1');
    expect(row('a')).toMatchObject({ value: '1', create_revision: 2, mod_revision: 2, version: 1 });
    await etcd.put('a').value('2');
    expect(row('a')).toMatchObject({ value: '2', create_revision: 2, mod_revision: 3, version: 2 });
    expect(Number((await etcd.delete().key('a')).deleted)).toBe(1);
    expect(await etcd.get('a').string()).toBeNull();
  });

  it('are found by prefix and range, sorted and limited', async () => {
    const etcd = connect();
    for (const key of ['a/2', 'a/1', 'b', 'a/3']) await etcd.put(key).value(key.toUpperCase());
    expect(await etcd.getAll().prefix('a/').strings()).toEqual({ 'a/1': 'A/1', 'a/2': 'A/2', 'a/3': 'A/3' });
    expect(await etcd.getAll().prefix('a/').sort('Key', 'Descend').limit(2).keys()).toEqual(['a/3', 'a/2']);
    expect(await etcd.getAll().sort('Mod', 'Ascend').keys()).toEqual(['a/2', 'a/1', 'b', 'a/3']);
    expect(Number(await etcd.getAll().prefix('a/').count())).toBe(3);
    expect(Number((await etcd.delete().prefix('a/')).deleted)).toBe(3);
    expect(await etcd.getAll().keys()).toEqual(['b']);
  });

  it('hold bytes that are no text', async () => {
    const etcd = connect();
    await etcd.put('bytes').value(Buffer.from([0, 255, 1]));
    expect(await etcd.get('bytes').buffer()).toEqual(Buffer.from([0, 255, 1]));
    expect(row('bytes')).toMatchObject({ value: 'base64:AP8B' });
  });

  it('are read as they were at a revision, until that is compacted', async () => {
    const etcd = connect();
    await etcd.put('a').value('1');
    await etcd.put('a').value('2');
    await etcd.delete().key('a');
    expect(await etcd.get('a').revision(3).string()).toBe('2');
    expect(await etcd.get('a').revision(2).string()).toBe('1');
    await etcd.kv.compact({ revision: 3 });
    await expect(etcd.get('a').revision(2).string()).rejects.toThrow('required revision has been compacted');
    await expect(etcd.get('a').revision(99).string()).rejects.toThrow('is a future revision');
  });
});

describe('transactions', () => {
  it('do the one or the other', async () => {
    const etcd = connect();
    await etcd.put('a').value('1');
    const swap = (from: string, to: string): Promise<{ succeeded: boolean }> =>
      etcd.if('a', 'Value', '==', from).then(etcd.put('a').value(to)).else(etcd.get('a')).commit();
    expect((await swap('1', '2')).succeeded).toBe(true);
    const lost = await etcd
      .if('a', 'Version', '>', 5)
      .then(etcd.delete().key('a'))
      .else(etcd.get('a'))
      .commit();
    expect(lost.succeeded).toBe(false);
    expect(lost.responses[0]?.response_range?.kvs[0]?.value.toString()).toBe('2');
    expect((await swap('1', '3')).succeeded).toBe(false);
  });

  it('have one revision for all that they change', async () => {
    const etcd = connect();
    await etcd.if('no', 'Create', '==', 0).then(etcd.put('x').value('1'), etcd.put('y').value('2')).commit();
    expect([row('x'), row('y')]).toMatchObject([{ mod_revision: 2 }, { mod_revision: 2 }]);
  });

  it('that fail in their middle have done nothing', async () => {
    const etcd = connect();
    const before = await etcd.put('x').value('old');
    const failing = etcd
      .if('no', 'Create', '==', 0)
      .then(etcd.put('x').value('new'), etcd.delete().key('x'), etcd.put('y').value('1').lease('77'))
      .commit();
    await expect(failing).rejects.toThrow('requested lease not found');
    expect(row('x')).toMatchObject({ value: 'old', version: 1 });
    expect(backlot.collection('etcd:keys').size).toBe(1);
    expect(backlot.collection('etcd:events').size).toBe(1);
    const next = await etcd.put('x').value('newer');
    expect(Number(next.header.revision)).toBe(Number(before.header.revision) + 1);
  });

  it('are retried by the client in its transactional memory', async () => {
    const etcd = connect();
    await etcd.put('n').value('1');
    await etcd.stm().transact(async (tx) => {
      const value = Number(await tx.get('n').string());
      await tx.put('n').value(String(value + 1));
    });
    expect(await etcd.get('n').number()).toBe(2);
  });
});

describe('watches', () => {
  it('are told what is put and deleted', async () => {
    const etcd = connect();
    const watcher = await etcd.watch().prefix('a/').withPreviousKV().create();
    const seen: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      watcher.on('put', ({ key, value }, before) =>
        seen.push(['put', key.toString(), value.toString(), before?.value.toString()]),
      );
      watcher.on('delete', ({ key }, before) => {
        seen.push(['delete', key.toString(), before?.value.toString()]);
        resolve();
      });
    });
    await etcd.put('b').value('not watched');
    await etcd.put('a/1').value('one');
    await etcd.put('a/1').value('two');
    await etcd.delete().key('a/1');
    await all;
    expect(seen).toEqual([
      ['put', 'a/1', 'one', undefined],
      ['put', 'a/1', 'two', 'one'],
      ['delete', 'a/1', 'two'],
    ]);
    await watcher.cancel();
  });

  it('begin in the past', async () => {
    const etcd = connect();
    await etcd.put('a').value('1');
    await etcd.put('a').value('2');
    const watcher = await etcd.watch().key('a').startRevision('2').create();
    const values: string[] = [];
    await new Promise<void>((resolve) =>
      watcher.on('put', ({ value }) => {
        if (values.push(value.toString()) === 2) resolve();
      }),
    );
    expect(values).toEqual(['1', '2']);
    await watcher.cancel();
  });
});

describe('leases', () => {
  it('end with their keys, unless they are kept alive', async () => {
    const etcd = connect();
    const { ID: id } = await etcd.leaseClient.leaseGrant({ TTL: 10, ID: 0 });
    await etcd.put('a').value('1').lease(id);
    const watcher = await etcd.watch().key('a').create();
    const gone = new Promise((resolve) => watcher.on('delete', resolve));
    const left = await etcd.leaseClient.leaseTimeToLive({ ID: id, keys: true });
    expect([Number(left.grantedTTL), left.keys.map(String)]).toEqual([10, ['a']]);
    await backlot.clock.advance(11_000);
    await gone;
    expect(await etcd.get('a').string()).toBeNull();
    expect(Number((await etcd.leaseClient.leaseTimeToLive({ ID: id })).TTL)).toBe(-1);
    await expect(etcd.put('a').value('1').lease(id)).rejects.toThrow('requested lease not found');
    await watcher.cancel();
  });

  it('are kept alive by the client, and revoked', async () => {
    const etcd = connect();
    const lease = etcd.lease(60);
    await lease.put('a').value('1');
    await lease.keepaliveOnce();
    expect(await etcd.get('a').string()).toBe('1');
    await lease.revoke();
    expect(await etcd.get('a').string()).toBeNull();
  });

  it('make locks', async () => {
    const etcd = connect();
    const lock = await etcd.lock('job').acquire();
    await expect(connect().lock('job').acquire()).rejects.toBeInstanceOf(EtcdLockFailedError);
    await lock.release();
    await expect(
      connect()
        .lock('job')
        .do(() => 'done'),
    ).resolves.toBe('done');
  });

  it('make elections', async () => {
    const [one, two] = [connect().election('boss', 60), connect().election('boss', 60)];
    const campaign = one.campaign('ann');
    await new Promise((resolve) => campaign.once('elected', resolve));
    expect(await two.leader()).toBe('ann');
    const next = two.campaign('bob');
    const elected = new Promise((resolve) => next.once('elected', resolve));
    await campaign.resign();
    await elected;
    expect(await one.leader()).toBe('bob');
    await next.resign();
  });
});

describe('scenarios', () => {
  it.each([
    ['no-leader', 'no leader'],
    ['permission-denied', 'permission denied'],
    ['rate-limited', 'too many requests'],
  ])('%s', async (name, message) => {
    backlot.scenarios.activate(`etcd:${name}`);
    await expect(connect().get('a').string()).rejects.toThrow(message);
  });

  it('expired-token-once has the client come again', async () => {
    backlot.scenarios.activate('etcd:expired-token-once');
    expect(await connect().get('a').string()).toBeNull();
    expect(backlot.journal.list({}).map(({ matched_id: id }) => id)).toEqual([
      'etcd:expired-token-once',
      'etcd:range',
    ]);
  });

  it('no-space', async () => {
    backlot.scenarios.activate('etcd:no-space');
    await expect(connect().put('a').value('1')).rejects.toThrow('space exceeded');
  });
});

describe('etcdctl', () => {
  itWithTool('etcdctl', 'puts, reads, locks and grants', async () => {
    const run = async (...args: string[]): Promise<string> =>
      (await runTool('etcdctl', args, { env: backlot.env })).out;
    expect(await run('put', 'k', 'v')).toBe('OK\n');
    expect(await run('get', '--prefix', 'k')).toBe('k\nv\n');
    expect(await run('del', 'k')).toBe('1\n');
    expect(await run('lease', 'grant', '60')).toMatch(/^lease \w+ granted with TTL\(60s\)\n$/);
    expect(await run('lock', 'l', 'echo', 'held')).toContain('held');
    expect(await run('member', 'list')).toContain('backlot');
    expect(await run('endpoint', 'status')).toContain('3.4.23');
  });
});
