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
