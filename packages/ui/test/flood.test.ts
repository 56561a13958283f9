import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 120_000;
const PART = 500;
/** How many rows the page keeps. */
const MOST = 20_000;
const COMMAND = '*2\r\n$3\r\nGET\r\n$8\r\ngreeting\r\n';
const ANSWER = '$5\r\nhello\r\n';

/** Sends so many commands over one connection, each part once the one before is answered. */
async function flood(port: number, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answered = 0;
  for (let sent = 0; sent < count; sent += PART) {
    socket.write(COMMAND.repeat(PART));
    while (answered < (sent + PART) * ANSWER.length) {
      const [data] = (await once(socket, 'data')) as [Buffer];
      answered += data.length;
    }
  }
  socket.end();
  await once(socket, 'close');
}

/** Begins to note what moves on the page without anybody having touched it, as the browser sees it. */
const OBSERVE = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts.push(value);
  }).observe({ type: 'layout-shift' });
`;

describe('a flood of messages', () => {
  itWithTool(
    'chromium redis-cli',
    'moves nothing on the page, which holds rows and elements of bounded number',
    async () => {
      const { url, port } = await start();
      const { page, complaints } = await open(`${url}/`);
      await page.getByText('live', { exact: true }).waitFor();
      await page.getByText('Nothing has come yet').waitFor();
      await runTool('redis-cli', ['-p', String(port('redis')), 'get', 'greeting']);
      await page.getByRole('option').first().waitFor();
      await page.evaluate(OBSERVE);
      const elements = (): Promise<number> => page.evaluate<number>('document.querySelectorAll("*").length');
      await flood(port('redis'), 2000);
      // More than anybody reads are counted in place of being sent.
      await page.getByText(/, \d+ not shown$/).waitFor();
      const few = await elements();
      await flood(port('redis'), 5000);
      // The page has caught up once it shows what came after the flood.
      const last = page.getByRole('option', { name: 'the-last' }).first();
      while (!(await last.isVisible()))
        await runTool('redis-cli', ['-p', String(port('redis')), 'get', 'the-last']);
      expect(await elements()).toBeLessThan(few + 100);
      expect(await page.getByRole('option').count()).toBeLessThan(80);
      expect(await page.evaluate<number[]>('window.shifts')).toEqual([]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium redis-cli',
    'leaves 20,000 rows in the browser, of which those exist that can be seen',
    async () => {
      const { url, port } = await start();
      await runTool('redis-cli', ['-p', String(port('redis')), 'get', 'the-newest']);
      const { page, complaints } = await open(`${url}/#/mocks`);
      // So many that the server has sent over time, as far as the page knows.
      await page.route('**/api/logs?limit=*', async (route) => {
        const answer = await route.fetch();
        const [newest] = (await answer.json()) as readonly object[];
        const older = Array.from({ length: MOST - 1 }, (_each, index) => ({
          ...newest,
          id: String(index + 2 - MOST),
          path: `key-${index}`,
        }));
        await route.fulfill({ response: answer, json: [...older, newest] });
      });
      await page.reload();
      await page.goto(`${url}/#/timeline`);
      await page.locator('.counted').getByText('20000', { exact: true }).waitFor();
      const rows = page.getByRole('option');
      const bounded = async (): Promise<void> => {
        expect(await rows.count()).toBeLessThan(80);
        expect(await rows.first().getAttribute('aria-setsize')).toBe('20000');
      };
      await page.getByRole('option', { name: 'the-newest' }).waitFor();
      await bounded();
      await page.getByRole('listbox').focus();
      await page.keyboard.press('Home');
      await page.getByRole('option', { name: 'key-0' }).first().waitFor();
      await bounded();
      for (let turn = 0; turn < 20; turn += 1) await page.mouse.wheel(0, 25_000);
      await page.keyboard.press('End');
      await page.getByRole('option', { name: 'the-newest', selected: true }).waitFor();
      await bounded();
      await page.getByRole('searchbox', { name: 'Search (/)' }).fill('key-12345');
      await page.getByText('1 of 20000').waitFor();
      expect(await rows.count()).toBe(1);
      await page.getByRole('searchbox', { name: 'Search (/)' }).fill('');
      await page.locator('.counted').getByText('20000', { exact: true }).waitFor();
      // The oldest go when there are more, many at once, and nothing moves that nobody has touched.
      await page.evaluate(OBSERVE);
      await runTool('redis-cli', ['-p', String(port('redis')), 'get', 'one-more']);
      await page.locator('.counted').getByText('19000', { exact: true }).waitFor();
      await page.getByRole('option', { name: 'one-more' }).waitFor();
      expect(await page.evaluate<number[]>('window.shifts')).toEqual([]);
      // The rows that were made up are none of the server, which says so when one is selected.
      expect(complaints.filter((text) => !text.includes('/api/logs/-'))).toEqual([]);
    },
    LONG,
  );
});
