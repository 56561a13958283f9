import { afterEach, describe, expect } from '@jest/globals';
import { startHttp, stopAll } from './support/http-host.js';
import { itWithTool, runTool } from '@backlot/conformance';

afterEach(stopAll);

describe('curl', () => {
  itWithTool('curl', 'posts a form and reads status, headers and body', async () => {
    const { url } = await startHttp([
      {
        id: 'a',
        request: { method: 'POST', path: '/a', form: { n: '1' } },
        response: { status: 201, headers: { 'X-A': 'b' }, body: 'ok {{request.form.f}}' },
      },
    ]);
    const plain = await runTool('curl', ['-sS', '-i', '-d', 'n=1&f=x', `${url}/a`]);
    expect(plain.out).toMatch(/^HTTP\/1\.1 201 Created\r\nX-A: b\r\n[\s\S]*\r\n\r\nok x$/);
    const multipart = await runTool('curl', ['-sS', '-F', 'n=1', '-F', 'f=file text', `${url}/a`]);
    expect(multipart.out).toBe('ok file text');
    const dashes = await runTool('curl', [
      '-sS',
      '-F',
      'n=1',
      '-F',
      'f=a --b -- c',
      '-F',
      'x"y=1',
      `${url}/a`,
    ]);
    expect(dashes.out).toBe('ok a --b -- c');
  });

  itWithTool('curl', 'speaks HTTP/2 by prior knowledge and after ALPN', async () => {
    const mocks = [{ id: 'a', request: { path: '/a' }, response: { body: 'two' } }];
    const { url } = await startHttp(mocks);
    const clear = await runTool('curl', [
      '-sS',
      '--http2-prior-knowledge',
      '-w',
      ' %{http_version}',
      `${url}/a`,
    ]);
    expect(clear.out).toBe('two 2');
    // An offer to upgrade is declined, as RFC 9113, section 3.1 asks for: the mechanism is obsolete.
    expect((await runTool('curl', ['-sS', '--http2', '-w', ' %{http_version}', `${url}/a`])).out).toBe(
      'two 1.1',
    );
    const secured = await startHttp(mocks, { tls: { self_signed: true } });
    const port = String(secured.port);
    const encrypted = await runTool('curl', [
      '-sSk',
      '-w',
      ' %{http_version}',
      `https://127.0.0.1:${port}/a`,
    ]);
    expect(encrypted.out).toBe('two 2');
  });

  itWithTool('curl', 'gets its 413, HEAD and 100-continue', async () => {
    const { url } = await startHttp(
      [{ id: 'a', request: { path: '/a' }, response: { body: 'x{{request.raw_body}}' } }],
      { max_body_bytes: 5_000_000 },
    );
    const fill = 'y'.repeat(100_000);
    const sent = await runTool('curl', [
      '-sS',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-d',
      fill,
      '-H',
      'Expect: 100-continue',
      `${url}/a`,
    ]);
    expect(sent.out).toBe('200');
    const head = await runTool('curl', ['-sS', '-I', `${url}/a`]);
    expect(head.out).toMatch(/Content-Length: 1\r\n/);
    const refused = await runTool('curl', [
      '-sS',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      'Transfer-Encoding: chunked',
      '-T',
      process.execPath,
      `${url}/a`,
    ]);
    expect(refused.out).toContain('413');
  });

  itWithTool(
    'curl',
    'logs in to a mock that also wants a body, which it sends after the challenge',
    async () => {
      const person = { username: 'ann', password: 'secret' };
      const { url } = await startHttp([
        { id: 'd', request: { path: '/d', form: { n: '1' }, auth: { type: 'digest', ...person } } },
        { id: 'n', request: { path: '/n', body: 'n=1', auth: { type: 'ntlm', ...person } } },
      ]);
      const status = async (...args: readonly string[]): Promise<string> => {
        const given = ['-sS', '-o', '/dev/null', '-w', '%{http_code}', '-u', 'ann:secret'];
        return (await runTool('curl', [...given, ...args])).out;
      };
      expect(await status('--digest', '-d', 'n=1', `${url}/d`)).toBe('200');
      expect(await status('--digest', '-d', 'n=2', `${url}/d`)).toBe('404');
      if (/\bNTLM\b/.test((await runTool('curl', ['-V'])).out))
        expect(await status('--ntlm', '-d', 'n=1', `${url}/n`)).toBe('200');
    },
  );

  itWithTool('curl', 'sends a key in one of two header lines', async () => {
    const { url } = await startHttp([
      { id: 'k', request: { path: '/k', auth: { type: 'api_key', header: 'X-Key', value: 'good' } } },
    ]);
    const keys = ['-H', 'X-Key: bad', '-H', 'X-Key: good'];
    const sent = await runTool('curl', ['-sS', '-o', '/dev/null', '-w', '%{http_code}', ...keys, `${url}/k`]);
    expect(sent.out).toBe('200');
  });
});
