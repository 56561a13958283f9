import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { redis } from '@backlot/redis';
import { smtp } from '@backlot/smtp';
import { Redis } from 'ioredis';
import { matchers } from '../src/jest.js';
import { useBacklot } from '../src/index.js';
import { sendMail } from './clients.js';

expect.extend(matchers);

const backlot = useBacklot({ protocols: [http, smtp, redis], hooks: { beforeAll, afterAll, beforeEach } });

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
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Welcome, Ann' });
    await sendMail(backlot.smtp.url, { to: 'bob@example.com', subject: 'Goodbye, Bob' });
  });

  it('takes a part, with matchers of the runner and regular expressions at any depth', () => {
    expect(backlot.smtp).toHaveCaptured();
    expect(backlot.smtp).toHaveCaptured({ subject: 'Welcome, Ann', to: ['ann@example.com'] });
    expect(backlot.smtp).toHaveCaptured({
      subject: expect.stringMatching(/^Goodbye/),
      id: expect.any(String),
    });
    expect(backlot.smtp).toHaveCaptured({ subject: /bob/i, headers: { to: /^bob@/ } });
    expect(backlot.smtp).toHaveCaptured({ to: expect.arrayContaining(['bob@example.com']) });
    expect(backlot.smtp).not.toHaveCaptured({ subject: 'Welcome' });
    expect(backlot.smtp).not.toHaveCaptured({ to: [] });
    expect(backlot.smtp).toHaveCapturedTimes(2, { from: 'shop@example.com' });
    expect(backlot.smtp).toHaveCapturedTimes(0, { from: 'me@example.com' });
    expect(backlot.smtp).not.toHaveCapturedTimes(1);
  });

  it('shows the closest message, and the others', () => {
    const wanted = { subject: 'Welcome, Bob', to: ['ann@example.com'], from: expect.any(String) };
    const message = messageOf(() => expect(backlot.smtp).toHaveCaptured(wanted));
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
    const found = messageOf(() => expect(backlot.smtp).not.toHaveCaptured({ subject: 'Welcome, Ann' }));
    expect(found).toContain("smtp captured 1 message that has { subject: 'Welcome, Ann' }");
    expect(messageOf(() => expect(backlot.smtp).toHaveCapturedTimes(1, { from: /shop/ }))).toContain(
      'smtp captured 2 messages that have { from: /shop/ }, want 1',
    );
    expect(messageOf(() => expect(backlot.smtp).toHaveCapturedTimes(1, { from: /me/ }))).toContain(
      'smtp captured 2 messages, none as wanted, want 1; number 2 is the closest:',
    );
    expect(messageOf(() => expect(backlot.smtp).not.toHaveCapturedTimes(2))).toContain(
      'smtp captured 2 messages',
    );
    backlot.smtp.clearCaptured();
    expect(messageOf(() => expect(backlot.smtp).toHaveCaptured({ subject: 'x' }))).toContain(
      'smtp captured nothing',
    );
  });

  it('is asked of a protocol that captures', () => {
    expect(() => expect('smtp').toHaveCaptured()).toThrow(
      'toHaveCaptured takes a protocol of a Backlot (backlot.<kind>), got smtp',
    );
    expect(() => expect(backlot).toHaveCaptured()).toThrow('got the Backlot');
    expect(() => expect(backlot.redis).not.toHaveCaptured()).toThrow('redis keeps no messages');
    expect(() => expect(backlot.smtp).toHaveCapturedTimes(-1)).toThrow('must be 0 or more, got -1');
  });
});

describe('JSON in a text', () => {
  it('is wanted by an object or a list, as toMatchObject takes it', async () => {
    const url = `${backlot.http.url}/orders`;
    for (const body of [
      '{"amount": 5, "items": [{"id": 1, "name": "a"}], "to": {"name": "Ann", "age": 7}}',
      'no JSON',
      '[1, 2]',
    ])
      await fetch(url, { method: 'POST', body });
    expect(backlot.http).toHaveReceivedTimes(1, { body: { amount: 5 } });
    expect(backlot.http).toHaveReceived({ body: { items: [{ id: 1 }], to: { name: /^A/ } } });
    expect(backlot.http).toHaveReceived({ body: { to: { age: expect.any(Number) } } });
    expect(backlot.http).toHaveReceived({ body: [1, 2] });
    expect(backlot.http).toHaveReceived({ response: { body: { error: 'no mock matched' } } });
    expect(backlot.http).not.toHaveReceived({ body: { items: [] } });
    expect(backlot.http).not.toHaveReceived({ body: { amount: '5' } });
    expect(backlot.http).not.toHaveReceived({ body: [1] });
    expect(backlot.http).toHaveReceivedTimes(1, { body: 'no JSON' });
    const message = messageOf(() =>
      expect(backlot.http).toHaveReceived({ body: { amount: 6, to: { name: 'Ann' } } }),
    );
    expect(message).toContain('-     "amount": 6,\n+     "amount": 5,');
    expect(message).not.toContain('"age"');
  });

  it('may be that of a mail, or of what redis was sent', async () => {
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: '{"id": 7}', text: '{"paid": true}' });
    expect(backlot.smtp).toHaveCaptured({ subject: { id: 7 }, text: { paid: true } });
    expect(backlot.smtp).not.toHaveCaptured({ text: { paid: false } });
    expect(await backlot.smtp.waitForCaptured({ text: { paid: true } })).toMatchObject({
      subject: '{"id": 7}',
    });
    const client = new Redis(backlot.redis.port);
    await client.set('order', '{"n": [1]}').catch(() => undefined);
    client.disconnect();
    expect(backlot.redis).toHaveReceived({ method: 'SET' });
  });
});

