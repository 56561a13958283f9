import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 60_000;

/** The words that the command would be given by a shell. */
async function wordsOf(command: string): Promise<string[]> {
  const { out } = await runTool('sh', ['-c', command.replace('npx backlot', String.raw`printf '%s\n'`)]);
  return out.trim().split('\n');
}

describe('as code', () => {
  itWithTool(
    'chromium',
    'an id with spaces and signs of the shell is one word of a command',
    async () => {
      const id = "a b; echo it's $HOME";
      const { url, host } = await start({ scenarios: [{ id, faults: { redis: { error_rate: 1 } } }] });
      host.kind('http').mocks.create({ id, request: { path: '/odd' }, response: { status: 200 } });
      const { page, complaints } = await open(`${url}/#/mocks?kind=http&id=${encodeURIComponent(id)}`);
      const cli = page.locator('.copied', { hasText: 'CLI' }).locator('code');
      await page.getByText('As code').click();
      expect(await wordsOf(await cli.innerText())).toEqual(['delete', 'http', id]);
      await page.goto(`${url}/#/levers`);
      const scenario = page.locator('li', { has: page.getByRole('switch', { name: 'Scenario' }) });
      await scenario.getByText('As code').click();
      const words = await wordsOf(
        await scenario.locator('.copied', { hasText: 'CLI' }).locator('code').innerText(),
      );
      expect(words).toEqual(['scenario', 'activate', id]);
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
