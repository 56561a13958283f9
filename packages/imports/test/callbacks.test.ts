import { eventually } from '@backlot/conformance';
import { createHost, type Imported } from '@backlot/core';
import { http } from '@backlot/http';
import { createWebhooks } from '@backlot/webhooks';
import { afterEach, expect, it } from '@jest/globals';
import { convert, convertText } from './support/convert.js';
import { startReceiver, type Receiver } from './support/receiver.js';
import { sample } from './support/samples.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Serves mocks whose webhooks are sent, and an application that takes them. */
async function serve({ protocols = {} }: Imported): Promise<{ url: string; receiver: Receiver }> {
  const receiver = await startReceiver();
  cleanups.push(() => receiver.stop());
  const host = await createHost({
    protocols: [http],
    settings: { http: { port: 0, ...protocols['http'] } },
    seed: 1,
    webhooks: createWebhooks(),
  });
  cleanups.push(() => host.stop(0));
  await host.start();
  return { url: host.kind('http').url ?? '', receiver };
}

it('calls the url that a query names, with what the schema of a public document describes', async () => {
  const { url, receiver } = await serve(convert(sample('openapi', 'openapi/callback.yaml')).imported);
  const target = encodeURIComponent(`${receiver.url}/hooks`);
  const response = await fetch(`${url}/streams?callbackUrl=${target}`, { method: 'POST' });
  expect(response.status).toBe(201);
  await response.arrayBuffer();
  await eventually(() => receiver.received.length === 1);
  const [call] = receiver.received;
  expect(call).toMatchObject({ method: 'POST', url: '/hooks/data', type: 'application/json' });
  expect(JSON.parse(call?.body ?? '')).toEqual({
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    userData: expect.any(String),
  });
});

const ORDERS = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders/{order-id}': {
      put: {
        responses: {
          202: {
            description: 'taken',
            content: { 'application/json': { example: 1 }, 'text/plain': { example: 'taken' } },
          },
        },
        callbacks: {
          paid: { $ref: '#/components/callbacks/Paid' },
          state: {
            '{$request.header.X-State-Url}?order={$request.path.order-id}': {
              put: { requestBody: { content: { 'text/plain': { example: 'sent' } } } },
              delete: {},
            },
          },
          answered: { '{$response.body#/url}': { post: {} } },
        },
      },
    },
  },
  components: {
    requestBodies: {
      State: {
        content: { 'text/plain': { examples: { first: { value: 'sent' }, second: { value: 'lost' } } } },
      },
    },
    callbacks: {
      Paid: {
        '{$request.body#/hooks/paid}': {
          post: {
            requestBody: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Payment' } } },
            },
          },
        },
      },
    },
    schemas: {
      Payment: {
        type: 'object',
        required: ['amount'],
        properties: { amount: { type: 'integer', example: 7 }, note: { type: 'string', example: '{{no}}' } },
      },
    },
  },
};

it('calls the urls that the body, a header and the path name, each once for a call of the operation', async () => {
  const made = convertText(JSON.stringify(ORDERS));
  expect(made.report.refused).toEqual([
    expect.objectContaining({
      message: 'the url of a callback, "{$response.body#/url}", cannot be told from the request',
    }),
  ]);
  const { url, receiver } = await serve(made.imported);
  const put = async (id: string, accept: string): Promise<void> => {
    const response = await fetch(`${url}/orders/${id}`, {
      method: 'PUT',
      headers: { 'X-State-Url': `${receiver.url}/state`, 'Content-Type': 'application/json', Accept: accept },
      body: JSON.stringify({ hooks: { paid: `${receiver.url}/paid/${id}` } }),
    });
    expect(response.status).toBe(202);
    await response.arrayBuffer();
  };
  await put('a1', 'application/json');
  await eventually(() => receiver.received.length === 3);
  await put('b2', 'text/plain');
  await eventually(() => receiver.received.length === 6);
  const inOrder = receiver.received
    .map(({ method, url: at, type, body }) => [method, at, type, body].join(' '))
    .toSorted();
  expect(inOrder).toEqual([
    'DELETE /state?order=a1  ',
    'DELETE /state?order=b2  ',
    'POST /paid/a1 application/json {"amount":7,"note":"{{no}}"}',
    'POST /paid/b2 application/json {"amount":7,"note":"{{no}}"}',
    'PUT /state?order=a1 text/plain sent',
    'PUT /state?order=b2 text/plain sent',
  ]);
});
