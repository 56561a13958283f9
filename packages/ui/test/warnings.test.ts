import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { onStop, start, stopAll } from './support/start.js';

afterEach(stopAll);

const CONTRACT = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets': {
      get: {
        responses: {
          200: { content: { 'application/json': { schema: { type: 'array', items: { type: 'integer' } } } } },
        },
      },
    },
  },
};

itWithTool(
  'chromium',
  'what a contract warns of is shown before a mock is saved and when it is',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warnings-'));
    onStop(async () => rmSync(folder, { recursive: true }));
    const file = join(folder, 'pets.json');
    writeFileSync(file, JSON.stringify(CONTRACT));
    const mocks = [{ id: 'pets', request: { method: 'GET', path: '/pets' }, response: { json: [1] } }];
    const { url, host } = await start({ settings: { http: { contract: { file, mode: 'warn' }, mocks } } });
    const { page, complaints } = await open(`${url}/#/mocks?kind=http&id=pets`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.locator('.editor[data-ready]').waitFor();
    await page
      .getByRole('textbox', { name: 'The mock as JSON' })
      .fill('{"request": {"method": "GET", "path": "/pets"}, "response": {"json": ["ü"]}}');
    const warning = 'mock "pets" answers what the contract does not allow: /0 must be an integer';
    await page.getByRole('region', { name: 'Warnings' }).getByText(warning).waitFor();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.locator('.notice.warning').getByText(warning).waitFor();
    expect(host.kind('http').mocks.get('pets')).toHaveProperty('response.json', ['ü']);
    expect(complaints).toEqual([]);
  },
  60_000,
);
