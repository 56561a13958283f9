import { invalid, operation, StripeError } from './api.mjs';
import { cardOf, outcomeOf, paymentMethod } from './cards.mjs';
import { expanded } from './expand.mjs';
import { checkParams, metadataOf, needed, withoutNothing } from './objects.mjs';
import { change, create as add, find, rowsOf } from './rows.mjs';

export const createMethod = operation(({ params, expand, context }) => {
  checkParams('payment_methods', params);
  const { type, card = {}, ...rest } = withoutNothing(params);
  if (type !== 'card')
    throw invalid(`The payment method type "${String(type)}" is not mocked; "card" is.`, { param: 'type' });
  return expanded(context, add(context, 'payment_methods', { type, ...rest, card: cardOf(card) }), expand);
});

export const attach = operation(({ params, ids, context }) => {
  const { customer } = params;
  if (!customer) throw needed('customer');
  find(context, 'customers', customer, 'customer');
  const { id } = paymentMethod(context, ids.id);
  return change(context, 'payment_methods', id, { customer }, 'payment_method.attached');
});

export const detach = operation(({ ids, context }) => {
  find(context, 'payment_methods', ids.id);
  return change(context, 'payment_methods', ids.id, { customer: null }, 'payment_method.detached');
});

export const createIntent = operation(({ params, expand, request, context }) => {
  checkParams('payment_intents', params);
  const { confirm = false, return_url: back, ...given } = withoutNothing(params);
  delete given.off_session;
  checkAmount(given);
  if (given.customer !== undefined) find(context, 'customers', given.customer, 'customer');
  const method =
    given.payment_method === undefined ? undefined : paymentMethod(context, given.payment_method);
  const row = {
    ...given,
    currency: given.currency.toLowerCase(),
    payment_method: method?.id ?? null,
    status: method === undefined ? 'requires_payment_method' : 'requires_confirmation',
  };
  const made = add(context, 'payment_intents', row, 'payment_intent.created');
  const secret = `${made.id}_secret_${context.random.string(25)}`;
  const intent = change(context, 'payment_intents', made.id, { client_secret: secret });
  return expanded(context, confirm ? pay(context, intent, { request, back }) : intent, expand);
});

/** @throws what Stripe answers to an amount or a currency that is none */
export function checkAmount({ amount, currency }) {
  if (amount === undefined) throw needed('amount');
  if (currency === undefined) throw needed('currency');
  if (!Number.isInteger(amount))
    throw invalid(`Invalid integer: ${String(amount)}`, {
      param: 'amount',
      code: 'parameter_invalid_integer',
    });
  if (amount < 1) {
    throw invalid('This value must be greater than or equal to 1.', {
      param: 'amount',
      code: 'parameter_invalid_integer',
    });
  }
  if (!/^[a-z]{3}$/i.test(currency))
    throw invalid(`Invalid currency: ${String(currency)}.`, { param: 'currency' });
}

export const updateIntent = operation(({ params, ids, expand, context }) => {
  checkParams('payment_intents', params);
  const intent = find(context, 'payment_intents', ids.id);
  mustBe(intent, ['requires_payment_method', 'requires_confirmation'], 'update');
  const method = params.payment_method
    ? { payment_method: paymentMethod(context, params.payment_method).id }
    : {};
  const status = method.payment_method === undefined ? {} : { status: 'requires_confirmation' };
  const fields = { ...params, ...method, ...status, ...metadataOf(intent, params) };
  return expanded(context, change(context, 'payment_intents', ids.id, fields), expand);
});

export const confirmIntent = operation(({ params, ids, expand, request, context }) => {
  const intent = find(context, 'payment_intents', ids.id);
  mustBe(intent, ['requires_payment_method', 'requires_confirmation', 'requires_action'], 'confirm');
  const given = params.payment_method ?? intent.payment_method;
  if (!given) {
    throw invalid(
      "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method.",
      { code: 'payment_intent_unexpected_state', payment_intent: intent },
    );
  }
  const { id } = paymentMethod(context, given);
  const ready = change(context, 'payment_intents', intent.id, { payment_method: id });
  return expanded(context, pay(context, ready, { request, back: params.return_url }), expand);
});

/** Charges the card of a payment intent. @throws a card error when it is declined */
export function pay(context, intent, { request, back }) {
  const method = find(context, 'payment_methods', intent.payment_method, 'payment_method');
  const { decline, action } = outcomeOf(method);
  if (action === true) {
    const url = `${request.scheme}://${request.host}/stripe/3ds/${intent.id}`;
    const next =
      back === undefined
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
        : { type: 'redirect_to_url', redirect_to_url: { url, return_url: back } };
    const fields = { status: 'requires_action', next_action: next };
    return change(context, 'payment_intents', intent.id, fields, 'payment_intent.requires_action');
  }
  return decline === undefined ? charge(context, intent, method) : refuse(context, intent, method, decline);
}

