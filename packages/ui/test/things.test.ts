import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

/** A port where nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

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
    'webhooks are there with their attempts and what failed of them, and one is sent again',
    async () => {
      const { url, host, port } = await start();
      const receiver = `http://127.0.0.1:${port('http')}`;
      // Sent to a port where nobody listens, and to a server in trouble.
      const closed = await freePort();
      await host.webhooks
        ?.send({ url: `http://127.0.0.1:${closed}/gone`, body: 'lost' })
        .catch(() => undefined);
      host.faults.set('http', { error_rate: 1 });
      await host.webhooks?.send({ url: `${receiver}/payments`, body: '{"id": 7}' }).catch(() => undefined);
      host.faults.clear('http');
      const { page, complaints } = await open(`${url}/#/webhooks`);
      const gone = page.getByRole('button', { name: /gone/ }).first();
      expect(await gone.innerText()).toMatch(/failed[^]*refused/i);
      await page
        .getByRole('button', { name: /payments/ })
        .first()
        .click();
      const attempt = page.getByRole('region', { name: 'Attempt', exact: true });
      await attempt.locator('h3 .status', { hasText: /^5\d\d$/ }).waitFor();
      const before = host.kind('http').calls.of('pay').count;
      await attempt.getByRole('button', { name: 'Send again' }).click();
      await eventually(() => host.kind('http').calls.of('pay').count > before);
      await page.locator('.card', { hasText: '201' }).first().click();
      await attempt.getByText('"paid"').waitFor();
      expect(host.journal.list().at(-1)).toMatchObject({ path: '/payments', body: '{"id": 7}' });
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium dig',
    'mocks that are records stand in a table, where they are made and changed',
    async () => {
      const { url, port } = await start();
      const { page, complaints } = await open(`${url}/#/data?kind=dns`);
      await page.getByRole('cell', { name: '192.0.2.7' }).waitFor();
      await page.getByRole('button', { name: 'www', exact: true }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.editor[data-ready]').waitFor();
      const editor = page.getByRole('textbox', { name: 'The mock as JSON' });
      await editor.fill('{"name": "www.example.com", "records": ["192.0.2.9"]}');
      await page.getByText('Nothing has come yet that').waitFor();
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByText('is in effect').waitFor();
      const asked = ['@127.0.0.1', '-p', String(port('dns')), '+short', 'www.example.com'];
      expect((await runTool('dig', asked)).out.trim()).toBe('192.0.2.9');
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium',
    'the interface is searched and tried on the page',
    async () => {
      const { url, host } = await start();
      const { page, complaints, asked } = await open(`${url}/api/docs`);
      await page.waitForURL(/#\/api$/);
      await page.getByRole('link', { name: /^Redis/ }).click();
      await page.getByRole('button', { name: /^POST \/api\/mocks\/redis / }).click();
      const body = page.getByLabel('Body *');
      await body.fill('{"id": "made", "command": "GET"');
      await page.getByText('This is no JSON yet.').waitFor();
      await body.fill('{"id": "made", "command": "GET", "response": {"type": "bulk", "value": "<b>hi</b>"}}');
      await page.getByText('What the body may hold').click();
      await page.getByText('Mocks with a higher priority').first().waitFor();
      await page.getByRole('button', { name: 'Send POST' }).click();
      await page.getByRole('region', { name: 'Answer' }).getByText('201').waitFor();
      expect(host.kind('redis').mocks.has('made')).toBe(true);
      await page.getByRole('searchbox').fill('delete mocks redis id');
      await page.getByRole('button', { name: /^DELETE \/api\/mocks\/redis\/\{id\} / }).click();
      expect(await page.getByRole('button', { name: 'Send DELETE' }).isDisabled()).toBe(true);
      await page.getByLabel('id *').fill('made');
      await page.getByRole('button', { name: 'Send DELETE' }).click();
      await page.getByRole('region', { name: 'Answer' }).getByText('200').waitFor();
      expect(host.kind('redis').mocks.has('made')).toBe(false);
      expect(complaints).toEqual([]);
      expect(asked.filter((address) => !address.startsWith(url))).toEqual([]);
    },
    LONG,
  );
});
