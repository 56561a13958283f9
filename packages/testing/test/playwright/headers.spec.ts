import { expect, test } from './test.js';

test.use({ extraHTTPHeaders: { 'X-Own': 'mine' } });

test('headers of a file do not take pages out of the space', async ({ page, backlot }) => {
  await page.goto('/');
  await expect(backlot.http).toHaveReceived({
    path: '/',
    headers: { 'x-own': 'mine', 'backlot-space': backlot.id },
  });
});

test('a request that would leave the space fails', async ({ request }) => {
  await request.get('/');
});
