import { afterEach, describe, expect, it } from '@jest/globals';
import type { WebhookAttempt, WebhookFactory } from '@backlot/core';
import { BacklotError } from '@backlot/core/plugin';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

function fakeSender(enabled: boolean): WebhookFactory {
  const attempts: WebhookAttempt[] = [];
  return () => ({
    enabled,
    fire: () => undefined,
    async send({ url, method = 'POST' }) {
      if (!url.startsWith('http'))
        throw new BacklotError('invalid', `url ${JSON.stringify(url)} is not absolute`);
      const attempt = {
        id: String(attempts.length + 1),
        protocol: 'manual',
        timestamp: 'now',
        url,
        method,
        request_headers: {},
        attempt: 1,
        duration_ms: 1,
      };
      attempts.push(attempt);
      return attempt;
    },
    history: () => attempts,
    clear: () => void attempts.splice(0),
    reset: () => undefined,
    stop: () => Promise.resolve(),
  });
}

describe('webhooks', () => {
  it('are sent by hand, listed and cleared', async () => {
    const { call } = await start({}, { webhooks: fakeSender(true) });
    expect((await call('GET', '/api/webhooks')).body).toEqual([]);
    const sent = await call('POST', '/api/webhooks/send', {
      url: 'http://localhost/x',
      headers: { a: 'b' },
      body: 'c',
      sign: { scheme: 'github', secret: 's' },
    });
    expect([sent.status, sent.body]).toEqual([
      200,
      expect.objectContaining({ url: 'http://localhost/x', attempt: 1 }),
    ]);
    expect((await call('GET', '/api/webhooks')).body).toEqual([sent.body]);
    const cleared = await call('DELETE', '/api/webhooks');
    expect([cleared.status, cleared.body]).toEqual([200, { status: 'cleared' }]);
    expect((await call('GET', '/api/webhooks')).body).toEqual([]);
  });

  it('are refused when they are not valid', async () => {
    const { call } = await start({}, { webhooks: fakeSender(true) });
    for (const wrong of [
      {},
      { url: '' },
      { url: 7 },
      { url: 'nowhere' },
      { url: 'http://a', headers: { a: 1 } },
      { url: 'http://a', retries: 3 },
      [],
    ]) {
      const { status, body } = await call('POST', '/api/webhooks/send', wrong);
      expect([JSON.stringify(wrong), status]).toEqual([JSON.stringify(wrong), 400]);
      expect(typeof body.error).toBe('string');
    }
    expect((await call('POST', '/api/webhooks/send')).status).toBe(400);
    expect((await call('GET', '/api/webhooks')).body).toEqual([]);
  });

  it('are 503 when they are not enabled or not there', async () => {
    for (const settings of [{}, { webhooks: fakeSender(false) }]) {
      const { call } = await start({}, settings);
      const { status, body } = await call('POST', '/api/webhooks/send', { url: 'http://localhost/x' });
      expect([status, body]).toEqual([503, { error: 'webhooks not enabled' }]);
      expect((await call('GET', '/api/webhooks')).body).toEqual([]);
      expect((await call('DELETE', '/api/webhooks')).status).toBe(200);
    }
  });
});
