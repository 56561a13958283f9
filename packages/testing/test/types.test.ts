import { describe, expect, it } from '@jest/globals';
import type { Protocol } from '@backlot/core';
import { http } from '@backlot/http';
import type { redis } from '@backlot/redis';
import type { smtp } from '@backlot/smtp';
import { startLot, type Lot, type LotKind } from '../src/index.js';
import { matchers } from '../src/jest.js';

expect.extend(matchers);

type Mixed = Lot<readonly [typeof http, typeof smtp, typeof redis]>;

/** Never called: the compiler checks it, and complains about each expected error that is none. */
export async function checkTypes(lot: Mixed, untyped: Lot): Promise<void> {
  const url: string = lot.http.url;
  const subject: string | undefined = lot.smtp.captured()[0]?.subject;
  const to: readonly string[] = (await lot.smtp.waitForCaptured({ subject: /x/ })).to;
  lot.http.mock({ request: { path: url }, response: { status: 200 } });
  lot.redis.mock({ command: 'GET', response: { type: 'bulk', value: subject ?? to } });
  lot.redis.fault({ error: 'LOADING', error_rate: 0.5 });
  const list: readonly string[] = ['a@example.com'];
  lot.smtp.captured({ to: list, subject: expect.stringContaining('x') });
  untyped.journal.list();

  // @ts-expect-error a lot has the protocols that it was given
  void lot.mqtt;
  // @ts-expect-error redis keeps no messages
  lot.redis.captured();
  // @ts-expect-error redis keeps no messages
  expect(lot.redis).toHaveCaptured({ subject: 'x' });
  // @ts-expect-error a typing error in a mock
  lot.http.mock({ request: { pth: '/' }, response: {} });
  // @ts-expect-error a fault of another protocol
  lot.redis.fault({ status: 500 });
  // @ts-expect-error a typing error in what is wanted
  lot.smtp.captured({ subjct: 'x' });
  // @ts-expect-error a typing error in what is wanted
  expect(lot.smtp).toHaveCaptured({ subjct: 'x' });
  // @ts-expect-error a wrong type in what is wanted
  await lot.smtp.waitForCaptured({ to: 'a@example.com' });
  // @ts-expect-error a typing error in a journal entry
  expect(lot.http).toHaveReceived({ staus: 200 });
  // @ts-expect-error the id of a mock is asked for at its protocol
  expect(lot).toHaveReceived('order');
  // @ts-expect-error settings of a protocol that is not there
  await startLot({ protocols: [http], settings: { smtp: {} } });
  // @ts-expect-error no such setting
  await startLot({ protocols: [http], settings: { http: { prot: 1 } } });
}

/** A protocol whose name has a hyphen, and those of which nothing is known. */
export function checkNames(
  lot: Lot<readonly [Protocol<{ [Key in keyof Probe]: Probe[Key] }>]>,
  any: LotKind,
): void {
  const { url } = lot['my-kind'];
  void lot['my-kind'].captured();
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

describe('types', () => {
  it('are those of the protocols', async () => {
    const lot = await startLot({ protocols: [http], env: (lot) => ({ SHOP_URL: lot.http.url }) });
    const url: string = lot.http.url;
    await lot.stop();
    expect(lot.env['SHOP_URL']).toBe(url);
  });
});
