/** How wide and high each picture is, in pixels, and what it is told of the browser. */
export const LOOKS = /** @type {const} */ ({
  light: { colorScheme: 'light', viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1 },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 },
});

/** What is shown as a phone has it, too. */
const ON_PHONES = new Set(['timeline', 'explain', 'faults']);

/**
 * What is shown: by its name, how a page of the browser gets there. One goes on where the one before it has ended.
 *
 * @type {Readonly<Record<string, (page: import('playwright-core').Page, url: string) => Promise<void>>>}
 */
export const SCENES = {
  async timeline(page, url) {
    await page.goto(`${url}#/timeline`);
    await page.getByRole('option').nth(15).waitFor();
  },
  async explain(page, url) {
    await page.goto(`${url}#/timeline?unmatched=1`);
    await page.getByRole('option').first().click();
    await page.getByText('No mock matched.').waitFor();
  },
  async edit(page) {
    await page.getByRole('button', { name: 'Match this value' }).first().click();
    await page.locator('.editor[data-ready]').waitFor();
    await page.getByText('would be answered otherwise').waitFor();
  },
  async inbox(page, url) {
    await page.goto(`${url}#/messages?kind=smtp`);
    await page.locator('.card').first().click();
    await page.frameLocator('iframe.mail').getByRole('heading').waitFor();
  },
  async topics(page, url) {
    await page.goto(`${url}#/messages?kind=mqtt`);
    await page.locator('button.card').first().click();
    await page.getByRole('region', { name: 'Message', exact: true }).waitFor();
  },
  async faults(page, url) {
    await page.goto(`${url}#/levers`);
    await page.getByRole('switch', { name: 'Fault of HTTP' }).waitFor();
    await page.getByRole('switch', { name: 'latency_downstream of Redis' }).waitFor();
  },
  async checks(page, url) {
    await page.goto(`${url}#/timeline?q=pay`);
    await page.locator('.row', { hasText: 'POST' }).first().click();
    await page.getByRole('button', { name: 'Expect this' }).click();
    await page.goto(`${url}#/timeline?q=user`);
    await page.locator('.row').first().click();
    await page.getByRole('button', { name: 'Expect this' }).click();
    await page.goto(`${url}#/checks`);
    await page.getByLabel('How often').last().selectOption('2 times');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('It does not hold').waitFor();
    await page.locator('.notice').first().waitFor({ state: 'detached' });
  },
  async reactions(page, url) {
    await page.goto(`${url}#/reactions`);
    await page.locator('.item').first().waitFor();
  },
};

/**
 * The pictures of the docs, in the order in which they are made.
 *
 * @returns {{ file: string, scene: string, look: keyof typeof LOOKS }[]}
 */
export function listPictures() {
  return /** @type {(keyof typeof LOOKS)[]} */ (Object.keys(LOOKS)).flatMap((look) =>
    Object.keys(SCENES)
      .filter((scene) => look !== 'phone' || ON_PHONES.has(scene))
      .map((scene) => ({ file: `page-${scene}-${look}.png`, scene, look })),
  );
}
