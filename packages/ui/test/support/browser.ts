import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import type * as Playwright from 'playwright-core';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { onStop } from './start.js';

// As a module, it imports itself in a circle, which jest does not take.
const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof Playwright;

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

/** Where the last view of each test is kept, for people to look at; git ignores it. */
const SCREENSHOTS = fileURLToPath(new URL('../screenshots/', import.meta.url));

/** Nothing waits as long as this unless it never comes. */
const NEVER = 60_000;

/** A page in a browser. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser has complained of: scripts that threw, and what the policy of the page has refused. */
  readonly complaints: readonly string[];
  /** The addresses that were asked for. */
  readonly asked: readonly string[];
}

/** Opens an address in a browser of its own. */
export async function open(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-page-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    viewport: { width: 1360, height: 820 },
    timeout: NEVER,
    ...options,
  });
  const test = (expect.getState().currentTestName ?? 'test').replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 100);
  onStop(async () => {
    await mkdir(SCREENSHOTS, { recursive: true });
    const look = options.colorScheme === undefined ? '' : `-${options.colorScheme}`;
    await context.pages()[0]?.screenshot({ path: join(SCREENSHOTS, `${test}${look}.png`) });
    await context.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  context.setDefaultTimeout(NEVER);
  const [page = await context.newPage()] = context.pages();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // Chromium wants to keep the colour of a token that `fill` writes over, which the editor does not see, by a style of its own.
    // The policy refuses it.
    if (message.text().startsWith('Applying inline style') && message.location().lineNumber === 0) return;
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${JSON.stringify(message.location())}`);
  });
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(url);
  return { page, context, complaints, asked };
}

/** Writes over all of an editor, as a person does: `fill` can come between two states of it, and then adds to what it shows. */
export async function write(editor: Locator, text: string): Promise<void> {
  await editor.click();
  await editor.press('Control+a');
  await editor.page().keyboard.insertText(text);
}
