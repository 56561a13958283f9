import { describe, expect } from '@jest/globals';
import { itWithTool, mulberry32, type SeededNumbers } from '@backlot/conformance';
import { ENGINES, type Engine } from './engines.js';
import { linkTo, type Link } from './link.js';
import { afterThis, engineOf, startReplica, until, type TestReplica } from './support.js';

/** For how long trouble is made, in seconds; a longer run finds more. */
const SECONDS = Number(process.env['BACKLOT_CLUSTER_SECONDS'] ?? 4);
/** The first seed; each engine has another one. */
const SEED = Number(process.env['BACKLOT_CLUSTER_SEED'] ?? 1);
const REPLICAS = 4;
const CLIENTS = 4;

interface Place {
  readonly link: Link;
  readonly replica: TestReplica;
}

/** What is known of a mock after all that was answered. */
type Fate = 'there' | 'gone' | 'unknown';

/** What clients were answered. */
class History {
  readonly fates = new Map<string, Fate>();
  /** What was done to the counter: certain steps, and those of which it is not known. */
  certain = 0;
  unknown = 0;
  /** The numbers that a mock with a sequence has given, and how often it has given none. */
  readonly steps: number[] = [];
  failedSteps = 0;
  readonly statuses = new Map<string, number>();
  /** How many messages each replica has received, by its name. */
  readonly received = new Map<string, number>();

  /** How many messages some replicas have received. */
  receivedBy(names: Iterable<string>): number {
    let sum = 0;
    for (const name of names) sum += this.received.get(name) ?? 0;
    return sum;
  }

  note(what: string, status: number): void {
    const key = `${what} ${status}`;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
  }
}

class Harness {
  readonly places: Place[] = [];
  readonly history = new History();
  readonly #numbers: SeededNumbers;
  #names = 0;
  isOver = false;

  constructor(
    private readonly engine: Engine,
    seed: number,
  ) {
    this.#numbers = mulberry32(seed);
  }

  /** Whether mocks were created, the counter was moved and messages were counted between all the trouble. */
  hasWorked(): boolean {
    const { statuses, certain, steps } = this.history;
    return (
      steps.length > 5 &&
      (statuses.get('create 201') ?? 0) > 5 &&
      certain > 0 &&
      (statuses.get('logs 200') ?? 0) > 0
    );
  }

  pick(most: number): number {
    return this.#numbers(Math.max(1, most));
  }

  async add(index: number): Promise<void> {
    this.#names += 1;
    const link = await linkTo(this.engine.url);
    afterThis(() => link.close());
    this.places[index] = { link, replica: await startReplica(link.url, `r${this.#names}`) };
  }

