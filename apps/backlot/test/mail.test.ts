import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PYTHON, eventually, itWithTool, runTool } from '@backlot/conformance';
import { createHost, type Host } from '@backlot/core';
import { imap } from '@backlot/imap';
import { smtp } from '@backlot/smtp';
import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';

const SCRIPT = fileURLToPath(new URL('./mail.py', import.meta.url));
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Mails {
  readonly host: Host;
  readonly smtpPort: number;
  readonly imapPort: number;
  send(to: string | readonly string[], subject: string): Promise<void>;
  open(user: string): Promise<ImapFlow>;
}

type Settings = Readonly<Record<string, object>>;

async function start(settings: Settings = {}, reverse = false): Promise<Mails> {
  const protocols = [smtp, imap];
  const host = await createHost({
    protocols: reverse ? protocols.reverse() : protocols,
    settings: {
      smtp: { host: '127.0.0.1', ...settings['smtp'] },
      imap: { host: '127.0.0.1', ...settings['imap'] },
    },
    seed: 1,
  });
  ends.push(() => host.stop(200));
  await host.start();
  const smtpPort = host.kind('smtp').address?.port ?? 0;
  const imapPort = host.kind('imap').address?.port ?? 0;
  return {
    host,
    smtpPort,
    imapPort,
    async send(to, subject) {
      const transport = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
      await transport.sendMail({
        from: 'shop@example.com',
        to: [to].flat(),
        subject,
        text: `It is ${subject}.`,
      });
      transport.close();
    },
    async open(user) {
      const client = new ImapFlow({
        host: '127.0.0.1',
        port: imapPort,
        secure: false,
        doSTARTTLS: false,
        logger: false,
        auth: { user, pass: 'any' },
      });
      client.on('error', () => undefined);
      await client.connect();
      ends.push(() => client.close());
      await client.mailboxOpen('INBOX');
      return client;
    },
  };
}

async function subjectsOf(client: ImapFlow): Promise<readonly unknown[]> {
  await client.noop();
  if (client.mailbox === false || client.mailbox.exists === 0) return [];
  const messages = await client.fetchAll('1:*', { envelope: true });
  return messages.map(({ envelope }) => envelope?.subject);
}

