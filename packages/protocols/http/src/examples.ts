import type { HttpMock } from './schemas.js';

/** Mocks that show what the kind can do, one idea each. */
export const EXAMPLES: readonly (HttpMock & { readonly id: string })[] = [
  {
    id: 'get-user',
    request: { method: 'GET', path: '/users/{id}' },
    response: { status: 200, body: '{"id": "{{request.params.id}}", "name": "{{fake "name"}}"}' },
  },
  {
    id: 'create-admin',
    request: {
      method: 'POST',
      path: '/users',
      headers: { 'Content-Type': 'application/json*' },
      body_json: { role: 'admin', 'tags.0': { prefix: 'a' } },
    },
    response: {
      status: 201,
      headers: { Location: '/users/{{seq "users"}}' },
      body: '{"name": {{json request.body.name}}}',
    },
  },
  {
    id: 'flaky',
    request: { path: '/flaky' },
    sequence: [{ status: 503 }, { status: 503 }, { status: 200, body: 'recovered' }],
    sequence_exhausted: 'loop',
  },
  {
    id: 'payment',
    request: { method: 'POST', path: '/payments', auth: { type: 'bearer', token: '*' } },
    response: { status: 202, body: '{"ok": true}' },
    fault: { status_override: 502, error_rate: 0.2 },
    webhooks: [
      { url: '{{request.body.callback_url}}', body: '{"event": "paid"}', delay: '300ms', retries: 2 },
    ],
  },
  {
    id: 'events',
    request: { method: 'GET', path: '/events' },
    response: { headers: { 'Content-Type': 'text/event-stream' } },
    stream: {
      events: [
        { event: 'hello', data: '{"n": 1}' },
        { data: '{"n": 2}', delay: '1s' },
      ],
      keep_open: true,
    },
  },
];
