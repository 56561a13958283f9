import { Type } from '@sinclair/typebox';
import { afterEach, expect, it } from '@jest/globals';
import type { CompileTools } from '../../src/plugin.js';
import type { CollectionChange, Host, RespondContext } from '../../src/index.js';
import { probe, startProbe } from '../support.js';

let host: Host | undefined;
let answered: Promise<unknown> | undefined;
let end = (): void => undefined;
afterEach(async () => {
  end();
  await answered;
  await host?.stop(0);
});

/** A test plugin whose mocks functions may answer. */
const answering = () =>
  probe('probe', {
    more: {
      mocks: {
        noun: 'mock',
        configKey: 'mocks',
        mode: 'first',
        schema: Type.Object({ answer: Type.Optional(Type.String()) }, { additionalProperties: false }),
        examples: [{ answer: 'a' }],
        answer: { fields: ['answer'], direct: 'answer' },
        compile: (mock: { answer?: string }, tools: CompileTools) => ({
          answer: tools.template(mock.answer ?? '', '/answer'),
        }),
      },
    },
  });

type Changes = AsyncIterableIterator<CollectionChange>;

/** Runs a function whose answer waits for what the test does. @returns the changes that it reads, and what ends the answer */
async function listen(...names: string[]): Promise<{ host: Host; changes: Changes }> {
  const started = await startProbe({}, {}, answering());
  host = started.host;
  const changes = await new Promise<Changes>((resolve, reject) => {
    const respond = (_: unknown, context: RespondContext): unknown => {
      try {
        resolve(context.changes(...names));
      } catch (thrown) {
        reject(thrown);
        return 'over';
      }
      return new Promise<string>((answer) => (end = () => answer('over')));
    };
    started.host.kind('probe').mocks.create({ id: 'm', respond });
    answered = started.ask('m');
  });
  return { host: started.host, changes };
}

async function take(changes: Changes, count: number): Promise<unknown[]> {
  const taken = [];
  for (let left = count; left > 0; left -= 1) taken.push((await changes.next()).value);
  return taken;
}

it('tells a function what happens to collections, whoever changes them', async () => {
  const { host, changes } = await listen('cups', 'pots');
  const cups = host.collection('cups');
  cups.create({ id: 'a', size: 1 });
  cups.update('a', { size: 2 });
  host.collection('pots').create({ id: 'p' });
  host.collection('plates').create({ id: 'x' });
  cups.remove('a');
  expect(await take(changes, 4)).toEqual([
    { type: 'created', collection: 'cups', key: 'a', row: { id: 'a', size: 1 } },
    {
      type: 'changed',
      collection: 'cups',
      key: 'a',
      row: { id: 'a', size: 2 },
      before: { id: 'a', size: 1 },
    },
    { type: 'created', collection: 'pots', key: 'p', row: { id: 'p' } },
    { type: 'removed', collection: 'cups', key: 'a', before: { id: 'a', size: 2 } },
  ]);
});

it('tells that all rows may be others', async () => {
  const { host, changes } = await listen('cups');
  const replaced = { type: 'replaced', collection: 'cups' };
  host.collection('cups').setAll([{ id: 'a' }, { id: 'b' }]);
  expect(await take(changes, 1)).toEqual([replaced]);
  await host.collections.define('cups', { key: 'name', rows: [{ name: 'c' }] });
  expect(await take(changes, 1)).toEqual([replaced]);
  host.collections.remove('cups');
  expect(await take(changes, 1)).toEqual([replaced]);
  host.collection('cups').create({ id: 'd' });
  expect(await take(changes, 1)).toMatchObject([{ type: 'created', key: 'd' }]);
});

it('keeps a thousand changes for one who does not read them, and then tells to look again', async () => {
  const { host, changes } = await listen('cups', 'pots');
  for (let id = 0; id < 1000; id += 1) host.collection('cups').create({ id });
  host.collection('cups').create({ id: 1000 });
  host.collection('cups').create({ id: 1001 });
  expect(await take(changes, 3)).toMatchObject([
    { type: 'replaced', collection: 'cups' },
    { type: 'replaced', collection: 'pots' },
    { type: 'created', key: '1001' },
  ]);
});

it('ends with the answer', async () => {
  const { host, changes } = await listen('cups');
  const waiting = changes.next();
  end();
  expect(await waiting).toEqual({ done: true, value: undefined });
  host.collection('cups').create({ id: 'a' });
  expect(await changes.next()).toEqual({ done: true, value: undefined });
});

it('ends when its reader wants no more', async () => {
  const { host, changes } = await listen('cups');
  host.collection('cups').create({ id: 'a' });
  for await (const change of changes) {
    expect(change).toMatchObject({ type: 'created' });
    break;
  }
  host.collection('cups').create({ id: 'b' });
  expect(await changes.next()).toEqual({ done: true, value: undefined });
});

it('is asked for by names', async () => {
  await expect(listen()).rejects.toThrow('changes are those of collections by their names');
});
