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
  useLot,
} from '../src/index.js';
import { sendMail } from './clients.js';

const lot = useLot({ protocols: [http, smtp], hooks: { beforeAll, afterAll, beforeEach } });

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
    expect(errorOf(() => assertCaptured(lot.smtp)).message).toBe('smtp captured nothing');
    await sendMail(lot.smtp.url, { to: 'ann@example.com', subject: 'Welcome' });
    assertCaptured(lot.smtp);
    assertCaptured(lot.smtp, { subject: /^Wel/, to: ['ann@example.com'] });
    assertCapturedTimes(lot.smtp, 1, { subject: 'Welcome' });
    assertCapturedTimes(lot.smtp, 0, { subject: 'Goodbye' });
    const error = errorOf(() => assertCaptured(lot.smtp, { subject: 'Welcom', to: ['ann@example.com'] }));
    expect(error).toMatchObject({
      operator: 'assertCaptured',
      actual: { subject: 'Welcome', to: ['ann@example.com'] },
      expected: { subject: 'Welcom', to: ['ann@example.com'] },
    });
    expect(error.message).toContain('smtp captured 1 message, none as wanted; it differs:');
    expect(error.message).toMatch(/\+ {3}subject: 'Welcome'.*\n- {3}subject: 'Welcom'/);
    expect(errorOf(() => assertCapturedTimes(lot.smtp, 2)).message).toContain(
      'smtp captured 1 message, want 2',
    );
  });

  it('about what was received show what came instead', async () => {
    const hello = lot.http.mock({ id: 'hello', request: { path: '/hello' }, response: {} });
    assertAllMatched(lot);
    assertReceivedTimes(hello, 0);
    await fetch(`${lot.http.url}/hello`);
    await fetch(`${lot.http.url}/hallo`);
    assertReceived(hello);
    assertReceived(lot.http, 'hello');
    assertReceived(lot, { path: '/hallo', status: 404 });
    assertReceivedTimes(lot.http, 1, 'hello');
    expect(errorOf(() => assertReceivedTimes(hello, 2)).message).toContain(
      'mock "hello" of http was called 1 time, want 2\n\n  http GET /hello -> 200\n\nwhat met no mock:\n  http GET /hallo',
    );
    expect(errorOf(() => assertReceived(hello, { path: '/hi' })).message).toContain('it differs:');
    expect(errorOf(() => assertAllMatched(lot)).message).toMatch(
      /^the lot received 1 message that met no mock:\n\n {2}http GET \/hallo -> 404\n {4}not "hello"/,
    );
  });
});
