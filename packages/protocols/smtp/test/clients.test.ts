import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const SCRIPT = fileURLToPath(new URL('client.py', import.meta.url));
const USERS = [{ username: 'ann', password: 'sécret' }];

async function python(port: number, mode: string): Promise<string[]> {
  const { out, err, code } = await runTool(PYTHON, [SCRIPT, String(port), mode]);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  return out.trim().split('\n');
}

function swaks(port: number, ...more: readonly string[]): ReturnType<typeof runTool> {
  return runTool('swaks', [
    '--server',
    `127.0.0.1:${port}`,
    '--from',
    'ann@example.com',
    '--to',
    'bob@example.com',
    ...more,
  ]);
}

describe('nodemailer', () => {
  it('sends a mail with texts, addresses and attachments in its default settings', async () => {
    const { port, emails } = await startHost();
    const transport = createTransport({ host: '127.0.0.1', port });
    const sent = await transport.sendMail({
      from: '"Jörg Müller" <joerg@example.com>',
      to: ['Ann <ann@example.com>', 'bob@example.com'],
      cc: 'Carla <carla@example.com>',
      bcc: 'hidden@example.com',
      subject: '日本語の件名 ✓',
      text: '.dot\n..dots\n.\nüber',
      html: '<b>über</b>',
      attachments: [
        { filename: 'tëst.txt', content: 'hello' },
        { filename: 'b.bin', content: Buffer.alloc(5000) },
      ],
    });
    transport.close();
    const [mail] = emails();
    expect(sent.response).toBe(`250 OK: queued as ${mail?.id}`);
    expect(mail).toMatchObject({
      from: 'joerg@example.com',
      to: ['ann@example.com', 'bob@example.com', 'carla@example.com', 'hidden@example.com'],
      cc: ['carla@example.com'],
      subject: '日本語の件名 ✓',
      html: '<b>über</b>',
      message_id: sent.messageId,
      attachments: [
        { filename: 'tëst.txt', content_type: 'text/plain', size: 5 },
        { filename: 'b.bin', content_type: 'application/octet-stream', size: 5000 },
      ],
    });
    expect(mail?.text).toBe('.dot\n..dots\n.\nüber');
    expect(mail?.headers['from']).toBe('Jörg Müller <joerg@example.com>');
    expect(mail?.body).toContain('\r\nSubject: =?UTF-8?');
  });

  it('verifies, logs in with any name, and sends many mails over one connection', async () => {
    const { port, emails } = await startHost();
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      pool: true,
      maxConnections: 1,
      auth: { user: 'whoever', pass: 'whatever' },
    });
    expect(await transport.verify()).toBe(true);
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    await Promise.all(
      numbers.map((n) => transport.sendMail({ from: 'a@b.c', to: 'd@e.f', subject: `n${n}`, text: '.' })),
    );
    transport.close();
    expect(emails().map(({ subject }) => subject)).toEqual(numbers.map((n) => `n${n}`));
  });

  it('upgrades by STARTTLS and uses TLS from the first byte', async () => {
    const upgraded = await startHost({ tls: { mode: 'starttls' } });
    const implicit = await startHost({ tls: { mode: 'implicit' } });
    const silent = await startHost();
    const tls = { rejectUnauthorized: false };
    for (const [{ port, emails }, options] of [
      [upgraded, {}],
      [implicit, { secure: true }],
      [silent, { requireTLS: true }],
    ] as const) {
      const transport = createTransport({ host: '127.0.0.1', port, tls, ...options });
      await transport.sendMail({ from: 'a@b.c', to: 'd@e.f', subject: 'secret', text: 'x' });
      transport.close();
      expect(emails()).toHaveLength(1);
    }
  });

  it('is told why a mail is rejected, deferred, or taken for some recipients only', async () => {
    const { port, emails } = await startHost({
      rules: [
        { from: 'spam@*', action: 'reject', message: '554 5.7.1 no spam' },
        { to: 'full@example.com', action: 'reject', message: '552 mailbox full' },
        { subject: 're:(?i)urgent', action: 'defer' },
      ],
    });
    const transport = createTransport({ host: '127.0.0.1', port });
    const mail = { from: 'a@b.c', to: 'd@e.f', subject: 'hi', text: 'x' };
    await expect(transport.sendMail({ ...mail, from: 'SPAM@b.c' })).rejects.toMatchObject({
      responseCode: 554,
      command: 'MAIL FROM',
      response: '554 5.7.1 no spam',
    });
    await expect(transport.sendMail({ ...mail, subject: 'URGENT' })).rejects.toMatchObject({
      responseCode: 451,
      command: 'DATA',
    });
    const sent = await transport.sendMail({ ...mail, to: ['d@e.f', 'full@example.com'] });
    transport.close();
    expect(sent).toMatchObject({ accepted: ['d@e.f'], rejected: ['full@example.com'] });
    expect(emails().map(({ to }) => to)).toEqual([['d@e.f']]);
  });

  it('logs in with each mechanism where there are users, and is refused with a wrong password', async () => {
    const { port, emails } = await startHost({ users: USERS });
    const mail = { from: 'a@b.c', to: 'd@e.f', subject: 'hi', text: 'x' };
    const sendWith = (options: object): Promise<unknown> => {
      const transport = createTransport({ host: '127.0.0.1', port, ...options });
      return transport.sendMail(mail).finally(() => transport.close());
    };
    for (const method of ['PLAIN', 'LOGIN', 'CRAM-MD5']) {
      await sendWith({ authMethod: method, auth: { user: 'ann', pass: 'sécret' } });
      await expect(
        sendWith({ authMethod: method, auth: { user: 'ann', pass: 'wrong' } }),
      ).rejects.toMatchObject({
        responseCode: 535,
      });
    }
    await expect(sendWith({})).rejects.toMatchObject({ responseCode: 530, command: 'MAIL FROM' });
    expect(emails()).toHaveLength(3);
  });
});

