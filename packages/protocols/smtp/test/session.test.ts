import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, envelope, send, startHost } from './support.js';

const token = (text: string): string => Buffer.from(text).toString('base64');

describe('a session', () => {
  it('greets at once, says what it can, and answers every command', async () => {
    const { port } = await startHost({ domain: 'mail.example', max_message_bytes: 1000 });
    const client = await RawClient.open(port, { greeting: false });
    expect(await client.reply()).toBe('220 mail.example ESMTP');
    expect(await client.say('EHLO client')).toBe(
      [
        '250-mail.example Nice to meet you, [127.0.0.1]',
        '250-PIPELINING',
        '250-8BITMIME',
        '250-SMTPUTF8',
        '250-AUTH PLAIN LOGIN XOAUTH2 OAUTHBEARER',
        '250 SIZE 1000',
      ].join('\n'),
    );
    expect(
      await client.sayAll(
        'NOOP',
        'HELP',
        'VRFY ann',
        'RSET',
        'HELO x',
        'EXPN list',
        'TURN',
        'BDAT 5 LAST',
        'WIZ x',
        'XCLIENT ADDR=1.2.3.4',
      ),
    ).toMatchObject(
      ['250', '214', '252', '250', '250', '500', '500', '500', '500', '500'].map((code) =>
        expect.stringMatching(`^${code} `),
      ),
    );
    expect(await client.say('QUIT')).toBe('221 Bye');
    await client.closes();
  });

  it('keeps commands in their order', async () => {
    const { port } = await startHost();
    const client = await RawClient.open(port);
    expect(await client.sayAll('MAIL FROM:<a@b.c>', 'HELO x', 'RCPT TO:<a@b.c>', 'DATA')).toEqual([
      '503 Error: send HELO/EHLO first',
      expect.stringMatching(/^250 /),
      '503 Error: need MAIL command',
      '503 Error: need RCPT command',
    ]);
    expect(
      await client.sayAll(
        'MAIL FROM:a@b.c',
        'MAIL TO:<a@b.c>',
        'MAIL FROM:<a@b.c> SIZE=x',
        'MAIL FROM:<a@b.c> BODY=9BIT',
        'MAIL FROM:<>',
        'RCPT TO:<>',
        'RCPT TO:<postmaster>',
        'DATA',
      ),
    ).toEqual([
      ...Array.from({ length: 4 }, (): unknown => expect.stringMatching(/^501 /)),
      '250 Accepted',
      '501 Error: Bad recipient address syntax',
      '250 Accepted',
      '354 End data with <CR><LF>.<CR><LF>',
    ]);
  });

  it('takes mails up to max_message_bytes, and refuses larger ones with 552', async () => {
    const { port, emails, entries } = await startHost({ max_message_bytes: 1000 });
    const client = await RawClient.greet(port);
    expect(await send(client, 'a@b.c', 'd@e.f', `${'x'.repeat(998)}\r\n`)).toMatch(/^250 OK/);
    expect(await send(client, 'a@b.c', 'd@e.f', `${'x'.repeat(999)}\r\n`)).toBe(
      '552 message exceeds the maximum of 1000 bytes',
    );
    expect(await client.say('MAIL FROM:<a@b.c> SIZE=1001')).toMatch(/^552 /);
    expect(await client.say('MAIL FROM:<a@b.c> SIZE=1000')).toBe('250 Accepted');
    expect(emails()).toHaveLength(1);
    expect(entries()).toMatchObject([
      { status: 250 },
      { status: 552, path: 'a@b.c -> d@e.f' },
      { status: 552, path: 'a@b.c ->' },
    ]);
  });

  it('takes 25 MiB unless said otherwise', async () => {
    const { port, emails, host } = await startHost();
    const client = await RawClient.greet(port);
    const line = `${'x'.repeat(1022)}\r\n`;
    expect(await send(client, 'a@b.c', 'd@e.f', line.repeat(25 * 1024))).toMatch(/^250 OK/);
    expect(emails()[0]?.body).toHaveLength(25 * 1024 * 1024);
    host.kind('smtp').captures?.clear();
    expect(await send(client, 'a@b.c', 'd@e.f', `${line.repeat(25 * 1024)}\r\n`)).toMatch(/^552 /);
  });

  it('refuses lines that are too long, and ends when one has no end', async () => {
    const { port } = await startHost();
    const client = await RawClient.greet(port);
    expect(await client.say(`NOOP ${'x'.repeat(507)}`)).toBe('250 OK');
    expect(await client.say(`NOOP ${'x'.repeat(4091)}`)).toBe('500 Error: line too long');
    expect(await client.say(`AUTH PLAIN ${token(`\0ann\0${'x'.repeat(6000)}`)}`)).toMatch(/^235 /);
    expect(await client.say('NOOP')).toBe('250 OK');
    client.send('x'.repeat(20_000));
    expect(await client.replies()).toEqual(['500 Error: line too long']);
  });

  it('takes 1,000 recipients and no more', async () => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    const recipients = Array.from({ length: 1001 }, (_, n) => `n${n}@e.f`);
    client.send(
      envelope('a@b.c', ...recipients)
        .map((command) => `${command}\r\n`)
        .join(''),
    );
    const replies: string[] = [];
    for (let n = 0; n < 1002; n += 1) replies.push(await client.reply());
    expect(replies.at(-1)).toBe('452 Error: too many recipients');
    expect(new Set(replies.slice(0, -1))).toEqual(new Set(['250 Accepted']));
    await client.say('DATA');
    await client.say('Subject: many\r\n\r\n.');
    expect(emails()[0]?.to).toEqual(recipients.slice(0, 1000));
  });

  it('ends after too many errors, which a mail in between forgives', async () => {
    const { port } = await startHost();
    const client = await RawClient.greet(port);
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 9; n += 1) expect(await client.say('GARBAGE')).toMatch(/^500 /);
      expect(await send(client, 'a@b.c', 'd@e.f')).toMatch(/^250 /);
    }
    const replies: string[] = [];
    while (!client.isClosed) replies.push(await client.say('RCPT TO:<a@b.c>'));
    expect(replies.slice(0, 19).every((reply) => reply.startsWith('503'))).toBe(true);
    expect(replies[19]).toBe('421 Error: too many errors');
  });

  it('answers a client that has ended its side, whatever it sent at once', async () => {
    const { port, emails, host } = await startHost();
    const client = await RawClient.open(port, { greeting: false });
    client.socket.end('HELO x\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\nSubject: all\r\n\r\n.\r\n');
    expect((await client.replies()).map((reply) => reply.slice(0, 3))).toEqual([
      '220',
      '250',
      '250',
      '250',
      '354',
      '250',
    ]);
    expect(emails()).toHaveLength(1);
    await eventually(() => host.kind('smtp').service?.status?.().connections === 0);
  });

  it('says goodbye when the server stops', async () => {
    const { port, host } = await startHost();
    const client = await RawClient.greet(port);
    await client.say('MAIL FROM:<a@b.c>');
    await host.stop(1000);
    expect(await client.replies()).toEqual(['421 backlot.local is shutting down']);
  });
});

