import { describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { startHost } from './support.js';

const MAIL = { from: 'ann@example.com', to: 'bob@example.com', subject: 'hello', text: 'hello' };

describe('with nodemailer', () => {
  it('greylisting takes a mail at the second try, not too soon', async () => {
    const { host, port, emails } = await startHost();
    host.clock.freeze(true);
    const transport = createTransport({ host: '127.0.0.1', port });
    const refused = (mail: object): Promise<unknown> =>
      expect(transport.sendMail(mail)).rejects.toMatchObject({
        responseCode: 451,
        response: expect.stringContaining('451 4.7.1 Greylisted, try again in'),
      });
    await host.incidents.start('smtp-greylisting', { wait: '30s' });
    await refused(MAIL);
    await host.clock.advance(10_000);
    await refused(MAIL);
    await host.clock.advance(20_000);
    await transport.sendMail(MAIL);
    await refused({ ...MAIL, from: 'carol@example.com' });
    // Of two recipients the one that was there before gets the mail.
    const { accepted, rejected } = await transport.sendMail({
      ...MAIL,
      to: ['bob@example.com', 'dan@example.com'],
    });
    expect([accepted, rejected]).toEqual([['bob@example.com'], ['dan@example.com']]);
    expect(emails().map(({ to }) => to)).toEqual([['bob@example.com'], ['bob@example.com']]);
    await host.clock.advance(600_000);
    await transport.sendMail({ ...MAIL, from: 'new@example.com' });
    transport.close();
  });
});

it('greylisting that is no duration is refused', async () => {
  const { kind } = await startHost();
  expect(() => kind.fault?.set({ greylist: 'soon' })).toThrow('/greylist');
});
