import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import Stripe from 'stripe';

const backlot = useBacklot({ services: ['stripe'] });

function connect(): Stripe {
  const { STRIPE_SECRET_KEY, STRIPE_API_HOST, STRIPE_API_PORT } = backlot.env;
  return new Stripe(STRIPE_SECRET_KEY, {
    host: STRIPE_API_HOST,
    port: STRIPE_API_PORT,
    protocol: 'http',
    maxNetworkRetries: 0,
  });
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

async function planOf(stripe: Stripe): Promise<{ price: string; product: string }> {
  const product = await stripe.products.create({ name: 'Tea', metadata: { sku: 'T1' } });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 900,
    recurring: { interval: 'month' },
  });
  return { price: price.id, product: product.id };
}

async function payer(stripe: Stripe, card = 'pm_card_visa'): Promise<string> {
  const { id } = await stripe.customers.create({ name: 'Ann' });
  const method = await stripe.paymentMethods.attach(card, { customer: id });
  await stripe.customers.update(id, { invoice_settings: { default_payment_method: method.id } });
  return id;
}

describe('products and prices', () => {
  it('belong together', async () => {
    const stripe = connect();
    const { price, product } = await planOf(stripe);
    expect(await stripe.prices.retrieve(price, { expand: ['product'] })).toMatchObject({
      type: 'recurring',
      unit_amount: 900,
      recurring: { interval: 'month', interval_count: 1 },
      product: { name: 'Tea' },
    });
    expect((await stripe.prices.list({ product })).data).toHaveLength(1);
    expect((await stripe.products.update(product, { active: false })).active).toBe(false);
    expect((await stripe.products.list({ active: true })).data).toEqual([]);
    expect(await failure(stripe.prices.create({ currency: 'usd', unit_amount: 1 }))).toMatchObject({
      code: 'parameter_missing',
      param: 'product',
    });
    expect(
      await failure(stripe.prices.create({ currency: 'usd', unit_amount: 1, product: 'prod_none' })),
    ).toMatchObject({ code: 'resource_missing' });
  });
});

describe('subscriptions', () => {
  it('are paid by the card of the customer, changed, and canceled', async () => {
    const stripe = connect();
    const { price } = await planOf(stripe);
    const customer = await payer(stripe);
    const made = await stripe.subscriptions.create({
      customer,
      items: [{ price, quantity: 2 }],
      expand: ['latest_invoice'],
    });
    expect(made).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', amount_paid: 1800 } });
    const [item] = made.items.data;
    expect(item).toMatchObject({ quantity: 2, price: { id: price } });
    expect((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)).toBe(30 * 86_400);
    const changed = await stripe.subscriptions.update(made.id, {
      items: [{ id: item?.id ?? '', quantity: 5 }],
      cancel_at_period_end: true,
    });
    expect(changed).toMatchObject({ cancel_at_period_end: true, cancel_at: item?.current_period_end });
    expect(changed.items.data[0]?.quantity).toBe(5);
    expect((await stripe.subscriptions.cancel(made.id)).status).toBe('canceled');
    expect(await failure(stripe.subscriptions.cancel(made.id))).toMatchObject({ code: 'resource_missing' });
    const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
    expect(types).toEqual(
      expect.arrayContaining([
        'customer.subscription.created',
        'invoice.paid',
        'customer.subscription.deleted',
      ]),
    );
  });

  it('begin with a trial, or stay incomplete until their invoice is paid', async () => {
    const stripe = connect();
    const { price } = await planOf(stripe);
    const trial = await stripe.subscriptions.create({
      customer: await payer(stripe),
      items: [{ price }],
      trial_period_days: 14,
    });
    expect(trial.status).toBe('trialing');
    expect((trial.trial_end ?? 0) - (trial.trial_start ?? 0)).toBe(14 * 86_400);
    const declined = await stripe.subscriptions.create({
      customer: await payer(stripe, 'pm_card_chargeDeclined'),
      items: [{ price }],
    });
    expect(declined.status).toBe('incomplete');
    await stripe.invoices.pay(declined.latest_invoice as string, { payment_method: 'pm_card_visa' });
    expect((await stripe.subscriptions.retrieve(declined.id)).status).toBe('active');
  });

  it('are refused for a price that does not recur, and without items', async () => {
    const stripe = connect();
    const customer = await payer(stripe);
    const once = await stripe.prices.create({
      currency: 'usd',
      unit_amount: 5,
      product_data: { name: 'Mug' },
    });
    expect(
      await failure(stripe.subscriptions.create({ customer, items: [{ price: once.id }] })),
    ).toMatchObject({ param: 'items[0][price]' });
    expect(await failure(stripe.subscriptions.create({ customer }))).toMatchObject({
      param: 'items',
    });
  });
});

