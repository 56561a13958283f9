import { invalid, operation, seconds } from './api.mjs';
import { paymentMethod } from './cards.mjs';
import { expanded } from './expand.mjs';
import { checkParams, needed, withoutNothing } from './objects.mjs';
import { pay } from './payments.mjs';
import { change, create as add, find, rowsOf } from './rows.mjs';

export const createItem = operation(({ params, expand, context }) => {
  checkParams('invoiceitems', params);
  const { customer, amount, currency = 'usd', price: id, quantity = 1, ...given } = withoutNothing(params);
  if (customer === undefined) throw needed('customer');
  find(context, 'customers', customer, 'customer');
  if (amount === undefined && id === undefined) throw needed('amount');
  const price = id === undefined ? undefined : find(context, 'prices', id, 'price');
  const row = {
    ...given,
    customer,
    amount: amount ?? price.unit_amount * quantity,
    currency: price?.currency ?? currency,
    quantity,
  };
  return expanded(context, add(context, 'invoiceitems', row, 'invoiceitem.created'), expand);
});

export const createInvoice = operation(({ params, expand, context }) => {
  checkParams('invoices', params);
  const { customer, pending_invoice_items_behavior: behavior = 'exclude', ...given } = withoutNothing(params);
  if (customer === undefined) throw needed('customer');
  find(context, 'customers', customer, 'customer');
  const pending =
    behavior === 'include'
      ? rowsOf(context, 'invoiceitems')
          .list()
          .filter((item) => item.customer === customer && item.invoice === null)
      : [];
  const invoice = addInvoice(context, { ...given, customer, billing_reason: 'manual', lines: pending });
  for (const { id } of pending) change(context, 'invoiceitems', id, { invoice: invoice.id });
  return expanded(context, invoice, expand);
});

/** Adds a draft with these lines. */
export function addInvoice(context, { lines, ...given }) {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const data = lines.map(({ amount, currency, description = null, quantity = 1, price }) => ({
    id: `il_${context.random.string(24)}`,
    object: 'line_item',
    amount,
    currency,
    description,
    quantity,
    pricing: price === undefined ? null : { type: 'price_details', price_details: { price } },
  }));
  return add(
    context,
    'invoices',
    {
      ...given,
      currency: lines[0]?.currency ?? given.currency ?? 'usd',
      subtotal: total,
      total,
      amount_due: total,
      amount_remaining: total,
      lines: { object: 'list', data, has_more: false, url: '/v1/invoices/lines' },
    },
    'invoice.created',
  );
}

export const finalize = operation(({ ids, expand, context }) => {
  const invoice = find(context, 'invoices', ids.id);
  mustBe(invoice, ['draft'], 'finalize');
  return expanded(context, finish(context, invoice), expand);
});

/** Makes an invoice of a draft; one of nothing is paid at once. */
export function finish(context, invoice) {
  const number = `${find(context, 'customers', invoice.customer).invoice_prefix}-${String(rowsOf(context, 'invoices').size).padStart(4, '0')}`;
  const fields = {
    number,
    status: 'open',
    status_transitions: { ...invoice.status_transitions, finalized_at: seconds(context) },
  };
  const open = change(context, 'invoices', invoice.id, fields, 'invoice.finalized');
  return open.total === 0 ? paid(context, open, {}) : open;
}

export const payOpen = operation(({ params, ids, expand, request, context }) => {
  let invoice = find(context, 'invoices', ids.id);
  mustBe(invoice, ['draft', 'open'], 'pay');
  if (invoice.status === 'draft') invoice = finish(context, invoice);
  if (invoice.status === 'paid') return expanded(context, invoice, expand);
  if (params.paid_out_of_band === true) return expanded(context, paid(context, invoice, {}), expand);
  const customer = find(context, 'customers', invoice.customer);
  const method = params.payment_method ?? customer.invoice_settings.default_payment_method;
  if (!method) {
    throw invalid(
      'There is no `default_payment_method` set on this Customer or Invoice. Please set a default payment method.',
      {
        code: 'invoice_payment_intent_requires_action',
      },
    );
  }
  return expanded(context, payInvoice(context, invoice, method, request), expand);
});

/** Pays an invoice by a payment intent of its own. @throws a card error */
export function payInvoice(context, invoice, given, request) {
  const method = paymentMethod(context, given);
  const { total: amount, currency, customer, id } = invoice;
  const intent = add(
    context,
    'payment_intents',
    { amount, currency, customer, invoice: id, payment_method: method.id, status: 'requires_confirmation' },
    'payment_intent.created',
  );
  try {
    if (pay(context, intent, { request }).status !== 'succeeded') return find(context, 'invoices', id);
  } catch (error) {
    const fields = { attempt_count: invoice.attempt_count + 1, attempted: true };
    change(context, 'invoices', id, fields, 'invoice.payment_failed');
    throw error;
  }
  return paid(context, invoice, { attempt_count: invoice.attempt_count + 1, attempted: true });
}

function paid(context, invoice, more) {
  const transitions = { ...invoice.status_transitions, paid_at: seconds(context) };
  const fields = {
    ...more,
    status: 'paid',
    amount_paid: invoice.total,
    amount_remaining: 0,
    status_transitions: transitions,
  };
  const made = change(context, 'invoices', invoice.id, fields, 'invoice.paid');
  const { subscription } = invoice;
  if (subscription !== null && find(context, 'subscriptions', subscription).status === 'incomplete')
    change(context, 'subscriptions', subscription, { status: 'active' }, 'customer.subscription.updated');
  return made;
}

export const voidInvoice = operation(({ ids, expand, context }) => {
  const invoice = find(context, 'invoices', ids.id);
  mustBe(invoice, ['open'], 'void');
  const fields = { status: 'void', amount_remaining: 0 };
  return expanded(context, change(context, 'invoices', ids.id, fields, 'invoice.voided'), expand);
});

function mustBe({ status }, wanted, verb) {
  if (!wanted.includes(status))
    throw invalid(
      `You can only ${verb} an invoice whose status is ${wanted.join(' or ')}; this one is ${status}.`,
      {
        code: 'invoice_not_editable',
      },
    );
}
