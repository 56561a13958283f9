import { expect, it } from '@jest/globals';
import { listPages } from '../docs/page.js';
import { runPage } from '../docs/run-page.js';

const README = listPages().find(({ path }) => path === 'README.md');

it('the packed command does what README.md shows', async () => {
  if (README === undefined) throw new Error('there is no README.md');
  expect(README.steps.length).toBeGreaterThan(0);
  expect((await runPage(README)).join('\n\n')).toBe('');
});
