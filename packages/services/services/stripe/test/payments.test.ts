import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import Stripe from 'stripe';

const backlot = useBacklot({ services: ['stripe'] });

function connect(options: Stripe.StripeConfig = {}): Stripe {
  const { STRIPE_SECRET_KEY, STRIPE_API_HOST, STRIPE_API_PORT } = backlot.env;
  return new Stripe(STRIPE_SECRET_KEY, {
    host: STRIPE_API_HOST,
    port: STRIPE_API_PORT,
    protocol: 'http',
    maxNetworkRetries: 0,
    ...options,
  });
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

const PAID = { amount: 2000, currency: 'usd', payment_method: 'pm_card_visa', confirm: true } as const;

describe('payment intents', () => {
  it('are paid at once, or when they are confirmed', async () => {
    const stripe = connect();
    const paid = await stripe.paymentIntents.create({ ...PAID, metadata: { order: '7' } });
    expect(paid).toMatchObject({ status: 'succeeded', amount_received: 2000, metadata: { order: '7' } });
    expect(paid.client_secret).toContain(`${paid.id}_secret_`);
    const open = await stripe.paymentIntents.create({ amount: 500, currency: 'EUR' });
    expect(open).toMatchObject({ status: 'requires_payment_method', currency: 'eur' });
    expect(
      (await stripe.paymentIntents.confirm(open.id, { payment_method: 'pm_card_mastercard' })).status,
    ).toBe('succeeded');
    const again = await failure(stripe.paymentIntents.confirm(open.id));
    expect(again).toMatchObject({ code: 'payment_intent_unexpected_state' });
  });

  it.each([
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
  ])('with %s are declined', async (method, code, decline) => {
    const stripe = connect();
    const error = await failure(stripe.paymentIntents.create({ ...PAID, payment_method: method }));
    expect(error).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(error).toMatchObject({ statusCode: 402, code, decline_code: decline });
    const [intent] = (await stripe.paymentIntents.list()).data;
    expect(intent).toMatchObject({ status: 'requires_payment_method', last_payment_error: { code } });
    expect((await stripe.charges.list()).data).toMatchObject([
      { status: 'failed', paid: false, failure_code: code },
    ]);
  });

  it('of a card that wants authentication wait for the page, which leads back', async () => {
    const stripe = connect();
    const intent = await stripe.paymentIntents.create({
      ...PAID,
      payment_method: 'pm_card_threeDSecure2Required',
      return_url: 'http://shop.test/back?order=7',
    });
    expect(intent.status).toBe('requires_action');
    const page = await fetch(intent.next_action?.redirect_to_url?.url ?? '', { redirect: 'manual' });
    expect(page.status).toBe(303);
    expect(page.headers.get('location')).toBe(`http://shop.test/back?order=7&payment_intent=${intent.id}`);
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('succeeded');
  });

  it('are captured later, in part, and canceled', async () => {
    const stripe = connect();
    const held = await stripe.paymentIntents.create({ ...PAID, capture_method: 'manual' });
    expect(held).toMatchObject({ status: 'requires_capture', amount_capturable: 2000, amount_received: 0 });
    expect(await failure(stripe.paymentIntents.capture(held.id, { amount_to_capture: 3000 }))).toMatchObject({
      statusCode: 400,
    });
    expect(await stripe.paymentIntents.capture(held.id, { amount_to_capture: 1500 })).toMatchObject({
      status: 'succeeded',
      amount_received: 1500,
    });
    const other = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
    expect(await stripe.paymentIntents.cancel(other.id, { cancellation_reason: 'duplicate' })).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'duplicate',
    });
    expect(await failure(stripe.paymentIntents.cancel(other.id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
  });

  it.each([
    [{ amount: 0, currency: 'usd' }, 'amount'],
    [{ amount: 100, currency: 'dollars' }, 'currency'],
    [{ currency: 'usd' }, 'amount'],
    [{ amount: 100, currency: 'usd', customer: 'cus_none' }, 'customer'],
    [{ amount: 100, currency: 'usd', payment_method: 'pm_none' }, 'payment_method'],
  ])('are refused for %j', async (params, param) => {
    expect(await failure(connect().paymentIntents.create(params as never))).toMatchObject({
      statusCode: 400,
      param,
    });
  });

  it('expand what they refer to', async () => {
    const stripe = connect();
    const { id: customer } = await stripe.customers.create({ name: 'Ann' });
    const paid = await stripe.paymentIntents.create({
      ...PAID,
      customer,
      expand: ['latest_charge', 'customer'],
    });
    expect(paid.latest_charge).toMatchObject({
      object: 'charge',
      amount: 2000,
      payment_method_details: { card: { brand: 'visa', last4: '4242' } },
    });
    expect(paid.customer).toMatchObject({ name: 'Ann' });
    const listed = await stripe.paymentIntents.list({ customer, expand: ['data.customer'] });
    expect(listed.data[0]?.customer).toMatchObject({ name: 'Ann' });
    expect(await failure(stripe.paymentIntents.retrieve(paid.id, { expand: ['nothing'] }))).toMatchObject({
      param: 'expand',
    });
  });
});

describe('payment methods and charges', () => {
  it('of a card by its number are attached and detached', async () => {
    const stripe = connect();
    const { id: customer } = await stripe.customers.create();
    const method = await stripe.paymentMethods.create({
      type: 'card',
      card: { number: '5555555555554444', exp_month: 1, exp_year: 2031, cvc: '123' },
    });
    expect(method.card).toMatchObject({ brand: 'mastercard', last4: '4444', exp_year: 2031 });
    expect((await stripe.paymentMethods.attach(method.id, { customer })).customer).toBe(customer);
    expect((await stripe.paymentMethods.list({ customer, type: 'card' })).data).toHaveLength(1);
    expect((await stripe.paymentMethods.detach(method.id)).customer).toBeNull();
    const wrong = await failure(
      stripe.paymentMethods.create({
        type: 'card',
        card: { number: '4242424242424241', exp_month: 1, exp_year: 2031 },
      }),
    );
    expect(wrong).toBeInstanceOf(Stripe.errors.StripeCardError);
  });

  it('by a token are paid or declined, and make the balance', async () => {
    const stripe = connect();
    expect(await stripe.charges.create({ amount: 700, currency: 'usd', source: 'tok_visa' })).toMatchObject({
      paid: true,
      captured: true,
    });
    expect(
      await failure(stripe.charges.create({ amount: 700, currency: 'usd', source: 'tok_chargeDeclined' })),
    ).toMatchObject({ code: 'card_declined' });
    await stripe.paymentIntents.create({ ...PAID, currency: 'eur' });
    expect((await stripe.balance.retrieve()).available).toMatchObject([
      { amount: 700, currency: 'usd' },
      { amount: 2000, currency: 'eur' },
    ]);
  });
});

describe('refunds', () => {
  it('are whole or in part, and never more than was paid', async () => {
    const stripe = connect();
    const paid = await stripe.paymentIntents.create(PAID);
    expect(await stripe.refunds.create({ payment_intent: paid.id, amount: 500 })).toMatchObject({
      amount: 500,
      status: 'succeeded',
    });
    expect(await failure(stripe.refunds.create({ payment_intent: paid.id, amount: 5000 }))).toMatchObject({
      code: 'amount_too_large',
    });
    expect(
      await stripe.refunds.create({ payment_intent: paid.id, reason: 'requested_by_customer' }),
    ).toMatchObject({ amount: 1500 });
    expect(await failure(stripe.refunds.create({ payment_intent: paid.id }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    const charge = await stripe.charges.retrieve(paid.latest_charge as string);
    expect(charge).toMatchObject({ refunded: true, amount_refunded: 2000 });
    expect((await stripe.balance.retrieve()).available).toMatchObject([{ amount: 0, currency: 'usd' }]);
  });
});

describe('events', () => {
  it('are written for what happens, and sent, signed, to the endpoints that want them', async () => {
    const stripe = connect();
    const got: { body: string; signature: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        got.push({ body, signature: String(request.headers['stripe-signature']) });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const endpoint = await stripe.webhookEndpoints.create({
      url: `http://127.0.0.1:${port}/hook`,
      enabled_events: ['payment_intent.succeeded'],
    });
    const paid = await stripe.paymentIntents.create(PAID);
    for (let turn = 0; turn < 2000 && got.length === 0; turn += 1)
      await new Promise((resolve) => setTimeout(resolve, 5));
    server.close();
    const [hook] = got;
    const event = stripe.webhooks.constructEvent(
      hook?.body ?? '',
      hook?.signature ?? '',
      endpoint.secret ?? '',
    );
    expect(event).toMatchObject({
      type: 'payment_intent.succeeded',
      data: { object: { id: paid.id, status: 'succeeded' } },
    });
    expect(() =>
      stripe.webhooks.constructEvent(hook?.body ?? '', hook?.signature ?? '', 'whsec_other'),
    ).toThrow(/signature/i);
    expect(got).toHaveLength(1);
    const types = (await stripe.events.list({ limit: 10 })).data.map(({ type }) => type);
    expect(types).toEqual(['payment_intent.succeeded', 'charge.succeeded', 'payment_intent.created']);
    expect(await stripe.events.retrieve(event.id)).toMatchObject({ type: event.type });
  });
});

describe('scenarios', () => {
  it.each([
    ['rate-limited', Stripe.errors.StripeRateLimitError, 429],
    ['outage', Stripe.errors.StripeAPIError, 500],
    ['expired-key', Stripe.errors.StripeAuthenticationError, 401],
    ['wrong-key', Stripe.errors.StripeAuthenticationError, 401],
  ])('%s answers every call so', async (name, kind, statusCode) => {
    const stripe = connect();
    backlot.scenarios.activate(`stripe:${name}`);
    const error = await failure(stripe.customers.list());
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ statusCode });
    backlot.scenarios.deactivate(`stripe:${name}`);
    expect((await stripe.customers.list()).data).toEqual([]);
  });

  it('rate-limited-once is passed by a retry of the SDK', async () => {
    backlot.scenarios.activate('stripe:rate-limited-once');
    expect((await connect({ maxNetworkRetries: 1 }).customers.list()).data).toEqual([]);
  });

  it('idempotency-conflict refuses changes, and reads go on', async () => {
    const stripe = connect();
    backlot.scenarios.activate('stripe:idempotency-conflict');
    const error = await failure(stripe.customers.create({ name: 'Ann' }, { idempotencyKey: 'k' }));
    // The class that the SDK has for 409, whatever the type.
    expect(error).toBeInstanceOf(Stripe.errors.StripeAPIError);
    expect(error).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    expect((await stripe.customers.list()).data).toEqual([]);
  });

  it('slow lets the SDK give up', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('stripe:slow');
    const error = await failure(connect({ timeout: 50 }).customers.create({ name: 'Ann' }));
    expect(error).toBeInstanceOf(Stripe.errors.StripeConnectionError);
  });

  it('declined declines what any card would pay', async () => {
    const stripe = connect();
    const intent = await stripe.paymentIntents.create({
      amount: 100,
      currency: 'usd',
      payment_method: 'pm_card_visa',
    });
    backlot.scenarios.activate('stripe:declined');
    expect(await failure(stripe.paymentIntents.confirm(intent.id))).toBeInstanceOf(
      Stripe.errors.StripeCardError,
    );
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('requires_confirmation');
  });
});
