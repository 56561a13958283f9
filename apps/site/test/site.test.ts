import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findSiteProblems } from '../src/check-site.mjs';
import { closeBrowser, findAccessibilityProblems, openPage } from './browser.js';
import { serveFolder, type Served } from './serve-folder.js';

const SITE = fileURLToPath(new URL('../dist', import.meta.url));
const BUILD = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
/** A build takes some ten seconds of processor, on a machine that is busy with others. */
const LONG = 240_000;
const CHROMIUM = '/usr/bin/chromium';
/** Where there is no browser, as on a developer's machine, its tests are left out; on a build server that is a failure. */
const inBrowser = existsSync(CHROMIUM) || process.env['BACKLOT_REQUIRE_TOOLS'] === '1' ? it : it.skip;

let served: Served;
beforeAll(async () => {
  rmSync(SITE, { recursive: true, force: true });
  // It fails by itself where a page names another one that is not there.
  await promisify(execFile)(process.execPath, [BUILD]);
  served = await serveFolder(SITE);
}, LONG);
afterAll(async () => {
  await closeBrowser();
  await served?.close();
});

describe('the site', () => {
  it('has no link, anchor or image that leads nowhere, and loads nothing from elsewhere', () => {
    expect(findSiteProblems(SITE)).toEqual([]);
  });

  it('has every page of the documentation, and its documents', () => {
    for (const file of [
      'index.html',
      'overview.html',
      'contents.html',
      'contributing.html',
      'guides/tutorial.html',
      'protocols/kafka.html',
      'services/stripe.html',
      'reference/management-api/kafka.html',
      'reference/openapi.json',
      'examples/shop.html',
      'decisions/index.html',
    ])
      expect({ file, isThere: existsSync(join(SITE, file)) }).toEqual({ file, isThere: true });
  });

  it('shows templates as they are written', () => {
    const page = readFileSync(join(SITE, 'guides/templates.html'), 'utf8');
    const text = page.replaceAll(/<[^>]*>/g, '');
    expect(text.includes('{{#if (and x (gt y 5))}}')).toBe(true);
    expect(text.includes('{{vars.shop}}: {{#request.body.items}}')).toBe(true);
  });

  it('is checked by what finds each kind of mistake', () => {
    const folder = mkdtempSync(join(tmpdir(), 'backlot-site-'));
    try {
      const write = (html: string): void => writeFileSync(join(folder, 'index.html'), html);
      write(
        '<h1 id="top">x</h1><a href="#top">up</a><a href="/">home</a><a href="https://example.com">away</a>',
      );
      expect(findSiteProblems(folder)).toEqual([]);
      write(
        '<a href="gone.html">x</a><a href="/#gone">x</a><img alt="" src="gone.png"><script src="https://example.com/x.js"></script>',
      );
      expect(findSiteProblems(folder)).toEqual([
        'index.html: gone.html is not there',
        'index.html: /#gone has no such heading',
        'index.html: gone.png is not there',
        'index.html: <script> loads https://example.com/x.js',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('in a browser', () => {
  inBrowser(
    'the search finds the guide before the tables, and asks nobody else',
    async () => {
      const { page, asked, complaints } = await openPage(`${served.url}/guides/tutorial.html`);
      await page.locator('.DocSearch-Button').first().click();
      await page.locator('#localsearch-input').fill('latency');
      await page.locator('.result').first().click();
      await page.waitForURL(/toxics/);
      await page.locator('h1', { hasText: 'Toxics' }).waitFor();
      expect(asked.filter((url) => !url.startsWith(served.url) && !url.startsWith('data:'))).toEqual([]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );

  inBrowser(
    'axe has nothing to say, light or dark, on a screen or a phone',
    async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1360, 390]) {
          for (const path of ['/', '/guides/page.html', '/reference/management-api/kafka.html']) {
            const { page } = await openPage(served.url + path, {
              colorScheme,
              viewport: { width, height: 844 },
            });
            const found = await findAccessibilityProblems(page);
            const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
            expect({ path, colorScheme, width, found, wide: Math.max(0, wide) }).toEqual({
              path,
              colorScheme,
              width,
              found: [],
              wide: 0,
            });
          }
        }
      }
    },
    LONG,
  );

  inBrowser(
    'what is copied of a block of commands are the commands',
    async () => {
      const { page } = await openPage(`${served.url}/guides/tutorial.html`);
      const block = page
        .locator('.language-console', { hasText: 'curl -s localhost:8080/products/mug' })
        .first();
      await block.hover();
      await block.locator('button.copy').click();
      await block.locator('button.copied').waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
        'curl -s localhost:8080/products/mug',
      );
    },
    LONG,
  );
});
