import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import Stripe from 'stripe';

const backlot = useBacklot({ services: ['stripe'] });

function connect(options: Stripe.StripeConfig = {}, key = backlot.env.STRIPE_SECRET_KEY): Stripe {
  const { STRIPE_API_HOST, STRIPE_API_PORT } = backlot.env;
  return new Stripe(key, {
    host: STRIPE_API_HOST,
    port: STRIPE_API_PORT,
    protocol: 'http',
    maxNetworkRetries: 0,
    ...options,
  });
}

describe('customers', () => {
  it('are created, read, changed and deleted', async () => {
    const stripe = connect();
    const made = await stripe.customers.create({
      name: 'Ann',
      email: 'ann@example.com',
      metadata: { a: '1', b: '2' },
    });
    expect(made).toMatchObject({
      object: 'customer',
      name: 'Ann',
      metadata: { a: '1', b: '2' },
      balance: 0,
      livemode: false,
    });
    expect(made.id).toMatch(/^cus_\w{14}$/);
    expect(await stripe.customers.retrieve(made.id)).toEqual(made);
    const changed = await stripe.customers.update(made.id, { name: 'Anna', metadata: { a: '', c: '3' } });
    expect(changed).toMatchObject({ name: 'Anna', email: 'ann@example.com', metadata: { b: '2', c: '3' } });
    expect(changed.metadata).toEqual({ b: '2', c: '3' });
    expect(await stripe.customers.del(made.id)).toEqual({ id: made.id, object: 'customer', deleted: true });
    await expect(stripe.customers.retrieve(made.id)).rejects.toThrow(`No such customer: '${made.id}'`);
  });

  it('are listed by pages, newest first, and by all of them in turn', async () => {
    const stripe = connect();
    for (let n = 1; n <= 25; n += 1)
      await stripe.customers.create({ name: `n${n}`, email: n % 2 === 0 ? 'even@x.org' : 'odd@x.org' });
    const first = await stripe.customers.list({ limit: 10 });
    expect(first.has_more).toBe(true);
    expect(first.data.map(({ name }) => name)).toEqual(Array.from({ length: 10 }, (_, i) => `n${25 - i}`));
    const second = await stripe.customers.list({ limit: 10, starting_after: first.data[9]?.id ?? '' });
    expect(second.data[0]?.name).toBe('n15');
    const back = await stripe.customers.list({ limit: 10, ending_before: second.data[0]?.id ?? '' });
    expect(back.data.map(({ id }) => id)).toEqual(first.data.map(({ id }) => id));
    const all: (string | null | undefined)[] = [];
    for await (const { name } of stripe.customers.list({ limit: 7 })) all.push(name);
    expect(all).toHaveLength(25);
    expect(new Set(all).size).toBe(25);
    expect((await stripe.customers.list({ email: 'even@x.org', limit: 100 })).data).toHaveLength(12);
  });
});

describe('errors', () => {
  it('are those of the SDK', async () => {
    const missing = await connect()
      .customers.retrieve('cus_x')
      .catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(missing).toMatchObject({
      code: 'resource_missing',
      statusCode: 404,
      param: 'id',
      requestId: expect.stringMatching(/^req_/),
    });
    const wrong = await connect({}, 'sk_test_invalid')
      .customers.list()
      .catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
    const unknown = await connect()
      .customers.create({ nme: 'x' } as never)
      .catch((error: unknown) => error);
    expect(unknown).toMatchObject({ code: 'parameter_unknown', param: 'nme', statusCode: 400 });
  });

  it('of a path that the service does not know name those that it does', async () => {
    await expect(connect().files.list()).rejects.toThrow(
      /Unrecognized request URL \(GET: .*knows \/v1\/customers, /,
    );
  });

  it('of an idempotency key that was used for something else', async () => {
    const stripe = connect();
    const first = await stripe.customers.create({ name: 'a' }, { idempotencyKey: 'k1' });
    const again = await stripe.customers.create({ name: 'a' }, { idempotencyKey: 'k1' });
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    const conflict = await stripe.customers
      .create({ name: 'b' }, { idempotencyKey: 'k1' })
      .catch((error: unknown) => error);
    expect(conflict).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect((await stripe.customers.list()).data).toHaveLength(1);
  });
});
