import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

describe('the things that services hold', () => {
  itWithTool(
    'chromium redis-cli',
    'keys stand in a tree, and are made, changed and deleted',
    async () => {
      const { url, port } = await start();
      const redis = async (...args: string[]): Promise<string> =>
        (await runTool('redis-cli', ['-p', String(port('redis')), ...args])).out.trim();
      const { page, complaints } = await open(`${url}/#/data?kind=redis`);
      await page.getByRole('button', { name: '7', exact: true }).click();
      await page.getByRole('region', { name: '0:user:7' }).getByText('"Ada"').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('.editor[data-ready]').waitFor();
      // What it begins with can be saved; a list that is asked for again meanwhile takes nothing away that was written.
      expect(await dialog.getByRole('textbox').innerText()).toContain('"database": 0');
      await dialog.getByRole('textbox').fill('{"key": "user:7", "value": "Ada L."}');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await redis('get', 'user:7')).toBe('Ada L.');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('"0:user:7" is deleted').waitFor();
      expect(await redis('exists', 'user:7')).toBe('0');
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'the directory, the files and the collections are there',
    async () => {
      const { url } = await start();
      const { page, complaints } = await open(`${url}/#/data?kind=ldap`);
      await page.getByRole('button', { name: 'uid=ada', exact: false }).click();
      await page.getByText('"Lovelace"', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Collections' }).click();
      await page.getByRole('button', { name: 'cus_1' }).click();
      await page.getByRole('region', { name: 'Row' }).getByText('"Ada"').waitFor();
      await page.getByRole('button', { name: /^FTP/ }).click();
      await page.getByRole('button', { name: 'New file' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('.editor[data-ready]').waitFor();
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'orders.csv', exact: false }).waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium mosquitto_sub curl',
    'open connections and streams are listed, pushed into and closed',
    async () => {
      const { url, port, host } = await start();
      const listener = runTool('mosquitto_sub', [
        '-h',
        '127.0.0.1',
        '-p',
        String(port('mqtt')),
        '-i',
        'lamp-7',
        '-t',
        'lamps/#',
        '-C',
        '1',
      ]);
      const stream = runTool('curl', ['-sN', `http://127.0.0.1:${port('http')}/ticker`]);
      await eventually(() => host.streams.list().length === 1);
      const { page, complaints } = await open(`${url}/#/connections`);
      await page.getByRole('cell', { name: 'lamps/#' }).waitFor();
      await page.getByRole('button', { name: 'Push' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('.editor[data-ready]').waitFor();
      await dialog.getByRole('textbox').fill('{"data": "from the page"}');
      await dialog.getByRole('button', { name: 'Push' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page
        .locator('section', { hasText: 'Open streams' })
        .getByRole('button', { name: 'Close' })
        .click();
      expect((await stream).out).toContain('from the page');
      const [first] = host.kind('mqtt').connections.list();
      await page.getByRole('row', { name: 'lamp-7' }).getByRole('button', { name: 'Reset' }).click();
      await eventually(
        () =>
          !host
            .kind('mqtt')
            .connections.list()
            .some(({ id }) => id === first?.id),
      );
      // The client comes back by itself, and leaves with its first message.
      await host.kind('mqtt').data.publish({ topic: 'lamps/7', payload: 'on', retain: true });
      expect((await listener).code).toBe(0);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium',
    'webhooks are there with their attempts, and one is sent again',
    async () => {
      const { url, host, port } = await start();
      await host.webhooks?.send({
        url: `http://127.0.0.1:${port('http')}/payments`,
        body: '{"id": 7}',
      });
      const { page, complaints } = await open(`${url}/#/webhooks`);
      await page.getByRole('button', { name: /payments/ }).click();
      await page.getByRole('region', { name: 'Attempt', exact: true }).getByText('"paid"').waitFor();
      await page.getByRole('button', { name: 'Send again' }).click();
      await eventually(() => host.kind('http').calls.of('pay').count === 2);
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
