import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import type { Page } from 'playwright-core';
import { open } from './support/browser.js';
import { recordingOf } from './support/recording.js';
import { start, stopAll, type Started } from './support/start.js';
import { TOOLS, sendTraffic } from './support/traffic.js';

afterEach(stopAll);

const LONG = 120_000;
const AXE_TEXT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const VIEWS = [
  'timeline',
  'timeline?entry=2',
  'mocks?kind=http&id=products',
  'messages?kind=smtp',
  'messages?kind=mqtt',
  'data?kind=redis',
  'data?kind=ldap',
  'data?kind=collections',
  'connections',
  'levers',
  'reactions',
  'checks',
  'spaces',
  'files',
  'webhooks',
  'edit',
  'data?kind=dns',
  'api',
  'api?kind=redis&route=createRedisMock',
];

/** What is open over a view, or within it: how it is opened. */
const STATES: Readonly<Record<string, (page: Page, server: Started) => Promise<unknown>>> = {
  async 'an open mail'(page) {
    await page.goto(at(page, 'messages?kind=smtp'));
    await page.locator('button.card').first().click();
    await page.getByRole('region', { name: 'Mail' }).waitFor();
  },
  async 'the editor as JSON'(page) {
    await page.goto(at(page, 'mocks?kind=http&id=products'));
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.editor[data-ready]').waitFor();
    await page.locator('.effect p:not(.loading)').first().waitFor();
  },
  'the editor as a form': (page) => page.getByRole('button', { name: 'Form' }).click(),
  async 'a dialog to publish'(page) {
    await page.goto(at(page, 'messages?kind=mqtt'));
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').locator('.editor[data-ready]').waitFor();
    await page.getByRole('dialog').getByText('As code').click();
  },
  async 'the forms of a switch'(page) {
    await page.goto(at(page, 'levers'));
    const fault = page.locator('.act', { has: page.getByRole('switch', { name: 'Fault of Redis' }) });
    await fault.getByRole('button', { name: 'As code' }).click();
    await page.getByRole('dialog').waitFor();
  },
  async 'what would be made of a file'(page) {
    await page.goto(at(page, 'files'));
    await page.getByLabel('The file as text').fill('$ORIGIN example.test.\nwww 300 IN A 192.0.2.9\n');
    await page.getByLabel('Format').selectOption('zone');
    await page.getByRole('button', { name: 'Look at the text' }).click();
    await page.getByRole('button', { name: 'Import pasted.txt' }).waitFor();
  },
  async 'an open recording, and what ran in it'(page, { host }) {
    await page.goto(at(page, 'files'));
    const file = await recordingOf(host, 'the command ended with 1');
    await page.getByLabel(/Choose a recording/).setInputFiles(file);
    await page.getByText('What ran').click();
    await page.getByText('"products"').first().waitFor();
  },
  async 'an entry of a recording'(page) {
    const entries = page.getByRole('listbox', { name: 'Log entries of the recording' });
    await entries.getByRole('option').first().click();
    await page.getByRole('complementary', { name: 'Entry' }).waitFor();
  },
  async 'the keys'(page) {
    await page.goto(at(page, 'timeline'));
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('dialog').waitFor();
  },
};

/** The address of a view of the page that is open, without what is open over it. */
function at(page: Page, view: string): string {
  return `${new URL('/', page.url()).href}?${view.length}#/${view}`;
}

/** What axe finds on a page, by the rules of WCAG 2.2 AA that it does not run by itself too. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE_TEXT);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run({ rules: { 'target-size': { enabled: true } } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  });
}

/** Something for the views of what causes something. */
async function fill({ host }: Started): Promise<void> {
  host.kind('redis').toxics.add({ type: 'latency', attributes: { latency: 1 }, ttl: '1h' });
  host.kind('dns').toxics.add({ type: 'loss', toxicity: 0, client: '203.0.113.0/24' });
  await host.reactions.create({
    id: 'night',
    description: 'At night all is dark.',
    on: { state: { key: 'mode', value: 'night' } },
    do: [{ after: '1s', state: { lights: 'off' } }],
  });
  await host.spaces.create({ id: 'tests-of-the-cart', protocols: ['http'] });
}

