import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

describe('levers', () => {
  itWithTool(
    'chromium redis-cli curl',
    'faults and scenarios are switched, and clients feel it',
    async () => {
      const { url, port, host } = await start();
      const redis = async (): Promise<string> =>
        (await runTool('redis-cli', ['-p', String(port('redis')), 'get', 'greeting'])).out.trim();
      const { page, complaints } = await open(`${url}/#/levers`);
      const fault = page.getByRole('switch', { name: 'Fault of Redis' });
      await fault.click();
      await eventually(() => host.faults.get('redis') !== undefined);
      expect(await redis()).toBe('ERR fault injected');
      const slider = page.getByRole('slider', { name: /Redis/ });
      await slider.focus();
      await slider.press('Home');
      await eventually(
        () => (host.faults.get('redis') as { error_rate?: number } | undefined)?.error_rate === 0,
      );
      expect(await redis()).toBe('hello');
      await fault.click();
      await eventually(() => host.faults.get('redis') === undefined);

      await page.getByRole('switch', { name: 'Scenario outage' }).click();
      await page.locator('.lever.on', { hasText: 'Payments are down' }).waitFor();
      const paid = await runTool('curl', [
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        '-X',
        'POST',
        `http://127.0.0.1:${port('http')}/payments`,
      ]);
      expect(paid.out).toBe('503');
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium',
    'the clock, the state, snapshots and the reset do what they say',
    async () => {
      const { url, host } = await start();
      const { page, complaints } = await open(`${url}/#/levers`);
      await page.getByRole('button', { name: 'Freeze' }).click();
      await page.getByText('stopped').waitFor();
      const before = host.clock.now();
      await page.getByRole('button', { name: '+ 1h' }).click();
      await eventually(() => host.clock.now() === before + 3_600_000);
      await page.getByLabel('A moment to set the clock to').fill('2031-05-06T07:08:09');
      await page.getByRole('button', { name: 'Set', exact: true }).first().click();
      await eventually(() => host.clock.now() === new Date('2031-05-06T07:08:09').getTime());
      await page.getByLabel('Key', { exact: true }).fill('maintenance');
      await page.getByLabel('Value', { exact: true }).fill('on');
      await page.getByRole('button', { name: 'Set', exact: true }).last().click();
      await page.getByText('maintenance', { exact: true }).waitFor();
      await page.getByLabel('Name of the snapshot').fill('before');
      await page.getByRole('button', { name: 'Take a snapshot' }).click();
      await page.getByRole('button', { name: 'Restore' }).waitFor();
      await page.getByRole('button', { name: 'Delete maintenance' }).click();
      await eventually(() => host.state.size === 0);
      await page.getByRole('button', { name: 'Restore' }).click();
      await eventually(() => host.state.all()['maintenance'] === 'on');
      await page.getByRole('button', { name: 'Reset everything' }).click();
      await eventually(() => host.state.size === 0 && !host.clock.view().frozen);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium',
    'a fault ends by itself, and a snapshot says what has changed since',
    async () => {
      const { url, host } = await start();
      host.clock.freeze(true);
      const { page, complaints } = await open(`${url}/#/levers`);
      await page.getByLabel('Name of the snapshot').fill('before');
      await page.getByRole('button', { name: 'Take a snapshot' }).click();
      await page.getByRole('button', { name: 'Changes' }).click();
      await page.getByText('are as they were').waitFor();
      const ends = page.getByLabel('When the fault of Redis ends');
      await ends.waitFor();
      // A text, since tests have no types of the browser.
      const [given = 0, needed = 1] = await page.evaluate<number[]>(`(() => {
        const select = document.querySelector('[aria-label="When the fault of Redis ends"]');
        const width = select.offsetWidth;
        select.style.width = 'auto';
        const whole = select.offsetWidth;
        select.style.width = '';
        return [width, whole];
      })()`);
      expect(given).toBeGreaterThanOrEqual(needed);
      await ends.selectOption('30s');
      await page.getByRole('switch', { name: 'Fault of Redis' }).click();
      await eventually(() => host.faults.get('redis')?.left?.expires_ms === 30_000);
      await page.getByRole('timer').filter({ hasText: '30.0 s' }).waitFor();
      const change = page.locator('.snapshot-changes li', { hasText: 'redis' });
      await change.locator('summary').click();
      await change.getByText('"30s"').waitFor();
      await host.clock.advance(30_000);
      await eventually(() => host.faults.get('redis') === undefined);
      await page.locator('.lever.on').waitFor({ state: 'detached' });
      await page.getByText('are as they were').waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
