import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { matchers } from '@backlot/testing/jest';
import { readServices, Shop } from '../../src/shop.js';
import { services } from '../services.js';

expect.extend(matchers);

const backlot = useBacklot({ ...services, env: (backlot) => ({ PAYMENTS_URL: backlot.http.url }) });

let shop: Shop;
beforeEach(() => {
  shop = new Shop(readServices(process.env));
});
afterEach(() => shop.close());

it('takes a payment and sends a welcome', async () => {
  await shop.signUp('Ann', 'ann@example.com');

  expect(backlot.smtp).toHaveCapturedTimes(1);
  expect(backlot.smtp).toHaveCaptured({
    subject: 'Welcome, Ann',
    to: ['ann@example.com'],
    text: /payment is/,
  });
  expect(backlot.http).toHaveReceivedTimes(1, 'pay');
  expect(backlot.http).toHaveReceived({ body: { amount: 5 } });
  expect(backlot).not.toHaveUnmatched();
});

it('begins each test anew', () => {
  expect(backlot.smtp.captured()).toEqual([]);
  expect(backlot.http.calls('pay')).toEqual([]);
});

it('tries again when the bank is busy', async () => {
  backlot.http.mock({
    id: 'busy',
    priority: 1,
    times: 1,
    request: { path: '/payments' },
    response: { status: 503 },
  });
  const signedUp = shop.signUp('Ann', 'ann@example.com');
  await backlot.http.waitForCalls('busy');
  await backlot.http.waitForCalls('pay');
  await signedUp;
});

it('sends no mail when the payment is refused', async () => {
  backlot.scenarios.activate('no money');
  await expect(shop.signUp('Ann', 'ann@example.com')).rejects.toThrow('402');
  expect(backlot.smtp).not.toHaveCaptured();
});

it('fails when mail cannot be sent', async () => {
  backlot.smtp.fault({ code: 451, message: 'come back later' });
  await expect(shop.signUp('Ann', 'ann@example.com')).rejects.toThrow('come back later');
});

it('forgets who signed in after an hour', async () => {
  const session = await shop.signUp('Ann', 'ann@example.com');
  expect(await shop.whoIs(session)).toBe('Ann');
  await backlot.clock.advance(3_600_000);
  expect(await shop.whoIs(session)).toBeNull();
});

it('gets the same ids in every run, by the seed', async () => {
  const session = await shop.signUp('Ann', 'ann@example.com');
  backlot.reset();
  expect(await shop.signUp('Ann', 'ann@example.com')).toBe(session);
});
