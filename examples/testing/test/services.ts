import { http, type HttpMock } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';

/** The bank, which takes every payment. */
const pay: HttpMock = {
  id: 'pay',
  request: { method: 'POST', path: '/payments' },
  response: { status: 201, body: '{"id": "{{uuid}}"}' },
};

/** What the shop needs, the same for all tests. */
export const services = {
  protocols: [http, smtp, redis],
  settings: { http: { mocks: [pay] } },
  scenarios: [{ id: 'no money', patches: [{ protocol: 'http', mock_id: 'pay', status: 402, body: '{}' }] }],
  seed: 7,
} as const;
