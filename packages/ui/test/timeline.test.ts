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
      await page.getByRole('button', { name: 'Go on' }).click();
      await page.getByText('3 of 5').waitFor();
      await page.getByRole('listbox').focus();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    },
    LONG,
  );
});