describe('mail that SMTP takes', () => {
  it.each([false, true])(
    'is in the INBOX of its recipients, and of catch-all (reverse %p)',
    async (reverse) => {
      const { send, open } = await start({}, reverse);
      await send('Ann <Ann+news@Example.com>', 'early');
      await send(['bob@example.com', 'ann@example.com'], 'both');
      await send('ann@example.org', 'other');
      expect(await subjectsOf(await open('ann@example.com'))).toEqual(['early', 'both']);
      expect(await subjectsOf(await open('ann+news@example.com'))).toEqual(['early']);
      expect(await subjectsOf(await open('ANN'))).toEqual(['early', 'both', 'other']);
      expect(await subjectsOf(await open('bob'))).toEqual(['both']);
      expect(await subjectsOf(await open('eve'))).toEqual([]);
      const all = await open('catch-all');
      expect(await subjectsOf(all)).toEqual(['early', 'both', 'other']);
      const read = await all.fetchOne('2', { source: true });
      expect(read === false ? '' : read.source?.toString()).toMatch(/Subject: both\r\n[^]*It is both\.\r\n/);
    },
  );

  it('wakes who idles, keeps flags, and can be removed, copied and added to', async () => {
    const { host, send, open } = await start();
    const ann = await open('ann');
    const bob = await open('bob@example.com');
    const seen: number[] = [];
    ann.on('exists', ({ count }) => seen.push(count));
    const idling = ann.idle();
    await eventually(() => ann.idling === true && host.journal.list({ protocol: 'imap' }).length > 0);
    await send(['ann@example.com', 'bob@example.com'], 'first');
    await eventually(() => seen.includes(1));
    await send('ann@example.com', 'second');
    await eventually(() => seen.includes(2));
    await ann.noop();
    await idling;
    await ann.messageFlagsAdd('1', ['\\Seen', 'work']);
    expect([...((await flagsOf(ann)) ?? [])]).toEqual(expect.arrayContaining(['\\Seen', 'work']));
    await bob.noop();
    expect([...((await flagsOf(bob)) ?? [])]).not.toContain('work');
    await ann.mailboxCreate('Kept');
    await ann.messageCopy('2', 'Kept');
    await ann.messageDelete('1');
    await ann.append('INBOX', 'Subject: own\r\n\r\nmine\r\n');
    expect(await subjectsOf(ann)).toEqual(['second', 'own']);
    expect(await subjectsOf(bob)).toEqual(['first']);
    expect(await ann.status('Kept', { messages: true })).toMatchObject({ messages: 1 });
    const { id } = host.snapshots.create('before');
    await send('ann@example.com', 'third');
    expect(await subjectsOf(ann)).toEqual(['second', 'own', 'third']);
    host.snapshots.restore(id);
    expect(await subjectsOf(ann)).toEqual(['second', 'own']);
    host.reset();
    expect(await subjectsOf(ann)).toEqual([]);
    expect(await subjectsOf(bob)).toEqual([]);
    await send('ann@example.com', 'anew');
    expect(await subjectsOf(ann)).toEqual(['anew']);
  });

  it('goes with what SMTP lets go of', async () => {
    const { host, send, open } = await start({ smtp: { max_emails: 2 } });
    const ann = await open('ann');
    for (const subject of ['1', '2', '3']) await send('ann@example.com', subject);
    expect(await subjectsOf(ann)).toEqual(['2', '3']);
    host.kind('smtp').captures?.clear();
    expect(await subjectsOf(ann)).toEqual([]);
  });

  it('leaves a mocked INBOX, inbox_from and deliver: false alone', async () => {
    for (const [settings, expected] of [
      [{ mailboxes: [{ name: 'INBOX', messages: [{ subject: 'mock' }] }] }, ['mock']],
      [{ inbox_from: 'smtp' }, ['sent']],
      [{ deliver: false }, []],
      [{ catch_all: 'eve' }, ['sent']],
    ] as const) {
      const { send, open } = await start({ imap: settings });
      await send('ann@example.com', 'sent');
      expect(await subjectsOf(await open('eve'))).toEqual(expected);
    }
  });

  it('says what cannot be', async () => {
    await expect(start({ imap: { deliver: true, inbox_from: 'smtp' } })).rejects.toThrow(
      /deliver is true, but inbox_from "smtp" puts all mail into one INBOX/,
    );
    await expect(start({ smtp: { enabled: false }, imap: { deliver: true } })).rejects.toThrow(
      /no kind that takes mail is enabled/,
    );
  });

  it("shows users' own INBOXes and their messages among the data", async () => {
    const users = [{ username: 'ann@example.com', password: 'any' }];
    const { host, send, open } = await start({ imap: { users } });
    const { data } = host.kind('imap');
    await send(['Ann@example.com', 'bob@example.com'], 'for both');
    const shown = (section: string): unknown[] => [...data.entries(section)].map((entry) => entry.read());
    await eventually(() => shown('messages').length === 1);
    expect(shown('mailboxes')).toMatchObject([
      { name: 'INBOX', messages: 0 },
      { name: 'INBOX:ann@example.com', user: 'ann@example.com', messages: 1, unseen: 1 },
    ]);
    expect(() => data.get('mailboxes', 'INBOX:bob@example.com')).toThrow('no mailbox');
    const client = await open('ann@example.com');
    const id = '1:INBOX:ann@example.com';
    expect(data.get('messages', id)).toMatchObject({ id, user: 'ann@example.com', uid: 1 });
    await expect(data.remove('mailboxes', 'INBOX:ann@example.com')).rejects.toThrow('cannot be deleted');
    await data.remove('messages', id);
    expect(await subjectsOf(client)).toEqual([]);
    expect(shown('messages')).toEqual([]);
  });

  itWithTool('python3', "is read by Python's imaplib where smtplib has sent it", async () => {
    const { smtpPort, imapPort } = await start();
    const { out, err } = await runTool(PYTHON, [SCRIPT, String(smtpPort), String(imapPort)]);
    expect([out.trim(), err]).toEqual(['done', '']);
  });
});

describe('the url of a kind with TLS', () => {
  it('has the scheme that a connection begins with', async () => {
    for (const [tls, schemes] of [
      [{ mode: 'starttls' }, ['smtp', 'imap']],
      [{ mode: 'implicit' }, ['smtps', 'imaps']],
    ] as const) {
      const { host } = await start({ smtp: { tls }, imap: { tls } });
      expect(['smtp', 'imap'].map((kind) => host.kind(kind).url?.split(':')[0])).toEqual(schemes);
    }
  });
});

async function flagsOf(client: ImapFlow): Promise<Set<string> | undefined> {
  const message = await client.fetchOne('1', { flags: true });
  return message === false ? undefined : message.flags;
}