describe('invoices', () => {
  it('gather items, are finalized and paid', async () => {
    const stripe = connect();
    const customer = await payer(stripe);
    await stripe.invoiceItems.create({ customer, amount: 300, currency: 'usd', description: 'Cup' });
    await stripe.invoiceItems.create({ customer, amount: 200, currency: 'usd' });
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
    expect(draft).toMatchObject({ status: 'draft', total: 500 });
    expect(new Set(draft.lines.data.map(({ id }) => id)).size).toBe(2);
    const open = await stripe.invoices.finalizeInvoice(draft.id ?? '');
    expect(open).toMatchObject({ status: 'open', number: expect.stringMatching(/^[A-Z]{8}-0001$/) });
    expect(await stripe.invoices.pay(open.id ?? '')).toMatchObject({
      status: 'paid',
      amount_paid: 500,
      amount_remaining: 0,
    });
    expect(await failure(stripe.invoices.voidInvoice(open.id ?? ''))).toMatchObject({
      code: 'invoice_not_editable',
    });
  });

  it('are not paid by a card that is declined, and may be voided', async () => {
    const stripe = connect();
    const customer = await payer(stripe, 'pm_card_chargeDeclined');
    await stripe.invoiceItems.create({ customer, amount: 300, currency: 'usd' });
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' });
    expect(await failure(stripe.invoices.pay(draft.id ?? ''))).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(await stripe.invoices.retrieve(draft.id ?? '')).toMatchObject({
      status: 'open',
      attempt_count: 1,
    });
    expect((await stripe.invoices.voidInvoice(draft.id ?? '')).status).toBe('void');
  });
});

describe('checkout sessions', () => {
  const SESSION = {
    mode: 'payment',
    success_url: 'http://shop.test/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://shop.test/cart',
    line_items: [
      { quantity: 3, price_data: { currency: 'usd', unit_amount: 250, product_data: { name: 'Cup' } } },
    ],
  } as const;

  it('are paid on their page, which leads back to the shop', async () => {
    const stripe = connect();
    const session = await stripe.checkout.sessions.create({
      ...SESSION,
      line_items: [...SESSION.line_items],
      client_reference_id: 'o7',
    });
    expect(session).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 750,
      client_reference_id: 'o7',
    });
    const canceled = await fetch(`${session.url ?? ''}?outcome=canceled`, { redirect: 'manual' });
    expect(canceled.headers.get('location')).toBe('http://shop.test/cart');
    const page = await fetch(session.url ?? '', { redirect: 'manual' });
    expect(page.headers.get('location')).toBe(`http://shop.test/done?session=${session.id}`);
    const done = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ['line_items', 'payment_intent'],
    });
    expect(done).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      payment_intent: { status: 'succeeded', amount: 750 },
    });
    expect(done.line_items?.data).toMatchObject([{ description: 'Cup', quantity: 3 }]);
    expect((await stripe.events.list({ type: 'checkout.session.completed' })).data).toHaveLength(1);
  });

  it('are listed, have lines, and expire', async () => {
    const stripe = connect();
    const session = await stripe.checkout.sessions.create({
      ...SESSION,
      line_items: [...SESSION.line_items],
    });
    expect((await stripe.checkout.sessions.list({ status: 'open' })).data).toHaveLength(1);
    expect((await stripe.checkout.sessions.listLineItems(session.id)).data).toMatchObject([
      { amount_total: 750 },
    ]);
    expect((await stripe.checkout.sessions.expire(session.id)).status).toBe('expired');
    expect((await fetch(session.url ?? '')).status).toBe(404);
    expect(await failure(stripe.checkout.sessions.expire(session.id))).toMatchObject({ statusCode: 400 });
  });
});
