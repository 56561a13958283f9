import { describe, expect, it } from '@jest/globals';
import { NESTED, PLAIN } from './letters.js';
import { RawClient, openFlow, startHost } from './support.js';

const INBOX = {
  id: 'inbox',
  name: 'inbox',
  messages: [
    { uid: 7, raw: NESTED, date: '2024-02-02T04:30:01Z', flags: ['\\seen', 'Work'] },
    { raw: PLAIN.replaceAll('\r\n', '\n'), date: '2024-02-03T00:00:00Z' },
    {
      from: 'Jürgen <j@example.com>',
      to: ['a@b', 'c@d'],
      subject: 'Grüße',
      body: 'x\ny',
      date: '2024-02-04T00:00:00Z',
    },
  ],
};

async function openInbox(): Promise<RawClient> {
  const { port } = await startHost({ mailboxes: [INBOX] });
  return RawClient.login(port, 'INBOX');
}

/** The bytes of the one literal in an answer. */
function literalOf(answer: string): string {
  const [mark = '', length] = /\{(\d+)\}\r\n/.exec(answer) ?? [];
  const start = answer.indexOf(mark) + mark.length;
  return answer.slice(start, start + Number(length));
}

describe('FETCH', () => {
  it('gives flags, UID, date, size and the macros', async () => {
    const client = await openInbox();
    expect(await client.ask('FETCH 1 (FLAGS UID INTERNALDATE RFC822.SIZE)')).toBe(
      `* 1 FETCH (FLAGS (\\Seen Work) UID 7 INTERNALDATE " 2-Feb-2024 04:30:01 +0000" RFC822.SIZE ${NESTED.length})\r\nOK FETCH completed\r\n`,
    );
    expect(await client.ask('FETCH 2 fast')).toBe(
      `* 2 FETCH (FLAGS () INTERNALDATE " 3-Feb-2024 00:00:00 +0000" RFC822.SIZE ${PLAIN.length})\r\nOK FETCH completed\r\n`,
    );
    expect(await client.ask('FETCH 2 ALL')).toContain(
      'ENVELOPE (NIL "plain" ((NIL NIL "ann" "example.com"))',
    );
    expect(await client.ask('FETCH 2 FULL')).toContain(
      'BODY ("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 25 2)',
    );
  });

  it('gives the ENVELOPE of names, comments, groups and folded lines', async () => {
    const client = await openInbox();
    const people = '(("Ann, the first" NIL "ann" "example.com")("Bob" NIL "bob" "example.com"))';
    expect(await client.ask('FETCH 1 ENVELOPE')).toBe(
      '* 1 FETCH (ENVELOPE ("Thu, 1 Feb 2024 23:30:00 -0500" "A long subject in two lines" ' +
        `${people} ${people} ((NIL NIL "Team" NIL)(NIL NIL "carl" "example.com")("Dora" NIL "dora" "example.com")(NIL NIL NIL NIL)) ` +
        '(("=?utf-8?B?SsO8cmdlbg==?=" NIL "juergen" "example.com")) NIL NIL NIL "<nested@example.com>"))\r\nOK FETCH completed\r\n',
    );
  });

  it('gives BODYSTRUCTURE and BODY of nested parts', async () => {
    const client = await openInbox();
    const forwarded = NESTED.slice(
      NESTED.indexOf('From: inner'),
      NESTED.indexOf('\r\n--outer=_1\r\nContent-Type: app'),
    );
    const inner =
      '(NIL "inside" ((NIL NIL "inner" "example.com")) ((NIL NIL "inner" "example.com")) ((NIL NIL "inner" "example.com")) NIL NIL NIL NIL NIL)';
    expect(await client.ask('FETCH 1 BODYSTRUCTURE')).toBe(
      '* 1 FETCH (BODYSTRUCTURE (' +
        '("text" "plain" ("charset" "utf-8") NIL NIL "quoted-printable" 50 1 NIL NIL NIL NIL)' +
        `("message" "rfc822" NIL NIL "forwarded" "7bit" ${forwarded.length} ${inner} ` +
        '(("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 12 0 NIL NIL NIL NIL)' +
        '("text" "html" ("charset" "us-ascii") NIL NIL "base64" 20 0 NIL NIL NIL NIL) "alternative" ("boundary" "inner") NIL NIL NIL) 12 NIL NIL NIL NIL)' +
        '("application" "pdf" ("name" "report.pdf") "<pdf@example.com>" NIL "base64" 8 NIL ("attachment" ("filename" "report.pdf")) NIL NIL)' +
        ' "mixed" ("boundary" "outer=_1") NIL NIL NIL))\r\nOK FETCH completed\r\n',
    );
    expect(await client.ask('FETCH 1 BODY')).toContain('"base64" 8) "mixed"))\r\n');
  });

  it.each([
    ['BODY.PEEK[]', NESTED],
    ['RFC822', NESTED],
    ['BODY.PEEK[HEADER]', NESTED.slice(0, NESTED.indexOf('This is a preamble'))],
    ['RFC822.HEADER', NESTED.slice(0, NESTED.indexOf('This is a preamble'))],
    ['BODY.PEEK[TEXT]', NESTED.slice(NESTED.indexOf('This is a preamble'))],
    ['RFC822.TEXT', NESTED.slice(NESTED.indexOf('This is a preamble'))],
    ['BODY.PEEK[1]', 'Gr=C3=BC=C3=9Fe aus K=C3=B6ln, eine lange =\r\nZeile'],
    [
      'BODY.PEEK[1.MIME]',
      'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n',
    ],
    ['BODY.PEEK[2.HEADER.FIELDS (SUBJECT to)]', 'Subject: inside\r\n\r\n'],
    ['BODY.PEEK[2.TEXT]<2.5>', 'inner'],
    ['BODY.PEEK[2.1]', 'plain inside'],
    ['BODY.PEEK[2.2.MIME]', 'Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n'],
    ['BODY.PEEK[2.2]<5.6>', 'W5zaWR'],
    ['BODY.PEEK[3]', 'JVBERi0='],
    ['BODY.PEEK[3]<6.100>', '0='],
    ['BODY.PEEK[3]<100.1>', ''],
    ['BODY.PEEK[HEADER.FIELDS ("subject" "none")]', 'Subject: A long\r\n subject in two lines\r\n\r\n'],
    [
      'BODY.PEEK[HEADER.FIELDS.NOT (date from reply-to to message-id mime-version content-type)]',
      'Subject: A long\r\n subject in two lines\r\n\r\n',
    ],
  ])('gives the very bytes of %s', async (item, expected) => {
    const client = await openInbox();
    expect(literalOf(await client.ask(`UID FETCH 7 ${item}`))).toBe(expected);
  });

  it.each(['BODY.PEEK[4]', 'BODY.PEEK[1.1]', 'BODY.PEEK[1.HEADER]', 'BODY.PEEK[2.3]'])(
    'says NIL for %s',
    async (item) => {
      const client = await openInbox();
      expect(await client.ask(`FETCH 1 ${item}`)).toContain('] NIL)\r\nOK');
    },
  );

  it('names sections as the client wrote them, in capitals', async () => {
    const client = await openInbox();
    expect(await client.ask('FETCH 2 body.peek[header.fields (Subject "x y")]<3.4>')).toBe(
      '* 2 FETCH (BODY[HEADER.FIELDS (Subject "x y")]<3> {4}\r\nject)\r\nOK FETCH completed\r\n',
    );
    expect(await client.ask('FETCH 2 body.peek[1]')).toBe(
      '* 2 FETCH (BODY[1] {25}\r\nfirst line\r\nsecond line\r\n)\r\nOK FETCH completed\r\n',
    );
  });

  it('sets \\Seen unless it only peeks or the mailbox is read-only', async () => {
    const client = await openInbox();
    expect(await client.ask('FETCH 2 BODY.PEEK[TEXT]<0.1>')).not.toContain('FLAGS');
    expect(await client.ask('FETCH 2 BODY[TEXT]<0.1>')).toContain('FLAGS (\\Seen)');
    expect(await client.ask('FETCH 2 BODY[TEXT]<0.1>')).not.toContain('FLAGS');
    await client.ask('EXAMINE INBOX');
    expect(await client.ask('FETCH 3 BODY[]<0.1>')).not.toContain('FLAGS');
    expect(await client.ask('FETCH 1:* FLAGS')).toBe(
      '* 1 FETCH (FLAGS (\\Seen Work))\r\n* 2 FETCH (FLAGS (\\Seen))\r\n* 3 FETCH (FLAGS ())\r\nOK FETCH completed\r\n',
    );
  });

  it('knows sets of numbers and of UIDs', async () => {
    const client = await openInbox();
    const uids = async (command: string): Promise<unknown> =>
      [...(await client.ask(command)).matchAll(/UID (\d+)/g)].map(([, uid]) => Number(uid));
    expect(await uids('FETCH 1:* UID')).toEqual([7, 8, 9]);
    expect(await uids('FETCH *:2,1 UID')).toEqual([7, 8, 9]);
    expect(await uids('FETCH 3,1 UID')).toEqual([7, 9]);
    expect(await uids('UID FETCH 8:4294967295 UID')).toEqual([8, 9]);
    expect(await uids('UID FETCH 100:* FLAGS')).toEqual([9]);
    expect(await uids('UID FETCH 1:6 FLAGS')).toEqual([]);
    expect(await client.ask('FETCH 4 UID')).toMatch(/^BAD there are 3 messages/);
    expect(await client.ask('FETCH 0 UID')).toMatch(/^BAD /);
    expect(await client.ask('FETCH 4294967296 UID')).toMatch(/^BAD /);
    expect(await client.ask('FETCH 1:2: UID')).toMatch(/^BAD /);
  });

  it.each([
    'FETCH 1 BODY[',
    'FETCH 1 BODY[0]',
    'FETCH 1 BODY[MIME]',
    'FETCH 1 BODY[1.]',
    'FETCH 1 BODY[HEADER.FIELDS]',
    'FETCH 1 BODY[]<0.0>',
    'FETCH 1 BODY[]<-1.1>',
    'FETCH 1 (FLAGS',
    'FETCH 1 ((FLAGS))',
    'FETCH 1 ()',
    'FETCH 1 NOTHING',
    'FETCH 1 FLAGSX',
    'FETCH 1 __proto__',
    'FETCH 1',
    'FETCH',
  ])('refuses %s', async (command) => {
    const client = await openInbox();
    expect(await client.ask(command)).toMatch(/^BAD \S/);
    expect(await client.ask('NOOP')).toBe('OK NOOP completed\r\n');
  });

  it('is read by imapflow, with parts, names and text in any language', async () => {
    const { port } = await startHost({ mailboxes: [INBOX] });
    const client = await openFlow(port);
    const lock = await client.getMailboxLock('INBOX');
    const message = await client.fetchOne(
      '7',
      { envelope: true, bodyStructure: true, flags: true, source: true },
      { uid: true },
    );
    if (message === false) throw new Error('no message');
    expect(message.source?.toString('latin1')).toBe(NESTED);
    expect(message.envelope?.to).toEqual([{ name: 'Jürgen', address: 'juergen@example.com' }]);
    expect(
      message.bodyStructure?.childNodes?.[1]?.childNodes?.[0]?.childNodes?.map(({ part, type }) => [
        part,
        type,
      ]),
    ).toEqual([
      ['2.1', 'text/plain'],
      ['2.2', 'text/html'],
    ]);
    const part = await client.download('7', '1', { uid: true });
    const chunks: Buffer[] = [];
    for await (const chunk of part.content) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('Grüße aus Köln, eine lange Zeile');
    const third = await client.fetchOne('3', { envelope: true, source: true });
    if (third === false) throw new Error('no message');
    expect(third.envelope?.subject).toBe('Grüße');
    expect(third.envelope?.from).toEqual([{ name: 'Jürgen', address: 'j@example.com' }]);
    expect(third.envelope?.to?.map(({ address }) => address)).toEqual(['a@b', 'c@d']);
    expect(third.envelope?.date).toEqual(new Date('2024-02-04T00:00:00Z'));
    expect(third.source?.toString()).toMatch(/\r\n\r\nx\r\ny\r\n$/);
    lock.release();
    await client.logout();
  });

  it('takes dates as mails and IMAP write them, and other words for the Date field alone', async () => {
    const dates = ['Mon, 15 Jan 2024 10:30:00 +0100', ' 1-Feb-2024 12:00:00 +0000', 'yesterday at noon', ''];
    const { port, host } = await startHost({
      mailboxes: [{ name: 'INBOX', messages: dates.map((date) => ({ date })) }],
    });
    const now = host.clock.now();
    const client = await RawClient.login(port, 'INBOX');
    const answer = await client.ask('FETCH 1:* (INTERNALDATE BODY.PEEK[HEADER.FIELDS (DATE)])');
    const arrived = [...answer.matchAll(/INTERNALDATE "(.*?)"/g)].map(([, date = '']) => Date.parse(date));
    expect(arrived.slice(0, 2)).toEqual([Date.parse('2024-01-15T09:30Z'), Date.parse('2024-02-01T12:00Z')]);
    for (const time of arrived.slice(2)) expect(Math.abs(time - now)).toBeLessThan(60_000);
    expect([...answer.matchAll(/^Date: (.*)\r$/gm)].map(([, field]) => field)).toEqual([
      ...dates.slice(0, 3),
      expect.stringMatching(/^\w{3}, \d+ \w{3} \d{4} /),
    ]);
  });

  it('sends large mailboxes as fast as the client reads, while others are served', async () => {
    const body = 'x'.repeat(2_000_000);
    const messages = Array.from({ length: 40 }, () => ({ body, date: '2024-01-01T00:00:00Z' }));
    const { port } = await startHost({ mailboxes: [{ name: 'INBOX', messages }] });
    const client = await RawClient.login(port, 'INBOX');
    client.socket.pause();
    let received = 0;
    client.socket.removeAllListeners('data').on('data', (text: string) => (received += text.length));
    client.socket.pause();
    client.write('a FETCH 1:* BODY.PEEK[]\r\nb NOOP\r\n');
    const other = await RawClient.login(port, 'INBOX');
    expect(await other.ask('FETCH 1 RFC822.SIZE')).toContain('RFC822.SIZE 2000');
    client.socket.resume();
    let end = '';
    await new Promise<void>((resolve) => {
      client.socket.on('data', (text: string) => {
        end = (end + text).slice(-100);
        if (end.includes('b OK NOOP completed')) resolve();
      });
    });
    expect(end).toContain('a OK FETCH completed\r\nb OK NOOP completed\r\n');
    expect(received).toBeGreaterThan(80_000_000);
  });
});
