import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, it } from 'node:test';
import {
  assertAllMatched,
  assertCaptured,
  assertCapturedTimes,
  assertReceived,
  assertReceivedTimes,
  useBacklot,
} from '@backlot/testing';
import { readServices, Shop } from '../../src/shop.js';
import { services } from '../services.js';

const backlot = useBacklot({
  ...services,
  env: (backlot) => ({ PAYMENTS_URL: backlot.http.url }),
  hooks: { before, after, beforeEach },
});

let shop: Shop;
beforeEach(() => {
  shop = new Shop(readServices(process.env));
});
afterEach(() => shop.close());

void it('takes a payment and sends a welcome', async () => {
  await shop.signUp('Ann', 'ann@example.com');

  assertCapturedTimes(backlot.smtp, 1);
  assertCaptured(backlot.smtp, { subject: 'Welcome, Ann', to: ['ann@example.com'], text: /payment is/ });
  assertReceivedTimes(backlot.http, 1, 'pay');
  assertReceived(backlot.http, { body: { amount: 5 } });
  assertAllMatched(backlot);
});

void it('begins each test anew', () => {
  assert.deepEqual(backlot.smtp.captured(), []);
  assert.deepEqual(backlot.http.calls('pay'), []);
});

void it('tries again when the bank is busy', async () => {
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

void it('sends no mail when the payment is refused', async () => {
  backlot.scenarios.activate('no money');
  await assert.rejects(shop.signUp('Ann', 'ann@example.com'), /402/);
  assertCapturedTimes(backlot.smtp, 0);
});

void it('fails when mail cannot be sent', async () => {
  backlot.smtp.fault({ code: 451, message: 'come back later' });
  await assert.rejects(shop.signUp('Ann', 'ann@example.com'), /come back later/);
});

void it('forgets who signed in after an hour', async () => {
  const session = await shop.signUp('Ann', 'ann@example.com');
  assert.equal(await shop.whoIs(session), 'Ann');
  await backlot.clock.advance(3_600_000);
  assert.equal(await shop.whoIs(session), null);
});

void it('gets the same ids in every run, by the seed', async () => {
  const session = await shop.signUp('Ann', 'ann@example.com');
  backlot.reset();
  assert.equal(await shop.signUp('Ann', 'ann@example.com'), session);
});

void it('asks a function for the answer', async () => {
  backlot.http.mock({
    priority: 1,
    request: { method: 'POST', path: '/payments' },
    respond: ({ body }, { call }) => ({
      status: (body as { amount: number }).amount > 4 ? 402 : 201,
      json: { call },
    }),
  });
  await assert.rejects(shop.signUp('Ann', 'ann@example.com'), /402/);
});
