import { afterEach, describe, expect, it } from '@jest/globals';
import type { Host } from '../../src/index.js';
import { startProbe } from '../support.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

async function start(...given: Parameters<typeof startProbe>): ReturnType<typeof startProbe> {
  const started = await startProbe(...given);
  host = started.host;
  return started;
}

const answer =
  '{{row.id}} {{body.n}} {{seq "s"}} {{state.key}} {{uuid}} {{rand_int 1 1000000}} {{now}} {{request.path}}';
const charge = {
  match: 'charge',
  once: { key: '{{body.key}}', same: '{{body.n}}' },
  collection: { name: 'charges', create: true, value: { n: '{{body.n}}' } },
  set_state: { key: '{{uuid}}' },
  answer,
};
const body = (value: unknown): { body: string } => ({ body: JSON.stringify(value) });

describe('a mock that answers once', () => {
  it('gives the first answer again for the same key, without effects', async () => {
    const { ask, host } = await start({ mocks: [charge, { match: '*', answer: 'refused' }] });
    const first = await ask('charge', body({ key: 'k', n: 1 }));
    await ask('charge', body({ key: 'other', n: 1 }));
    host.state.setAll({ key: 'changed' });
    await host.clock.advance(60_000);
    expect(await ask('charge', body({ key: 'k', n: 1 }))).toBe(first);
    expect(await ask('charge', body({ key: 'k', n: 1 }))).toBe(first);
    expect(host.state.all()).toEqual({ key: 'changed' });
    expect(host.collection('charges').size).toBe(2);
    // The same key for something else is for the next mock.
    expect(await ask('charge', body({ key: 'k', n: 2 }))).toBe('refused');
    // Without a key nothing is repeated.
    const without = [await ask('charge', body({ n: 1 })), await ask('charge', body({ n: 1 }))];
    expect(new Set(without).size).toBe(2);
    expect(host.collection('charges').size).toBe(4);
    expect(host.kind('probe').calls.of(host.kind('probe').mocks.list()[0]?.id ?? '').count).toBe(6);
  });

  it('answers anew when a fault has fired, and after a reset; a snapshot keeps the answers', async () => {
    const { ask, host } = await start({ mocks: [charge] });
    host.faults.set('probe', {});
    await ask('charge', body({ key: 'k' }));
    host.faults.clear('probe');
    const first = await ask('charge', body({ key: 'k' }));
    const { id } = host.snapshots.create();
    host.reset();
    expect(await ask('charge', body({ key: 'k' }))).not.toBe(first);
    host.snapshots.restore(id);
    expect(await ask('charge', body({ key: 'k' }))).toBe(first);
  });

  it('forgets the oldest of very many keys', async () => {
    const { ask, host } = await start({
      mocks: [{ match: 'x', once: { key: '{{body.k}}' }, answer: '{{seq "n"}}' }],
    });
    for (let k = 0; k < 10_001; k += 1) await ask('x', { body: `{"k":"${k}"}` });
    expect(await ask('x', { body: '{"k":"5"}' })).toBe('6');
    expect(await ask('x', { body: '{"k":"0"}' })).toBe('10002');
    expect(host.collections.list()).toEqual([]);
  });
});
