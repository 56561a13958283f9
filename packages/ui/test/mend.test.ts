import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

async function statusOf(url: string): Promise<string> {
  return (await runTool('curl', ['-s', '-o', '/dev/null', '-w', '%{http_code}', url])).out;
}

describe('from no match to a mended mock', () => {
  itWithTool(
    'chromium curl',
    'a mock is made to match what came, after a dry run has shown what would change',
    async () => {
      const { url, port, host } = await start();
      const base = `http://127.0.0.1:${port('http')}`;
      expect(await statusOf(`${base}/products`)).toBe('200');
      expect(await statusOf(`${base}/prodcts`)).toBe('404');
      const { page, complaints } = await open(`${url}/#/timeline?unmatched=1`);
      await page.getByRole('option').first().click();
      await page.getByRole('button', { name: 'Match this value' }).first().click();
      const effect = page.getByRole('complementary', { name: 'What would change' });
      await effect.getByText('2 would be answered otherwise').waitFor();
      expect(await effect.locator('.changes li').allInnerTexts()).toEqual([
        expect.stringMatching(/GET \/products\s+products → no match/),
        expect.stringMatching(/GET \/prodcts\s+no match → products/),
      ]);
      // A dry run changes nothing and counts nothing.
      expect(host.kind('http').calls.of('products').count).toBe(1);
      expect(await statusOf(`${base}/prodcts`)).toBe('404');
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByText('is in effect').waitFor();
      expect(await statusOf(`${base}/prodcts`)).toBe('200');
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'a mock is loosened for what came, and the mock that answered is edited',
    async () => {
      const { url, port, host } = await start();
      const base = `http://127.0.0.1:${port('http')}`;
      expect(await statusOf(`${base}/prodcts`)).toBe('404');
      const { page, complaints } = await open(`${url}/#/timeline?entry=1`);
      const near = page.locator('.near > li', { has: page.getByRole('link', { name: 'products' }) });
      await near.getByRole('button', { name: 'Loosen path' }).click();
      await page.getByText('no match → products').waitFor();
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByText('is in effect').waitFor();
      expect(host.kind('http').mocks.get('products')).not.toHaveProperty('request.path', '/products');
      expect(await statusOf(`${base}/prodcts`)).toBe('200');

      await page.goto(`${url}/#/timeline?entry=2`);
      await page.getByRole('button', { name: 'Edit this mock' }).click();
      await page.locator('.editor[data-ready]').waitFor();
      await page
        .getByRole('textbox', { name: 'The mock as JSON' })
        .fill('{"request": {}, "response": {"status": 203}}');
      await page.getByText('Of the last 2 messages').waitFor();
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByRole('heading', { name: 'products' }).waitFor();
      expect(await statusOf(`${base}/prodcts`)).toBe('203');
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'a new mock is made from a message, with the form and as JSON, and is shown as code',
    async () => {
      const { url, port } = await start();
      const base = `http://127.0.0.1:${port('http')}`;
      await statusOf(`${base}/orders/7`);
      const { page, complaints } = await open(`${url}/#/timeline?unmatched=1`);
      await page.getByRole('option').first().click();
      await page.getByRole('button', { name: 'New mock from this' }).click();
      await page.getByText('Of the last 1 message,').waitFor();
      await page.getByRole('button', { name: 'Form' }).click();
      const path = page.getByLabel('path', { exact: true });
      expect(await path.inputValue()).toBe('/orders/7');
      await path.fill('/orders/{id}');
      await page.getByLabel('status', { exact: true }).fill('202');
      await page.getByLabel('body', { exact: true }).fill('order {{request.params.id}}');
      await page.getByLabel('Add a field', { exact: true }).selectOption('id');
      await page.getByLabel('id', { exact: true }).fill('order');
      await page.getByText('no match → order').waitFor();
      const create = page.locator('.act', { has: page.getByRole('button', { name: 'Create' }) });
      await create.getByRole('button', { name: 'As code' }).click();
      const curl = (await page.locator('.copied code').first().innerText())
        .replace('order {{', 'by curl {{')
        .replace('"id":"order"', '"id":"by-curl"');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'JSON' }).click();
      await page.locator('.editor[data-ready]').waitFor();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'order' }).waitFor();
      expect((await runTool('curl', ['-s', '-w', ' %{http_code}', `${base}/orders/9`])).out).toBe(
        'order 9 202',
      );
      // What the page shows as code does the same.
      expect((await runTool('sh', ['-c', curl])).out).toContain('"id":"by-curl"');
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByText('"order" is deleted').waitFor();
      expect((await runTool('curl', ['-s', `${base}/orders/9`])).out).toBe('by curl 9');
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium',
    'the editor says what is wrong where it is wrong, completes fields, and does not save that',
    async () => {
      const { url } = await start();
      const { page, complaints } = await open(`${url}/#/mocks?kind=http&id=products`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.locator('.editor[data-ready]').waitFor();
      const editor = page.getByRole('textbox', { name: 'The mock as JSON' });
      await editor.fill('{"request": {"path": "/x"}, "response": {"status": 7}}');
      await page.getByRole('alert').getByText('status').waitFor();
      expect(await page.getByRole('button', { name: 'Replace' }).isDisabled()).toBe(true);
      await page.locator('.cm-lintRange-error, .cm-lint-marker-error').first().waitFor({ state: 'attached' });
      await editor.fill('{"response": {}, "request": {}}');
      await editor.press('End');
      await editor.press('ArrowLeft');
      await editor.press('ArrowLeft');
      await editor.pressSequentially('"me');
      await page.locator('.cm-completionLabel').filter({ hasText: 'method' }).waitFor();
      expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'the editor shows YAML as well, with the same completion, errors and effect',
    async () => {
      const { url, host, port } = await start();
      await runTool('curl', ['-s', `http://127.0.0.1:${port('http')}/lamps`]);
      const { page, complaints } = await open(`${url}/#/mocks?kind=http&id=products`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('button', { name: 'YAML' }).click();
      const editor = page.getByRole('textbox', { name: 'The mock as YAML' });
      await editor.getByText('path: /products').waitFor();
      await editor.fill('request:\n  path: /x\nresponse:\n  status: 7\n');
      await page.getByRole('alert').getByText('status').waitFor();
      await page.locator('.cm-lintRange-error, .cm-lint-marker-error').first().waitFor({ state: 'attached' });
      await editor.fill('request: [');
      await page.getByRole('alert').getByText('no object of YAML').waitFor();
      expect(await page.getByRole('button', { name: 'JSON' }).isDisabled()).toBe(true);
      await editor.fill('response:\n  status: 200\nrequest:\n  path: /lamps\n  me');
      await editor.press('Control+End');
      await editor.pressSequentially('t');
      await page.locator('.cm-completionLabel').filter({ hasText: 'method' }).waitFor();
      await editor.fill('# Of the shop\nrequest: {path: /lamps}\nresponse:\n  status: 203\n');
      await page.getByText('no match → products').waitFor();
      await page.getByRole('button', { name: 'Replace' }).click();
      await page.getByText('is in effect').waitFor();
      expect(host.kind('http').mocks.get('products')).toMatchObject({
        request: { path: '/lamps' },
        response: { status: 203 },
      });
      // The form that was used last is there again.
      await page.getByRole('button', { name: 'Edit' }).click();
      await editor.getByText('path: /lamps').waitFor();
      await page.getByRole('button', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'The mock as JSON' }).getByText('"/lamps"').waitFor();
      expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
    },
    LONG,
  );
});
