import { afterAll, afterEach, expect, describe } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { useBacklot } from '@backlot/testing';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startApplication } from './web-application.mjs';

const backlot = useBacklot({ services: ['oidc'] });

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

describe('a browser and an application with Passport', () => {
  let browser: Browser | undefined;
  let page: Page;
  let application: Awaited<ReturnType<typeof startApplication>> | undefined;

  afterAll(() => browser?.close());
  afterEach(async () => {
    if (application === undefined) return;
    await page.context().close();
    await application.close();
    application = undefined;
  });

  /** A test with a browser of its own, and the address of an application that nobody is logged in to. */
  function itWithBrowser(name: string, run: (url: string) => Promise<void>): void {
    const start = async (): Promise<void> => {
      browser ??= await chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });
      page = await (await browser.newContext()).newPage();
      application = await startApplication(backlot.env.OIDC_ISSUER, 'third-party');
      await run(application.url);
    };
    itWithTool('chromium', name, start, 60_000);
  }

  const text = (): Promise<string> => page.innerText('body');

  async function logIn(password: string): Promise<void> {
    await page.fill('#username', 'ann');
    await page.fill('#password', password);
    await page.click('#login');
  }

  itWithBrowser('go through login and consent, and come back as that user', async (url) => {
    await page.goto(url);
    expect(await text()).toBe('nobody');
    await page.goto(`${url}/login`);
    expect(page.url()).toContain('/oidc/authorize?');
    expect(await page.title()).toBe('Log in');
    await logIn('password');
    expect(await page.title()).toBe('Allow Third party?');
    expect(await page.locator('li').allInnerTexts()).toEqual(['openid', 'profile', 'email']);
    await page.click('#allow');
    await page.waitForURL(`${url}/`);
    expect(await text()).toBe('Ann Archer <ann@example.com>');
    await page.context().clearCookies({ name: 'connect.sid' });
    await page.goto(`${url}/login`);
    expect([page.url(), await text()]).toEqual([`${url}/`, 'Ann Archer <ann@example.com>']);
  });

  itWithBrowser('are told of a wrong password, and may try again', async (url) => {
    await page.goto(`${url}/login`);
    await logIn('guess');
    expect(await page.innerText('[role=alert]')).toBe('The name or the password is wrong.');
    expect(await page.inputValue('#username')).toBe('ann');
    await logIn('password');
    expect(await page.title()).toBe('Allow Third party?');
  });

  itWithBrowser('come back without a login when consent is denied', async (url) => {
    await page.goto(`${url}/login`);
    await logIn('password');
    await page.click('#deny');
    await page.waitForURL(`${url}/**`);
    expect(await text()).toContain('The user has denied the request.');
    await page.goto(url);
    expect(await text()).toBe('nobody');
  });

  for (const [scenario, why] of [
    ['expired-tokens', 'expired'],
    ['wrong-issuer', 'not issued by expected'],
    ['wrong-audience', 'not intended for'],
  ] as const) {
    itWithBrowser(`${scenario}: Passport lets nobody in`, async (url) => {
      backlot.scenarios.activate(`oidc:${scenario}`);
      await page.goto(`${url}/login`);
      await logIn('password');
      await page.click('#allow');
      await page.waitForURL(`${url}/**`);
      expect(await text()).toContain(why);
    });
  }

  itWithBrowser('leave by the page that asks whether to log out', async (url) => {
    await page.goto(`${url}/login`);
    await logIn('password');
    await page.goto(`${backlot.env.OIDC_ISSUER}/logout`);
    await page.click('#logout');
    expect(await page.title()).toBe('You are logged out');
    await page.goto(`${url}/login`);
    expect(await page.title()).toBe('Log in');
  });
});
