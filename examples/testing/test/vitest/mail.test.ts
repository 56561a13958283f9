import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { useBacklot } from '@backlot/testing';
import { matchers } from '@backlot/testing/vitest';
import { readServices, Shop } from '../../src/shop.js';
import { services } from '../services.js';

expect.extend(matchers);

const backlot = useBacklot({
  ...services,
  env: (backlot) => ({ PAYMENTS_URL: backlot.http.url }),
  scope: 'worker',
  hooks: { beforeAll, afterAll, beforeEach },
});

it('waits for the mail of somebody else', async () => {
  const shop = new Shop(readServices(process.env));
  const mail = backlot.smtp.waitForCaptured({ to: ['bob@example.com'] });
  await Promise.all([shop.signUp('Ann', 'ann@example.com'), shop.signUp('Bob', 'bob@example.com')]);
  expect((await mail).subject).toBe('Welcome, Bob');
  shop.close();
});

it('is the same Backlot in every file of a worker', () => {
  const seen = globalThis as { urlOfWorker?: string };
  seen.urlOfWorker ??= backlot.http.url;
  expect(backlot.http.url).toBe(seen.urlOfWorker);
});
