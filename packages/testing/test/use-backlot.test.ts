import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { smtp } from '@backlot/smtp';
import { useBacklot, type UseBacklotOptions } from '../src/index.js';
import { takeShared } from '../src/shared-backlots.js';

/** A runner that is driven by hand. */
function makeRunner(
  names: readonly ['before' | 'beforeAll', 'after' | 'afterAll'] = ['beforeAll', 'afterAll'],
) {
  const hooks: Record<string, (() => Promise<void>) | undefined> = {};
  const register = (name: string) => (hook: () => Promise<void>) => void (hooks[name] = hook);
  const [first, last] = names;
  return {
    hooks: { [first]: register('first'), [last]: register('last'), beforeEach: register('each') } as never,
    run: async (name: 'first' | 'each' | 'last') => hooks[name]?.(),
  };
}

describe('useBacklot', () => {
  const backlot = useBacklot({
    protocols: [http, smtp],
    setup: (backlot) =>
      void backlot.http.mock({ id: 'set-up', request: { path: '/a' }, response: { body: 'a' } }),
    env: true,
    hooks: { beforeAll, afterAll, beforeEach },
  });
  const ids = (): string[] => backlot.http.mocks.list().map(({ id }) => id);

  it('starts before the first test', async () => {
    expect(await (await fetch(`${process.env['HTTP_URL']}/a`)).text()).toBe('a');
    backlot.http.mock({ id: 'mine', request: {}, response: {} });
    backlot.http.mocks.remove('set-up');
    expect(ids()).toEqual(['mine']);
  });

  it('puts everything back as it was after the setup', () => {
    expect(ids()).toEqual(['set-up']);
    expect(backlot.http.calls('set-up')).toEqual([]);
    expect(backlot.journal.list()).toEqual([]);
  });

  it.each([[['before', 'after'] as const], [['beforeAll', 'afterAll'] as const]])(
    'takes the hooks %s, and is there between them only',
    async (names) => {
      const runner = makeRunner(names);
      const other = useBacklot({ protocols: [http], hooks: runner.hooks });
      expect(() => other.http).toThrow('backlot.http was read while the Backlot does not run');
      expect(await Promise.resolve(other)).toBe(other);
      await runner.run('first');
      const { url } = other.http;
      expect((await fetch(url)).status).toBe(404);
      await runner.run('each');
      expect(other.journal.list()).toEqual([]);
      await runner.run('last');
      await expect(fetch(url)).rejects.toThrow();
      expect(() => other.http).toThrow('read it in a test or a hook');
    },
  );

  it('stops what it started when the setup fails', async () => {
    const runner = makeRunner();
    let url = '';
    const setup: UseBacklotOptions<[typeof http]>['setup'] = (backlot) => {
      ({ url } = backlot.http);
      throw new Error('broken');
    };
    useBacklot({ protocols: [http], setup, hooks: runner.hooks });
    await expect(runner.run('first')).rejects.toThrow('broken');
    await expect(fetch(url)).rejects.toThrow();
    await runner.run('last');
  });

  it('says which hooks it needs, and that jest cannot share', () => {
    expect(() => useBacklot({ protocols: [http], hooks: { beforeEach } })).toThrow(
      'hooks: { before, after, beforeEach }',
    );
    const before = process.env['JEST_WORKER_ID'];
    process.env['JEST_WORKER_ID'] = '1';
    expect(() => useBacklot({ protocols: [http], scope: 'worker' })).toThrow('does not work in jest');
    if (before === undefined) delete process.env['JEST_WORKER_ID'];
  });
});

describe('a shared Backlot', () => {
  it('is started once, and stopped when nobody has asked for it for a moment', async () => {
    let starts = 0;
    let stopped: () => void = () => undefined;
    const stop = new Promise<void>((resolve) => (stopped = resolve));
    const start = async () => {
      starts += 1;
      return { stop: async () => stopped() };
    };
    const first = await takeShared({ protocols: [http] }, start);
    await first.release();
    const second = await takeShared({ protocols: [http] }, start);
    expect(second.value).toBe(first.value);
    await expect(takeShared({ protocols: [smtp] }, start)).rejects.toThrow(
      'a Backlot of http runs in this worker already',
    );
    await second.release();
    await stop;
    await (await takeShared({ protocols: [smtp] }, start)).release();
    expect(starts).toBe(2);
  });

  it('is tried again after a start that failed', async () => {
    await expect(
      takeShared({ protocols: [smtp, http] }, () => Promise.reject(new Error('in use'))),
    ).rejects.toThrow();
  });
});
