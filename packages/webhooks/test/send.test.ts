import { describe, expect, it } from '@jest/globals';
import type { WebhookSender } from '@backlot/core';
import { freePort, startBell, startTarget } from './support.js';

async function startSender(): Promise<WebhookSender> {
  const { webhooks } = (await startBell([])).host;
  if (webhooks === undefined) throw new Error('the host has no sender');
  return webhooks;
}

describe('send', () => {
  it('sends what it is given, unrendered, once, and answers its record', async () => {
    const target = await startTarget((response) => response.writeHead(500).end('no'));
    const sender = await startSender();
    const record = await sender.send({
      url: `${target.url}/a?b={{c}}`,
      method: 'PATCH',
      headers: { 'X-T': '{{uuid}}' },
      body: '{{now}}',
    });
    expect(record).toMatchObject({
      protocol: 'manual',
      method: 'PATCH',
      status_code: 500,
      response_body: 'no',
      attempt: 1,
    });
    expect(record).not.toHaveProperty('mock_id');
    expect(record).not.toHaveProperty('log_id');
    expect(target.received).toMatchObject([
      { method: 'PATCH', body: '{{now}}', headers: { 'x-t': '{{uuid}}' } },
    ]);
    expect(sender.history()).toEqual([record]);
  });

  it('answers the record of a target that failed', async () => {
    const sender = await startSender();
    expect(await sender.send({ url: `http://127.0.0.1:${await freePort()}/` })).toMatchObject({
      method: 'POST',
      request_headers: {},
      error: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await sender.send({ url: 'http://127.0.0.1:1/', headers: { 'X-A': 'a\nb' } })).toMatchObject({
      error: expect.stringContaining('line break'),
    });
    expect(await sender.send({ url: 'http://127.0.0.1:1/', method: 'NOT A METHOD' })).toMatchObject({
      error: '"NOT A METHOD" is no request method',
    });
  });

  it.each([
    {},
    { url: '' },
    { url: 'x' },
    { url: '/path' },
    { url: 'ftp://127.0.0.1/' },
    { url: 'http://' },
    { url: 'http:x' },
  ])('refuses %j', async (request) => {
    const sender = await startSender();
    await expect(sender.send(request as never)).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: '/url' }],
    });
    expect(sender.history()).toEqual([]);
  });

  it('keeps odd header names as data', async () => {
    const target = await startTarget();
    const sender = await startSender();
    const headers = JSON.parse('{"__proto__": "1", "constructor": "2"}') as Record<string, string>;
    const record = await sender.send({ url: target.url, headers });
    expect(Object.entries(record.request_headers)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    expect(target.received[0]?.headers['constructor']).toBe('2');
  });
});