describe('smtplib', () => {
  itWithTool('python3:smtplib', 'sends a mail in its default settings', async () => {
    const { port, emails } = await startHost();
    expect(await python(port, 'plain')).toEqual([
      'extensions 8bitmime auth pipelining size smtputf8',
      'sent {}',
      'vrfy 252 noop 250 rset 250',
    ]);
    expect(emails()).toMatchObject([
      {
        from: 'joerg@example.com',
        to: ['ann@example.com', 'bob@example.com', 'carla@example.com'],
        cc: ['carla@example.com'],
        subject: 'Grüße aus Köln',
        text: '.a dot\n..two dots\n.\nÜber\n',
        html: '<p>Über</p>\n',
        attachments: [{ filename: 'Überblick.bin', content_type: 'application/octet-stream', size: 3 }],
      },
    ]);
  });

  itWithTool('python3:smtplib', 'uses TLS both ways, SMTPUTF8 and logins', async () => {
    const upgraded = await startHost({ tls: {} });
    expect(await python(upgraded.port, 'starttls')).toContain('sent {}');
    expect(upgraded.emails()).toHaveLength(1);
    const implicit = await startHost({ tls: { mode: 'implicit' } });
    expect(await python(implicit.port, 'implicit')).toContain('sent {}');
    const open = await startHost();
    await python(open.port, 'utf8');
    expect(open.emails()).toMatchObject([
      { from: 'пётр@example.com', to: ['用户@example.com'], subject: 'ключ', text: 'текст' },
    ]);
    expect(await python(open.port, 'login:who:ever')).toContain("login (235, b'Authentication successful')");
    const closed = await startHost({ users: [{ username: 'ann', password: 'secret' }] });
    expect(await python(closed.port, 'login:ann:secret')).toContain('sent {}');
    expect((await python(closed.port, 'login:ann:wrong'))[1]).toMatch(/^login SMTPAuthenticationError 535 /);
    expect((await python(closed.port, 'plain'))[1]).toMatch(/^sent SMTPSenderRefused 530 /);
  });

  itWithTool('python3:smtplib', 'is told of rejected and deferred mail', async () => {
    const { host, port } = await startHost({ rules: [{ to: 'full@*', action: 'reject', message: 'Full' }] });
    expect((await python(port, 'quick'))[1]).toBe("sent {'full@example.com': (550, b'Full')}");
    host.kind('smtp').mocks.create({ subject: 'hi', action: 'defer', message: '452 4.3.1 disk full' });
    expect((await python(port, 'quick'))[1]).toBe('sent SMTPDataError 452 4.3.1 disk full');
  });
});

describe('swaks', () => {
  const queued = async (port: number, ...more: readonly string[]): Promise<void> => {
    const { code, out } = await swaks(port, ...more);
    expect({ more, code, out: /<[-~]\s+250 OK: queued/.test(out) }).toEqual({ more, code: 0, out: true });
  };

  itWithTool('swaks', 'sends, authenticates and pipelines', async () => {
    const { port, emails } = await startHost({ tls: {} });
    await queued(port);
    await queued(port, '--auth', 'PLAIN', '--auth-user', 'a', '--auth-password', 'b');
    await queued(port, '--pipeline');
    await queued(port, '--attach', '@/etc/hostname');
    await queued(port, '--protocol', 'SMTP');
    expect(emails()).toHaveLength(5);
  });

  // swaks loads the module when it is asked for TLS; its package does not ask for it.
  itWithTool('swaks perl:Net::SSLeay', 'encrypts', async () => {
    const { port } = await startHost({ tls: {} });
    await queued(port, '--auth', 'LOGIN', '--auth-user', 'a', '--auth-password', 'b', '-tls');
    const implicit = await startHost({ tls: { mode: 'implicit' } });
    await queued(implicit.port, '--tls-on-connect');
  });

  itWithTool('swaks', 'is refused at MAIL, RCPT and DATA', async () => {
    const { port } = await startHost({
      users: [{ username: 'a', password: 'b' }],
      rules: [
        { from: 'evil@example.com', action: 'reject', message: '550 go away' },
        { from: 'ann@example.com', to: 'bob@example.com', subject: 'stop*', action: 'reject' },
        { to: 'nobody@example.com', action: 'reject', message: '550 5.1.1 no such user' },
      ],
    });
    const login = ['--auth', 'CRAM-MD5', '--auth-user', 'a', '--auth-password', 'b'];
    expect(await swaks(port)).toMatchObject({ code: 23 });
    expect(await swaks(port, ...login)).toMatchObject({ code: 0 });
    expect(await swaks(port, ...login, '--from', 'evil@example.com')).toMatchObject({ code: 23 });
    expect(await swaks(port, ...login, '--to', 'nobody@example.com')).toMatchObject({ code: 24 });
    const refused = await swaks(port, ...login, '--header', 'Subject: stop it');
    expect(refused).toMatchObject({ code: 26 });
    expect(refused.out).toContain('550 Message rejected');
  });
});
