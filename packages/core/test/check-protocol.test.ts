import { describe, expect, it } from '@jest/globals';
import { checkProtocol, createHost } from '../src/index.js';
import { invalid } from '../src/plugin.js';
import { probe, startProbe } from './support.js';

const { protocol } = probe();

describe('a declaration that no compiler has seen', () => {
  it('is fine when defineProtocol made it, or something like it', () => {
    expect(checkProtocol(protocol)).toEqual([]);
    const { contract, ...plain } = protocol;
    expect(contract).toBe(1);
    expect(checkProtocol(plain)).toEqual([]);
  });

  it.each([
    ['nothing', undefined, '', 'must be what defineProtocol makes, got nothing'],
    ['a text', 'gopher', '', 'must be what defineProtocol makes, got "gopher"'],
    ['no meta', { ...protocol, meta: undefined }, '/meta', '"meta" is required'],
    [
      'no title',
      { ...protocol, meta: { ...protocol.meta, title: '' } },
      '/meta/title',
      'must be a text, got ""',
    ],
    [
      'another transport',
      { ...protocol, meta: { ...protocol.meta, transport: 'tcp' } },
      '/meta/transport',
      'must be one of stream, datagram, both, got "tcp"',
    ],
    ['no function', { ...protocol, create: {} }, '/create', 'must be a function, got an object'],
    ['a function', { ...protocol, fault: () => undefined }, '/fault', 'must be an object, got a function'],
    [
      'a field that core does not know',
      { ...protocol, mocks: { ...protocol.mocks, pathTargets: {} } },
      '/mocks/pathTargets',
      'unknown field "pathTargets"; did you mean "patchTargets"?',
    ],
    [
      'a broken item list',
      {
        ...protocol,
        itemLists: { traps: { noun: 'trap', path: '/api/traps', schema: {}, configKey: 'traps' } },
      },
      '/itemLists/traps/summary',
      '"summary" is required',
    ],
  ])('is refused with %s', (_, value, path, message) => {
    expect(checkProtocol(value)).toEqual([{ path, message }]);
  });

  it('is refused when it was made for another contract, and says what to install', () => {
    expect(checkProtocol({ ...protocol, contract: 2, novelty: {} })).toEqual([
      {
        path: '/contract',
        message:
          'it was made for contract 2 of @backlot/core, and this one has contract 1; install a newer backlot or @backlot/core, or an older version of the plugin',
      },
    ]);
    expect(checkProtocol({ ...protocol, contract: 0 })[0]?.message).toMatch(
      /; install a newer version of the plugin$/,
    );
  });

  it('makes no host', async () => {
    const broken = { ...protocol, meta: undefined } as unknown as typeof protocol;
    await expect(createHost({ protocols: [broken] })).rejects.toMatchObject({
      code: 'invalid',
      message: '/protocols/0/meta: "meta" is required',
    });
  });
});

it.each([
  ['made', { create: () => Promise.reject(new Error('no license')) }],
  [
    'started',
    {
      create: () => ({
        start: () => Promise.reject(new Error('no license')),
        stop: () => Promise.resolve(),
      }),
    },
  ],
])('is named when it throws as it is %s', async (_, more) => {
  await expect(startProbe({}, {}, probe('probe', { more }))).rejects.toThrow(
    'protocol "probe" cannot be started: no license',
  );
});

it('takes problems that another copy of core has thrown', async () => {
  class BacklotError extends Error {
    override readonly name = 'BacklotError';
    readonly code = 'invalid';
    readonly details = [{ path: '/text', message: 'of another copy' }];
  }
  expect(new BacklotError('x')).not.toBeInstanceOf(invalid('x').constructor);
  const check = (): void => {
    throw new BacklotError('of another copy');
  };
  const made = probe('probe', { more: { fault: { schema: protocol.fault?.schema, default: {}, check } } });
  const { host } = await startProbe({}, {}, made);
  try {
    expect(() => host.faults.set('probe', { text: 'a' })).toThrow(/of another copy/);
    expect(() => host.faults.set('probe', { text: 'a' })).toThrow(
      expect.objectContaining({ details: [{ path: '/text', message: 'of another copy' }] }),
    );
  } finally {
    await host.stop(0);
  }
});
