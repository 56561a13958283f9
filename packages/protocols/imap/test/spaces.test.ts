import { describe, expect, it } from '@jest/globals';
import { addSpaces, itWithTool, runTool } from '@backlot/conformance';
import { openFlow, startHost } from './support.js';

const INBOX = { id: 'inbox', name: 'INBOX', messages: [{ subject: 'file', body: 'x' }] };
const own = (subject: string): object => ({ ...INBOX, messages: [{ subject, body: 'x' }] });

/** The subjects of the inbox. */
async function subjects(port: number, user: string, auth: object = {}): Promise<unknown[]> {
  const client = await openFlow(port, { auth: { user, pass: 'secret', ...auth } });
  await client.mailboxOpen('INBOX');
  const found: unknown[] = [];
  for await (const { envelope } of client.fetch('1:*', { envelope: true })) found.push(envelope?.subject);
  return found;
}

describe('a login that names a space', () => {
  it('has the mailboxes of the space', async () => {
    const running = await startHost({ mailboxes: [INBOX] });
    const { t1, t2, main } = await addSpaces(running);
    t1.mocks.replace('inbox', own('one'));
    expect(await subjects(running.port, 't1')).toEqual(['one']);
    expect(await subjects(running.port, 't2+ann', { loginMethod: 'LOGIN' })).toEqual(['file']);
    expect(await subjects(running.port, 'ann')).toEqual(['file']);
    expect(await subjects(running.port, 't3')).toEqual(['file']);
    expect([main, t1, t2].map((kind) => kind.connections.list().map(({ user }) => user))).toEqual([
      ['ann', 't3'],
      ['t1'],
      ['ann'],
    ]);
    const logins = [running.host, ...running.host.spaces.list().map(({ host }) => host)].map(
      ({ journal }) =>
        journal.list().filter(({ method }) => /LOGIN|AUTHENTICATE/.test(String(method))).length,
    );
    expect(logins).toEqual([2, 1, 1]);
    await running.host.spaces.remove('t1');
    expect(await subjects(running.port, 't1')).toEqual(['file']);
  });

  it('needs the password of its user, and rolls the faults there', async () => {
    const running = await startHost({
      mailboxes: [INBOX],
      users: [{ username: 'ann', password: 'secret' }],
    });
    const { t1 } = await addSpaces(running);
    await expect(subjects(running.port, 't1+ann', { pass: 'wrong' })).rejects.toThrow();
    expect(await subjects(running.port, 't1+ann')).toEqual(['file']);
    t1.fault?.set({ phase: 'login' });
    await expect(subjects(running.port, 't1+ann')).rejects.toThrow();
    expect(await subjects(running.port, 'ann')).toEqual(['file']);
  });

  for (const more of [[], ['--sasl-ir']])
    itWithTool(
      'curl',
      `works for curl, and over POP3${more.map((option) => ` with ${option}`).join('')}`,
      async () => {
        const running = await startHost({ mailboxes: [INBOX], pop3_port: 0 });
        const { t1 } = await addSpaces(running);
        t1.mocks.replace('inbox', own('one'));
        const pop3 = Number(running.kind.status()['pop3_port']);
        for (const url of [
          `imap://127.0.0.1:${running.port}/INBOX;MAILINDEX=1`,
          `pop3://127.0.0.1:${pop3}/1`,
        ])
          for (const [user, subject] of [
            ['t1', 'one'],
            ['ann', 'file'],
          ]) {
            const { out, err } = await runTool('curl', [
              '-sS',
              '--max-time',
              '10',
              '-u',
              `${user}:x`,
              ...more,
              url,
            ]);
            expect([url, user, err, /Subject: (\w+)/.exec(out)?.[1]]).toEqual([url, user, '', subject]);
          }
      },
    );
});