  /** Asks a replica that is there for changes and reads, one after the other. */
  async client(name: string): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const { replica } = this.places[this.pick(REPLICAS)] as Place;
      try {
        this.#receive(replica);
        const chance = this.pick(14);
        if (chance < 5) await this.#create(replica, `${name}-${n}`);
        else if (chance < 7) await this.#remove(replica);
        else if (chance < 9) await this.#count(replica);
        else if (chance < 10) await this.#space(replica, `${name}-${n}`);
        else if (chance < 12) await this.#readCount(replica);
        else await this.#step(replica);
      } catch (thrown) {
        // The replica was killed while it was asked.
        if ((thrown as Error).name !== 'TypeError') throw thrown;
        this.history.note('cut', 0);
        this.history.unknown += 1;
      }
    }
  }

  /** The names of those that are there. */
  names(): readonly string[] {
    return this.places.map(({ replica }) => replica.cluster.replica.name);
  }

  #receive({ log, cluster }: TestReplica): void {
    const { received } = this.history;
    const { name } = cluster.replica;
    log('message');
    received.set(name, (received.get(name) ?? 0) + 1);
  }

  /** Takes the next step of a sequence that all replicas share. */
  async #step({ ask, cluster }: TestReplica): Promise<void> {
    const { steps, received } = this.history;
    const { name } = cluster.replica;
    const given = await ask('steps');
    received.set(name, (received.get(name) ?? 0) + 1);
    if (typeof given === 'object') steps.push(given.call);
    else if (given === 'fault') this.history.failedSteps += 1;
    else throw new Error(`the mock of the sequence was asked, and was ${given}`);
  }

  /** Whatever happens, a count that is told is that of all who live. */
  async #readCount({ call }: TestReplica): Promise<void> {
    const { history } = this;
    const before = new Map(this.names().map((name) => [name, history.receivedBy([name])] as const));
    const { status, body } = await call('GET', '/logs/count');
    history.note('logs', status);
    if (status !== 200) return;
    const stayed = this.names().filter((name) => before.has(name));
    const least = stayed.reduce((sum, name) => sum + (before.get(name) ?? 0), 0);
    const most = history.receivedBy(history.received.keys());
    if (body.count < least || body.count > most)
      throw new Error(`the replicas have received ${least} to ${most}, and ${body.count} were told`);
  }

  async #create({ call }: TestReplica, id: string): Promise<void> {
    const { fates } = this.history;
    fates.set(id, 'unknown');
    const { status, revision } = await call('POST', '/mocks/word', { id, word: id });
    this.history.note('create', status);
    if (status === 503) fates.set(id, 'gone');
    if (status !== 201) return;
    fates.set(id, 'there');
    const { replica } = this.places[this.pick(REPLICAS)] as Place;
    const read = await replica.call('GET', `/mocks/word/${id}?at_least=${revision}`);
    this.history.note('read', read.status);
    if (![200, 504].includes(read.status))
      throw new Error(`${id} is at ${revision}, and was answered ${read.status}`);
  }

  async #remove({ call }: TestReplica): Promise<void> {
    const { fates } = this.history;
    const there = [...fates].filter(([, fate]) => fate === 'there');
    const [id] = there[this.pick(there.length)] ?? [];
    if (id === undefined) return;
    fates.set(id, 'unknown');
    const { status } = await call('DELETE', `/mocks/word/${id}`);
    this.history.note('remove', status);
    if (status === 503) fates.set(id, 'there');
    if (status === 200) fates.set(id, 'gone');
  }

  /** Adds one to a number that all clients share, unless somebody was quicker. Nothing else changes its world. */
  async #count({ call }: TestReplica): Promise<void> {
    const read = await call('GET', '/spaces/counter/state');
    const next = String(Number(read.body.count ?? 0) + 1);
    const { status } = await call(
      'POST',
      '/spaces/counter/state',
      { count: next },
      { 'if-match': String(read.revision) },
    );
    this.history.note('count', status);
    if (status === 200) this.history.certain += 1;
    if (status === 504) this.history.unknown += 1;
  }

  /** Makes a space, changes it, resets it, and mostly ends it. */
  async #space({ call }: TestReplica, id: string): Promise<void> {
    const statuses = [(await call('POST', '/spaces', { id })).status];
    statuses.push((await call('POST', `/spaces/${id}/mocks/word`, { word: 'in' })).status);
    statuses.push((await call('POST', `/spaces/${id}/reset`)).status);
    if (this.pick(4) > 0) statuses.push((await call('DELETE', `/spaces/${id}`)).status);
    for (const status of statuses) this.history.note('space', status);
  }

  /** One trouble, and its end. */
  async trouble(): Promise<void> {
    const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50 + this.pick(900)));
    const index = this.pick(REPLICAS);
    const { link } = this.places[index] as Place;
    const kind = this.pick(5);
    if (kind === 0) {
      await this.engine.kill();
      await wait();
      await this.engine.restart();
    } else if (kind === 1) {
      this.engine.pause(true);
      await wait();
      this.engine.pause(false);
    } else if (kind === 2) {
      link.cut(true);
      await wait();
      link.cut(false);
    } else if (kind === 3) {
      link.hold(true);
      await wait();
      link.hold(false);
    } else {
      // It is gone without a word, and another one comes.
      link.cut(true);
      const { replica } = this.places[index] as Place;
      await this.add(index);
      await replica.stop();
      await replica.close();
    }
    await wait();
  }
}

