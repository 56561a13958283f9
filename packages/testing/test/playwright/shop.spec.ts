import { expect, test } from './test.js';

for (const name of ['one', 'two'])
  test(`${name}: what a page asks a shared port belongs to its test`, async ({ page, backlot }) => {
    await backlot.http.mock({
      id: 'order',
      request: { method: 'POST', path: '/orders' },
      response: { status: 201, body: name },
    });
    await page.goto('/');
    await page.getByRole('button').click();
    await expect(page).toHaveTitle(name);
    await expect(backlot.http).toHaveReceivedTimes(1, 'order');
    await expect(backlot.http).toHaveReceived({
      path: '/orders',
      headers: { baggage: `user=ann,backlot.space=${backlot.id}` },
    });
    // A browser asks for an icon by itself.
    await expect(backlot).not.toHaveUnmatched({ path: '/orders' });
  });

test('what the test itself asks belongs to it as well', async ({ request, backlot }) => {
  await backlot.http.mock({ request: { path: '/own' }, response: { body: 'own' } });
  expect(await (await request.get('/own')).text()).toBe('own');
});

test('a test that fails shows what met no mock', async ({ request, backlot }) => {
  await backlot.http.mock({ id: 'order', request: { path: '/orders' }, response: { status: 201 } });
  const answer = await request.get('/order');
  expect(answer.status()).toBe(201);
});
