import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { openLog } from '../src/open-log.js';
import { ENGINES } from './engines.js';
import { afterThis, engineOf, startReplica as startWith, until, type TestReplica } from './support.js';

/** No engine is silent here: a machine that is busy may take long for five replicas, and what is asked is what they count. */
const PATIENCE = 60_000;

const startReplica = (url: string, name: string): Promise<TestReplica> =>
  startWith(url, name, { patience: PATIENCE });

/** Asks all replicas at the same moment, as often as it is said in all. */
function askAll(replicas: readonly TestReplica[], word: string, times: number): ReturnType<typeof answersOf> {
  return answersOf(Array.from({ length: times }, (_, n) => replicas[n % replicas.length]?.ask(word)));
}

/** The numbers of the matches, ascending, and what else has come. */
async function answersOf(asked: readonly (ReturnType<TestReplica['ask']> | undefined)[]): Promise<{
  readonly numbers: readonly number[];
  readonly others: readonly string[];
}> {
  const all = await Promise.all(asked.map(async (each) => each));
  const numbers = all.flatMap((each) => (typeof each === 'object' ? [each.call] : []));
  return {
    numbers: numbers.toSorted((a, b) => a - b),
    others: all.filter((each): each is string => typeof each === 'string'),
  };
}

function upTo(last: number, first = 1): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function expectCreated(replica: TestReplica | undefined, path: string, body: object): Promise<void> {
  expect(await replica?.call('POST', path, body)).toMatchObject({ status: 201 });
}

