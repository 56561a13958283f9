import { createECDH, createPrivateKey, createPublicKey, createSign } from 'node:crypto';
import { find, invalid, operation, rowsOf } from './api.mjs';

/** The key of the signatures, which a name makes, so that it is the same in each run. */
function keyOf(context) {
  const ecdh = createECDH('prime256v1');
  const secret = Buffer.alloc(32, context.vars.sendgrid.signing_key);
  ecdh.setPrivateKey(secret);
  const point = ecdh.getPublicKey();
  const part = (start) => point.subarray(start, start + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', d: secret.toString('base64url'), x: part(1), y: part(33) };
  return createPrivateKey({ key: jwk, format: 'jwk' });
}

const publicKey = (context) =>
  createPublicKey(keyOf(context)).export({ type: 'spki', format: 'der' }).toString('base64');

/** Sends events to the webhooks that want them, signed, all in one request. */
export function tell(context, events) {
  const seconds = Math.floor(context.clock.now() / 1000);
  for (const { url, enabled, events: wanted } of rowsOf(context, 'webhooks').list()) {
    const own = events.filter(({ event }) => wanted.includes('*') || wanted.includes(event));
    if (!enabled || own.length === 0) continue;
    const full = own.map((event) => ({
      ...event,
      timestamp: seconds,
      sg_event_id: context.random.string(22),
    }));
    const body = JSON.stringify(full);
    const time = String(seconds);
    const signature = createSign('sha256')
      .update(time + body)
      .sign(keyOf(context), 'base64');
    context.webhook({
      url,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'SendGrid Event API',
        'X-Twilio-Email-Event-Webhook-Signature': signature,
        'X-Twilio-Email-Event-Webhook-Timestamp': time,
      },
      body,
      retries: 3,
    });
  }
}

const NAMES = [
  'processed',
  'delivered',
  'bounce',
  'deferred',
  'dropped',
  'spam_report',
  'open',
  'click',
  'unsubscribe',
  'group_unsubscribe',
  'group_resubscribe',
];
const eventName = (name) => name.replace('_', '');
const shown = ({ events, ...row }) => ({
  ...row,
  ...Object.fromEntries(
    NAMES.map((name) => [name, events.includes('*') || events.includes(eventName(name))]),
  ),
});

export const create = operation(({ body, context }) => {
  if (typeof body?.url !== 'string' || !/^https?:\/\//.test(body.url))
    throw invalid('url must be an address with http or https', 'url');
  const events = NAMES.filter((name) => body[name] === true).map(eventName);
  const { url, enabled = true, friendly_name = '' } = body;
  return {
    status: 201,
    json: shown(rowsOf(context, 'webhooks').create({ url, enabled, friendly_name, events })),
  };
});
export const list = operation(({ context }) => ({
  json: { max_allowed: 5, webhooks: rowsOf(context, 'webhooks').list().map(shown) },
}));
export const get = operation(({ request, context }) => ({
  json: shown(find(context, 'webhooks', request.params.id)),
}));
export const remove = operation(({ request, context }) => {
  rowsOf(context, 'webhooks').remove(find(context, 'webhooks', request.params.id).id);
  return { status: 204 };
});
export const signing = operation(({ request, context }) => {
  const { id } = find(context, 'webhooks', request.params.id);
  return { json: { id, public_key: publicKey(context) } };
});