describe('logins', () => {
  it('pass whatever they are where there are no users', async () => {
    const { port } = await startHost();
    for (const [commands, replies] of [
      [[`AUTH PLAIN ${token('\0a\0b')}`], ['235']],
      [
        ['AUTH PLAIN', token('\0\0')],
        ['334', '235'],
      ],
      [
        ['AUTH LOGIN', token('a'), token('')],
        ['334', '334', '235'],
      ],
      [
        ['AUTH LOGIN', '*'],
        ['334', '501'],
      ],
      [['AUTH CRAM-MD5'], ['504']],
      [['AUTH'], ['504']],
      [
        ['AUTH PLAIN ====', 'NOOP'],
        ['501', '250'],
      ],
      [
        [`AUTH PLAIN ${token('\0a\0b')}`, 'AUTH LOGIN'],
        ['235', '503'],
      ],
    ]) {
      const client = await RawClient.greet(port);
      expect((await client.sayAll(...(commands ?? []))).map((reply) => reply.slice(0, 3))).toEqual(replies);
    }
  });

  it('are needed where there are users', async () => {
    const { port } = await startHost({ users: [{ username: '__proto__', password: 'p' }], auth: 'users' });
    const client = await RawClient.greet(port);
    expect(await client.say('MAIL FROM:<a@b.c>')).toBe('530 Error: authentication Required');
    for (const [name, password] of [
      ['constructor', ''],
      ['__proto__', 'q'],
      ['', ''],
    ]) {
      expect(await client.say(`AUTH PLAIN ${token(`\0${name}\0${password}`)}`)).toMatch(/^535 /);
    }
    expect(await client.say(`AUTH PLAIN ${token('\0__proto__\0p')}`)).toMatch(/^235 /);
    expect(await client.say('MAIL FROM:<a@b.c>')).toBe('250 Accepted');
  });

  it('need settings that do not contradict each other', async () => {
    await expect(startHost({ auth: 'users' })).rejects.toThrow(/there are no users/);
    await expect(startHost({ auth: 'any', users: [{ username: 'a', password: 'b' }] })).rejects.toThrow(
      /leave one/,
    );
    await expect(startHost({ users: [] })).rejects.toThrow(/users/);
    await expect(startHost({ domain: 'a b' })).rejects.toThrow(/domain/);
  });
});

