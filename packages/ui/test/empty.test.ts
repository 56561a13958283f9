import { afterEach, describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import type { Locator } from 'playwright-core';
import { open } from './support/browser.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const LONG = 120_000;

type View = readonly [view: string, says: string, line: RegExp];

/** Views that are empty at first, with what stands there, and the line that fills them. */
const FILLED: readonly View[] = [
  ['timeline', 'Nothing has come yet', /^curl /],
  ['messages?kind=smtp', 'No message has come yet', /curl .*smtp:/],
  ['data?kind=redis', 'There is no key', /^curl /],
  ['data?kind=ftp', 'There is no file', /^curl /],
  ['data?kind=collections', 'There is no collection', /^curl -s -X PUT /],
  ['reactions', 'Nothing causes anything yet', /^curl /],
  ['levers', 'There is no scenario', /^curl /],
  ['levers', 'The network is as it is', /^curl /],
];

/** Views whose line is run elsewhere: one of the command, which has tests of its own, or what a kind has for a beginning. */
const TOLD: readonly View[] = [
  ['messages?kind=mqtt', 'No message has come yet', /mosquitto_pub/],
  ['messages?kind=amqp', 'No message has come yet', /amqp-publish/],
  ['messages?kind=kafka', 'No message has come yet', /kcat/],
  ['mocks?kind=http', 'There is no mock yet', /^npx backlot add http '/],
  ['connections', 'Nobody is connected', /^npx backlot status$/],
  ['connections', 'No answer is being streamed', /^npx backlot push list /],
  ['checks', 'Nothing is expected yet', /^npx backlot verify '/],
  ['spaces', 'There is no space', /^npx backlot spaces create 'mine' --ttl '10m' /],
  ['webhooks', 'No webhook was sent', /^npx backlot webhooks send '/],
  ['edit', 'Nothing is being edited', /^npx backlot list$/],
  ['levers', 'Nothing is remembered yet', /^npx backlot state set 'mode' 'night' /],
  ['levers', 'No snapshot was taken', /^npx backlot snapshot create 'before' /],
];

describe('empty views', () => {
  itWithTool(
    'chromium curl',
    'show the command that fills them, and are filled by it',
    async () => {
      const { url } = await start({ settings: { kafka: {}, amqp: {} }, scenarios: [], collections: {} });
      const { page, complaints } = await open(`${url}/`);
      const look = async ([view, says, line]: View): Promise<readonly [empty: Locator, command: string]> => {
        await page.goto(`${url}/#/${view}`);
        const empty = page.locator('.empty', { hasText: says });
        const command = await empty.locator('code').innerText();
        expect({ view, command }).toEqual({ view, command: expect.stringMatching(line) });
        return [empty, command];
      };
      for (const told of TOLD) await look(told);
      for (const filled of FILLED) {
        const [view] = filled;
        const [empty, command] = await look(filled);
        const { code, out, err } = await runTool('bash', ['-c', command]);
        expect({ view, code, out, err }).toMatchObject({ view, code: 0 });
        await empty.waitFor({ state: 'detached' });
      }
      expect(complaints).toEqual([]);
    },
    LONG,
  );
});
