import { invalid, operation, StripeError } from './api.mjs';
import { outcomeOf, paymentMethod } from './cards.mjs';
import { expanded } from './expand.mjs';
import { checkParams, needed, withoutNothing } from './objects.mjs';
import { checkAmount } from './payments.mjs';
import { change, create as add, find, rowsOf } from './rows.mjs';

/** A charge by a token of a card, without a payment intent. */
export const createCharge = operation(({ params, expand, context }) => {
  checkParams('charges', params);
  checkAmount(params);
  const { source, capture = true, currency, ...given } = withoutNothing(params);
  if (source === undefined) throw needed('source');
  const method = paymentMethod(context, source, 'source');
  const [code, declineCode, message] = outcomeOf(method).decline ?? [];
  const made = add(
    context,
    'charges',
    {
      ...given,
      currency: currency.toLowerCase(),
      amount_captured: capture && code === undefined ? given.amount : 0,
      captured: capture && code === undefined,
      paid: code === undefined,
      status: code === undefined ? 'succeeded' : 'failed',
      failure_code: code ?? null,
      failure_message: message ?? null,
      payment_method: method.id,
      payment_method_details: { type: 'card', card: method.card },
    },
    code === undefined ? 'charge.succeeded' : 'charge.failed',
  );
  if (code !== undefined)
    throw new StripeError(402, {
      type: 'card_error',
      code,
      decline_code: declineCode,
      message,
      charge: made.id,
    });
  return expanded(context, made, expand);
});

export const refund = operation(({ params, expand, context }) => {
  checkParams('refunds', params);
  const {
    charge: id,
    payment_intent: intent,
    amount: wanted,
    reason = null,
    metadata = {},
  } = withoutNothing(params);
  if (id === undefined && intent === undefined) {
    throw invalid(
      'One of the following params should be provided for this request: payment_intent or charge.',
      { code: 'parameter_missing' },
    );
  }
  const paid =
    id === undefined ? find(context, 'payment_intents', intent, 'payment_intent').latest_charge : id;
  const charge = find(context, 'charges', paid, 'charge');
  const left = charge.amount_captured - charge.amount_refunded;
  if (charge.refunded)
    throw invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' });
  if (!charge.captured)
    throw invalid(`Charge ${charge.id} has not been captured.`, { code: 'charge_not_captured' });
  const amount = wanted ?? left;
  if (!Number.isInteger(amount) || amount < 1)
    throw invalid(`Invalid integer: ${String(amount)}`, {
      param: 'amount',
      code: 'parameter_invalid_integer',
    });
  if (amount > left) {
    throw invalid(
      `Refund amount ($${money(amount)}) is greater than unrefunded amount on charge ($${money(left)})`,
      {
        param: 'amount',
        code: 'amount_too_large',
      },
    );
  }
  const row = {
    amount,
    charge: charge.id,
    currency: charge.currency,
    metadata,
    payment_intent: charge.payment_intent,
    reason,
  };
  const made = add(context, 'refunds', row, 'refund.created');
  const refunded = charge.amount_refunded + amount;
  const fields = { amount_refunded: refunded, refunded: refunded === charge.amount_captured };
  change(context, 'charges', charge.id, fields, 'charge.refunded');
  return expanded(context, made, expand);
});

function money(amount) {
  return (amount / 100).toFixed(2);
}

/** What was captured less what was refunded, by currency; there are no fees. */
export const balance = operation(({ context }) => {
  const sums = new Map();
  for (const { currency, amount_captured: captured, amount_refunded: refunded } of rowsOf(
    context,
    'charges',
  ).list())
    sums.set(currency, (sums.get(currency) ?? 0) + captured - refunded);
  const entries = sums.size === 0 ? [['usd', 0]] : [...sums];
  const available = entries.map(([currency, amount]) => ({
    amount,
    currency,
    source_types: { card: amount },
  }));
  const pending = entries.map(([currency]) => ({ amount: 0, currency, source_types: { card: 0 } }));
  return { object: 'balance', available, livemode: false, pending };
});
