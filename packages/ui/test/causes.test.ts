import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

async function redis(port: number, ...command: string[]): Promise<string> {
  return (await runTool('redis-cli', ['-p', String(port), ...command])).out.trim();
}

describe('what causes something', () => {
  itWithTool(
    'chromium',
    'a toxic is made, switched on for 30 s, changed, switched off and on again',
    async () => {
      const { url, host } = await start();
      const { page, complaints } = await open(`${url}/#/levers`);
      await page.getByLabel('Protocol of the toxic').selectOption('redis');
      await page.getByLabel('Type of the toxic').selectOption('latency');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      const label = 'latency_downstream of Redis';
      await page.getByLabel(`When ${label} ends`).selectOption('30s');
      await page.getByRole('spinbutton', { name: `latency of ${label}` }).fill('250');
      await page.getByRole('spinbutton', { name: `latency of ${label}` }).blur();
      const toggle = page.getByRole('switch', { name: label });
      await toggle.click();
      const toxics = host.kind('redis').toxics;
      await eventually(() => toxics.list().length === 1);
      expect(toxics.list()[0]).toMatchObject({ ttl: '30s', attributes: { latency: 250 } });
      await page.locator('.toxics .lever.on', { hasText: 'until ' }).waitFor();
      const likely = page.getByRole('slider', { name: `How likely ${label}` });
      await likely.focus();
      await likely.press('ArrowLeft');
      await eventually(() => toxics.list()[0]?.toxicity === 0.95);
      await toggle.click();
      await eventually(() => toxics.list().length === 0);
      // Switched off it is kept as it was, to be switched on again.
      await toggle.click();
      await eventually(() => toxics.list()[0]?.toxicity === 0.95);
      await page.getByLabel('Protocol of the toxic').selectOption('dns');
      await page.getByLabel('Type of the toxic').selectOption('truncate');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('switch', { name: 'truncate_downstream of DNS' }).click();
      await eventually(() => host.kind('dns').toxics.list().length === 1);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium redis-cli',
    'a reaction is made, fires, is switched off and deleted',
    async () => {
      const { url, port, host } = await start();
      const { page, complaints } = await open(`${url}/#/reactions`);
      await page.getByText('Nothing causes anything yet').waitFor();
      await page.getByRole('button', { name: 'New reaction' }).click();
      const editor = page.getByRole('textbox', { name: 'New reaction' });
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(
        JSON.stringify({
          id: 'night',
          on: { redis: { command: 'SET', key: 'mod*' } },
          do: [{ state: { mode: 'on' } }],
        }),
      );
      await page.getByRole('button', { name: 'Create' }).click();
      const item = page.locator('.item', { hasText: 'night' });
      await item.getByText('never fired').waitFor();
      expect(await redis(port('redis'), 'set', 'mode', 'x')).toBe('OK');
      await item.getByText('fired once').waitFor();
      expect(host.state.all()).toEqual({ mode: 'on' });
      await page.getByRole('switch', { name: 'Reaction night' }).click();
      await eventually(() => host.reactions.get('night').enabled === false);
      await page.getByRole('button', { name: 'Delete night' }).click();
      await eventually(() => host.reactions.list().length === 0);
      await page.getByText('Nothing causes anything yet').waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium redis-cli curl',
    'entries of the timeline become a check, which holds, and says what came nearest where it does not',
    async () => {
      const { url, port } = await start();
      await runTool('curl', ['-s', `http://127.0.0.1:${port('http')}/products`]);
      await redis(port('redis'), 'set', 'cart:7', 'empty');
      const { page, complaints } = await open(`${url}/#/timeline`);
      for (const name of [/products/, /cart:7/]) {
        await page.getByRole('option', { name }).click();
        await page.getByRole('button', { name: 'Expect this' }).click();
      }
      await page.getByRole('link', { name: 'Checks' }).click();
      await page.locator('.item').nth(1).waitFor();
      expect(await page.locator('.item').count()).toBe(2);
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('It holds.').waitFor();
      await redis(port('redis'), 'set', 'cart:7', 'full');
      await page.locator('.item').nth(1).getByLabel('How often').selectOption('3 times');
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('It does not hold.').waitFor();
      await page.locator('.item.broken .verdict', { hasText: /No: got \d/ }).waitFor();
      await page.getByRole('button', { name: 'Write an expectation' }).click();
      const editor = page.getByRole('textbox', { name: 'New expectation' });
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(JSON.stringify({ redis: { command: 'SET', key: 'basket:7' } }));
      await page.getByRole('button', { name: 'Keep' }).click();
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.locator('.nearest', { hasText: 'key: got "cart:7", want "basket:7"' }).waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'a space is made, shown by the whole page, and ended',
    async () => {
      const { url, port, host } = await start();
      const base = `http://127.0.0.1:${port('http')}`;
      const { page, complaints } = await open(`${url}/#/spaces`);
      await page.getByLabel('Id of the space').fill('t1');
      await page.getByRole('button', { name: 'Make a space' }).click();
      await eventually(() => host.spaces.list().length === 1);
      await page.getByRole('link', { name: 'Show', exact: true }).click();
      await page.getByText('Nothing has come yet').waitFor();
      expect(page.url()).toBe(`${url}/#/timeline?space=t1`);
      await runTool('curl', ['-s', `${base}/main`]);
      await runTool('curl', ['-s', '-H', 'Backlot-Space: t1', `${base}/mine`]);
      await page.getByRole('option', { name: /mine/ }).waitFor();
      expect(await page.getByRole('option', { name: /main$/ }).count()).toBe(0);
      expect(await page.locator('.counted').innerText()).toBe('1');
      await page.getByRole('link', { name: 'Faults and time' }).click();
      await page.getByRole('switch', { name: 'Fault of Redis' }).click();
      const { host: inner } = host.spaces.get('t1');
      await eventually(() => inner.faults.get('redis') !== undefined);
      expect(host.faults.get('redis')).toBeUndefined();
      // The choice stands in the address: a link shows the same space.
      await page.reload();
      await page.getByRole('switch', { name: 'Fault of Redis', checked: true }).waitFor();
      await page.getByLabel('Space', { exact: true }).selectOption('');
      await page.getByRole('switch', { name: 'Fault of Redis', checked: false }).waitFor();
      // All worlds in one list, also one that is made meanwhile; an entry is shown where it belongs.
      await page.goto(`${url}/#/timeline`);
      await page.getByRole('button', { name: 'All spaces' }).click();
      const columns = page.locator('.row .of-space');
      await page.locator('.row', { hasText: '/mine' }).waitFor();
      await host.spaces.create({ id: 't2' });
      await runTool('curl', ['-s', '-H', 'Backlot-Space: t2', `${base}/late`]);
      await page.locator('.row', { hasText: '/late' }).waitFor();
      expect(await columns.allInnerTexts()).toEqual(['', 't1', 't2']);
      await page.locator('.row', { hasText: '/mine' }).click();
      await page.getByRole('complementary', { name: 'Entry' }).getByText('/mine').first().waitFor();
      expect(page.url()).toBe(`${url}/#/timeline?space=t1&entry=1`);
      await host.spaces.remove('t2');
      await page.goto(`${url}/#/timeline?space=t1`);
      await page.getByRole('option', { name: /mine/ }).waitFor();
      await host.spaces.remove('t1');
      await page
        .getByText(/the space "t1" is gone/)
        .first()
        .waitFor();
      await page.getByRole('link', { name: 'Show the main world' }).click();
      await page.locator('.row', { hasText: '/main' }).waitFor();
      // The stream of a space ends with it, and what is asked for after that is refused: the browser tells of both.
      expect(complaints.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
    },
    LONG,
  );
});
