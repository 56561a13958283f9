import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { processCertificate } from '@backlot/kit';
import { startHttp, stopAll } from './support/http-host.js';

afterEach(stopAll);

const HELLO = { id: 'hello', request: { path: '/' }, response: { body: 'hello' } };

it('node:http2 gets GOAWAY again and again', async () => {
  const { host, url } = await startHttp([HELLO]);
  host.clock.freeze(true);
  const opened = async (): Promise<http2.ClientHttp2Session> => {
    const session = http2.connect(url);
    session.on('error', () => undefined);
    // The server knows what is spoken from the first request on.
    await once(session.request({ ':path': '/' }).resume(), 'end');
    return session;
  };
  const first = await opened();
  const gone = once(first, 'goaway');
  await host.incidents.start('http-goaway');
  expect((await gone)[0]).toBe(http2.constants.NGHTTP2_NO_ERROR);
  const second = await opened();
  const goneToo = once(second, 'goaway');
  await host.clock.advance(5000);
  await goneToo;
  for (const session of [first, second]) session.destroy();
});

it('an overload is 503 with Retry-After', async () => {
  const { host, url } = await startHttp([HELLO]);
  await host.incidents.start('http-overload', { retry_after: 7 });
  const { status, headers } = await fetch(url);
  expect([status, headers.get('retry-after')]).toEqual([503, '7']);
  host.incidents.stop('http-overload');
  expect(await (await fetch(url)).text()).toBe('hello');
});

itWithTool(
  'curl openssl',
  'curl and openssl see certificates that have expired or are for another host',
  async () => {
    const { host, port } = await startHttp([HELLO], { tls: { self_signed: true } });
    const folder = mkdtempSync(join(tmpdir(), 'incidents-'));
    try {
      const ca = join(folder, 'ca.pem');
      writeFileSync(ca, (await processCertificate()).cert);
      const curl = (): ReturnType<typeof runTool> =>
        runTool('curl', [
          '-sS',
          '--cacert',
          ca,
          '--resolve',
          `localhost:${port}:127.0.0.1`,
          `https://localhost:${port}/`,
        ]);
      expect((await curl()).out).toBe('hello');
      await host.incidents.start('tls-expired');
      expect(await curl()).toMatchObject({
        code: 60,
        err: expect.stringContaining('certificate has expired'),
      });
      const { out } = await runTool(
        'openssl',
        ['s_client', '-connect', `127.0.0.1:${port}`, '-CAfile', ca, '-servername', 'localhost'],
        { input: '' },
      );
      expect(out).toContain('Verify return code: 10 (certificate has expired)');
      host.incidents.stop('tls-expired');
      await host.incidents.start('tls-wrong-host', { protocols: ['http'] });
      expect(await curl()).toMatchObject({
        code: 60,
        err: expect.stringMatching(/no alternative certificate|does not match/),
      });
      host.incidents.stop('tls-wrong-host');
      expect((await curl()).out).toBe('hello');
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

it('incidents of TLS need TLS', async () => {
  const { host } = await startHttp([HELLO]);
  await expect(host.incidents.start('tls-expired')).rejects.toMatchObject({ code: 'conflict' });
  await expect(host.incidents.start('tls-expired', { protocols: ['http'] })).rejects.toThrow(
    'tls-expired: "http" has no TLS here; protocols with tls: none',
  );
});
