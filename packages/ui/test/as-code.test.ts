import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import type { Locator, Page } from 'playwright-core';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

/** The words that the command would be given by a shell. */
async function wordsOf(command: string): Promise<string[]> {
  const { out } = await runTool('sh', ['-c', command.replace('npx backlot', String.raw`printf '%s\n'`)]);
  return out.trim().split('\n');
}

/** The forms of the action of a button, by their labels. */
async function formsOf(page: Page, button: Locator): Promise<Readonly<Record<string, string>>> {
  await button.locator('..').getByRole('button', { name: 'As code' }).click();
  const dialog = page.getByRole('dialog');
  const forms: Record<string, string> = {};
  for (const form of await dialog.locator('.copied').all())
    forms[await form.locator('.label').innerText()] = await form.locator('code').innerText();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  return forms;
}

/** Does what a line of curl says. */
async function curl({ curl: line = 'false' }: Readonly<Record<string, string>>): Promise<void> {
  const { code, err } = await runTool('sh', ['-c', line.replace('curl -s', 'curl -sS --fail')]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
}

describe('as code', () => {
  itWithTool(
    'chromium',
    'an id with spaces and signs of the shell is one word of a command',
    async () => {
      const id = "a b; echo it's $HOME";
      const { url, host } = await start({ scenarios: [{ id, faults: { redis: { error_rate: 1 } } }] });
      host.kind('http').mocks.create({ id, request: { path: '/odd' }, response: { status: 200 } });
      const { page, complaints } = await open(`${url}/#/mocks?kind=http&id=${encodeURIComponent(id)}`);
      const { CLI: cli = '' } = await formsOf(page, page.getByRole('button', { name: 'Delete' }));
      expect(await wordsOf(cli)).toEqual(['delete', 'http', id]);
      await page.goto(`${url}/#/levers`);
      const scenario = page.locator('li', { has: page.getByRole('switch', { name: 'Scenario' }) });
      await scenario.getByText('As code').click();
      const words = await wordsOf(
        await scenario.locator('.copied', { hasText: 'CLI' }).locator('code').innerText(),
      );
      expect(words).toEqual(['scenario', 'activate', id]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl mosquitto_pub',
    'the lines of actions do what their buttons do',
    async () => {
      const { url, host, port } = await start();
      host.snapshots.create('empty');
      host.state.setAll({ 'a key': 'on', other: 'on' });
      const { page, complaints } = await open(`${url}/#/levers`);
      const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

      const freeze = await formsOf(page, button('Freeze'));
      expect(freeze).toMatchObject({
        CLI: 'npx backlot clock stop',
        TypeScript: 'backlot.host.clock.freeze(true)',
      });
      await curl(freeze);
      await page.getByText('stopped').waitFor();
      const before = host.clock.now();
      const hour = await formsOf(page, button('+ 1h'));
      await curl(hour);
      expect(host.clock.now()).toBe(before + 3_600_000);
      await runTool(process.execPath, ['--input-type=module', '-e', hour['TypeScript'] ?? '']);
      expect(host.clock.now()).toBe(before + 7_200_000);
      await button('+ 1h').click();
      await eventually(() => host.clock.now() === before + 10_800_000);

      const taken = await formsOf(page, button('Delete a key'));
      expect(taken['CLI']).toBe("npx backlot state delete 'a key'");
      await curl(taken);
      await button('Delete a key').waitFor({ state: 'detached' });
      await button('Delete other').click();
      await eventually(() => host.state.size === 0);

      host.state.setAll({ mode: 'night' });
      await curl(await formsOf(page, button('Restore')));
      expect(host.state.all()).toEqual({});
      host.state.setAll({ mode: 'night' });
      await curl(await formsOf(page, button('Reset everything')));
      expect(host.state.all()).toEqual({});
      expect(host.clock.view().frozen).toBe(false);

      await page.goto(`${url}/#/spaces`);
      await page.getByLabel('Id of the space').fill('cart');
      const make = await formsOf(page, button('Make a space'));
      expect(make['CLI']).toBe("npx backlot spaces create 'cart' --ttl '10m'");
      await curl(make);
      expect(host.spaces.find('cart')).toBeDefined();
      await curl(await formsOf(page, button('End cart')));
      expect(host.spaces.find('cart')).toBeUndefined();

      await runTool('mosquitto_pub', ['-p', String(port('mqtt')), '-t', 'lamps/7', '-m', 'on']);
      await page.goto(`${url}/#/messages?kind=mqtt`);
      await page.getByText('lamps/7').first().waitFor();
      await curl(await formsOf(page, button('Clear')));
      await page.getByText('No message has come yet').waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
