import { createHmac } from 'node:crypto';
import { find, invalid, operation, page } from './api.mjs';

/** Sends an event to the webhooks that want its type, signed as Svix does it for Resend. */
export function tell(context, type, { id, created_at, from, to, subject, tags }) {
  const { clock, collection, random } = context;
  const now = clock.now();
  const event = {
    type,
    created_at: new Date(now).toISOString(),
    data: { email_id: id, created_at, from, to, subject, tags },
  };
  const body = JSON.stringify(event);
  for (const { endpoint, events, signing_secret: secret, status } of collection('resend:webhooks').list()) {
    if (status === 'disabled' || !events.includes(type)) continue;
    const message = `msg_${random.string(27)}`;
    const time = String(Math.floor(now / 1000));
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const signature = createHmac('sha256', key).update(`${message}.${time}.${body}`).digest('base64');
    context.webhook({
      url: endpoint,
      headers: {
        'Content-Type': 'application/json',
        'svix-id': message,
        'svix-timestamp': time,
        'svix-signature': `v1,${signature}`,
      },
      body,
      retries: 3,
    });
  }
}

export const create = operation(({ body, context }) => {
  const { endpoint, events } = body ?? {};
  if (typeof endpoint !== 'string' || !/^https?:\/\//.test(endpoint))
    throw invalid('The `endpoint` field must be a URL with http or https.');
  if (!Array.isArray(events) || events.length === 0)
    throw invalid('Missing `events` field.', 'missing_required_field');
  const secret = `whsec_${Buffer.from(context.random.string(24)).toString('base64')}`;
  const { id } = context.collection('resend:webhooks').create({ endpoint, events, signing_secret: secret });
  return { object: 'webhook', id, signing_secret: secret };
});

export const list = operation(({ request, context }) => {
  const found = page(context.collection('resend:webhooks').list(), request.query);
  return { ...found, data: found.data.map(({ object: _, signing_secret: __, ...row }) => row) };
});

export const retrieve = operation(({ request, context }) =>
  find(context, 'webhooks', request.params.id, 'Webhook'),
);

export const remove = operation(({ request, context }) => {
  const { id } = find(context, 'webhooks', request.params.id, 'Webhook');
  context.collection('resend:webhooks').remove(id);
  return { object: 'webhook', id, deleted: true };
});
