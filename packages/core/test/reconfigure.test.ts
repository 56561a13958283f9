import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkSettings, createHost, manifestOf, protocolFromManifest, type Host } from '../src/index.js';
import type { CompileTools } from '../src/plugin.js';
import { probe } from './support.js';

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop(0)));
});

async function start(options: Parameters<typeof createHost>[0]): Promise<Host> {
  const host = await createHost(options);
  hosts.push(host);
  await host.start();
  return host;
}

/** A sender that notes what mocks fire. */
function makeSender(fired: unknown[]) {
  return () =>
    ({
      enabled: true,
      fire: (...given: unknown[]) => fired.push(given),
      onAttempt: () => () => undefined,
      reset() {},
      stop: () => Promise.resolve(),
    }) as never;
}

describe('a host that takes other options', () => {
  it('keeps what it was made with, also for spaces that are made later', async () => {
    const { protocol } = probe('probe');
    const lines: { text: string; space?: string }[] = [];
    const fired: unknown[] = [];
    const host = await start({
      protocols: [protocol],
      ...{ version: '1.2.3', seed: 7, webhooks: makeSender(fired), logs: { max_entries: 50 } },
      log: (line) => lines.push(line),
    });
    const others = { protocols: [protocol], logs: { max_entries: 90 }, state: { a: '1' } };
    expect((await host.reconfigure(others)).notTaken).toEqual(expect.arrayContaining(['logs']));
    // What counts at a start is told again, and what runs is what is shown.
    expect((await host.reconfigure(others)).notTaken).toEqual(expect.arrayContaining(['logs']));
    expect(host.configuration()).toMatchObject({ logs: { max_entries: 50 }, state: { a: '1' } });
    const { host: space } = await host.spaces.create({ id: 't1' });
    expect(space.version).toBe('1.2.3');
    expect(space.webhooks).toBeDefined();
    await space.reactions.create({ on: { webhook: {} }, do: [{ state: { b: '2' } }] });
  });

  it('puts a kind in its place whose declaration was loaded from its manifest meanwhile', async () => {
    const whole = probe('late', {
      more: {
        mocks: {
          noun: 'mock',
          configKey: 'mocks',
          mode: 'first',
          schema: Type.Object({ answer: Type.String() }, { additionalProperties: false }),
          examples: [{ answer: 'a' }],
          answer: { fields: ['answer'], direct: 'answer' },
          compile: (mock: { answer: string }, tools: CompileTools) => ({
            answer: tools.template(mock.answer, '/answer'),
          }),
        },
      },
    }).protocol;
    const manifest = protocolFromManifest(manifestOf(whole), () => Promise.resolve(whole));
    const host = await start({ protocols: [probe('probe').protocol, manifest] });
    // As reading its schema does.
    await host.kind('late').load();
    const { services } = await host.reconfigure({
      protocols: [probe('probe').protocol, whole],
      settings: { late: { mocks: [{ id: 'm', answer: 'x' }] } },
    });
    expect(services).toContainEqual({ kind: 'late', did: 'started' });
    expect(host.kind('late').mocks.list()).toMatchObject([{ id: 'm', answer: 'x' }]);
    expect(() => host.kind('late').mocks.create({ answers: 'x' })).toThrow(/"answer" is required/);
  });

  it('is waited for when it is stopped meanwhile', async () => {
    const started: string[] = [];
    const stopped: string[] = [];
    const create = (): object => ({
      start: () => {
        started.push('late');
        return Promise.resolve({ host: '127.0.0.1', port: 1 });
      },
      stop: () => {
        stopped.push('late');
        return Promise.resolve();
      },
    });
    const late = probe('late', { more: { create } }).protocol;
    const host = await start({ protocols: [late], settings: { late: { enabled: false } } });
    const taken = host.reconfigure({ protocols: [late] });
    await host.stop(0);
    await taken.catch(() => undefined);
    expect(stopped).toEqual(started);
  });
});

it('a configuration may follow webhooks, whose sender is not there when it is checked', () => {
  const reactions = [{ on: { webhook: {} }, do: [{ state: { a: '1' } }] }];
  expect(checkSettings({ protocols: [probe('probe').protocol], reactions })).toEqual([]);
});
