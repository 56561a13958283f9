import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from '@jest/globals';
import type * as Playwright from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
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
const NEVER = 300_000;

/** A page in a browser. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser has complained of: scripts that threw, and what the policy of the page has refused. */
  readonly complaints: readonly string[];
  /** The addresses that were asked for. */
  readonly asked: readonly string[];
}

let launched: Promise<Browser> | undefined;
/** Tests of this file of which there is a view, or will be. */
const shown = new Set<string>();

afterAll(async () => {
  await (await launched)?.close();
});

/** The browser of this file of tests: a start of Chromium takes as long as many a test. */
function browser(): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    timeout: NEVER,
  });
  return launched;
}

/** Keeps the view of the test that runs, of its first page. */
async function keepView(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.jpg`), type: 'jpeg', quality: 70 });
}

/** Opens an address with a profile of its own: nothing is stored that another test has left. */
export async function open(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await (await browser()).newContext({ viewport: { width: 1360, height: 820 }, ...options });
  context.setDefaultTimeout(NEVER);
  const page = await context.newPage();
  const test = (expect.getState().currentTestName ?? 'test').replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 100);
  const name = options.colorScheme === undefined ? test : `${test}-${options.colorScheme}`;
  const isFirst = !shown.has(name);
  shown.add(name);
  onStop(async () => {
    if (isFirst) await keepView(page, name);
    await context.close();
  });
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
