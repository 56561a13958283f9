import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { ENGINES } from './engines.js';
import { linkTo } from './link.js';
import { afterThis, engineOf, startReplica, until, type TestReplica } from './support.js';

/** What all replicas should agree on. */
async function pictureOf({ call }: TestReplica): Promise<object> {
  const places = ['/mocks/word', '/scenarios', '/state', '/collections', '/fault', '/toxics', '/snapshots'];
  const answers = await Promise.all(places.map((place) => call('GET', place)));
  // When a snapshot was taken is read from the clock of each.
  return answers.map(({ status, body }) => [
    status,
    JSON.stringify(body).replaceAll(/"created_at":"[^"]*"/g, ''),
  ]);
}

async function expectSame(replicas: readonly TestReplica[]): Promise<void> {
  const pictures = await Promise.all(replicas.map(pictureOf));
  for (const picture of pictures) expect(picture).toEqual(pictures[0]);
}

describe.each(ENGINES)('replicas with %s', (engine) => {
  itWithTool(engine, 'make changes of all in one order, and each is on all when it is answered', async () => {
    const { url } = await engineOf(engine);
    const replicas = await Promise.all(['a', 'b', 'c'].map((name) => startReplica(url, name)));
    expect(new Set(replicas.map(({ host }) => host.seed))).toEqual(new Set([7]));
    await until(() => replicas.every(({ cluster }) => cluster.replica.peers.live().length === 2));
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const one = replicas[index % 3] as TestReplica;
        const { status, revision, body } = await one.call('POST', '/mocks/word', { word: `w${index}` });
        expect([status, body]).toEqual([201, expect.anything()]);
        for (const { cluster, host } of replicas) {
          expect(cluster.replica.revision).toBeGreaterThanOrEqual(revision);
          expect(host.kind('word').mocks.get(body.id)).toEqual(body);
        }
      }),
    );
    // The order in which they were made is the same, which is the order in which mocks are asked.
    await expectSame(replicas);
    const [one, two] = replicas as [TestReplica, TestReplica];
    const shown = (await two.call('GET', '/cluster')).body;
    expect(shown).toMatchObject({ replica: 'b', reached: true });
    expect(shown.replicas.map(({ name, ready }: { name: string; ready: boolean }) => [name, ready])).toEqual([
      ['b', true],
      ['a', true],
      ['c', true],
    ]);
    expect(
      (await one.call('POST', '/mocks/word', { word: 'x', answer: '{{seq request.path}}' })).body.error,
    ).toContain('scope: replica');
    expect((await one.call('GET', '/ready')).body).toMatchObject({ status: 'ready', replica: 'a' });
  });

  itWithTool(engine, 'refuse a change of what has changed since a revision', async () => {
    const { url } = await engineOf(engine);
    const [one, two] = await Promise.all([startReplica(url, 'a'), startReplica(url, 'b')]);
    const first = await one.call('POST', '/state', { a: '1' });
    const guard = { 'if-match': `"${first.revision}"` };
    const both = await Promise.all([
      one.call('POST', '/state', { a: '2' }, guard),
      two.call('POST', '/state', { b: '2' }, guard),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const refused = both.find(({ status }) => status === 412);
    expect(refused?.body).toMatchObject({ error: expect.stringContaining('read anew') });
    // What was refused is no change, and what happens in a space is none of this world.
    const read = await two.call('GET', '/state');
    await one.call('DELETE', '/mocks/word/none');
    const newest = both.find(({ status }) => status === 200)?.revision ?? 0;
    expect(read.revision).toBeGreaterThanOrEqual(newest);
    expect((await one.call('POST', '/state', { a: '3' }, { 'if-match': String(read.revision) })).status).toBe(
      200,
    );
    expect((await one.call('POST', '/state', { a: '4' }, { 'if-match': '1000' })).status).toBe(412);
    await until(() => two.host.state.all()['a'] === '3');
  });

  itWithTool(engine, 'that come later have what was made before, as if they had been there', async () => {
    const { url } = await engineOf(engine);
    const one = await startReplica(url, 'a');
    await one.call('POST', '/mocks/word', { id: 'gone', word: 'gone' });
    await one.call('POST', '/reset');
    await one.call('POST', '/mocks/word', [{ word: 'a' }, { id: 'short', word: 'b', expires: '1ms' }]);
    await one.call('POST', '/spaces', { id: 's1' });
    await one.call('POST', '/spaces/s1/mocks/word', { id: 'in', word: 'in' });
    await one.call('POST', '/spaces', { id: 's2' });
    await one.call('DELETE', '/spaces/s2');
    await one.call('POST', '/snapshots', { name: 'kept' });
    const { revision } = await one.call('POST', '/clock', { advance: '1h' });
    const two = await startReplica(url, 'b');
    expect((await two.call('GET', `/state?at_least=${revision}`)).revision).toBeGreaterThanOrEqual(revision);
    await expectSame([one, two]);
    expect(two.host.spaces.list().map(({ id }) => id)).toEqual(['s1']);
    expect(two.host.spaces.get('s1').host.kind('word').mocks.get('in')).toMatchObject({ word: 'in' });
    expect(Math.abs(two.host.clock.now() - one.host.clock.now())).toBeLessThan(1_000);
    expect(two.host.clock.view().offset_ms).toBeGreaterThanOrEqual(3_600_000 - 1);
    expect((await two.call('GET', '/state?at_least=99999')).status).toBe(504);
  });

  itWithTool(
    engine,
    'go on without the engine, refuse changes until it is back, and lose nothing',
    async () => {
      const server = await engineOf(engine);
      const [one, two] = await Promise.all([startReplica(server.url, 'a'), startReplica(server.url, 'b')]);
      const before = await one.call('POST', '/mocks/word', { id: 'a', word: 'a' });
      await server.kill();
      await until(() => [one, two].every(({ cluster }) => cluster.replica.obstacle !== undefined));
      const refused = await one.call('POST', '/mocks/word', { id: 'b', word: 'b' });
      expect([refused.status, refused.body.error]).toEqual([
        503,
        expect.stringMatching(/nothing was changed: .* is not reached/),
      ]);
      expect((await two.call('GET', '/mocks/word/a')).body).toMatchObject({ word: 'a' });
      expect((await two.call('GET', '/ready')).body).toMatchObject({ status: 'ready', engine: 'gone' });
      await server.restart();
      await until(() => [one, two].every(({ cluster }) => cluster.replica.obstacle === undefined));
      const after = await two.call('POST', '/mocks/word', { id: 'c', word: 'c' });
      expect([after.status, after.revision > before.revision]).toEqual([201, true]);
      await until(() => one.cluster.replica.revision >= after.revision);
      await expectSame([one, two]);
      const three = await startReplica(server.url, 'd');
      await expectSame([one, two, three]);
      expect(one.warnings.join('\n')).toMatch(
        /is not reached: mocks answer as of revision \d+[^]*is reached again/,
      );
    },
  );

  itWithTool(engine, 'name those that do not say that they have made a change', async () => {
    const server = await engineOf(engine);
    const one = await startReplica(server.url, 'a');
    const link = await linkTo(server.url);
    afterThis(() => link.close());
    const two = await startReplica(link.url, 'b');
    await until(() => one.cluster.replica.peers.live().length === 1);
    link.hold(true);
    const late = await one.call('POST', '/state', { a: '1' });
    expect(late.status).toBe(504);
    expect(late.body).toMatchObject({
      error: expect.stringMatching(
        /^the change is revision \d+ and will be made by all, but b \(at \d+\) did not/,
      ),
      revision: expect.any(Number),
      made: ['a'],
      missing: ['b'],
    });
    expect(one.host.state.all()).toEqual({ a: '1' });
    expect((await one.call('POST', '/state?consistency=local', { b: '2' })).status).toBe(200);
    // In the end it is taken for dead, and nobody waits.
    await until(async () => (await one.call('POST', '/state', { c: '3' })).status === 200);
    link.hold(false);
    await until(() => two.host.state.all()['c'] === '3');
    expect(two.host.state.all()).toEqual({ a: '1', b: '2', c: '3' });
  });

  itWithTool(engine, 'end a space that none of them has used', async () => {
    const { url } = await engineOf(engine);
    const replicas = await Promise.all(['a', 'b'].map((name) => startReplica(url, name)));
    const [one, two] = replicas as [TestReplica, TestReplica];
    await until(() => replicas.every(({ cluster }) => cluster.replica.peers.live().length === 1));
    await one.call('POST', '/spaces', { id: 'used', ttl: '1s' });
    await one.call('POST', '/spaces', { id: 'left', ttl: '1ms' });
    await until(async () => {
      // Who uses it asks another one than the one that ends spaces.
      await two.call('GET', '/spaces/used');
      return replicas.every(({ host }) => host.spaces.find('left') === undefined);
    });
    expect(replicas.every(({ host }) => host.spaces.find('used') !== undefined)).toBe(true);
    await until(() => replicas.every(({ host }) => host.spaces.size === 0));
  });

  itWithTool(engine, 'fail when the engine has lost what they have made', async () => {
    const server = await engineOf(engine);
    const one = await startReplica(server.url, 'a');
    await one.call('POST', '/state', { a: '1' });
    await server.kill();
    await server.restart({ empty: true });
    await until(() => one.cluster.replica.obstacle?.includes('has lost changes') === true);
    const refused = await one.call('POST', '/state', { a: '2' });
    expect([refused.status, refused.body.error]).toEqual([
      503,
      expect.stringMatching(/^nothing was changed: .*the log ends at revision 0, and this replica is at 2/),
    ]);
    expect((await one.call('GET', '/ready')).status).toBe(503);
    expect((await one.call('GET', '/state')).body).toEqual({ a: '1' });
  });

  itWithTool(engine, 'say when it is not known what became of a change', async () => {
    const server = await engineOf(engine);
    const link = await linkTo(server.url);
    afterThis(() => link.close());
    const one = await startReplica(link.url, 'a');
    link.hold(true);
    const answer = await one.call('POST', '/mocks/word', { id: 'a', word: 'a' });
    expect([answer.status, answer.body.error]).toEqual([504, expect.stringContaining('not known whether')]);
    // It was on its way.
    link.hold(false);
    await until(() => one.host.kind('word').mocks.list().length === 1);
  });

  itWithTool(engine, 'remove what a reset and the end of a space make needless', async () => {
    const { url } = await engineOf(engine);
    const one = await startReplica(url, 'a');
    for (let round = 0; round < 3; round += 1) {
      await one.call('POST', '/spaces', { id: 's1' });
      for (const word of ['a', 'b', 'c']) await one.call('POST', '/spaces/s1/mocks/word', { word });
      await one.call('DELETE', '/spaces/s1');
      await one.call('POST', '/state', { a: String(round) });
      await one.call('POST', '/reset');
    }
    const { openLog } = await import('../src/open-log.js');
    const log = await openLog(url, 'test');
    // The first entry, the end of each space, and the last reset.
    await until(async () => (await log.read(0, 100)).length === 5);
    expect(await log.last()).toBe(1 + 3 * 7);
    await log.close();
    const two = await startReplica(url, 'b');
    await expectSame([one, two]);
    expect(two.host.spaces.list()).toEqual([]);
    expect((await two.call('GET', '/state')).revision).toBe(22);
  });

  itWithTool(engine, 'are refused when they are not like the others', async () => {
    const { url } = await engineOf(engine);
    await startReplica(url, 'a', { settings: { a: 1, b: [1] } });
    await startReplica(url, 'b', { settings: { b: [1], a: 1 } });
    await expect(startReplica(url, 'c', { settings: { a: 2 } })).rejects.toThrow('another configuration');
    await expect(startReplica(url, 'c', { settings: { a: 1, b: [1] }, version: '2' })).rejects.toThrow(
      'version',
    );
    await expect(startReplica('ftp://x', 'c')).rejects.toThrow('must be like nats:');
    await expect(startReplica(url, 'c', { name: 'a b' })).rejects.toThrow('must be 1 to 64 letters');
  });
});