/** Charges a card that pays. */
export function charge(context, intent, method) {
  const isCaptured = intent.capture_method !== 'manual';
  const made = addCharge(context, intent, method, { captured: isCaptured, paid: true, status: 'succeeded' });
  const fields = {
    status: isCaptured ? 'succeeded' : 'requires_capture',
    amount_received: isCaptured ? intent.amount : 0,
    amount_capturable: isCaptured ? 0 : intent.amount,
    latest_charge: made.id,
    next_action: null,
    last_payment_error: null,
  };
  const type = isCaptured ? 'payment_intent.succeeded' : 'payment_intent.amount_capturable_updated';
  return change(context, 'payment_intents', intent.id, fields, type);
}

function refuse(context, intent, method, [code, declineCode, message]) {
  const made = addCharge(context, intent, method, {
    captured: false,
    paid: false,
    status: 'failed',
    failure_code: code,
    failure_message: message,
  });
  const error = { type: 'card_error', code, decline_code: declineCode, message, charge: made.id };
  const failed = change(
    context,
    'payment_intents',
    intent.id,
    {
      status: 'requires_payment_method',
      payment_method: null,
      latest_charge: made.id,
      last_payment_error: { ...error, payment_method: method },
      next_action: null,
    },
    'payment_intent.payment_failed',
  );
  throw new StripeError(402, { ...error, payment_intent: failed, payment_method: method });
}

function addCharge(context, intent, method, fields) {
  const {
    amount,
    currency,
    customer = null,
    description = null,
    metadata = {},
    receipt_email: email = null,
  } = intent;
  return add(
    context,
    'charges',
    {
      ...{ amount, currency, customer, description, metadata, receipt_email: email },
      amount_captured: fields.captured ? amount : 0,
      payment_intent: intent.id ?? null,
      payment_method: method.id,
      payment_method_details: { type: 'card', card: method.card },
      invoice: intent.invoice ?? null,
      ...fields,
    },
    fields.paid ? 'charge.succeeded' : 'charge.failed',
  );
}

export const captureIntent = operation(({ params, ids, context }) => {
  const intent = find(context, 'payment_intents', ids.id);
  mustBe(intent, ['requires_capture'], 'capture');
  const amount = params.amount_to_capture ?? intent.amount;
  if (amount > intent.amount_capturable) {
    throw invalid(
      `The remaining amount that can be captured for this PaymentIntent is ${intent.amount_capturable}; ${String(amount)} was asked for.`,
      { param: 'amount_to_capture' },
    );
  }
  change(
    context,
    'charges',
    intent.latest_charge,
    { captured: true, amount_captured: amount },
    'charge.captured',
  );
  const fields = { status: 'succeeded', amount_received: amount, amount_capturable: 0 };
  return change(context, 'payment_intents', ids.id, fields, 'payment_intent.succeeded');
});

export const cancelIntent = operation(({ params, ids, context }) => {
  const intent = find(context, 'payment_intents', ids.id);
  mustBe(
    intent,
    ['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'],
    'cancel',
  );
  const fields = {
    status: 'canceled',
    canceled_at: Math.floor(context.clock.now() / 1000),
    cancellation_reason: params.cancellation_reason ?? null,
    amount_capturable: 0,
    next_action: null,
  };
  return change(context, 'payment_intents', ids.id, fields, 'payment_intent.canceled');
});

function mustBe(intent, wanted, verb) {
  if (wanted.includes(intent.status)) return;
  throw invalid(
    `This PaymentIntent's status is ${intent.status}, but to ${verb} it must be ${wanted.join(', or ')}.`,
    { code: 'payment_intent_unexpected_state', payment_intent: intent },
  );
}

/** The page to which a payment that needs authentication leads: it is passed, or failed with `?outcome=failed`. */
export function authenticate({ params, query }, context) {
  const rows = rowsOf(context, 'payment_intents');
  const intent = rows.has(params.id) ? rows.get(params.id) : undefined;
  if (intent?.status !== 'requires_action')
    return { status: 404, body: `no payment ${params.id} waits for authentication` };
  const back = intent.next_action?.redirect_to_url?.return_url;
  const method = rowsOf(context, 'payment_methods').get(intent.payment_method);
  if (query.outcome === 'failed') {
    const message =
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
    const error = { type: 'invalid_request_error', code: 'payment_intent_authentication_failure', message };
    const fields = {
      status: 'requires_payment_method',
      last_payment_error: error,
      payment_method: null,
      next_action: null,
    };
    change(context, 'payment_intents', intent.id, fields, 'payment_intent.payment_failed');
  } else charge(context, intent, method);
  if (back === undefined) return { status: 200, body: 'You may close this page.' };
  const mark = back.includes('?') ? '&' : '?';
  return { status: 303, headers: { Location: `${back}${mark}payment_intent=${intent.id}` } };
}
