import { invalid, operation, seconds, StripeError } from './api.mjs';
import { expanded } from './expand.mjs';
import { addInvoice, finish, payInvoice } from './invoices.mjs';
import { addTo, checkParams, metadataOf, needed, withoutNothing } from './objects.mjs';
import { change, create as add, find } from './rows.mjs';

const DAY = 86_400;
const INTERVALS = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY };

export const createPrice = operation(({ params, expand, context }) => {
  checkParams('prices', params);
  const { currency, product, product_data: data, recurring, ...given } = withoutNothing(params);
  if (currency === undefined) throw needed('currency');
  if (product === undefined && data === undefined) throw needed('product');
  if (given.unit_amount === undefined && given.unit_amount_decimal === undefined) throw needed('unit_amount');
  if (recurring !== undefined && !Object.hasOwn(INTERVALS, recurring.interval)) {
    throw invalid('Invalid recurring[interval]: must be one of day, month, week, or year', {
      param: 'recurring[interval]',
    });
  }
  const of =
    product === undefined ? addTo(context, 'products', data) : find(context, 'products', product, 'product');
  const row = {
    ...given,
    currency: currency.toLowerCase(),
    product: of.id,
    type: recurring === undefined ? 'one_time' : 'recurring',
    recurring:
      recurring === undefined
        ? null
        : { interval_count: 1, usage_type: 'licensed', meter: null, ...recurring },
    unit_amount_decimal: String(given.unit_amount ?? given.unit_amount_decimal),
  };
  return expanded(context, add(context, 'prices', row, 'price.created'), expand);
});

export const subscribe = operation(({ params, expand, request, context }) => {
  checkParams('subscriptions', params);
  const {
    customer,
    items,
    trial_period_days: trial,
    payment_behavior: behavior,
    ...given
  } = withoutNothing(params);
  if (customer === undefined) throw needed('customer');
  if (!Array.isArray(items)) throw needed('items');
  const owner = find(context, 'customers', customer, 'customer');
  const now = seconds(context);
  const lines = items.map((item, index) => itemOf(context, item, index, now));
  const end = lines[0].current_period_end;
  const trialEnd = trial === undefined ? (given.trial_end ?? null) : now + trial * DAY;
  const made = add(context, 'subscriptions', {
    ...given,
    customer,
    currency: lines[0].price.currency,
    default_payment_method: given.default_payment_method ?? null,
    billing_cycle_anchor: now,
    start_date: now,
    status: trialEnd === null ? 'incomplete' : 'trialing',
    trial_start: trialEnd === null ? null : now,
    trial_end: trialEnd,
    items: { object: 'list', data: [], has_more: false, url: '/v1/subscription_items' },
  });
  const data = lines.map((item) => ({ ...item, subscription: made.id, current_period_end: trialEnd ?? end }));
  const fields = { items: { ...made.items, data } };
  change(context, 'subscriptions', made.id, fields, 'customer.subscription.created');
  const invoice = addInvoice(context, {
    customer,
    subscription: made.id,
    billing_reason: 'subscription_create',
    lines: data.map(({ price, quantity }) => ({
      description: `${quantity} × ${price.product}`,
      amount: trialEnd === null ? price.unit_amount * quantity : 0,
      currency: price.currency,
      price: price.id,
      quantity,
    })),
  });
  change(context, 'subscriptions', made.id, { latest_invoice: invoice.id });
  const open = finish(context, invoice);
  const method = given.default_payment_method ?? owner.invoice_settings.default_payment_method;
  if (
    open.status === 'open' &&
    method !== null &&
    method !== undefined &&
    behavior !== 'default_incomplete'
  ) {
    try {
      payInvoice(context, open, method, request);
    } catch (error) {
      if (!(error instanceof StripeError) || behavior === 'error_if_incomplete') throw error;
    }
  }
  return expanded(context, find(context, 'subscriptions', made.id), expand);
});

function itemOf(context, { price: id, quantity = 1, metadata = {} }, index, now) {
  if (id === undefined) throw needed(`items[${index}][price]`);
  const price = find(context, 'prices', id, `items[${index}][price]`);
  if (price.recurring === null) {
    throw invalid(
      `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
      {
        param: `items[${index}][price]`,
      },
    );
  }
  const { interval, interval_count: count } = price.recurring;
  return {
    id: `si_${context.random.string(14)}`,
    object: 'subscription_item',
    created: now,
    current_period_start: now,
    current_period_end: now + INTERVALS[interval] * count,
    metadata,
    price,
    quantity,
  };
}

export const updateSubscription = operation(({ params, ids, expand, context }) => {
  checkParams('subscriptions', params);
  const subscription = find(context, 'subscriptions', ids.id);
  mustLive(subscription);
  const { items, ...given } = params;
  const now = seconds(context);
  const before = subscription.items.data;
  const changed = (items ?? []).reduce((list, item, index) => {
    const { id, deleted = false, ...fields } = item;
    const old = list.find((one) => one.id === id);
    if (id !== undefined && old === undefined)
      throw invalid(`No such subscription item: '${id}'`, {
        code: 'resource_missing',
        param: `items[${index}][id]`,
      });
    if (deleted) return list.filter((one) => one !== old);
    if (old === undefined) return [...list, { ...itemOf(context, fields, index, now), subscription: ids.id }];
    const made = itemOf(context, { price: old.price.id, quantity: old.quantity, ...fields }, index, now);
    return list.map((one) => (one === old ? { ...old, price: made.price, quantity: made.quantity } : one));
  }, before);
  const fields = {
    ...given,
    ...(given.cancel_at_period_end === true
      ? { cancel_at: before[0].current_period_end, canceled_at: now }
      : {}),
    ...(given.cancel_at_period_end === false ? { cancel_at: null, canceled_at: null } : {}),
    ...metadataOf(subscription, params),
    items: { ...subscription.items, data: changed },
  };
  return expanded(
    context,
    change(context, 'subscriptions', ids.id, fields, 'customer.subscription.updated'),
    expand,
  );
});

export const cancelSubscription = operation(({ ids, expand, context }) => {
  mustLive(find(context, 'subscriptions', ids.id));
  const now = seconds(context);
  const fields = { status: 'canceled', canceled_at: now, ended_at: now };
  return expanded(
    context,
    change(context, 'subscriptions', ids.id, fields, 'customer.subscription.deleted'),
    expand,
  );
});

function mustLive({ id, status }) {
  if (status === 'canceled')
    throw invalid(`No such subscription: '${id}'; a canceled subscription can only be read`, {
      code: 'resource_missing',
      param: 'id',
    });
}
