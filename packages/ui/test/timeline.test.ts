import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';
import { TOOLS, sendTraffic } from './support/traffic.js';

afterEach(stopAll);

const LONG = 60_000;

describe('the timeline', () => {
  itWithTool(
    TOOLS,
    'shows what nine kinds of clients send as they send it, and why one got no answer',
    async () => {
      const server = await start();
      const { page, complaints, asked } = await open(`${server.url}/`);
      await page.getByText('Nothing has come yet').waitFor();
      await sendTraffic(server);
      const rows = page.getByRole('listbox', { name: 'Log entries' }).getByRole('option');
      for (const text of [
        '/prodcts',
        'greeting',
        'ann@example.com -> bob@example.com',
        'sensors/7/temp',
        'payments',
        'orders',
        'www.example.com',
        '/report.txt',
        'dc=example,dc=org',
      ])
        await rows.filter({ hasText: text }).first().waitFor();

      // A filter stands in the address: who opens it elsewhere sees the same.
      await page.getByRole('button', { name: 'No match' }).click();
      await page.waitForURL(/unmatched=1/);
      const shown = await rows.allInnerTexts();
      expect(shown).toHaveLength(1);
      const other = await open(page.url());
      await other.page.getByRole('option').first().waitFor();
      expect(await other.page.getByRole('option').allInnerTexts()).toEqual(shown);

      await rows.first().click();
      const entry = page.getByRole('complementary', { name: 'Entry' });
      await entry.getByText('No mock matched.').waitFor();
      const near = entry.locator('.near > li').first();
      expect(await near.innerText()).toContain('"/prodcts"');
      expect(await near.innerText()).toContain('"/products"');
      expect(complaints).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(server.url))).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'is driven by keys: search, next, previous, close, pause',
    async () => {
      const { url, port } = await start();
      for (const path of ['a', 'b', 'c'])
        await runTool('curl', ['-s', `http://127.0.0.1:${port('http')}/${path}`]);
      const { page } = await open(`${url}/`);
      await page.getByRole('option').nth(2).waitFor();
      await page.keyboard.press('j');
      await page.waitForURL(/entry=1/);
      await page.keyboard.press('j');
      await page.waitForURL(/entry=2/);
      await page.keyboard.press('k');
      await page.waitForURL(/entry=1/);
      await page.keyboard.press('Escape');
      await page.waitForURL((address) => !address.hash.includes('entry'));
      await page.keyboard.press('/');
      await page.keyboard.type('/c');
      await page.waitForURL(/q=%2Fc/);
      await page.getByText('1 of 3').waitFor();
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Pause' }).click();
      await runTool('curl', ['-s', `http://127.0.0.1:${port('http')}/c`]);
      await runTool('curl', ['-s', `http://127.0.0.1:${port('http')}/c`]);
      const goOn = page.getByRole('button', { name: 'Go on (2 new)' });
      await goOn.waitFor();
      await page.getByText('1 of 3').waitFor();
      expect(await page.getByRole('option').count()).toBe(1);
      await goOn.click();
      await page.getByText('3 of 5').waitFor();
      await page.getByRole('listbox').focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    },
    LONG,
  );

  itWithTool(
    'chromium curl redis-cli',
    'says what was added to the time, follows a trace, and gives a message as a command and as HAR',
    async () => {
      const { url, port, host } = await start();
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const base = `http://127.0.0.1:${port('http')}`;
      host.faults.set('http', { delay: '30ms', error_rate: 0 });
      const traced = ['-H', `traceparent: 00-${trace}-00f067aa0ba902b7-01`];
      await runTool('curl', ['-s', '-X', 'POST', ...traced, '-d', "it's", `${base}/payments`]);
      await runTool('curl', ['-s', ...traced, `${base}/products`]);
      await runTool('redis-cli', ['-p', String(port('redis')), 'set', 'a key', "it's"]);
      const { page, complaints } = await open(`${url}/#/timeline?entry=1`);
      const entry = page.getByRole('complementary', { name: 'Entry' });
      await entry.getByText('20 ms delay of the mock').waitFor();
      await entry.getByText('30 ms delay of the fault').waitFor();

      const command = await entry.locator('.copied', { hasText: 'curl' }).locator('code').first().innerText();
      await runTool('bash', ['-c', command]);
      await page.getByRole('option').nth(3).waitFor();
      expect(host.journal.list().at(-1)).toMatchObject({
        method: 'POST',
        path: '/payments',
        body: "it's",
        trace,
      });

      await entry.getByRole('link', { name: 'All of this trace' }).click();
      await page.waitForURL(new RegExp(`trace=${trace}`));
      await page.getByText('3 of 4').waitFor();
      const found = await fetch(`${url}/api/logs?trace=${trace}&path=/products`);
      expect(await found.json()).toMatchObject([{ trace, path: '/products' }]);

      await page
        .getByRole('option')
        .nth(0)
        .click({ modifiers: ['Control'] });
      await page
        .getByRole('option')
        .nth(2)
        .click({ modifiers: ['Shift'] });
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save 3 as HAR' }).click();
      const { log } = JSON.parse(await readFile(await (await saved).path(), 'utf8')) as {
        log: { entries: { request: { url: string }; timings: { blocked: number } }[] };
      };
      expect(log.entries.map(({ request }) => new URL(request.url).pathname)).toEqual([
        '/payments',
        '/products',
        '/payments',
      ]);
      expect(log.entries[0]?.timings.blocked).toBe(50);
      await page.getByRole('button', { name: 'Mark none' }).click();

      await page.goto(`${url}/#/timeline?entry=3`);
      await entry.getByText('none is needed').waitFor();
      await entry.getByText(/redis-cli -h/).waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
