import type { LookupFunction } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { isForbiddenAddress } from '@backlot/core/plugin';
import { compileHostList } from '../src/host-list.js';
import { startBell, startTarget } from './support.js';

const FORBIDDEN = [
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xa9.254.0xa9fe/',
  'http://[::ffff:169.254.169.254]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[fd00:ec2::254]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[::169.254.169.254]/',
  'http://100.100.100.200/',
];

/** Resolves every name to these addresses. */
function resolveTo(...addresses: readonly string[]): LookupFunction {
  return (_hostname, options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const [first] = found;
    if (options.all === true) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}

describe('addresses', () => {
  it.each(FORBIDDEN)('%s is refused', async (url) => {
    const bell = await startBell([{ url: '{{body.url}}', retries: 2, retry_delay: '0s' }]);
    await bell.ring(JSON.stringify({ url }));
    const [attempt] = await bell.attempts(1);
    expect(attempt?.error).toMatch(/^refused: .* is a link-local or cloud metadata address/);
    expect(await bell.host.webhooks?.send({ url })).toMatchObject({ error: attempt?.error });
    expect(bell.history()).toHaveLength(2);
  });

  it.each([['169.254.169.254'], ['::ffff:169.254.169.254'], ['127.0.0.1', '169.254.0.1'], ['fe80::1%lo']])(
    'a name that resolves to %s is refused when it connects',
    async (...addresses) => {
      const target = await startTarget();
      const bell = await startBell([], { lookup: resolveTo(...addresses) });
      const attempt = await bell.host.webhooks?.send({ url: `http://metadata.test:${target.port}/` });
      expect(attempt?.error).toMatch(/^refused: /);
      expect(target.received).toHaveLength(0);
    },
  );

  it('a name that changes its answer is refused by the answer that its connection would use', async () => {
    const answers = ['127.0.0.1', '169.254.169.254'];
    let asked = 0;
    const target = await startTarget((response) => response.writeHead(500).end());
    const url = `http://flip.test:${target.port}/`;
    const bell = await startBell([{ url, retries: 5, retry_delay: '0s' }], {
      lookup: (...given) => resolveTo(answers[asked++ % 2] ?? '')(...given),
    });
    await bell.ring();
    // Nothing is asked but by connections, once each: there is no answer that is checked and another that is used.
    expect(await bell.attempts(2)).toMatchObject([
      { status_code: 500 },
      { error: expect.stringMatching(/^refused: .*169\.254\.169\.254/) as unknown },
    ]);
    expect([asked, target.received.length]).toEqual([2, 1]);
    const sent = [await bell.host.webhooks?.send({ url }), await bell.host.webhooks?.send({ url })];
    expect(sent).toMatchObject([
      { status_code: 500 },
      { error: expect.stringMatching(/^refused: /) as unknown },
    ]);
    expect([asked, target.received.length]).toEqual([4, 2]);
  });

  it('a name that resolves to loopback is called, and one that does not resolve is an error', async () => {
    const target = await startTarget();
    const bell = await startBell([], { lookup: resolveTo('127.0.0.1') });
    expect(await bell.host.webhooks?.send({ url: `http://name.test:${target.port}/` })).toMatchObject({
      status_code: 204,
    });
    expect(target.received).toMatchObject([{ headers: { host: `name.test:${target.port}` } }]);
    const failing = await startBell([], {
      lookup: (_name, _options, callback) => callback(new Error('getaddrinfo ENOTFOUND'), ''),
    });
    expect(await failing.host.webhooks?.send({ url: 'http://nowhere.test/' })).toMatchObject({
      error: 'getaddrinfo ENOTFOUND',
    });
    const empty = await startBell([], { lookup: resolveTo() });
    expect(await empty.host.webhooks?.send({ url: 'http://nowhere.test/' })).toMatchObject({
      error: '"nowhere.test" has no address',
    });
  });

  it('localhost is called', async () => {
    const target = await startTarget();
    const bell = await startBell([]);
    expect(await bell.host.webhooks?.send({ url: `http://localhost:${target.port}/` })).toMatchObject({
      status_code: 204,
    });
  });

  it('private networks, loopback and this host are not forbidden', () => {
    for (const address of [
      '127.0.0.1',
      '::1',
      '10.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      'fd00::1',
      '0.0.0.0',
      '::',
      '::ffff:10.0.0.1',
      '2002:a00::1',
      'x',
    ]) {
      expect([address, isForbiddenAddress(address)]).toEqual([address, false]);
    }
  });
});

describe('allow_hosts', () => {
  it('limits what is called, without a further attempt', async () => {
    const target = await startTarget();
    const bell = await startBell([{ url: `${target.url}/`, retries: 3, retry_delay: '0s' }], {
      allowHosts: ['other.test'],
    });
    await bell.ring();
    expect(await bell.attempts(1)).toMatchObject([
      { error: `refused: host "127.0.0.1:${target.port}" is not listed in webhooks.allow_hosts` },
    ]);
    await bell.ring();
    await bell.attempts(2);
    expect(target.received).toHaveLength(0);
    const open = await startBell([{ url: `${target.url}/` }], { allowHosts: ['127.0.0.1'] });
    await open.ring();
    expect(await open.attempts(1)).toMatchObject([{ status_code: 204 }]);
  });

  it.each([
    ['example.com', 'http://EXAMPLE.com:81/', true],
    ['Example.com', 'http://example.com/', true],
    ['example.com', 'http://www.example.com/', false],
    ['example.com', 'http://badexample.com/', false],
    ['*.example.com', 'http://a.b.example.com/', true],
    ['*.example.com', 'http://example.com/', false],
    ['*.example.com', 'http://badexample.com/', false],
    ['example.com:443', 'https://example.com/', true],
    ['example.com:443', 'http://example.com/', false],
    ['::1', 'http://[::1]:8080/', true],
    ['[::1]:8080', 'http://[0::1]:8080/', true],
    ['[::1]:8080', 'http://[::1]:8081/', false],
    ['127.0.0.1', 'http://2130706433/', true],
  ])('%s and %s: %s', (entry, url, isAllowed) => {
    expect(compileHostList([entry])(new URL(url))).toBe(isAllowed);
  });

  it('empty allows nothing, absent everything', () => {
    expect(compileHostList([])(new URL('http://a/'))).toBe(false);
    expect(compileHostList(undefined)(new URL('http://a/'))).toBe(true);
  });
});