/** All that replicas agree on. */
async function pictureOf({ call }: TestReplica): Promise<unknown> {
  const { body: spaces } = await call('GET', '/spaces');
  const ids = spaces.map(({ id }: { id: string }) => id);
  const places = ['', ...ids.map((id: string) => `/spaces/${id}`)].flatMap((base: string) => [
    `${base}/mocks/word`,
    `${base}/state`,
  ]);
  const bodies = [];
  for (const place of places) bodies.push([place, (await call('GET', place)).body]);
  return bodies;
}

describe.each(ENGINES.map((engine, index) => ({ engine, seed: SEED + index })))(
  'replicas in trouble, with $engine and seed $seed',
  ({ engine, seed }) => {
    itWithTool(engine, 'keep every change that was answered, once, in one order', async () => {
      const server = await engineOf(engine);
      const harness = new Harness(server, seed);
      for (let index = 0; index < REPLICAS; index += 1) await harness.add(index);
      await (harness.places[0] as Place).replica.call('POST', '/spaces', { id: 'counter' });
      const steps = { id: 'steps', word: 'steps', letters: 'abc' };
      expect((await (harness.places[0] as Place).replica.call('POST', '/mocks/word', steps)).status).toBe(
        201,
      );
      const clients = Array.from({ length: CLIENTS }, (_, index) => harness.client(`c${index}`));
      const end = performance.now() + SECONDS * 1_000;
      // On a busy machine trouble goes on until some of what was asked was done.
      while (performance.now() < end || !harness.hasWorked()) await harness.trouble();
      harness.isOver = true;
      await Promise.all(clients);
      const replicas = harness.places.map(({ replica }) => replica);
      await until(() => replicas.every(({ cluster }) => cluster.replica.obstacle === undefined));
      // Whatever arrived late has come before this.
      let last = { status: 0, revision: 0 };
      await until(async () => {
        last = await (replicas[0] as TestReplica).call('POST', '/state', { end: 'yes' });
        return last.status === 200;
      });
      await until(() => replicas.every(({ cluster }) => cluster.replica.revision >= last.revision));
      const pictures = await Promise.all(replicas.map(pictureOf));
      for (const picture of pictures) expect(picture).toEqual(pictures[0]);
      // Those that have died are not waited for any more, and what they had is lost.
      for (const { call } of replicas) {
        let told = { status: 0, body: { count: 0 } };
        await until(async () => {
          told = await call('GET', '/logs/count');
          return told.status === 200 && told.body.count <= harness.history.receivedBy(harness.names());
        });
        expect(told.body.count).toBe(harness.history.receivedBy(harness.names()));
      }
      // No step is given twice, and whatever is left out was answered with a failure.
      const { steps: given, failedSteps } = harness.history;
      expect(new Set(given).size).toBe(given.length);
      expect(Math.max(...given) - given.length).toBeLessThanOrEqual(failedSteps);
      const { fates, certain, unknown } = harness.history;
      const there = new Set((replicas[0]?.host.kind('word').mocks.list() ?? []).map(({ id }) => id));
      const wrong = [...fates].filter(
        ([id, fate]) => (fate === 'there' && !there.has(id)) || (fate === 'gone' && there.has(id)),
      );
      expect(wrong).toEqual([]);
      const count = Number(replicas[0]?.host.spaces.get('counter').host.state.all()['count'] ?? 0);
      expect([count >= certain, count <= certain + unknown]).toEqual([true, true]);
      const told = replicas
        .flatMap(({ warnings }) => warnings)
        .filter((text) => text.includes('was answered'));
      expect(told).toEqual([]);
    });
  },
);
