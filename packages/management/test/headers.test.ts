import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openEvents } from './support/event-reader.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const SAFE = {
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
const NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('every answer', () => {
  it.each([
    ['GET', '/api/health', 200],
    ['HEAD', '/api/health', 200],
    ['GET', '/api/openapi.json', 200],
    ['GET', '/api/mocks/echo', 200],
    ['GET', '/api/state', 200],
    ['GET', '/api/nothing', 404],
    ['GET', '/', 404],
    ['POST', '/api/state', 400],
    ['PUT', '/api/health', 405],
    ['OPTIONS', '/api/health', 204],
  ])('to %s %s tells browsers to keep it to themselves', async (method, path, status) => {
    const { call } = await start();
    const answer = await call(method, path);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({ ...SAFE, 'content-security-policy': NOTHING });
  });

  it('that refuses a sender does too', async () => {
    const { call } = await start({ token: 'secret' });
    for (const headers of [{}, { origin: 'https://evil.test' }]) {
      expect(Object.fromEntries((await call('GET', '/api/state', undefined, headers)).headers)).toMatchObject(
        SAFE,
      );
    }
  });

  it('that is a stream does too', async () => {
    const { url } = await start();
    const reader = await openEvents(`${url}/api/logs/stream`);
    reader.close();
    expect(reader.headers).toMatchObject({ ...SAFE, 'content-security-policy': NOTHING });
  });

  it('that is long does too', async () => {
    const { call, host } = await start();
    host.kind('echo').mocks.create({ id: 'm', answer: 'x'.repeat(200_000) });
    for (const path of ['/api/mocks/echo', '/api/mocks/echo/m']) {
      const { headers } = await call('GET', path);
      expect(headers.get('transfer-encoding')).toBe('chunked');
      expect(Object.fromEntries(headers)).toMatchObject({
        ...SAFE,
        'content-security-policy': NOTHING,
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      });
    }
  });
});

describe('the page', () => {
  it('may use its own style, and nothing else', async () => {
    const { call } = await start();
    const { headers, text } = await call('GET', '/api/docs');
    expect(Object.fromEntries(headers)).toMatchObject(SAFE);
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).not.toMatch(/<script|<link|<img|<form|<base|\sstyle=|\son\w+=|http-equiv/i);
  });
});
