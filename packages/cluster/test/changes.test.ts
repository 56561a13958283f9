import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { ENGINES } from './engines.js';
import { openLog } from '../src/open-log.js';
import { afterThis, engineOf, startReplica, until, type TestReplica } from './support.js';

const NAMES = ['a', 'b', 'c'];

async function startThree(url: string): Promise<readonly TestReplica[]> {
  const replicas = await Promise.all(NAMES.map((name) => startReplica(url, name)));
  await until(() =>
    replicas.every(({ cluster }) => cluster.replica.peers.live().length === NAMES.length - 1),
  );
  return replicas;
}

async function create(replica: TestReplica, path: string, body: object): Promise<void> {
  const { status, body: answer } = await replica.call('POST', path, body);
  expect([status, answer]).toEqual([201, expect.anything()]);
}

/** Asks all at the same moment, so often in all. */
function answersOf(
  replicas: readonly TestReplica[],
  word: string,
  times: number,
): Promise<readonly string[]> {
  return Promise.all(
    Array.from(
      { length: times },
      async (_, n) => (await replicas[n % replicas.length]?.answer(word)) ?? 'nobody',
    ),
  );
}

function numbersIn(texts: readonly string[]): readonly number[] {
  return texts.map(Number).toSorted((a, b) => a - b);
}

function upTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}

