import { describe, expect, it } from '@jest/globals';
import type { Host } from '../src/index.js';
import { Type, type SnapshotPart } from '../src/plugin.js';
import { probe, startsProbes } from './support.js';

const start = startsProbes();

/** A host whose kind has data: a number in the last of its worlds, which passes as text, and another one that stays. */
async function startStore(): Promise<{ host: Host; data: { now: number; own: number } }> {
  const data = { now: 0, own: 0 };
  const made = probe('probe', {
    more: {
      publish: { summary: 'Sends.', schema: Type.Object({}), examples: [{}], result: Type.Object({}) },
    },
    onCreate(context) {
      data.now = 1;
      data.own = 1;
      const { addToSnapshots } = context as { addToSnapshots(name: string, part: SnapshotPart<never>): void };
      const number: SnapshotPart<number> = {
        passes: { pack: (saved) => `packed ${saved}`, unpack: (text) => readPacked(String(text)) },
        save: () => data.now,
        restore: (saved) => (data.now = saved),
      };
      addToSnapshots('number', number as never);
      const own: SnapshotPart<number> = { save: () => data.own, restore: (saved) => (data.own = saved) };
      addToSnapshots('own', own as never);
    },
  });
  const { host } = await start({}, {}, made);
  return { host, data };
}

/** A replica whose kind has data, with what its clients do to its mocks. */
async function startFiles(warnings: string[]): Promise<{
  host: Host;
  mocks: {
    create(mock: object): string;
    replace(id: string, mock: object): void;
    remove(id: string): void;
  };
}> {
  const made = probe('probe', {
    more: {
      publish: { summary: 'Sends.', schema: Type.Object({}), examples: [{}], result: Type.Object({}) },
    },
  });
  const mocks = [...['a', 'b', 'c'].map((id) => ({ id, match: id, answer: id })), { match: 'd' }];
  const log = ({ level, text }: { level: string; text: string }): void => {
    if (level === 'warn') warnings.push(text);
  };
  const { host } = await start({ mocks }, { replica: 'one', log }, made);
  return { host, mocks: made.context().mocks as never };
}

function readPacked(text: string): number {
  const number = Number(/^packed (\d+)$/.exec(text)?.[1]);
  if (Number.isNaN(number)) throw new Error(`"${text}" was not packed here`);
  return number;
}

describe('what clients have stored', () => {
  it('is taken at one moment, and passes as plain data', async () => {
    const { host, data } = await startStore();
    data.now = 5;
    const taken = host.stored.take();
    data.now = 6;
    expect(taken.map(({ pack, ...place }) => ({ ...place, data: pack() }))).toEqual([
      { kind: 'probe', part: 'number', data: 'packed 5' },
    ]);
    expect(host.stored.staying).toEqual(new Map([['probe', ['own']]]));
    data.own = 9;
    host.stored.put([{ kind: 'probe', part: 'number', data: 'packed 7' }]);
    // What cannot pass is as it was at the start.
    expect(data).toEqual({ now: 7, own: 1 });
    const other = { kind: 'probe', part: 'number', data: 'something else' };
    expect(() => host.stored.put([other])).toThrow('"something else" was not packed here');
    host.stored.put([
      { ...other, kind: 'unknown' },
      { ...other, space: 'unknown' },
    ]);
    expect(data.now).toBe(7);
  });

  it('has the mocks that clients have brought, changed and taken away', async () => {
    const warnings: string[] = [];
    const [{ host, mocks }, { host: next }] = [await startFiles(warnings), await startFiles([])];
    const matchesOf = (of: Host): readonly unknown[] =>
      of
        .kind('probe')
        .mocks.list()
        .map((mock) => mock['match' as never]);
    expect(host.stored.take()).toEqual([]);
    mocks.create({ id: 'new', match: 'n', answer: 'new' });
    mocks.create({ id: 'passing', match: 'p' });
    mocks.remove('passing');
    mocks.replace('a', { match: 'a', answer: 'changed' });
    mocks.remove('b');
    mocks.replace('c', { match: 'c', answer: 'changed' });
    // Ids that the configuration does not say are other ones in each process.
    const unnamed =
      host
        .kind('probe')
        .mocks.list()
        .find((mock) => mock['match' as never] === 'd')?.id ?? '';
    mocks.replace(unnamed, { match: 'x', answer: 'changed' });
    // What somebody else has done since is not of clients.
    host.kind('probe').mocks.replace('c', { match: 'c', answer: 'by the API' });
    const packed = host.stored.take().map(({ pack, ...place }) => ({ ...place, data: pack() }));
    expect(packed.map(({ part }) => part)).toEqual(['/brought']);
    next.kind('probe').mocks.replace('b', { match: 'b', answer: 'newer' });
    next.stored.put(structuredClone(packed) as never);
    expect(matchesOf(next)).toEqual(['a', 'b', 'c', 'x', 'n']);
    expect(next.kind('probe').mocks.get('a')).toMatchObject({ answer: 'changed' });
    expect(next.kind('probe').mocks.get('b')).toMatchObject({ answer: 'newer' });
    expect(next.kind('probe').mocks.get('c')).toMatchObject({ answer: 'c' });
    // It passes on to the one after that as well, and is forgotten where another one has it.
    expect(next.stored.take()).toHaveLength(1);
    next.forgetStored();
    expect(matchesOf(next)).toEqual(['a', 'b', 'c', 'd']);
    expect(next.kind('probe').mocks.get('a')).toMatchObject({ answer: 'a' });
    host.forgetStored();
    expect(matchesOf(host)).toEqual(['a', 'c', 'd', 'b']);
    expect(host.kind('probe').mocks.get('c')).toMatchObject({ answer: 'by the API' });
    // A snapshot has what was brought until then, and a reset nothing of it.
    mocks.create({ id: 'one', match: '1' });
    host.snapshots.create('s');
    mocks.create({ id: 'two', match: '2' });
    host.snapshots.restore('s');
    expect(host.stored.take()[0]?.pack()).toMatchObject([{ id: 'one' }]);
    host.reset();
    expect(host.stored.take()).toEqual([]);
    // What is too much is left out, which is said once.
    mocks.create({ id: 'huge', match: 'h', answer: 'x'.repeat(16 * 1024 * 1024) });
    mocks.create({ id: 'small', match: 's' });
    for (let times = 0; times < 2; times += 1)
      expect(host.stored.take()[0]?.pack()).toMatchObject([{ id: 'small' }]);
    expect(warnings).toEqual([expect.stringContaining('1 of what clients have brought would not fit')]);
  });

  it('is forgotten when another process has had it since', async () => {
    const { host, data } = await startStore();
    data.now = 5;
    host.forgetStored();
    expect(data.now).toBe(1);
  });

  it('waits for a kind of a space that is not started, and is forgotten with a reset', async () => {
    const { host, data } = await startStore();
    const [{ id, host: one }, two] = [await host.spaces.create(), await host.spaces.create()];
    const part = { kind: 'probe', part: 'number', data: 'packed 7' };
    host.stored.put([
      { ...part, space: id },
      { ...part, space: two.id },
    ]);
    expect(data.now).toBe(1);
    // It can pass on before it was ever used.
    const waiting = host.stored.take().filter(({ space }) => space === id);
    expect(waiting.map(({ pack }) => pack())).toEqual(['packed 7']);
    await one.kind('probe').wake();
    expect(data.now).toBe(7);
    one.reset();
    expect(data.now).toBe(1);
    two.host.reset();
    data.now = 0;
    await two.host.kind('probe').wake();
    expect(data.now).toBe(1);
  });
});
