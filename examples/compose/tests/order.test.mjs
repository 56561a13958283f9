import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { placeOrder } from '../app/order.mjs';

const { PAYMENTS_URL, WAREHOUSE_ADDRESS, BACKLOT_URL } = process.env;
const services = { paymentsUrl: PAYMENTS_URL, warehouse: WAREHOUSE_ADDRESS };

async function manage(method, path) {
  const answer = await fetch(`${BACKLOT_URL}/api/${path}`, { method });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

beforeEach(() => manage('POST', 'reset'));

it('reserves what is ordered and has it paid', async () => {
  const { reservation, payment } = await placeOrder({ product: 'mug', amount: 7 }, services);
  assert.equal(reservation, '1');
  assert.match(payment, /^[\w-]{36}$/);
  const { calls } = await manage('GET', 'calls/http/pay');
  assert.deepEqual(
    calls.map(({ body }) => JSON.parse(body)),
    [{ amount: 7, currency: 'EUR' }],
  );
});

it('says that the bank is down', async () => {
  await manage('POST', 'scenarios/bank-down/activate');
  await assert.rejects(placeOrder({ product: 'mug', amount: 7 }, services), /the bank answered 503/);
});
