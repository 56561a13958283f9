import { invalid, operation, seconds } from './api.mjs';
import { paymentMethod } from './cards.mjs';
import { expanded } from './expand.mjs';
import { addTo, checkParams, needed, withoutNothing } from './objects.mjs';
import { charge } from './payments.mjs';
import { change, create as add, find, page, rowsOf } from './rows.mjs';

const MODES = ['payment', 'setup', 'subscription'];

export const createSession = operation(({ params, expand, request, context }) => {
  checkParams('checkout_sessions', params);
  const {
    mode = 'payment',
    line_items: items,
    customer,
    payment_intent_data: data,
    ...given
  } = withoutNothing(params);
  if (!MODES.includes(mode))
    throw invalid(`Invalid mode: must be one of ${MODES.join(', ')}`, { param: 'mode' });
  if (mode === 'subscription' || mode === 'setup')
    throw invalid(`The mode "${mode}" of a session is not mocked; "payment" is.`, { param: 'mode' });
  if (!Array.isArray(items)) throw needed('line_items');
  if (given.success_url === undefined && given.ui_mode === undefined) throw needed('success_url');
  if (customer !== undefined) find(context, 'customers', customer, 'customer');
  const lines = items.map((item, index) => lineOf(context, item, index));
  const total = lines.reduce((sum, { amount_total: amount }) => sum + amount, 0);
  const made = add(context, 'checkout_sessions', {
    ...given,
    mode,
    customer: customer ?? null,
    amount_subtotal: total,
    amount_total: total,
    currency: lines[0].currency,
    expires_at: given.expires_at ?? seconds(context) + 86_400,
    payment_intent_metadata: data?.metadata ?? {},
    lines,
  });
  const url = `${request.scheme}://${request.host}/stripe/pay/${made.id}`;
  return expanded(context, shown(change(context, 'checkout_sessions', made.id, { url })), expand);
});

function lineOf(context, { price: id, price_data: data, quantity = 1 }, index) {
  if (id === undefined && data === undefined) throw needed(`line_items[${index}][price]`);
  const price =
    id === undefined ? priceOf(context, data) : find(context, 'prices', id, `line_items[${index}][price]`);
  const amount = price.unit_amount * quantity;
  return {
    id: `li_${context.random.string(24)}`,
    object: 'item',
    amount_subtotal: amount,
    amount_total: amount,
    currency: price.currency,
    description: find(context, 'products', price.product).name,
    price,
    quantity,
  };
}

function priceOf(context, { currency, unit_amount: amount, product, product_data: data }) {
  if (currency === undefined || amount === undefined) throw needed('line_items[0][price_data][unit_amount]');
  const { id } =
    product === undefined ? addTo(context, 'products', data ?? {}) : find(context, 'products', product);
  return add(context, 'prices', {
    currency,
    unit_amount: amount,
    unit_amount_decimal: String(amount),
    product: id,
  });
}

/** A session as it is shown: its lines are asked for by a call of their own. */
function shown({ lines: _, payment_intent_metadata: __, ...session }) {
  return session;
}

export const retrieveSession = operation(({ ids, expand, context }) => {
  const session = find(context, 'checkout_sessions', ids.id);
  const paths = [expand ?? []].flat();
  const wantsLines = paths.some((path) => path.startsWith('line_items'));
  const line_items = {
    object: 'list',
    data: session.lines,
    has_more: false,
    url: '/v1/checkout/sessions/line_items',
  };
  const others = paths.filter((path) => !path.startsWith('line_items'));
  return expanded(context, { ...shown(session), ...(wantsLines ? { line_items } : {}) }, others);
});

export const listSessions = operation(({ params, expand, context }) => {
  const { customer, payment_intent: intent, status, ...cursors } = params;
  const rows = rowsOf(context, 'checkout_sessions')
    .list()
    .filter(
      (row) => fits(row.customer, customer) && fits(row.payment_intent, intent) && fits(row.status, status),
    )
    .map(shown);
  return expanded(context, page(rows, cursors, '/v1/checkout/sessions'), expand);
});

function fits(value, wanted) {
  return wanted === undefined || value === wanted;
}

export const listLines = operation(({ ids, context }) => {
  const { lines } = find(context, 'checkout_sessions', ids.id);
  return { object: 'list', data: lines, has_more: false, url: `/v1/checkout/sessions/${ids.id}/line_items` };
});

export const expire = operation(({ ids, context }) => {
  const session = find(context, 'checkout_sessions', ids.id);
  if (session.status !== 'open')
    throw invalid(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`,
    );
  const fields = { status: 'expired', url: null };
  return shown(change(context, 'checkout_sessions', ids.id, fields, 'checkout.session.expired'));
});

/** The page of a session: whoever opens it has paid, with `?outcome=canceled` not, and is led back. */
export function payPage({ params, query }, context) {
  const rows = rowsOf(context, 'checkout_sessions');
  const session = rows.has(params.id) ? rows.get(params.id) : undefined;
  if (session?.status !== 'open') return { status: 404, body: `no session ${params.id} waits to be paid` };
  const { amount_total: amount, currency, customer, success_url: to, cancel_url: back } = session;
  if (query.outcome === 'canceled') return { status: 303, headers: { Location: back ?? to } };
  const method = paymentMethod(context, 'pm_card_visa');
  const row = {
    amount,
    currency,
    customer,
    payment_method: method.id,
    metadata: session.payment_intent_metadata,
  };
  const intent = add(context, 'payment_intents', row, 'payment_intent.created');
  charge(context, intent, method);
  const fields = { status: 'complete', payment_status: 'paid', payment_intent: intent.id, url: null };
  change(context, 'checkout_sessions', session.id, fields, 'checkout.session.completed');
  return { status: 303, headers: { Location: to.replace('{CHECKOUT_SESSION_ID}', session.id) } };
}