describe.each(ENGINES)('mocks that count, with %s', (engine) => {
  itWithTool(engine, 'count on all replicas together, also after the engine was gone', async () => {
    const server = await engineOf(engine);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const replicas = await Promise.all(names.map((name) => startReplica(server.url, name)));
    const [one, two] = replicas as [TestReplica, TestReplica];
    await until(() => replicas.every(({ cluster }) => cluster.replica.peers.live().length === 4));
    await expectCreated(one, '/mocks/word', { id: 'turns', word: 'turns', letters: 'abc' });
    await expectCreated(two, '/mocks/word', { id: 'five', word: 'five', times: 5, priority: 1 });
    await expectCreated(two, '/mocks/word', { id: 'plain', word: 'plain' });
    // Thirty in parallel are ten of each letter.
    expect(await askAll(replicas, 'turns', 30)).toEqual({ numbers: upTo(30), others: [] });
    const five = await askAll(replicas, 'five', 30);
    expect(five.numbers).toEqual(upTo(5));
    expect(new Set(five.others)).toEqual(new Set(['unmatched']));
    const counted = await two.call('GET', '/calls/word/five');
    expect(counted.body.count).toBe(5);
    // The one that is used up lets the next one answer.
    await expectCreated(one, '/mocks/word', { id: 'rest', word: 'five' });
    expect(await two.ask('five')).toEqual({ call: 1, mock: 'rest' });

    await server.kill();
    await until(async () => (await one.ask('turns')) === 'fault');
    const journal = await one.call('GET', '/logs?consistency=local');
    expect(JSON.stringify(journal.body)).toMatch(
      /the matches of mock ..turns.. cannot be counted: .* at 127/,
    );
    expect(await one.ask('plain')).toMatchObject({ mock: 'plain' });
    // Whoever knows that it is used up need not ask.
    expect(await one.ask('five')).toMatchObject({ mock: 'rest' });
    await server.restart();
    await until(() => replicas.every(({ cluster }) => cluster.replica.obstacle === undefined));
    let first = 0;
    await until(async () => {
      const next = await two.ask('turns');
      first = typeof next === 'object' ? next.call : 0;
      return first > 0;
    });
    expect(first).toBeGreaterThan(30);
    expect((await askAll(replicas, 'turns', 10)).numbers).toEqual(upTo(first + 10, first + 1));
  });

  itWithTool(engine, 'begin anew with the change that makes them anew, and in each space', async () => {
    const { url } = await engineOf(engine);
    const [one, two] = [await startReplica(url, 'a'), await startReplica(url, 'b')];
    const both = [one, two];
    await until(() => both.every(({ cluster }) => cluster.replica.peers.live().length === 1));
    const mock = { id: 'm', word: 'm', times: 2 };
    const expectTwo = async (): Promise<void> => {
      expect(await askAll(both, 'm', 4)).toEqual({ numbers: [1, 2], others: ['unmatched', 'unmatched'] });
    };
    await expectCreated(one, '/mocks/word', mock);
    await expectTwo();
    expect((await two.call('PUT', '/mocks/word/m', mock)).status).toBe(200);
    await expectTwo();
    expect((await one.call('DELETE', '/mocks/word/m')).status).toBe(200);
    await expectCreated(two, '/mocks/word', mock);
    await expectTwo();
    expect((await one.call('DELETE', '/calls/word')).status).toBe(200);
    await expectTwo();
    await expectCreated(one, '/scenarios', {
      id: 's',
      patches: [{ mock_id: 'm', merge: { times: 3 } }],
    });
    expect((await two.call('POST', '/scenarios/s/activate')).status).toBe(200);
    expect((await askAll(both, 'm', 6)).numbers).toEqual([1, 2, 3]);
    // One that joins later knows where the counts are.
    const late = await startReplica(url, 'c');
    // It says so before a message has asked, and counts nothing by it.
    expect((await late.call('POST', '/explain/word', { path: 'm' })).body).toMatchObject({
      outcome: 'unmatched',
    });
    expect(await late.ask('m')).toBe('unmatched');
    expect((await one.call('POST', '/reset')).status).toBe(200);
    await expectCreated(one, '/mocks/word', { ...mock, scope: 'replica' });
    expect((await askAll(both, 'm', 4)).numbers).toEqual([1, 1, 2, 2]);
    expect((await one.call('GET', '/mocks/word/m')).body).toMatchObject({ scope: 'replica' });
  });

  itWithTool(
    engine,
    'have a count of their own in a space, anew after its snapshot is put back',
    async () => {
      const { url } = await engineOf(engine);
      const both = [await startReplica(url, 'a'), await startReplica(url, 'b')];
      const [one, two] = both as [TestReplica, TestReplica];
      await until(() => both.every(({ cluster }) => cluster.replica.peers.live().length === 1));
      await expectCreated(one, '/mocks/word', { id: 'm', word: 'm', times: 2 });
      await expectCreated(two, '/spaces', { id: 't1' });
      await expectCreated(one, '/spaces/t1/mocks/word', { id: 'm', word: 'm', times: 3 });
      const askIn = async (times: number, space?: string): ReturnType<typeof answersOf> =>
        await answersOf(Array.from({ length: times }, (_, n) => both[n % 2]?.ask('m', space)));
      for (const replica of both) await replica.ask('other', 't1');
      expect((await askIn(5, 't1')).numbers).toEqual([1, 2, 3]);
      expect((await askIn(4)).numbers).toEqual([1, 2]);
      await expectCreated(two, '/spaces/t1/snapshots', { name: 's' });
      expect((await one.call('POST', '/spaces/t1/snapshots/s/restore')).status).toBe(200);
      expect((await askIn(5, 't1')).numbers).toEqual([1, 2, 3]);
      expect((await askIn(2)).numbers).toEqual([]);
    },
  );

  itWithTool(engine, 'stay counted when a replica leaves, in spaces too', async () => {
    const { url } = await engineOf(engine);
    const [one, two] = [await startReplica(url, 'a'), await startReplica(url, 'b')];
    const both = [one, two];
    await until(() => both.every(({ cluster }) => cluster.replica.peers.live().length === 1));
    await expectCreated(one, '/mocks/word', { id: 'plain', word: 'plain' });
    await expectCreated(one, '/mocks/word', { id: 'turns', word: 'turns', letters: 'ab' });
    await expectCreated(one, '/mocks/word', { id: 'own', word: 'own', times: 3, scope: 'replica' });
    await askAll(both, 'plain', 6);
    await askAll(both, 'turns', 4);
    await askAll(both, 'own', 4);
    const countOf = async (replica: TestReplica, id: string): Promise<unknown> => {
      const { status, body } = await replica.call('GET', `/calls/word/${id}`);
      return status === 200 ? body.count : status;
    };
    expect(await countOf(two, 'plain')).toBe(6);
    await two.stop();
    await two.close();
    await until(async () => (await countOf(one, 'plain')) === 6);
    expect([await countOf(one, 'turns'), await countOf(one, 'own')]).toEqual([4, 2]);
    // Another one of its name begins with nothing, and what was handed over is not counted twice.
    const again = await startReplica(url, 'b');
    expect(await countOf(again, 'plain')).toBe(6);
    expect(await again.ask('turns')).toEqual({ call: 5, mock: 'turns' });
    // A snapshot holds the counts of each, and the numbers of sequences begin anew.
    expect((await one.call('POST', '/snapshots', { name: 's' })).status).toBe(201);
    await askAll([one, again], 'plain', 4);
    expect(await countOf(one, 'plain')).toBe(10);
    expect((await again.call('POST', '/snapshots/s/restore')).status).toBe(200);
    expect(await countOf(one, 'plain')).toBe(6);
    expect(await one.ask('turns')).toEqual({ call: 1, mock: 'turns' });
  });

  itWithTool(engine, 'are kept apart by world and revision, and are forgotten', async () => {
    const { url } = await engineOf(engine);
    const logs = [await openLog(url, 'x', PATIENCE), await openLog(url, 'x', PATIENCE)];
    for (const log of logs) afterThis(() => log.close());
    const [log] = logs;
    const add = (world: string, since: number): unknown => log?.count({ world, since, name: 'ff' }, 3, 5);
    await log?.forgetCounts('aa', 9);
    expect(await add('aa', 7)).toEqual({ before: 0, after: 3 });
    expect(await add('aa', 7)).toEqual({ before: 3, after: 5 });
    expect(await add('aa', 7)).toEqual({ before: 5, after: 5 });
    expect(await add('aa', 9)).toEqual({ before: 0, after: 3 });
    expect(await add('bb', 7)).toEqual({ before: 0, after: 3 });
    await log?.forgetCounts('aa', 9);
    expect(await add('aa', 7)).toEqual({ before: 0, after: 3 });
    expect(await add('aa', 9)).toEqual({ before: 3, after: 5 });
    expect(await add('bb', 7)).toEqual({ before: 3, after: 5 });
    // What two do at the same moment is done once each.
    const place = { world: 'cc', since: 1, name: 'ee' };
    const steps = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => logs[n % 2]?.count(place, 1, 100)),
    );
    expect(new Set(steps.map((step) => step?.after))).toEqual(new Set(upTo(20)));
  });
});
