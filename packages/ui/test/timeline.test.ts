import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
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

  itWithTool(
    'chromium curl redis-cli',
    'is narrowed down by every filter, each of which stands in the address',
    async () => {
      const { url, port, host } = await start();
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const base = `http://127.0.0.1:${port('http')}`;
      await runTool('curl', ['-s', `${base}/products`]);
      await runTool('curl', ['-s', `${base}/lamps`, '-H', `traceparent: 00-${trace}-00f067aa0ba902b7-01`]);
      await runTool('curl', ['-s', `${base}/payments`, '-d', 'amount=4200']);
      await runTool('redis-cli', ['-p', String(port('redis')), 'get', 'greeting']);
      host.faults.set('http', { error_rate: 1, status: 418 });
      await runTool('curl', ['-s', `${base}/products`]);
      const remote = String(host.journal.list()[3]?.['remote']);

      const { page, complaints } = await open(`${url}/`);
      const rows = page.getByRole('option');
      const shown = async (count: number): Promise<string[]> => {
        await page.getByText(`${count} of 5`, { exact: true }).waitFor();
        return page.locator('.row .target').allInnerTexts();
      };
      const field = (name: string) => page.getByRole('searchbox', { name, exact: true });
      const toggle = (name: string) => page.getByRole('button', { name, exact: true });
      const filters: readonly (readonly [
        query: string,
        set: () => Promise<void>,
        paths: readonly string[],
      ])[] = [
        ['protocol=redis', () => page.locator('.lane', { hasText: 'Redis' }).click(), ['greeting']],
        ['mock=pay', () => field('Mock').fill('pay'), ['/payments']],
        ['status=4', () => field('Status').fill('4'), ['/lamps', '/products']],
        ['unmatched=1', () => toggle('No match').click(), ['/lamps']],
        ['fault=1', () => toggle('Fault').click(), ['/products']],
        ['q=4200', () => field('Search (/)').fill('4200'), ['/payments']],
        [`remote=${encodeURIComponent(remote)}`, () => field('Connection').fill(remote), ['greeting']],
        [`trace=${trace}`, () => field('Trace').fill(trace), ['/lamps']],
      ];
      for (const [query, set, paths] of filters) {
        await page.goto(`${url}/#/timeline`);
        await rows.nth(4).waitFor();
        await set();
        await page.waitForURL((address) => address.hash === `#/timeline?${query}`);
        expect(await shown(paths.length)).toEqual(paths);
        // Who is given the address sees the same.
        await page.reload();
        expect(await shown(paths.length)).toEqual(paths);
      }
      // They narrow down together; all are taken back at once.
      await page.goto(`${url}/#/timeline?status=4&fault=1&q=lamps`);
      await page.getByText('None of the 5 entries fits this filter.').waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await rows.nth(4).waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl redis-cli kcat',
    'shows an entry with request and answer side by side, and gives it as a command and as HAR',
    async () => {
      const { url, port, host } = await start();
      const base = `http://127.0.0.1:${port('http')}`;
      host.faults.set('http', { delay: '30ms', error_rate: 0 });
      const json = '{"amount":4200,"note":"it\'s \u00fc"}';
      const headers = ['-H', 'content-type: application/json', '-H', 'x-shop: lamps'];
      await runTool('curl', ['-s', ...headers, '-d', json, `${base}/payments?a=1&a=2&b=x%20y`]);
      await runTool('sh', [
        '-c',
        String.raw`printf '\377\001abc' | curl -s --data-binary @- "$0"`,
        `${base}/payments`,
      ]);
      await runTool('redis-cli', ['-p', String(port('redis')), 'set', 'a key', "it's"]);
      await runTool('kcat', ['-P', '-b', `127.0.0.1:${port('kafka')}`, '-t', 'payments', '-K:'], {
        input: 'k1:{"id": 7}\n',
      });
      const { page, context, complaints } = await open(`${url}/#/timeline?entry=1`);
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      const entry = page.getByRole('complementary', { name: 'Entry' });
      const request = entry.getByRole('region', { name: 'Request' });
      const answer = entry.getByRole('region', { name: 'Answer' });
      await answer.getByText('"paid"').waitFor();
      const [left, right] = [await request.boundingBox(), await answer.boundingBox()];
      expect(left?.y).toBe(right?.y);
      expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(right?.x ?? 0);
      expect(await request.locator('pre').innerText()).toBe(JSON.stringify(JSON.parse(json), undefined, 2));
      await request.getByText('x-shop', { exact: true }).waitFor();
      await answer.getByText('content-type', { exact: true }).waitFor();
      await request.getByRole('button', { name: 'hex' }).click();
      expect(await request.locator('pre').innerText()).toContain('000000  7b 22 61 6d 6f 75 6e 74');
      await entry.getByText('20 ms delay of the mock').waitFor();
      await entry.getByText('30 ms delay of the fault').waitFor();
      await entry.getByText(/ the rest$/).waitFor();

      // Bytes are shown as such.
      await page.goto(`${url}/#/timeline?entry=2`);
      await request.getByText('ff 01 61 62 63').waitFor();

      // Each command says the same again, as it comes from the clipboard.
      for (const [id, tool] of [
        ['1', 'curl'],
        ['3', 'redis-cli'],
        ['4', 'kcat'],
      ] as const) {
        await page.goto(`${url}/#/timeline?entry=${id}`);
        const copied = entry.locator('.copied', { has: page.getByText(tool, { exact: true }) });
        await copied.getByRole('button', { name: 'Copy' }).click();
        await copied.getByRole('button', { name: 'Copied' }).waitFor();
        const command = await page.evaluate<string>('navigator.clipboard.readText()');
        expect(command).toMatch(new RegExp(`\\b${tool}\\b`));
        const before = host.journal.list().length;
        const { code, err } = await runTool('bash', ['-c', command]);
        expect({ code, err: tool === 'curl' ? '' : err }).toEqual({ code: 0, err: '' });
        await eventually(() => host.journal.list().length > before);
        const { method, path, body } = host.journal.list().at(-1) ?? {};
        const first = host.journal.list()[Number(id) - 1];
        expect({ method, path, body }).toEqual({
          method: first?.['method'],
          path: first?.['path'],
          body: first?.['body'],
        });
      }

      await page.goto(`${url}/#/timeline`);
      await page
        .getByRole('option')
        .first()
        .click({ modifiers: ['Control'] });
      await page
        .getByRole('option')
        .nth(1)
        .click({ modifiers: ['Control'] });
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save 2 as HAR' }).click();
      const { log } = JSON.parse(await readFile(await (await saved).path(), 'utf8')) as {
        readonly log: { readonly version: string; readonly entries: readonly unknown[] };
      };
      expect(log.version).toBe('1.2');
      expect(log.entries).toMatchObject([
        {
          startedDateTime: host.journal.list()[0]?.['timestamp'],
          request: {
            method: 'POST',
            url: `${base}/payments?a=1&a=2&b=x+y`,
            headers: expect.arrayContaining([{ name: 'x-shop', value: 'lamps' }]),
            queryString: [
              { name: 'a', value: '1' },
              { name: 'a', value: '2' },
              { name: 'b', value: 'x y' },
            ],
            bodySize: Buffer.byteLength(json),
            postData: { mimeType: 'application/json', text: json },
          },
          response: {
            status: 201,
            content: { size: 17, mimeType: 'application/json', text: '{"status":"paid"}' },
          },
          timings: { blocked: 50 },
        },
        { request: { bodySize: 5, postData: { text: '/wFhYmM=', _encoding: 'base64' } } },
      ]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
