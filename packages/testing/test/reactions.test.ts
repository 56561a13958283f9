import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { createWebhooks } from '@backlot/webhooks';
import { Redis } from 'ioredis';
import { useBacklot } from '../src/index.js';
import { matchers } from '../src/jest.js';
import { sendMail } from './clients.js';

expect.extend(matchers);

const backlot = useBacklot({
  protocols: [http, redis, smtp],
  webhooks: createWebhooks(),
  settings: {
    http: {
      mocks: [
        {
          id: 'feed',
          request: { path: '/feed' },
          response: { headers: { 'content-type': 'text/event-stream' } },
          stream: { keep_open: true, events: [{ data: 'hello' }] },
        },
      ],
    },
  },
  reactions: [
    {
      on: { redis: { command: 'SET', key: 'cart:*' } },
      do: [{ http: { to: 'feed', data: '{{request.key}}' } }],
    },
    {
      on: { connection: { protocol: 'redis', event: 'closed' } },
      do: [{ state: { left: '{{request.protocol}} {{request.event}}' } }],
    },
    { on: { smtp: { to: 'ann@*' } }, do: [{ smtp: { to: 'copy@example.com', subject: 'Copy' } }] },
  ],
  hooks: { beforeAll, afterAll, beforeEach },
});

it('takes messages of one protocol into another, and what they cause is no message', async () => {
  const feed = await fetch(`${backlot.http.url}/feed`);
  const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const client = new Redis(backlot.redis.url);
  await client.set('cart:7', 'x');
  while (!text.includes('data: cart:7')) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  await client.quit();
  await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Hello' });
  await backlot.smtp.waitForCaptured({
    subject: 'Copy',
    to: ['copy@example.com'],
    from: 'backlot@localhost',
  });
  await expect(backlot).toHaveSeen([{ smtp: {}, times: 1 }], { within: '0s' });
});

it('follows connections', async () => {
  const changed = new Promise<void>((resolve) => {
    const look = (): void =>
      backlot.state.all()['left'] === undefined ? void setImmediate(look) : resolve();
    look();
  });
  const client = new Redis(backlot.redis.url);
  await client.ping();
  await client.quit();
  await changed;
  expect(backlot.state.all()).toEqual({ left: 'redis closed' });
});

it('sends webhooks, and follows how they end', async () => {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await backlot.host.reactions.create({
      id: 'call',
      on: { http: { unmatched: true } },
      do: [{ http: { webhook: { url: `http://127.0.0.1:${port}/{{request.query.a}}`, method: 'PUT' } } }],
    });
    await backlot.host.reactions.create({
      on: { webhook: { mock: 'call', status: '5*' } },
      do: [{ smtp: { to: 'ops@example.com', subject: 'Status {{request.status_code}}' } }],
    });
    await fetch(`${backlot.http.url}/nothing?a=b`);
    await backlot.smtp.waitForCaptured({ subject: 'Status 503' });
    expect(requests.map(({ method, url }) => [method, url])).toEqual([['PUT', '/b']]);
    expect(backlot.webhooks?.history()).toMatchObject([
      { protocol: 'http', mock_id: 'call', log_id: expect.stringMatching(/^\d+$/) },
    ]);
  } finally {
    await new Promise((resolve) => void server.close(resolve));
  }
});
