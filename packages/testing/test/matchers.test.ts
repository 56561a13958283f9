import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { matchers } from '../src/jest.js';
import { useLot } from '../src/index.js';
import { sendMail } from './clients.js';

expect.extend(matchers);

const lot = useLot({ protocols: [http, smtp, redis], hooks: { beforeAll, afterAll, beforeEach } });

/** What a failed expectation says, without colours. */
function messageOf(expectation: () => void): string {
  try {
    expectation();
  } catch (thrown) {
    return (thrown as Error).message.replaceAll(/\u001b\[\d+m/g, '');
  }
  throw new Error('the expectation passed');
}

describe('toHaveCaptured', () => {
  beforeEach(async () => {
    await sendMail(lot.smtp.url, { to: 'ann@example.com', subject: 'Welcome, Ann' });
    await sendMail(lot.smtp.url, { to: 'bob@example.com', subject: 'Goodbye, Bob' });
  });

  it('takes a part, with matchers of the runner and regular expressions at any depth', () => {
    expect(lot.smtp).toHaveCaptured();
    expect(lot.smtp).toHaveCaptured({ subject: 'Welcome, Ann', to: ['ann@example.com'] });
    expect(lot.smtp).toHaveCaptured({ subject: expect.stringMatching(/^Goodbye/), id: expect.any(String) });
    expect(lot.smtp).toHaveCaptured({ subject: /bob/i, headers: { to: /^bob@/ } });
    expect(lot.smtp).toHaveCaptured({ to: expect.arrayContaining(['bob@example.com']) });
    expect(lot.smtp).not.toHaveCaptured({ subject: 'Welcome' });
    expect(lot.smtp).not.toHaveCaptured({ to: [] });
    expect(lot.smtp).toHaveCapturedTimes(2, { from: 'shop@example.com' });
    expect(lot.smtp).toHaveCapturedTimes(0, { from: 'me@example.com' });
    expect(lot.smtp).not.toHaveCapturedTimes(1);
  });

  it('shows the closest message, and the others', () => {
    const wanted = { subject: 'Welcome, Bob', to: ['ann@example.com'], from: expect.any(String) };
    const message = messageOf(() => expect(lot.smtp).toHaveCaptured(wanted));
    expect(message).toContain('expect(received).toHaveCaptured(expected)');
    expect(message).toContain('smtp captured 2 messages, none as wanted; number 1 is the closest:');
    expect(message).toContain('-   "subject": "Welcome, Bob",\n+   "subject": "Welcome, Ann",');
    expect(message).toContain('    "from": Any<String>,');
    expect(message).not.toContain('received_at');
    expect(message).toContain(
      "1 other:\n  { subject: 'Goodbye, Bob', to: [ 'bob@example.com' ], from: 'shop@example.com' }",
    );
  });

  it('shows what there is where something was not wanted, or not so often', () => {
    const found = messageOf(() => expect(lot.smtp).not.toHaveCaptured({ subject: 'Welcome, Ann' }));
    expect(found).toContain("smtp captured 1 message that has { subject: 'Welcome, Ann' }");
    expect(messageOf(() => expect(lot.smtp).toHaveCapturedTimes(1, { from: /shop/ }))).toContain(
      'smtp captured 2 messages that have { from: /shop/ }, want 1',
    );
    expect(messageOf(() => expect(lot.smtp).toHaveCapturedTimes(1, { from: /me/ }))).toContain(
      'smtp captured 2 messages, none as wanted, want 1; number 2 is the closest:',
    );
    expect(messageOf(() => expect(lot.smtp).not.toHaveCapturedTimes(2))).toContain(
      'smtp captured 2 messages',
    );
    lot.smtp.clearCaptured();
    expect(messageOf(() => expect(lot.smtp).toHaveCaptured({ subject: 'x' }))).toContain(
      'smtp captured nothing',
    );
  });

  it('is asked of a protocol that captures', () => {
    expect(() => expect('smtp').toHaveCaptured()).toThrow(
      'toHaveCaptured takes a protocol of a lot (lot.<kind>), got smtp',
    );
    expect(() => expect(lot).toHaveCaptured()).toThrow('got the lot');
    expect(() => expect(lot.redis).not.toHaveCaptured()).toThrow('redis keeps no messages');
    expect(() => expect(lot.smtp).toHaveCapturedTimes(-1)).toThrow('must be 0 or more, got -1');
  });
});

describe('toHaveReceived', () => {
  it('takes the id of a mock, a part of an entry, or the mock itself', async () => {
    const order = lot.http.mock({
      id: 'order',
      request: { method: 'POST', path: '/orders' },
      response: { status: 201 },
    });
    expect(lot.http).not.toHaveReceived('order');
    expect(order).not.toHaveReceived();
    await fetch(`${lot.http.url}/orders`, { method: 'POST', body: 'tea' });
    await fetch(`${lot.http.url}/orders`, { method: 'POST', body: 'mug' });
    expect(lot.http).toHaveReceived('order');
    expect(lot.http).toHaveReceivedTimes(2, 'order');
    expect(lot.http).toHaveReceivedTimes(1, { path: '/orders', body: 'tea', status: 201 });
    expect(order).toHaveReceived({ body: 'mug' });
    expect(order).toHaveReceivedTimes(2);
    expect(order).not.toHaveReceived({ body: 'cup' });
    expect(lot).toHaveReceived({ protocol: 'http', body: /^t/ });
  });

  it('shows what came instead', async () => {
    lot.http.mock({ id: 'order', request: { method: 'POST', path: '/orders' }, response: {} });
    await fetch(`${lot.http.url}/order`, { method: 'POST' });
    const calls = messageOf(() => expect(lot.http).toHaveReceivedTimes(1, 'order'));
    expect(calls).toContain('mock "order" of http was called 0 times, want 1');
    expect(calls).toMatch(/what met no mock:\n {2}http POST \/order -> 404\n {4}not "order": /);
    const entries = messageOf(() => expect(lot).toHaveReceived({ path: '/orders' }));
    expect(entries).toContain('the lot received 1 message, none as wanted; it differs:');
    expect(entries).toContain('-   "path": "/orders",\n+   "path": "/order",');
    expect(entries).toContain('what met no mock:');
  });

  it('refuses questions that have no answer', () => {
    expect(() => expect(lot.http).not.toHaveReceived('oder')).toThrow('http has no mock "oder"');
    expect(() => expect(lot).toHaveReceived('order' as never)).toThrow('a mock is asked for at its protocol');
    const mock = lot.http.mock({ id: 'a', request: {}, response: {} });
    expect(() => expect(mock).toHaveReceived('b' as never)).toThrow(
      'a part of a journal entry can be wanted',
    );
  });
});

describe('toHaveUnmatched', () => {
  it('lists what met no mock, and why', async () => {
    expect(lot).not.toHaveUnmatched();
    expect(messageOf(() => expect(lot).toHaveUnmatched())).toContain(
      'the lot received no message that met no mock',
    );
    lot.http.mock({ id: 'order', request: { method: 'POST', path: '/orders' }, response: {} });
    await fetch(`${lot.http.url}/orders`);
    expect(lot).toHaveUnmatched();
    expect(lot.http).toHaveUnmatched({ path: '/orders' });
    expect(lot.http).not.toHaveUnmatched({ path: '/other' });
    expect(messageOf(() => expect(lot).not.toHaveUnmatched())).toMatch(
      /the lot received 1 message that met no mock:\n\n {2}http GET \/orders -> 404\n {4}not "order": /,
    );
    expect(messageOf(() => expect(lot.http).toHaveUnmatched({ path: '/other' }))).toContain(
      "http received no message that has { path: '/other' } that met no mock",
    );
  });

  it('counts no mail that was taken, with rules or without', async () => {
    await sendMail(lot.smtp.url, { to: 'ann@example.com', subject: 'Hello' });
    expect(lot).not.toHaveUnmatched();
    lot.smtp.mock({ id: 'vip', to: 'vip@example.com', action: 'reject' });
    await sendMail(lot.smtp.url, { to: 'ann@example.com', subject: 'Hello again' });
    expect(lot).not.toHaveUnmatched();
    expect(lot.smtp).not.toHaveUnmatched();
  });
});
