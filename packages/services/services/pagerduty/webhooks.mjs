import { createHmac } from 'node:crypto';
import { find, newId, operation, rowsOf, timeOf } from './api.mjs';

/** The types of events that a webhook may ask for. */
export const EVENTS = [
  'incident.acknowledged',
  'incident.annotated',
  'incident.escalated',
  'incident.priority_updated',
  'incident.reassigned',
  'incident.reopened',
  'incident.resolved',
  'incident.triggered',
  'incident.unacknowledged',
  'pagey.ping',
];

/** Sends an event to the webhooks that want it. @param service - the id of the service that it is about */
export function tell(context, type, service, data, agent = null) {
  for (const row of rowsOf(context, 'webhook_subscriptions').list()) {
    const isMeant =
      row.filter.type === 'account_reference' ||
      (row.filter.type === 'service_reference' && row.filter.id === service);
    if (row.active && isMeant && row.events.includes(type)) send(context, row, type, data, agent);
  }
}

function send(context, { id, delivery_method: method }, type, data, agent) {
  const event = {
    id: `01${context.random.string(24).toUpperCase()}`,
    event_type: type,
    resource_type: type.split('.')[0],
    occurred_at: timeOf(context),
    agent,
    client: null,
    data,
  };
  const body = JSON.stringify({ event });
  const signature = createHmac('sha256', String(method.secret ?? ''))
    .update(body)
    .digest('hex');
  const own = Object.fromEntries((method.custom_headers ?? []).map(({ name, value }) => [name, value]));
  context.webhook({
    url: method.url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'PagerDuty-Webhook/V3.0',
      'X-Webhook-Id': newId(context),
      'X-Webhook-Subscription': id,
      'X-PagerDuty-Signature': `v1=${signature}`,
      ...own,
    },
    body,
    retries: 3,
  });
}

export const ping = operation(({ context, params }) => {
  send(
    context,
    find(context, 'webhook_subscriptions', params.id),
    'pagey.ping',
    { message: 'Hello from your friend Pagey!', type: 'ping' },
    null,
  );
  return { status: 202 };
});
