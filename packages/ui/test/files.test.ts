import { readFileSync } from 'node:fs';
import { afterEach, describe, expect } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { recordingOf } from './support/recording.js';
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
      await page.getByText('1 of 1 compared differ').waitFor();
      await page.getByRole('link', { name: 'Timeline' }).click();
      await page.getByRole('option', { name: /products/ }).click();
      const upstream = page.getByRole('region', { name: 'Upstream' });
      await upstream.getByText('Where the upstream answers otherwise than the mock:').waitFor();
      expect(await upstream.getByRole('listitem').count()).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'a replay says which recordings were used, and what was missed',
    async () => {
      const { url, port } = await start({
        settings: {
          http: {
            upstream: { mode: 'replay' },
            mocks: ['users', 'orders'].map((name) => ({
              id: `recorded:get-${name}`,
              request: { path: `/${name}` },
              response: { body: name },
            })),
          },
        },
      });
      for (const path of ['users', 'nothing'])
        await runTool('curl', ['-s', `http://127.0.0.1:${port('http')}/${path}`]);
      const { page, complaints } = await open(`${url}/#/mocks?kind=http`);
      const upstream = page.getByRole('region', { name: 'Upstream' });
      await upstream.getByText('1 replayed').waitFor();
      await upstream.getByText('1 of 2 recordings was used').click();
      await upstream.getByRole('link', { name: 'recorded:get-orders' }).waitFor();
      await upstream.getByRole('link', { name: '1 missed' }).click();
      expect(await page.getByRole('option').count()).toBe(1);
      await page.getByRole('option', { name: /nothing/ }).waitFor();
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  itWithTool(
    'chromium curl',
    'a recording of another server is opened in the page alone, and one that is damaged is not',
    async () => {
      const failed = await start();
      const ask = (path: string): ReturnType<typeof runTool> =>
        runTool('curl', [
          '-s',
          '-H',
          'Authorization: Bearer hunter2',
          `http://127.0.0.1:${failed.port('http')}${path}`,
        ]);
      await ask('/products');
      await ask('/nothing');
      const file = await recordingOf(failed.host, 'the command ended with 3');
      const { url } = await start({
        settings: { http: {} },
        protocols: [(await import('@backlot/http')).http],
      });
      const { page, complaints, asked } = await open(`${url}/#/files`);
      const choose = page.getByLabel(/Choose a recording/);
      await choose.setInputFiles({ ...file, buffer: file.buffer.subarray(0, -20) });
      await page.getByText('failed.flight.gz is no recording of Backlot, or is damaged').waitFor();
      await choose.setInputFiles(file);
      await page.getByText('the command ended with 3').waitFor();
      expect(await page.getByRole('option').count()).toBe(2);
      await page.getByRole('option', { name: /products/ }).click();
      const entry = page.getByRole('complementary', { name: 'Entry' });
      await entry.getByText('Lamp').waitFor();
      await entry.getByText('REDACTED').waitFor();
      await page.getByLabel('No match').check();
      expect(await page.getByRole('option').count()).toBe(1);
      await page.getByText('What ran').click();
      await page.getByText('"products"').first().waitFor();
      await page.getByRole('button', { name: 'Close the recording' }).click();
      await choose.waitFor();
      // Dropped on the import it is opened as well.
      await page.getByLabel(/Choose a file/).setInputFiles(file);
      await page.getByText('the command ended with 3').waitFor();
      expect(asked.filter((address) => address.includes('flight'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
