import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll, type Started } from './support/start.js';
import { TOOLS, sendTraffic } from './support/traffic.js';

afterEach(stopAll);

const LONG = 120_000;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

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
  'webhooks',
  'edit',
  'data?kind=dns',
  'api',
  'api?kind=redis&route=createRedisMock',
];

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
      const axe = await readFile(AXE, 'utf8');
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await open(`${server.url}/`, { colorScheme });
        for (const view of VIEWS) {
          await page.goto(`${server.url}/#/${view}`);
          await page.locator('main > *:not(h1)').first().waitFor();
          await page.locator('.loading').first().waitFor({ state: 'detached' });
          await page.evaluate(axe);
          const found = await page.evaluate(async () => {
            const { axe: run } = globalThis as unknown as {
              axe: {
                run(): Promise<{
                  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
                }>;
              };
            };
            return (await run.run()).violations.map(
              ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
            );
          });
          expect({ view, colorScheme, found }).toEqual({ view, colorScheme, found: [] });
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
      await page.goto(`${server.url}/#/timeline`);
      await page.getByRole('option').getByText('no match').first().waitFor();
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
