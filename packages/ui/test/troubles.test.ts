import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

describe('troubles', () => {
  itWithTool(
    'chromium redis-cli',
    'an incident is begun for a while with what can be said of it, is felt, and is ended',
    async () => {
      const { url, port, host } = await start();
      const redis = async (): Promise<string> => {
        const { out, err } = await runTool('redis-cli', ['-p', String(port('redis')), 'get', 'greeting']);
        return `${out}${err}`.trim();
      };
      const { page, complaints } = await open(`${url}/#/levers`);
      const incident = page.locator('.incidents .lever', { hasText: 'redis-loading' });
      await incident.locator('.what > summary').click();
      await incident.getByText(/tries again/).waitFor();
      await incident.getByLabel('Add a field').selectOption('down');
      await incident.getByLabel('down', { exact: true }).fill('100ms');
      await page.getByLabel('How long redis-loading lasts').selectOption('5m');
      await page.getByRole('switch', { name: 'Incident redis-loading' }).click();
      await incident.getByText('until ').waitFor();
      const { running } = host.incidents.get('redis-loading');
      expect(Date.parse(running?.ends_at ?? '') - Date.parse(running?.began_at ?? '')).toBe(300_000);
      expect(running?.fields).toEqual({ down: '100ms' });
      let answer = '';
      while (!answer.startsWith('LOADING')) answer = await redis();
      // What runs stands first, and its fault among those of its protocol, with what it comes from.
      expect(await page.locator('.incidents .lever').first().innerText()).toContain('redis-loading');
      const fault = page.locator('.elsewhere', { hasText: 'incident redis-loading' });
      await fault.waitFor();
      expect(await fault.locator('.kind').innerText()).toBe('Redis');
      await page.getByRole('switch', { name: 'Fault of Redis' }).click();
      await page.getByText('covered by an incident').waitFor();
      await fault.getByRole('button', { name: 'End incident redis-loading' }).click();
      await eventually(() => host.incidents.get('redis-loading').running === undefined);
      await page.getByText('covered by an incident').waitFor({ state: 'detached' });
      expect(await redis()).toBe('ERR fault injected');
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium',
    'what a scenario has brought is shown with its name, in words, and ended from there',
    async () => {
      const { url, host } = await start({
        scenarios: [
          {
            id: 'storm',
            faults: { dns: { error_rate: 0.5 } },
            toxics: { redis: [{ type: 'latency', attributes: { latency: 40 } }] },
          },
          {
            id: 'rain',
            toxics: { redis: [{ type: 'latency' }, { type: 'bandwidth', attributes: { rate: 1 } }] },
            incidents: { 'redis-loading': {} },
          },
        ],
      });
      const { page, complaints } = await open(`${url}/#/levers`);
      const contentOf = (id: string): Promise<string> =>
        page.locator('.named .lever', { hasText: id }).locator('.target').innerText();
      expect(await contentOf('storm')).toBe('1 fault, 1 toxic');
      expect(await contentOf('rain')).toBe('2 toxics, 1 incident');
      await page.getByRole('switch', { name: 'Scenario storm' }).click();
      const shown = page.locator('.elsewhere', { hasText: 'scenario storm' });
      await shown.nth(1).waitFor();
      expect(await shown.first().locator('.target').innerText()).toBe('50 % fail');
      expect(await shown.nth(1).locator('.target').innerText()).toBe(
        'latency, latency 40, jitter 0, to clients',
      );
      await shown.nth(1).getByRole('button', { name: 'End scenario storm' }).click();
      await shown.first().waitFor({ state: 'detached' });
      expect(host.scenarios.active()).toEqual([]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
