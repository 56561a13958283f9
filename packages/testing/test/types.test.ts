import { describe, expect, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
import { http } from '@backlot/http';
import type { redis } from '@backlot/redis';
import type { smtp } from '@backlot/smtp';
import { startBacklot, type Backlot, type ProtocolHandle } from '../src/index.js';
import { matchers } from '../src/jest.js';

expect.extend(matchers);

type Mixed = Backlot<readonly [typeof http, typeof smtp, typeof redis]>;

/** Never called: the compiler checks it, and complains about each expected error that is none. */
export async function checkTypes(backlot: Mixed, untyped: Backlot): Promise<void> {
  const url: string = backlot.http.url;
  const subject: string | undefined = backlot.smtp.captured()[0]?.subject;
  const to: readonly string[] = (await backlot.smtp.waitForCaptured({ subject: /x/ })).to;
  backlot.http.mock({ request: { path: url }, response: { status: 200 } });
  backlot.redis.mock({ command: 'GET', response: { type: 'bulk', value: subject ?? to } });
  backlot.redis.fault({ error: 'LOADING', error_rate: 0.5 });
  const list: readonly string[] = ['a@example.com'];
  backlot.smtp.captured({ to: list, subject: expect.stringContaining('x') });
  untyped.journal.list();
  expect(backlot.http).toHaveReceived({ body: { amount: 5 }, response: { body: [{ id: 1 }] } });

  // @ts-expect-error a Backlot has the protocols that it was given
  void backlot.mqtt;
  // @ts-expect-error redis keeps no messages
  backlot.redis.captured();
  // @ts-expect-error redis keeps no messages
  expect(backlot.redis).toHaveCaptured({ subject: 'x' });
  // @ts-expect-error a typing error in a mock
  backlot.http.mock({ request: { pth: '/' }, response: {} });
  // @ts-expect-error a fault of another protocol
  backlot.redis.fault({ status: 500 });
  // @ts-expect-error a typing error in what is wanted
  backlot.smtp.captured({ subjct: 'x' });
  // @ts-expect-error a typing error in what is wanted
  expect(backlot.smtp).toHaveCaptured({ subjct: 'x' });
  // @ts-expect-error a wrong type in what is wanted
  await backlot.smtp.waitForCaptured({ to: 'a@example.com' });
  // @ts-expect-error a typing error in a journal entry
  expect(backlot.http).toHaveReceived({ staus: 200 });
  // @ts-expect-error the id of a mock is asked for at its protocol
  expect(backlot).toHaveReceived('order');
  // @ts-expect-error settings of a protocol that is not there
  await startBacklot({ protocols: [http], settings: { smtp: {} } });
  // @ts-expect-error no such setting
  await startBacklot({ protocols: [http], settings: { http: { prot: 1 } } });
}

/** A protocol whose name has a hyphen, and those of which nothing is known. */
export function checkNames(
  backlot: Backlot<readonly [Protocol<{ [Key in keyof Probe]: Probe[Key] }>]>,
  any: ProtocolHandle,
): void {
  const { url } = backlot['my-kind'];
  void backlot['my-kind'].captured();
  any.mock({ anything: url });
  any.captured({ anything: 1 });
}

interface Probe {
  readonly kind: 'my-kind';
  readonly config: object;
  readonly mock: object;
  readonly fault: never;
  readonly capture: { readonly id: string };
  readonly stream: never;
  readonly list: 'mocks';
  readonly items: { readonly traps: { readonly oid: string } };
}

/** Never called, as above: services give their variables types. */
export function checkVariables(
  { env }: Backlot<readonly [], readonly ['stripe', 'openai']>,
  { env: own }: Backlot<readonly [], readonly ['./services/weather', 'openai']>,
): readonly string[] {
  // @ts-expect-error a variable of a service that was not asked for
  const other: string = env.ANTHROPIC_BASE_URL;
  // @ts-expect-error a typing error
  const wrong: string = env.OPENAI_BASE_ULR;
  return [env.STRIPE_API_BASE, env.OPENAI_BASE_URL, own.OPENAI_BASE_URL, other, wrong];
}

describe('types', () => {
  it('are those of the protocols', async () => {
    const backlot = await startBacklot({
      protocols: [http],
      env: (backlot) => ({ SHOP_URL: backlot.http.url }),
    });
    const url: string = backlot.http.url;
    await backlot.stop();
    expect(backlot.env['SHOP_URL']).toBe(url);
  });
});