describe('works for everyone', () => {
  itWithTool(
    TOOLS,
    'axe has nothing to say of any view, light or dark',
    async () => {
      const server = await start();
      await sendTraffic(server);
      await fill(server);
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await open(`${server.url}/`, { colorScheme });
        for (const view of VIEWS) {
          await page.goto(`${server.url}/#/${view}`);
          await page.locator('main > *:not(h1)').first().waitFor();
          await page.locator('.loading').first().waitFor({ state: 'detached' });
          const found = await findingsOf(page);
          expect({ view, colorScheme, found }).toEqual({ view, colorScheme, found: [] });
        }
        for (const [state, show] of Object.entries(STATES)) {
          await show(page, server);
          const found = await findingsOf(page);
          expect({ state, colorScheme, found }).toEqual({ state, colorScheme, found: [] });
        }
      }
    },
    LONG,
  );

  itWithTool(
    TOOLS,
    'nothing is cut off on a phone, and at four times the size',
    async () => {
      const server = await start();
      await sendTraffic(server);
      await fill(server);
      const { page } = await open(`${server.url}/`, { viewport: { width: 320, height: 640 } });
      for (const view of VIEWS) {
        await page.goto(`${server.url}/#/${view}`);
        await page.locator('main > *:not(h1)').first().waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect({ view, wide: Math.max(0, wide) }).toEqual({ view, wide: 0 });
      }
      for (const [state, show] of Object.entries(STATES)) {
        await show(page, server);
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect({ state, wide: Math.max(0, wide) }).toEqual({ state, wide: 0 });
      }
      // The whole way from no match to a mended mock, as a thumb goes it.
      await page.goto(at(page, 'timeline?unmatched=1'));
      await page.getByRole('option').getByText('no match').first().click();
      await page.getByRole('button', { name: 'Match this value' }).first().click();
      await page.getByText('would be answered otherwise').waitFor();
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByText('is in effect').waitFor();
    },
    LONG,
  );

  itWithTool(
    'chromium curl redis-cli mosquitto_pub',
    'what others send is text and nothing else',
    async () => {
      const { url, port, host } = await start();
      const evil = '<img src=x onerror=document.title="owned"><script>document.title="owned"</script>';
      await runTool('curl', [
        '-s',
        '--globoff',
        '--path-as-is',
        '-H',
        `x-evil: ${evil}`,
        '-d',
        evil,
        `http://127.0.0.1:${port('http')}/${encodeURIComponent(evil)}`,
      ]);
      await runTool('redis-cli', ['-p', String(port('redis')), 'set', evil, evil]);
      await runTool('mosquitto_pub', [
        '-h',
        '127.0.0.1',
        '-p',
        String(port('mqtt')),
        '-t',
        evil.replaceAll('#', ''),
        '-m',
        evil,
      ]);
      await host.reactions.create({
        id: evil.replaceAll(/[/?#]/g, ''),
        description: evil,
        on: { state: { key: evil } },
        do: [{ state: { [evil]: evil } }],
      });
      host.kind('redis').toxics.add({ name: evil.replaceAll(/[/?#]/g, ''), type: 'latency' });
      const { page, complaints } = await open(`${url}/`);
      await page
        .getByRole('option', { name: /onerror/ })
        .nth(2)
        .waitFor();
      // What came becomes a check, and its own near miss.
      await page
        .getByRole('option', { name: /onerror/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Expect this' }).click();
      await page.goto(`${url}/#/timeline?entry=1`);
      const request = page.getByRole('region', { name: 'Request' });
      await request.getByText('x-evil', { exact: true }).waitFor();
      expect(await request.locator('dd', { hasText: 'onerror' }).innerText()).toBe(evil);
      for (const view of [
        'timeline?entry=1',
        'timeline?entry=2',
        'messages?kind=mqtt',
        'data?kind=redis',
        'reactions',
        'levers',
        'checks',
      ]) {
        await page.goto(`${url}/#/${view}`);
        await page.getByText('onerror').first().waitFor();
        expect(await page.locator('main img').count()).toBe(0);
        expect(await page.title()).toBe('Backlot');
      }
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium',
    'a token is asked for, kept in the tab, and sent with everything, the stream too',
    async () => {
      const { url, host } = await start({}, 'secret');
      const { page, asked } = await open(`${url}/`);
      await page.getByLabel(/asks for a token/).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await page.getByLabel(/asks for a token/).fill('wrong');
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText('not the right one').waitFor();
      await page.getByLabel(/asks for a token/).fill('secret');
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText('live', { exact: true }).waitFor();
      await runTool('curl', ['-s', `${host.kind('http').url ?? ''}/products`]);
      await page.getByRole('option', { name: /products/ }).waitFor();
      expect(asked.filter((address) => address.includes('secret'))).toEqual([]);
      expect(await page.evaluate('localStorage.length')).toBe(0);
    },
    LONG,
  );
});
