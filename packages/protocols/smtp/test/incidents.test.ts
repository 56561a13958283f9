import { once } from 'node:events';
import { connect } from 'node:net';
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

it('a shutdown ends sessions with 421, and nodemailer finds the server again after it', async () => {
  const { host, port, kind, emails } = await startHost();
  host.clock.freeze(true);
  const transport = createTransport({ host: '127.0.0.1', port, pool: true });
  await transport.sendMail(MAIL);
  expect(kind.connections.list()).toHaveLength(1);
  const session = connect(port, '127.0.0.1').setEncoding('latin1');
  expect((await once(session, 'data'))[0]).toMatch(/^220 /);
  const last = once(session, 'data');
  const closed = once(session, 'close');
  await host.incidents.start('smtp-shutdown', { for: '20s' });
  expect((await last)[0]).toMatch(/^421 /);
  await closed;
  await expect(transport.sendMail(MAIL)).rejects.toThrow();
  expect(emails()).toHaveLength(1);
  await host.clock.advance(20_000);
  await transport.sendMail(MAIL);
  expect(emails()).toHaveLength(2);
  transport.close();
});

it('greylisting that is no duration is refused', async () => {
  const { kind } = await startHost();
  expect(() => kind.fault?.set({ greylist: 'soon' })).toThrow('/greylist');
});
