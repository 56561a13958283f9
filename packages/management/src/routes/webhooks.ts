import type { WebhookSend } from '@backlot/core';
import { BacklotError, Type, WebhookSignSchema } from '@backlot/core/plugin';
import { findItem } from '../answer/pages.js';
import { TruncatedSchema } from '../openapi/kind-schemas.js';
import { CLEARED, ClearedSchema, answers, fails, paramOf, type ManagementRoute } from './management-route.js';

/** One attempt to send a webhook. */
export const WebhookAttemptSchema = Type.Object({
  id: Type.String(),
  mock_id: Type.Optional(Type.String({ description: 'The mock that carries the webhook.' })),
  log_id: Type.Optional(Type.String({ description: 'The log entry of the message that caused it.' })),
  protocol: Type.String({ description: 'The kind of the mock; `manual` when it was sent by hand.' }),
  timestamp: Type.String(),
  url: Type.String(),
  method: Type.String(),
  request_headers: Type.Record(Type.String(), Type.String()),
  request_body: Type.Optional(Type.String()),
  status_code: Type.Optional(Type.Integer()),
  response_body: Type.Optional(Type.String({ description: 'The first 64 KiB.' })),
  error: Type.Optional(Type.String({ description: 'Why there is no answer.' })),
  attempt: Type.Integer({ description: 'Counted from 1.' }),
  duration_ms: Type.Number(),
  truncated: Type.Optional(TruncatedSchema),
});

/** What `POST /api/webhooks/send` takes. */
export const WebhookSendSchema = Type.Object(
  {
    url: Type.String({ minLength: 1, description: 'Where to send it: absolute, verbatim.' }),
    method: Type.Optional(Type.String({ minLength: 1, default: 'POST' })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.String()),
    sign: Type.Optional(
      Type.Object(WebhookSignSchema.properties, {
        additionalProperties: false,
        description: 'Adds the signature of a service; the secret is no template here.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** The history of outbound webhooks, and sending one by hand. */
export function webhookRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/webhooks',
      name: 'listWebhookAttempts',
      gather: { as: 'list', time: 'timestamp', ids: ['log_id'] },
      tag: 'Webhooks',
      summary: 'The attempts to send webhooks, oldest first.',
      pages: { cutsTexts: true },
      responses: { 200: answers('The newest 1,000 attempts.', Type.Array(WebhookAttemptSchema)) },
      handle: (_request, host) => ({ list: host.webhooks?.history() ?? [] }),
    },
    {
      method: 'GET',
      path: '/api/webhooks/{id}',
      name: 'getWebhookAttempt',
      gather: { as: 'one', param: 'id' },
      tag: 'Webhooks',
      summary: 'One attempt to send a webhook, whole.',
      responses: {
        200: answers('The attempt.', WebhookAttemptSchema),
        404: fails('The history has no such attempt.'),
      },
      async handle(request, host) {
        const attempts = host.webhooks?.history() ?? [];
        const body = await findItem(attempts, ({ id }) => id, paramOf(request, 'id'), 'webhook attempt');
        return { body };
      },
    },
    {
      method: 'DELETE',
      path: '/api/webhooks',
      name: 'clearWebhookAttempts',
      reach: 'command',
      tag: 'Webhooks',
      summary: 'Forgets the attempts.',
      responses: { 200: answers('The history is empty.', ClearedSchema) },
      handle(_request, host) {
        host.webhooks?.clear();
        return CLEARED;
      },
    },
    {
      method: 'POST',
      path: '/api/webhooks/send',
      name: 'sendWebhook',
      tag: 'Webhooks',
      summary: 'Sends one request now, as it is given, and answers what came of it.',
      body: WebhookSendSchema,
      examples: [
        { url: 'http://localhost:3000/hook', body: '{"paid": true}' },
        {
          url: 'http://localhost:3000/hook',
          body: '{"paid": true}',
          sign: { scheme: 'github', secret: 's3cret' },
        },
      ],
      responses: {
        200: answers('The attempt, also when it failed.', WebhookAttemptSchema),
        400: fails('The url is missing or not an absolute URL of the web, or the secret cannot be one.'),
        503: fails('Webhooks are not enabled.'),
      },
      async handle({ body }, host) {
        const { webhooks } = host;
        if (webhooks?.enabled !== true) throw new BacklotError('not_enabled', 'webhooks not enabled');
        return { body: await webhooks.send(body as WebhookSend) };
      },
    },
  ];
}