describe('STARTTLS', () => {
  it('starts over, and forgets what came in the clear behind it', async () => {
    const { port, emails, entries } = await startHost({ tls: { mode: 'starttls' } });
    const client = await RawClient.open(port);
    expect(await client.say('EHLO x')).toContain('250-STARTTLS');
    await client.say('MAIL FROM:<a@b.c>');
    expect(await client.say('STARTTLS now')).toBe('501 Error: syntax: STARTTLS');
    client.send('STARTTLS\r\nRCPT TO:<evil@e.f>\r\n');
    expect(await client.reply()).toBe('220 Ready to start TLS');
    await client.startTls();
    expect(await client.say('MAIL FROM:<a@b.c>')).toBe('503 Error: send HELO/EHLO first');
    expect(await client.say('EHLO x')).not.toContain('STARTTLS');
    expect(await client.say('RCPT TO:<a@b.c>')).toBe('503 Error: need MAIL command');
    expect(await client.say('STARTTLS')).toBe('503 Error: TLS already active');
    expect(await send(client, 'a@b.c', 'd@e.f')).toMatch(/^250 OK/);
    expect(emails()).toHaveLength(1);
    expect(entries()).toMatchObject([{ aborted: true }, { status: 250 }]);
  });

  it('is understood without being offered, unless tls is off', async () => {
    const silent = await RawClient.open((await startHost()).port);
    expect(await silent.say('EHLO x')).not.toContain('STARTTLS');
    expect(await silent.say('STARTTLS')).toBe('220 Ready to start TLS');
    await silent.startTls();
    expect(await silent.say('EHLO x')).toMatch(/^250-/);
    const off = await RawClient.open((await startHost({ tls: { enabled: false } })).port);
    expect(await off.say('STARTTLS')).toMatch(/^500 /);
  });

  it('that fails ends the connection and nothing else', async () => {
    const { port, host } = await startHost({ tls: {} });
    const client = await RawClient.greet(port);
    await client.say('STARTTLS');
    client.send('this is no handshake\r\n');
    await client.closes();
    const gone = await RawClient.greet(port);
    gone.send('STARTTLS\r\n');
    gone.socket.destroy();
    await eventually(() => host.kind('smtp').service?.status?.().connections === 0);
    expect(await send(await RawClient.greet(port), 'a@b.c', 'd@e.f')).toMatch(/^250/);
  });
});
