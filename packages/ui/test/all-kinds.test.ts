import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { ALL_KINDS, ALL_SETTINGS, ALL_TOOLS, sendToAll } from './support/all-kinds.js';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 120_000;

/** Kinds of which a mock is opened: one that is asked, one of calls, one that is data, and one of datagrams. */
const MOCKS_OF: ReadonlySet<string> = new Set(['http', 'grpc', 'kafka', 'coap']);

interface KindSchema {
  readonly mock: { readonly examples: readonly Readonly<Record<string, unknown>>[] };
  readonly captures?: object;
  readonly publish?: object;
  readonly command?: { readonly line: string };
  readonly data: readonly { readonly section: string }[];
}

describe('all twenty kinds', () => {
  itWithTool(
    ALL_TOOLS,
    'have a lane, mocks with their calls, messages and data, made by their clients',
    async () => {
      const server = await start({ protocols: ALL_KINDS, settings: ALL_SETTINGS });
      const { url, host } = server;
      const schemas = new Map<string, KindSchema>();
      for (const { kind } of ALL_KINDS) {
        const schema = (await (await fetch(`${url}/api/schema/${kind}`)).json()) as KindSchema;
        schemas.set(kind, schema);
        host.kind(kind).mocks.create({ ...schema.mock.examples[0], id: `first-${kind}` });
      }
      expect(schemas.size).toBe(20);
      const lines = new Map(
        Array.from(schemas, ([kind, { command }]) => [kind, command?.line ?? ''] as const).filter(
          ([, line]) => line !== '',
        ),
      );
      expect(lines.size).toBeGreaterThan(0);
      await sendToAll(server, lines);
      await eventually(() => ALL_KINDS.every(({ kind }) => host.journal.count({ protocol: kind }).count > 0));

      const { page, complaints } = await open(`${url}/`);
      for (const { kind, meta } of ALL_KINDS) {
        await page.goto(`${url}/#/timeline?protocol=${kind}`);
        await page.getByRole('option').first().waitFor();
        const lane = page.locator('.lane[aria-pressed=true]');
        await lane.locator('.count').filter({ hasText: /[1-9]/ }).waitFor();
        expect(await lane.locator('.kind').innerText()).toBe(meta.title);
        const kinds = await page.locator('.row .kind').allInnerTexts();
        expect(new Set(kinds)).toEqual(new Set([meta.title]));
        await page.getByRole('option').first().click();
        await page.getByRole('region', { name: 'Request' }).waitFor();

        if (MOCKS_OF.has(kind)) {
          await page.goto(`${url}/#/mocks?kind=${kind}&id=first-${kind}`);
          await page.getByRole('heading', { name: `first-${kind}` }).waitFor();
          await page.getByRole('heading', { name: 'Calls' }).waitFor();
        }
        const { captures, publish, data } = schemas.get(kind) ?? { data: [] };
        if (captures !== undefined || publish !== undefined) {
          await page.goto(`${url}/#/messages?kind=${kind}`);
          await page.locator('.kind-tab[aria-pressed=true]', { hasText: meta.title }).waitFor();
          await page.getByRole('region', { name: 'Messages' }).waitFor();
        }
        for (const { section } of data) {
          await page.goto(`${url}/#/data?kind=${kind}&section=${section}`);
          await page.getByRole('region', { name: section, exact: true }).waitFor();
        }
      }

      // What brokers got stands by where it went, and opens.
      for (const [kind = '', group = '', text = ''] of [
        ['kafka', 'orders 1', '"id"'],
        ['nats', 'lamps.7 1', 'on'],
        ['amqp', '(none) 1', '"id"'],
        ['stomp', '/queue/orders 1', '"id"'],
      ]) {
        await page.goto(`${url}/#/messages?kind=${kind}`);
        await page.getByRole('button', { name: group, exact: true }).click();
        await page.locator('button.card').first().click();
        await page
          .getByRole('region', { name: 'Message', exact: true })
          .locator('pre')
          .getByText(text)
          .waitFor();
      }
      // What services hold opens from trees and tables.
      for (const [kind = '', section = '', button = '', text = ''] of [
        ['memcached', 'items', '7', 'two lamps'],
        ['amqp', 'queues', 'orders', '"orders"'],
        ['kafka', 'topics', 'payments', '"payments"'],
        ['nats', 'streams', 'SHIPPING', '"shipped.*"'],
        ['stomp', 'queues', '/queue/orders', '"/queue/orders"'],
        ['snmp', 'objects', 'first-snmp', '"1.3.6.1.2.1.1.1.0"'],
        ['snmp', 'traps', 'link-down', '"1.3.6.1.6.3.1.1.5.3"'],
        ['ftp', 'files', 'report.txt', '"quarterly"'],
        ['redis', 'keys', 'greeting', '"hello"'],
      ]) {
        await page.goto(`${url}/#/data?kind=${kind}&section=${section}`);
        await page.getByRole('button', { name: button }).first().click();
        const detail = page.locator('section.detail');
        await detail.getByText(text).first().waitFor();
      }

      // A mock says whether it was called, and how often.
      const objects = page.locator('.card', { hasText: 'first-snmp' });
      await page.goto(`${url}/#/mocks?kind=snmp`);
      await objects.waitFor();
      expect(await objects.getByText('never called').count()).toBe(0);
      await runTool('snmpget', ['-v2c', '-cpublic', `127.0.0.1:${server.port('snmp')}`, '1.3.6.1.2.1.1.1.0']);
      await objects.click();
      await page.getByRole('heading', { name: 'Calls 2' }).waitFor();
      await page.goto(`${url}/#/mocks?kind=sip`);
      await page.locator('.card', { hasText: 'first-sip' }).getByText('never called').waitFor();
      await page.locator('.card').click();
      await page.getByText('Never called.').waitFor();
      expect(complaints).toEqual([]);

      const docs = await fetch(`${url}/api/openapi.json`, { headers: { 'accept-encoding': 'gzip' } });
      expect(Number(docs.headers.get('content-length'))).toBeLessThan(100_000);
    },
    LONG,
  );
});
