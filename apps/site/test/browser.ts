import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Playwright from 'playwright-core';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const require = createRequire(import.meta.url);
// As a module, it imports itself in a circle, which jest does not take.
const { chromium } = require('playwright-core') as typeof Playwright;
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Chromium asks its maker for nothing, and needs no right of the system. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Nothing waits as long as this unless it never comes. */
const NEVER = 60_000;

let running: { readonly context: BrowserContext; readonly folder: string } | undefined;
let shown: Opened | undefined;

/** A page in the browser of this file. */
export interface Opened {
  readonly page: Page;
  /** What scripts threw and the console has been told. */
  readonly complaints: readonly string[];
  /** The addresses that were asked for. */
  readonly asked: readonly string[];
}

/** Opens an address in the one browser of this file, in place of the page before. */
export async function openPage(
  url: string,
  { colorScheme = 'light', viewport = { width: 1360, height: 844 } }: BrowserContextOptions = {},
): Promise<Opened> {
  running ??= await startBrowser();
  await shown?.page.close();
  const page = await running.context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  shown = { page, complaints, asked };
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => asked.push(request.url()));
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  if (viewport !== null) await page.setViewportSize(viewport);
  await page.goto(url, { waitUntil: 'networkidle' });
  return shown;
}

async function startBrowser(): Promise<{ readonly context: BrowserContext; readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-site-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    timeout: NEVER,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(NEVER);
  return { context, folder };
}

/** Ends the browser, where one was started. */
export async function closeBrowser(): Promise<void> {
  await running?.context.close();
  if (running !== undefined) await rm(running.folder, { recursive: true, force: true, maxRetries: 5 });
}

/** @returns a line for each rule that axe finds broken; none for a page that all can use */
export async function findAccessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  });
}