describe.each(ENGINES)('what matches change, with %s', (engine) => {
  itWithTool(engine, 'is changed once, and on all replicas', async () => {
    const server = await engineOf(engine);
    const replicas = await startThree(server.url);
    const [one, two, three] = replicas as [TestReplica, TestReplica, TestReplica];
    // A state transition happens once, and whoever is asked next knows of it.
    await create(one, '/mocks/word', {
      ...{ id: 'first', word: 'door', answer: 'opened', priority: 1 },
      ...{ state: { key: 'door', not: 'open' }, set_state: { door: 'open' } },
    });
    await create(two, '/mocks/word', { id: 'then', word: 'door', answer: 'is open' });
    const doors = await answersOf(replicas, 'door', 9);
    expect(doors.filter((text) => text === 'opened')).toHaveLength(1);
    expect(doors.filter((text) => text === 'is open')).toHaveLength(8);
    for (const { host } of replicas) expect(host.state.all()['door']).toBe('open');

    // Counters of `seq` and counters in the state leave nothing out, and give nothing twice.
    await create(one, '/mocks/word', { id: 'seq', word: 'seq', answer: '{{seq "orders"}}' });
    expect(numbersIn(await answersOf(replicas, 'seq', 30))).toEqual(upTo(30));
    await create(one, '/mocks/word', {
      ...{ id: 'state', word: 'state', answer: '{{state.n}}' },
      set_state: { n: '{{add (default state.n 0) 1}}' },
    });
    expect(numbersIn(await answersOf(replicas, 'state', 30))).toEqual(upTo(30));
    // What counts and changes counts what it has changed.
    await create(one, '/mocks/word', {
      ...{ id: 'five', word: 'five', answer: '{{state.five}}', times: 5 },
      set_state: { five: '{{add (default state.five 0) 1}}' },
    });
    const five = await answersOf(replicas, 'five', 12);
    expect(numbersIn(five.filter((text) => text !== 'unmatched'))).toEqual(upTo(5));

    // Rows: each is made and taken once.
    await create(two, '/mocks/word', {
      ...{ id: 'put', word: 'put', answer: '{{row.id}}' },
      collection: { name: 'jobs', create: true, value: { id: '{{seq "job"}}', kind: 'job' } },
    });
    await create(two, '/mocks/word', {
      ...{ id: 'take', word: 'take', answer: '{{row.id}}' },
      collection: { name: 'jobs', take: true },
    });
    expect(numbersIn(await answersOf(replicas, 'put', 10))).toEqual(upTo(10));
    for (const { host } of replicas) expect(host.collections.get('jobs').size).toBe(10);
    const taken = await answersOf(replicas, 'take', 12);
    expect(numbersIn(taken.filter((text) => text !== 'unmatched'))).toEqual(upTo(10));

    // The first answer for a key is given again, whoever is asked.
    await create(three, '/mocks/word', {
      ...{ id: 'once', word: 'once', answer: '{{uuid}} {{seq "once"}} {{now}}' },
      once: { key: '{{request.path}}' },
    });
    const first = await one.answer('once');
    expect(await answersOf(replicas, 'once', 6)).toEqual(Array.from({ length: 6 }, () => first));

    // What came to one is known to one that comes later.
    const late = await startReplica(server.url, 'late');
    expect(await late.answer('once')).toBe(first);
    expect(await late.answer('five')).toBe('unmatched');
    expect(await late.answer('seq')).toBe('31');
    expect(late.host.state.all()['n']).toBe('30');

    // Back in the snapshot, the numbers are those of the snapshot.
    await create(one, '/snapshots', { name: 'then' });
    expect(await answersOf([two], 'seq', 2)).toEqual(['32', '33']);
    expect((await one.call('POST', '/snapshots/then/restore')).status).toBe(200);
    expect(await three.answer('seq')).toBe('32');
    expect((await one.call('POST', '/reset')).status).toBe(200);
    for (const { host } of replicas) expect(host.state.all()).toEqual({});
  });

  itWithTool(engine, 'is each space its own, and is not changed without the engine', async () => {
    const server = await engineOf(engine);
    const replicas = await startThree(server.url);
    const [one, two] = replicas as [TestReplica, TestReplica];
    await create(one, '/mocks/word', { id: 'plain', word: 'plain', answer: 'plain' });
    await create(one, '/mocks/word', { id: 'seq', word: 'seq', answer: '{{seq "n"}}' });
    await create(one, '/spaces', { id: 's' });
    expect(await answersOf(replicas, 'seq', 1)).toEqual(['1']);
    expect((await two.call('GET', '/spaces/s/state')).body).toEqual({});
    await server.kill();
    await until(async () => (await one.answer('seq')) === 'fault');
    const journal = await one.call('GET', '/logs?consistency=local');
    expect(JSON.stringify(journal.body)).toMatch(/what a match of mock ..seq.. changes cannot be made: /);
    expect(await one.answer('plain')).toBe('plain');
    await server.restart();
    await until(() => replicas.every(({ cluster }) => cluster.replica.obstacle === undefined));
    await until(async () => Number(await two.answer('seq')) > 1);
  });

  itWithTool(engine, 'takes no more room in the log than it needs', async () => {
    const server = await engineOf(engine);
    const [one, two] = [await startReplica(server.url, 'a'), await startReplica(server.url, 'b')];
    await create(one, '/mocks/word', { id: 'seq', word: 'seq', answer: '{{seq "n"}}' });
    await create(one, '/mocks/word', {
      ...{ id: 'turn', word: 'turn', answer: '{{state.turn}}' },
      set_state: { turn: '{{add (default state.turn 0) 1}}' },
    });
    for (let n = 0; n < 20; n += 1) await answersOf([one, two], n % 2 === 0 ? 'seq' : 'turn', 2);
    const log = await openLog(server.url, 'test');
    afterThis(() => log.close());
    await until(async () => (await log.read(1, 100)).length <= 4);
    const late = await startReplica(server.url, 'c');
    expect([await late.answer('seq'), await late.answer('turn')]).toEqual(['21', '21']);
  });

  itWithTool(engine, 'is refused where it is only known of a message how much it is', async () => {
    const { url } = await engineOf(engine);
    const one = await startReplica(url, 'a');
    const refused = async (mock: object): Promise<string> => {
      const { status, body } = await one.call('POST', '/mocks/word', { word: 'x', ...mock });
      expect(status).toBe(400);
      return JSON.stringify(body);
    };
    expect(await refused({ answer: '{{seq request.path}}' })).toContain('not known before the answer');
    expect(await refused({ answer: '{{#request.query}}{{seq "a"}}{{/request.query}}' })).toContain(
      'not known before',
    );
    expect(await refused({ once: { key: 'k' }, answer: '{{state.a}}' })).toContain('/once');
    // A replica alone can.
    await create(one, '/mocks/word', { word: 'x', answer: '{{seq request.path}}', scope: 'replica' });
  });
});
