import { invalid, missing, seconds, token } from './api.mjs';

/** The rows of a kind of object, such as `customers`. */
export function rowsOf(context, name) {
  return context.collection(`stripe:${name}`);
}

/** The object with an id. @throws what Stripe answers when there is none */
export function find(context, name, id, param = 'id', status = param === 'id' ? 404 : 400) {
  const rows = rowsOf(context, name);
  const row = typeof id === 'string' && rows.has(id) ? rows.get(id) : undefined;
  if (row !== undefined) return row;
  throw missing(OBJECTS[name] ?? name, String(id), param, status);
}

/** What objects are called in messages, by the name of their rows. */
export const OBJECTS = {
  customers: 'customer',
  payment_methods: 'PaymentMethod',
  payment_intents: 'payment_intent',
  charges: 'charge',
  refunds: 'refund',
  products: 'product',
  prices: 'price',
  subscriptions: 'subscription',
  invoices: 'invoice',
  invoiceitems: 'invoiceitem',
  checkout_sessions: 'checkout.session',
  events: 'event',
  webhook_endpoints: 'webhook endpoint',
};

/** Adds an object, and tells who listens. */
export function create(context, name, row, type) {
  const made = rowsOf(context, name).create(row);
  if (type !== undefined) tell(context, type, made);
  return made;
}

/** Changes an object, and tells who listens. */
export function change(context, name, id, fields, type) {
  const before = rowsOf(context, name).get(id);
  const after = rowsOf(context, name).replace(id, { ...before, ...fields });
  if (type !== undefined) {
    const previous = Object.fromEntries(Object.keys(fields).map((field) => [field, before[field] ?? null]));
    tell(context, type, after, type.endsWith('.updated') ? previous : undefined);
  }
  return after;
}

/** Writes an event, and sends it to the endpoints that want its type. */
export function tell(context, type, object, previous) {
  const event = rowsOf(context, 'events').create({
    id: `evt_${token(context, 24)}`,
    created: seconds(context),
    type,
    data: { object, ...(previous === undefined ? {} : { previous_attributes: previous }) },
    request: { id: null, idempotency_key: null },
  });
  for (const { url, secret, enabled_events: wanted, status } of rowsOf(context, 'webhook_endpoints').list()) {
    if (status === 'disabled' || !(wanted.includes('*') || wanted.includes(type))) continue;
    context.webhook({
      url,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      body: JSON.stringify(event, null, 2),
      sign: { scheme: 'stripe', secret },
      retries: 3,
    });
  }
}

const MAX_PAGE = 100;

/** A page of objects, newest first, as Stripe's cursors ask for it. */
export function page(rows, params, url) {
  const { limit = 10, starting_after: after, ending_before: before, created } = params;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw invalid(`Invalid integer: ${String(limit)}; the limit of a list is from 1 to ${MAX_PAGE}`, {
      param: 'limit',
      code: 'parameter_invalid_integer',
    });
  }
  const all = [...rows].reverse().filter((row) => isWithin(row.created, created));
  if (before !== undefined) {
    const end = placeOf(all, before, 'ending_before');
    const start = Math.max(0, end - limit);
    return { object: 'list', url, has_more: start > 0, data: all.slice(start, end) };
  }
  const start = after === undefined ? 0 : placeOf(all, after, 'starting_after') + 1;
  return { object: 'list', url, has_more: start + limit < all.length, data: all.slice(start, start + limit) };
}

function placeOf(rows, id, param) {
  const place = rows.findIndex((row) => row.id === id);
  if (place >= 0) return place;
  throw invalid(`No such object: '${String(id)}'`, { param, code: 'resource_missing' });
}

function isWithin(created, wanted) {
  if (wanted === undefined || wanted === null) return true;
  if (typeof wanted !== 'object') return created === wanted;
  const { gt = -Infinity, gte = -Infinity, lt = Infinity, lte = Infinity } = wanted;
  return created > gt && created >= gte && created < lt && created <= lte;
}
