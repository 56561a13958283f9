import { expect, it } from '@jest/globals';
import { checkSettings, createHost, markTested, type Protocol } from '../src/index.js';
import { message, probe } from './support.js';

/** A probe that counts how often mocks are compiled. */
function counting(): { readonly made: ReturnType<typeof probe>; readonly count: () => number } {
  let compiled = 0;
  const made = probe();
  const { mocks } = made.protocol;
  const protocol = {
    ...made.protocol,
    mocks: {
      ...mocks,
      answer: { fields: ['answer'], direct: 'answer' },
      compile(mock: never, tools: never) {
        compiled += 1;
        return mocks.compile(mock, tools, undefined as never);
      },
    },
  } as unknown as Protocol;
  return { made: { ...made, protocol }, count: () => compiled };
}

it('mocks of settings that were checked are compiled once for the host that is made of them', async () => {
  const { made, count } = counting();
  const mocks = [
    { id: 'a', match: 'x', answer: 'one' },
    { match: 'y', set_state: { k: 'v' } },
  ];
  const options = (): Parameters<typeof checkSettings>[0] => ({
    protocols: [made.protocol],
    settings: { probe: { mocks } },
  });
  expect(checkSettings(options())).toEqual([]);
  expect(count()).toBe(2);
  const host = await createHost(options());
  expect(count()).toBe(2);
  await host.start();
  const exchange = made.context().receive(message('y'));
  expect(exchange.resolve()).toMatchObject({ type: 'matched' });
  exchange.done();
  expect(host.state.all()).toEqual({ k: 'v' });
  expect(host.kind('probe').mocks.list()).toMatchObject([{ id: 'a' }, { match: 'y' }]);
  // What was kept is taken once: a second host compiles anew, and so does one of other objects.
  const second = await createHost(options());
  expect(count()).toBe(4);
  checkSettings(options());
  const third = await createHost({ ...options(), settings: { probe: { mocks: structuredClone(mocks) } } });
  expect(count()).toBe(8);
  await Promise.all([host, second, third].map((each) => each.stop(0)));
});

it('mocks with problems are not kept', async () => {
  const { made } = counting();
  const mocks = [{ id: 'a', mach: 'x' }];
  const options = { protocols: [made.protocol], settings: { probe: { mocks } } };
  expect(checkSettings(options)).toHaveLength(1);
  await expect(createHost(options)).rejects.toThrow('unknown field "mach"');
});

it('mocks with functions and patches of scenarios are compiled once as well, and functions are of their own host', async () => {
  const { made, count } = counting();
  const mocks = [
    {
      id: 'a',
      match: 'x',
      respond: (_: unknown, { state }: { state: { all(): object } }) => JSON.stringify(state.all()),
    },
  ];
  const scenarios = [{ id: 's', patches: [{ mock_id: 'a', merge: { match: 'y' } }] }];
  const options = (): Parameters<typeof checkSettings>[0] => ({
    protocols: [made.protocol],
    settings: { probe: { mocks } },
    scenarios,
    state: { host: 'real' },
  });
  expect(checkSettings(options())).toEqual([]);
  expect(count()).toBe(2);
  const host = await createHost(options());
  expect(count()).toBe(2);
  await host.start();
  const answered = async (text: string): Promise<unknown> => {
    const exchange = made.context().receive(message(text));
    const outcome = await exchange.resolve();
    exchange.done();
    return outcome.type === 'matched' ? outcome.mock.value : outcome.type;
  };
  expect(await answered('x')).toMatchObject({ answer: '{"host":"real"}' });
  host.scenarios.activate('s');
  expect(await answered('x')).toBe('unmatched');
  expect(await answered('y')).toMatchObject({ answer: '{"host":"real"}' });
  await host.stop(0);
});

it('the form of what was tested where it comes from is not checked again, but what is put over it is', async () => {
  const { made } = counting();
  const tested = { id: 'a', match: 'x', mach: 'nobody looks' };
  const patched = { id: 'on', patches: [{ mock_id: 'a', merge: { mach: 'at this' } }] };
  markTested(tested);
  markTested(patched);
  const options = (more: object = {}): Parameters<typeof checkSettings>[0] => ({
    protocols: [made.protocol],
    settings: { probe: { mocks: [tested] } },
    scenarios: [patched],
    ...more,
  });
  expect(checkSettings(options())).toEqual([]);
  await (await createHost(options())).stop(0);
  const others = { probe: { mocks: [{ ...tested }] } };
  expect(checkSettings(options({ settings: others, scenarios: [] }))).toMatchObject([
    { path: '/settings/probe/mocks/0/mach' },
  ]);
  expect(checkSettings(options({ scenarios: [structuredClone(patched)] }))).toMatchObject([
    { path: '/scenarios/0/patches/0', message: expect.stringContaining('mach') },
  ]);
});