describe('toHaveReceived', () => {
  it('takes the id of a mock, a part of an entry, or the mock itself', async () => {
    const order = backlot.http.mock({
      id: 'order',
      request: { method: 'POST', path: '/orders' },
      response: { status: 201 },
    });
    expect(backlot.http).not.toHaveReceived('order');
    expect(order).not.toHaveReceived();
    await fetch(`${backlot.http.url}/orders`, { method: 'POST', body: 'tea' });
    await fetch(`${backlot.http.url}/orders`, { method: 'POST', body: 'mug' });
    expect(backlot.http).toHaveReceived('order');
    expect(backlot.http).toHaveReceivedTimes(2, 'order');
    expect(backlot.http).toHaveReceivedTimes(1, { path: '/orders', body: 'tea', status: 201 });
    expect(order).toHaveReceived({ body: 'mug' });
    expect(order).toHaveReceivedTimes(2);
    expect(order).not.toHaveReceived({ body: 'cup' });
    expect(backlot).toHaveReceived({ protocol: 'http', body: /^t/ });
  });

  it('shows what came instead', async () => {
    backlot.http.mock({ id: 'order', request: { method: 'POST', path: '/orders' }, response: {} });
    await fetch(`${backlot.http.url}/order`, { method: 'POST' });
    const calls = messageOf(() => expect(backlot.http).toHaveReceivedTimes(1, 'order'));
    expect(calls).toContain('mock "order" of http was called 0 times, want 1');
    expect(calls).toMatch(/what met no mock:\n {2}http POST \/order -> 404\n {4}not "order": /);
    const entries = messageOf(() => expect(backlot).toHaveReceived({ path: '/orders' }));
    expect(entries).toContain('the Backlot received 1 message, none as wanted; it differs:');
    expect(entries).toContain('-   "path": "/orders",\n+   "path": "/order",');
    expect(entries).toContain('what met no mock:');
  });

  it('refuses questions that have no answer', () => {
    expect(() => expect(backlot.http).not.toHaveReceived('oder')).toThrow('http has no mock "oder"');
    expect(() => expect(backlot).toHaveReceived('order' as never)).toThrow(
      'a mock is asked for at its protocol',
    );
    const mock = backlot.http.mock({ id: 'a', request: {}, response: {} });
    expect(() => expect(mock).toHaveReceived('b' as never)).toThrow(
      'a part of a journal entry can be wanted',
    );
  });
});

describe('toHaveUnmatched', () => {
  it('lists what met no mock, and why', async () => {
    expect(backlot).not.toHaveUnmatched();
    expect(messageOf(() => expect(backlot).toHaveUnmatched())).toContain(
      'the Backlot received no message that met no mock',
    );
    backlot.http.mock({ id: 'order', request: { method: 'POST', path: '/orders' }, response: {} });
    await fetch(`${backlot.http.url}/orders`);
    expect(backlot).toHaveUnmatched();
    expect(backlot.http).toHaveUnmatched({ path: '/orders' });
    expect(backlot.http).not.toHaveUnmatched({ path: '/other' });
    expect(messageOf(() => expect(backlot).not.toHaveUnmatched())).toMatch(
      /the Backlot received 1 message that met no mock:\n\n {2}http GET \/orders -> 404\n {4}not "order": /,
    );
    expect(messageOf(() => expect(backlot.http).toHaveUnmatched({ path: '/other' }))).toContain(
      "http received no message that has { path: '/other' } that met no mock",
    );
  });

  it('counts no mail that was taken, with rules or without', async () => {
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Hello' });
    expect(backlot).not.toHaveUnmatched();
    backlot.smtp.mock({ id: 'vip', to: 'vip@example.com', action: 'reject' });
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Hello again' });
    expect(backlot).not.toHaveUnmatched();
    expect(backlot.smtp).not.toHaveUnmatched();
  });
});

describe('toHaveSeen', () => {
  it('waits for what is expected over all protocols, in order', async () => {
    const seen = expect(backlot).toHaveSeen(
      [{ redis: { command: 'SET', key: 'cart:*' } }, { http: { path: '/orders' }, times: { max: 1 } }],
      { order: 'strict', within: '5m' },
    );
    const client = new Redis(backlot.redis.url);
    await client.set('cart:1', 'x');
    await client.quit();
    await fetch(`${backlot.http.url}/orders`);
    await seen;
    await expect(backlot).not.toHaveSeen([{ smtp: {} }]);
    await expect(expect(backlot).toHaveSeen([{ http: {}, times: 0 }], { within: '0s' })).rejects.toThrow(
      'got 1 message, want none',
    );
    await expect(expect(backlot.http).toHaveSeen([{ http: {} }])).rejects.toThrow(
      'toHaveSeen takes a Backlot',
    );
  });
});
