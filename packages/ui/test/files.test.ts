import { readFileSync } from 'node:fs';
import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

const ZONE = `$ORIGIN example.test.
$TTL 300
@ IN SOA ns1 admin 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.1
www IN A 192.0.2.9
`;

describe('files of other tools', () => {
  itWithTool(
    'chromium dig',
    'a file is tried, taken and shown, what was lost is said, and it is exported again',
    async () => {
      const { url, port, host } = await start();
      const before = host.kind('dns').mocks.list().length;
      const { page, complaints } = await open(`${url}/#/files`);
      await page.getByLabel('The file as text').fill('this is nothing');
      await page.getByRole('button', { name: 'Look at the text' }).click();
      await page.getByRole('region', { name: 'What would be made' }).getByRole('alert').waitFor();
      await page
        .getByLabel(/Choose a file/)
        .setInputFiles({ name: 'example.zone', mimeType: 'text/plain', buffer: Buffer.from(ZONE) });
      const trial = page.getByRole('region', { name: 'What would be made' });
      await trial.getByText(/DNS zone file: .* can be taken/).waitFor();
      expect(host.kind('dns').mocks.list()).toHaveLength(before);
      await trial.getByRole('button', { name: 'Import example.zone' }).click();
      await page.getByRole('link', { name: 'Mocks of DNS' }).waitFor();
      await eventually(() => host.kind('dns').mocks.list().length > before);
      const asked = await runTool('dig', [
        ...['+short', '@127.0.0.1', '-p', String(port('dns')), 'www.example.test'],
      ]);
      expect(asked.out.trim()).toBe('192.0.2.9');

      await page.getByLabel('Export as').selectOption({ label: 'DNS zone file' });
      await page.getByLabel('Which one').fill('example.test');
      await page.getByLabel('Which one').press('Enter');
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      expect(saved.suggestedFilename()).toBe('backlot.zone');
      expect(readFileSync(await saved.path(), 'utf8')).toMatch(/www.*192\.0\.2\.9/);
      expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'the mode of an upstream is explained, and an entry says where it answers otherwise',
    async () => {
      const real = await start();
      const { url, port } = await start({
        settings: {
          http: {
            upstream: { url: `http://127.0.0.1:${real.port('http')}`, mode: 'diff' },
            mocks: [{ id: 'products', request: { path: '/products' }, response: { json: [] } }],
          },
        },
      });
      await runTool('curl', ['-s', `http://127.0.0.1:${port('http')}/products`]);
      const { page, complaints } = await open(`${url}/#/mocks?kind=http`);
      await page.getByText('the log says where the upstream would answer otherwise').waitFor();
      await page.getByRole('link', { name: 'Timeline' }).click();
      await page.getByRole('option', { name: /products/ }).click();
      const upstream = page.getByRole('region', { name: 'Upstream' });
      await upstream.getByText('Where the upstream answers otherwise than the mock:').waitFor();
      expect(await upstream.getByRole('listitem').count()).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
