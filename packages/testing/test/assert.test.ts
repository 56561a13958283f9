import { AssertionError } from 'node:assert';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { http } from '@backlot/http';
import { smtp } from '@backlot/smtp';
import {
  assertAllMatched,
  assertCaptured,
  assertCapturedTimes,
  assertReceived,
  assertReceivedTimes,
  assertSeen,
  useBacklot,
} from '../src/index.js';
import { sendMail } from './clients.js';

const backlot = useBacklot({ protocols: [http, smtp], hooks: { beforeAll, afterAll, beforeEach } });

function errorOf(assertion: () => void): AssertionError {
  try {
    assertion();
  } catch (thrown) {
    if (thrown instanceof AssertionError) return thrown;
    throw thrown;
  }
  throw new Error('the assertion held');
}

describe('assertions', () => {
  it('about what was captured show the closest', async () => {
    expect(errorOf(() => assertCaptured(backlot.smtp)).message).toBe('smtp captured nothing');
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Welcome' });
    assertCaptured(backlot.smtp);
    assertCaptured(backlot.smtp, { subject: /^Wel/, to: ['ann@example.com'] });
    assertCapturedTimes(backlot.smtp, 1, { subject: 'Welcome' });
    assertCapturedTimes(backlot.smtp, 0, { subject: 'Goodbye' });
    const error = errorOf(() => assertCaptured(backlot.smtp, { subject: 'Welcom', to: ['ann@example.com'] }));
    expect(error).toMatchObject({
      operator: 'assertCaptured',
      actual: { subject: 'Welcome', to: ['ann@example.com'] },
      expected: { subject: 'Welcom', to: ['ann@example.com'] },
    });
    expect(error.message).toContain('smtp captured 1 message, none as wanted; it differs:');
    expect(error.message).toMatch(/\+ {3}subject: 'Welcome'.*\n- {3}subject: 'Welcom'/);
    expect(errorOf(() => assertCapturedTimes(backlot.smtp, 2)).message).toContain(
      'smtp captured 1 message, want 2',
    );
  });

  it('about what was received show what came instead', async () => {
    const hello = backlot.http.mock({ id: 'hello', request: { path: '/hello' }, response: {} });
    assertAllMatched(backlot);
    assertReceivedTimes(hello, 0);
    await fetch(`${backlot.http.url}/hello`);
    await fetch(`${backlot.http.url}/hallo`);
    assertReceived(hello);
    assertReceived(backlot.http, 'hello');
    assertReceived(backlot, { path: '/hallo', status: 404 });
    assertReceivedTimes(backlot.http, 1, 'hello');
    expect(errorOf(() => assertReceivedTimes(hello, 2)).message).toContain(
      'mock "hello" of http was called 1 time, want 2\n\n  http GET /hello -> 200\n\nwhat met no mock:\n  http GET /hallo',
    );
    expect(errorOf(() => assertReceived(hello, { path: '/hi' })).message).toContain('it differs:');
    expect(errorOf(() => assertAllMatched(backlot)).message).toMatch(
      /^the Backlot received 1 message that met no mock:\n\n {2}http GET \/hallo -> 404\n {4}not "hello"/,
    );
  });

  it('over all protocols wait, and show what came nearest', async () => {
    backlot.http.mock({ id: 'order', request: { path: '/orders' }, response: {} });
    const seen = assertSeen(
      backlot,
      [
        { http: { mock: 'order' }, times: 1 },
        { smtp: { to: 'ann@*' }, times: 1 },
      ],
      { order: 'strict', within: '5m', nothing_else: ['http', 'smtp'] },
    );
    await fetch(`${backlot.http.url}/orders`);
    await sendMail(backlot.smtp.url, { to: 'ann@example.com', subject: 'Welcome' });
    await seen;
    const error: unknown = await assertSeen(backlot, [{ smtp: { subject: 'Goodbye' } }], {
      within: '0s',
    }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AssertionError);
    expect((error as Error).message).toMatch(
      /^the Backlot has not seen what was expected:\n\nFAIL {2}\{"smtp":\{"subject":"Goodbye"\}\}\n {6}got 0 messages, want at least 1\n {6}nearest: entry \d+, .*subject: got "Welcome", want "Goodbye"/,
    );
  });
});
