import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import type { Locator, Page } from 'playwright-core';
import { open, write } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

/** The words that the command would be given by a shell; the last two say where the server is, since it is not at the usual place. */
async function wordsOf(command: string): Promise<string[]> {
  const { out } = await runTool('sh', ['-c', command.replace('npx backlot', String.raw`printf '%s\n'`)]);
  return out.trim().split('\n');
}

/** The forms of the action of a button, or of one of those of a switch, by their labels. */
async function formsOf(
  page: Page,
  button: Locator,
  part?: 'On' | 'Off',
): Promise<Readonly<Record<string, string>>> {
  const beside = button.locator('xpath=ancestor::*[contains(concat(" ", @class, " "), " act ")]');
  await beside.getByRole('button', { name: 'As code' }).click();
  const dialog = page.getByRole('dialog');
  const forms: Record<string, string> = {};
  const within = part === undefined ? dialog : dialog.getByRole('region', { name: part, exact: true });
  for (const form of await within.locator('.copied').all())
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
      expect(await wordsOf(cli)).toEqual(['delete', 'http', id, '--url', url]);
      await page.goto(`${url}/#/levers`);
      const scenario = page.getByRole('switch', { name: 'Scenario' });
      const { CLI: activate = '' } = await formsOf(page, scenario, 'On');
      expect(await wordsOf(activate)).toEqual(['scenario', 'activate', id, '--url', url]);
      await host.spaces.create({ id: 'cart' });
      await page.goto(`${url}/#/levers?space=cart`);
      const { CLI: within = '', TypeScript: script } = await formsOf(page, scenario, 'Off');
      expect(await wordsOf(within)).toEqual(['scenario', 'deactivate', id, '--space', 'cart', '--url', url]);
      expect(script).toBe(`backlot.host.spaces.get("cart").host.scenarios.deactivate(${JSON.stringify(id)})`);
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
        CLI: `npx backlot clock stop --url '${url}'`,
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
      expect(taken['CLI']).toBe(`npx backlot state delete 'a key' --url '${url}'`);
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
      expect(make['CLI']).toBe(`npx backlot spaces create 'cart' --ttl '10m' --url '${url}'`);
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

  itWithTool(
    'chromium mosquitto_pub mosquitto_sub',
    'the lines of switches, dialogs and the editor do what those do',
    async () => {
      const { url, host, port } = await start();
      await runTool('mosquitto_pub', ['-p', String(port('mqtt')), '-t', 'lamps/7', '-m', 'on']);
      host.kind('redis').toxics.add({ type: 'latency', attributes: { latency: 1 } });
      await host.reactions.create({
        id: 'night',
        on: { state: { key: 'mode' } },
        do: [{ state: { lights: 'off' } }],
      });
      const { page, complaints } = await open(`${url}/#/levers`);
      const toggle = (name: string): Locator => page.getByRole('switch', { name, exact: true });
      const button = (name: string): Locator => page.getByRole('button', { name, exact: true });

      await page.getByRole('slider', { name: /of Redis fail/ }).fill('25');
      await page.getByLabel('When the fault of Redis ends').selectOption('30s');
      const fault = await formsOf(page, toggle('Fault of Redis'), 'On');
      expect(fault['TypeScript']).toBe(
        `backlot.host.faults.set('redis', {"error_rate":0.25,"expires":"30s"})`,
      );
      await curl(fault);
      expect(host.faults.get('redis')).toMatchObject({ error_rate: 0.25, expires: '30s' });
      await curl(await formsOf(page, toggle('Fault of Redis'), 'Off'));
      expect(host.faults.get('redis')).toBeUndefined();

      const toxic = toggle('latency_downstream of Redis');
      await curl(await formsOf(page, toxic, 'On'));
      await curl(await formsOf(page, toxic, 'Off'));
      expect(host.kind('redis').toxics.list()).toEqual([]);

      await curl(await formsOf(page, toggle('Scenario outage'), 'On'));
      expect(host.scenarios.active()).toHaveLength(1);
      await curl(await formsOf(page, toggle('Scenario outage'), 'Off'));
      expect(host.scenarios.active()).toEqual([]);

      await page.getByLabel('How long redis-loading lasts').selectOption('5m');
      const begin = await formsOf(page, toggle('Incident redis-loading'), 'On');
      expect(begin['CLI']).toBe(`npx backlot incident start redis-loading --for 5m --url '${url}'`);
      await curl(begin);
      await curl(await formsOf(page, button('End incident redis-loading')));
      expect(host.incidents.get('redis-loading').running).toBeUndefined();

      await page.goto(`${url}/#/reactions`);
      await curl(await formsOf(page, toggle('Reaction night'), 'Off'));
      expect(host.reactions.get('night').enabled).toBe(false);
      await curl(await formsOf(page, toggle('Reaction night'), 'On'));
      expect(host.reactions.get('night').enabled ?? true).toBe(true);

      // A dialog shows what it would send as it stands there.
      await page.goto(`${url}/#/messages?kind=mqtt`);
      await button('Publish').click();
      const dialog = page.getByRole('dialog');
      await write(
        dialog.getByRole('textbox'),
        '{"topic": "lamps/8", "payload": "it\'s dim", "retain": true}',
      );
      await dialog.getByText('As code').click();
      await curl({ curl: await dialog.locator('.copied', { hasText: 'curl' }).locator('code').innerText() });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      const kept = await runTool('mosquitto_sub', ['-p', String(port('mqtt')), '-t', 'lamps/8', '-C', '1']);
      expect(kept.out.trim()).toBe("it's dim");

      await page.goto(`${url}/#/mocks?kind=http&id=products`);
      await button('Edit').click();
      await write(
        page.getByRole('textbox', { name: 'The mock as JSON' }),
        '{"request": {}, "response": {"status": 203}}',
      );
      await page.locator('.effect .loading').waitFor({ state: 'detached' });
      await curl(await formsOf(page, button('Replace')));
      expect(host.kind('http').mocks.get('products')).toMatchObject({ response: { status: 203 } });
      await page.goto(`${url}/#/mocks?kind=http`);
      await button('New mock').click();
      const create = await formsOf(page, button('Create'));
      expect(create['CLI']).toMatch(/^npx backlot add http '\{.*\}' --url /);
      const count = host.kind('http').mocks.list().length;
      await curl(create);
      expect(host.kind('http').mocks.list()).toHaveLength(count + 1);
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
