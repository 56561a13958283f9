import { missing, StripeError } from './api.mjs';
import { rowsOf } from './rows.mjs';

const DECLINED = 'Your card was declined.';

/** What the test cards of Stripe do, by their last four digits; others pay. */
const OUTCOMES = {
  '0002': { decline: ['card_declined', 'generic_decline', DECLINED] },
  9995: { decline: ['card_declined', 'insufficient_funds', 'Your card has insufficient funds.'] },
  9987: { decline: ['card_declined', 'lost_card', DECLINED] },
  9979: { decline: ['card_declined', 'stolen_card', DECLINED] },
  '0069': { decline: ['expired_card', 'expired_card', 'Your card has expired.'] },
  '0127': { decline: ['incorrect_cvc', 'incorrect_cvc', "Your card's security code is incorrect."] },
  '0119': {
    decline: [
      'processing_error',
      'processing_error',
      'An error occurred while processing your card. Try again in a little bit.',
    ],
  },
  3220: { action: true },
  3155: { action: true },
};

/** The numbers that names such as `pm_card_visa` and `tok_visa` stand for. */
const NAMED = {
  visa: '4242424242424242',
  mastercard: '5555555555554444',
  amex: '378282246310005',
  discover: '6011111111111117',
  visa_debit: '4000056655665556',
  chargeDeclined: '4000000000000002',
  visa_chargeDeclined: '4000000000000002',
  chargeDeclinedInsufficientFunds: '4000000000009995',
  visa_chargeDeclinedInsufficientFunds: '4000000000009995',
  visa_chargeDeclinedLostCard: '4000000000009987',
  visa_chargeDeclinedStolenCard: '4000000000009979',
  chargeDeclinedExpiredCard: '4000000000000069',
  chargeDeclinedIncorrectCvc: '4000000000000127',
  chargeDeclinedProcessingError: '4000000000000119',
  threeDSecure2Required: '4000000000003220',
  authenticationRequired: '4000002500003155',
};

/** What a payment with a card comes to: `{decline}`, `{action: true}`, or neither when it is paid. */
export function outcomeOf({ card }) {
  return OUTCOMES[card?.last4] ?? {};
}

/** A payment method by its id, or a new one for the name of a test card. @throws when there is none */
export function paymentMethod(context, id, param = 'payment_method') {
  const rows = rowsOf(context, 'payment_methods');
  if (rows.has(id)) return rows.get(id);
  const number = NAMED[/^(?:pm_card|tok)_(\w+)$/.exec(id)?.[1]];
  if (number === undefined) throw missing('PaymentMethod', id, param, 400);
  return rows.create({ type: 'card', card: cardOf({ number }) });
}

/** The card of a payment method that is made of a number, or of a token. */
export function cardOf({ number, token, exp_month: month = 12, exp_year: year = 2034 }) {
  const digits =
    token === undefined ? String(number ?? '').replaceAll(' ', '') : NAMED[token.replace(/^tok_/, '')];
  if (digits === undefined) throw missing('token', token, 'card[token]', 400);
  if (!/^\d{12,19}$/.test(digits) || sumOf(digits) % 10 !== 0) {
    const message = 'Your card number is incorrect.';
    throw new StripeError(402, { type: 'card_error', code: 'incorrect_number', message, param: 'number' });
  }
  return {
    brand: brandOf(digits),
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    country: 'US',
    exp_month: month,
    exp_year: year,
    fingerprint: `fp_${digits.slice(-8)}`,
    funding: 'credit',
    last4: digits.slice(-4),
    wallet: null,
  };
}

function brandOf(digits) {
  if (digits.startsWith('4')) return 'visa';
  if (/^5[1-5]|^2[2-7]/.test(digits)) return 'mastercard';
  return /^3[47]/.test(digits) ? 'amex' : 'discover';
}

/** By Luhn's formula. */
function sumOf(digits) {
  return [...digits].reverse().reduce((sum, digit, at) => {
    const value = at % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}
