import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { openFlow, startHost } from './support.js';

it('imapflow is sent away by BYE, and comes back when it is over', async () => {
  const { host, port } = await startHost({
    users: [{ username: 'ann', password: 'secret' }],
    mailboxes: [{ name: 'INBOX', messages: [{ subject: 'first', body: 'one' }] }],
  });
  host.clock.freeze(true);
  const first = await openFlow(port);
  await first.mailboxOpen('INBOX');
  const closed = once(first, 'close');
  await host.incidents.start('imap-bye');
  await closed;
  await expect(openFlow(port).then((flow) => flow.mailboxOpen('INBOX'))).rejects.toThrow();
  await host.clock.advance(15_000);
  const { exists } = await (await openFlow(port)).mailboxOpen('INBOX');
  expect(exists).toBe(1);
});
