import { describe, expect, it } from '@jest/globals';
import { RawClient, openFlow, startHost } from './support.js';

const MAILBOXES = [
  { id: 'inbox', name: 'INBOX', messages: ['one', 'two', 'three', 'four'].map((subject) => ({ subject })) },
  { id: 'archive', name: 'Archive' },
];

async function open(mailbox = 'INBOX'): Promise<RawClient> {
  const { port } = await startHost({ mailboxes: MAILBOXES });
  return RawClient.login(port, mailbox);
}

describe('STORE', () => {
  it('sets, adds and removes flags, with and without an answer', async () => {
    const client = await open();
    expect(await client.ask('STORE 1:2 FLAGS (\\SEEN Work)')).toBe(
      '* 1 FETCH (FLAGS (\\Seen Work))\r\n* 2 FETCH (FLAGS (\\Seen Work))\r\nOK STORE completed\r\n',
    );
    expect(await client.ask('STORE 1 +flags.silent \\Flagged')).toBe('OK STORE completed\r\n');
    expect(await client.ask('UID STORE 1 -FLAGS (work \\Seen)')).toBe(
      '* 1 FETCH (UID 1 FLAGS (\\Flagged))\r\nOK UID STORE completed\r\n',
    );
    expect(await client.ask('STORE 1 FLAGS ()')).toBe('* 1 FETCH (FLAGS ())\r\nOK STORE completed\r\n');
    expect(await client.ask('STORE 1 FLAGS.SILENT \\Seen \\Draft')).toBe('OK STORE completed\r\n');
    expect(await client.ask('FETCH 1 FLAGS')).toContain('(\\Seen \\Draft)');
  });

  it.each([
    'STORE 1 FLAG (a)',
    'STORE 1 FLAGS (\\Recent)',
    'STORE 1 FLAGS (\\*)',
    'STORE 1 FLAGS',
    'STORE 9 FLAGS (a)',
    'STORE 1 FLAGS (a b',
  ])('refuses %s', async (command) => {
    const client = await open();
    expect(await client.ask(command)).toMatch(/^BAD /);
  });

  it('changes nothing in a mailbox that was opened read-only', async () => {
    const client = await open();
    expect(await client.ask('EXAMINE INBOX')).toMatch(/PERMANENTFLAGS \(\)[^]*OK \[READ-ONLY\]/);
    for (const command of ['STORE 1 FLAGS (a)', 'EXPUNGE', 'UID EXPUNGE 1', 'MOVE 1 Archive']) {
      expect(await client.ask(command)).toMatch(/^NO /);
    }
    expect(await client.ask('FETCH 1 FLAGS')).toContain('FLAGS ()');
  });
});

describe('COPY and MOVE', () => {
  it('copy with flags and dates, and say the UIDs', async () => {
    const client = await open();
    await client.ask('STORE 2 FLAGS (\\Seen Work)');
    expect(await client.ask('COPY 2:3 archive')).toMatch(/^NO \[TRYCREATE\]/);
    expect(await client.ask('COPY 1,3:4 Archive')).toMatch(/^OK \[COPYUID \d+ 1,3:4 1:3\] COPY completed/);
    expect(await client.ask('UID COPY 2 Archive')).toMatch(/^OK \[COPYUID \d+ 2 4\] UID COPY completed/);
    expect(await client.ask('UID COPY 99 Archive')).toBe('OK UID COPY completed\r\n');
    expect(await client.ask('SELECT Archive')).toContain('* 4 EXISTS\r\n* 4 RECENT\r\n');
    expect(await client.ask('FETCH 4 (FLAGS BODY.PEEK[HEADER.FIELDS (Subject)])')).toContain(
      'FLAGS (\\Seen Work \\Recent) BODY[HEADER.FIELDS (Subject)] {16}\r\nSubject: two\r\n\r\n)',
    );
    expect(await client.ask('SELECT Archive')).toContain('* 0 RECENT\r\n');
  });

  it('move out of the mailbox', async () => {
    const client = await open();
    expect(await client.ask('MOVE 2:3 Archive')).toMatch(
      /^\* OK \[COPYUID \d+ 2:3 1:2\] moved\r\n\* 3 EXPUNGE\r\n\* 2 EXPUNGE\r\nOK MOVE completed\r\n$/,
    );
    expect(await client.ask('UID MOVE 4 Archive')).toContain('* 2 EXPUNGE\r\n');
    expect(await client.ask('UID SEARCH ALL')).toBe('* SEARCH 1\r\nOK UID SEARCH completed\r\n');
    expect(await client.ask('STATUS Archive (MESSAGES UIDNEXT)')).toContain('(MESSAGES 3 UIDNEXT 4)');
  });

  it('work within one mailbox', async () => {
    const client = await open();
    expect(await client.ask('COPY 1 INBOX')).toMatch(/^\* 5 EXISTS\r\n\* 1 RECENT\r\nOK \[COPYUID \d+ 1 5\]/);
    expect(await client.ask('MOVE 1 INBOX')).toMatch(/\* 1 EXPUNGE\r\n\* 5 EXISTS\r\n/);
    expect(await client.ask('UID SEARCH ALL')).toContain('* SEARCH 2 3 4 5 6\r\n');
  });
});

describe('EXPUNGE and CLOSE', () => {
  it('remove what is deleted, all of it or some UIDs', async () => {
    const client = await open();
    await client.ask('STORE 1:3 +FLAGS.SILENT (\\Deleted)');
    expect(await client.ask('UID EXPUNGE 2,4')).toBe('* 2 EXPUNGE\r\nOK UID EXPUNGE completed\r\n');
    expect(await client.ask('EXPUNGE')).toBe('* 2 EXPUNGE\r\n* 1 EXPUNGE\r\nOK EXPUNGE completed\r\n');
    expect(await client.ask('EXPUNGE')).toBe('OK EXPUNGE completed\r\n');
    await client.ask('STORE 1 +FLAGS.SILENT (\\Deleted)');
    expect(await client.ask('CLOSE')).toBe('OK CLOSE completed\r\n');
    expect(await client.ask('FETCH 1 FLAGS')).toMatch(/^BAD FETCH needs a mailbox/);
    expect(await client.ask('SELECT INBOX')).toMatch(/\* 0 EXISTS[^]*UIDNEXT 5\]/);
  });

  it('UNSELECT and CLOSE after EXAMINE remove nothing', async () => {
    const client = await open();
    await client.ask('STORE 1 +FLAGS.SILENT (\\Deleted)');
    expect(await client.ask('UNSELECT')).toBe('OK UNSELECT completed\r\n');
    await client.ask('EXAMINE INBOX');
    await client.ask('CLOSE');
    expect(await client.ask('STATUS INBOX (MESSAGES UNSEEN)')).toContain('(MESSAGES 4 UNSEEN 4)');
  });
});

describe('APPEND', () => {
  it('takes flags, a date and a literal of either kind, byte for byte', async () => {
    const client = await open();
    const raw = 'Subject: odd\n\n\x80\xff bare \r line\nends\r\n';
    client.write(`a APPEND INBOX (\\Seen Work) " 5-Jan-2024 10:00:00 +0200" {${raw.length}}\r\n`);
    expect(await client.receive(/\r\n/)).toBe('+ go ahead\r\n');
    client.write(`${raw}\r\n`);
    expect(await client.receive(/a OK/)).toMatch(
      /^\* 5 EXISTS\r\n\* 1 RECENT\r\na OK \[APPENDUID \d+ 5\] APPEND completed\r\n/,
    );
    expect(await client.ask('FETCH 5 (FLAGS INTERNALDATE BODY.PEEK[])')).toBe(
      `* 5 FETCH (FLAGS (\\Seen Work \\Recent) INTERNALDATE " 5-Jan-2024 08:00:00 +0000" BODY[] {${raw.length}}\r\n${raw})\r\nOK FETCH completed\r\n`,
    );
    expect(await client.ask('APPEND INBOX {3+}\r\na:b')).toMatch(/\* 6 EXISTS[^]*OK \[APPENDUID/);
    expect(await client.ask('APPEND {5+}\r\nINBOX () {3+}\r\na:b')).toMatch(/\* 7 EXISTS[^]*OK \[APPENDUID/);
    expect(await client.ask('APPEND INBOX {0+}\r\n')).toMatch(/\* 8 EXISTS[^]*OK \[APPENDUID/);
    expect(await client.ask('FETCH 8 (BODY ENVELOPE BODY[])')).toContain(
      'BODY[] {0}\r\n FLAGS (\\Seen \\Recent))',
    );
  });

  it.each([
    ['APPEND nowhere {3+}\r\na:b', /^NO \[TRYCREATE\]/],
    ['APPEND INBOX {3+}\r\na\0b', /^NO /],
    ['APPEND INBOX "no literal"', /^BAD /],
    ['APPEND INBOX (\\Recent) {1+}\r\na', /^BAD /],
    ['APPEND INBOX "32-Jan-2024 10:00:00 +0200" {1+}\r\na', /^BAD /],
    ['APPEND INBOX {1+}\r\na {1+}\r\nb', /^BAD /],
    ['APPEND INBOX {99999999}', /^BAD a literal of 99999999 bytes is too long; 16777216 are the most/],
  ])('answers %j', async (command, expected) => {
    const client = await open();
    expect(await client.ask(command)).toMatch(expected);
    expect(await client.ask('STATUS INBOX (MESSAGES)')).toContain('(MESSAGES 4)');
  });
});

describe('a session of imapflow', () => {
  it('appends, flags, copies, moves and deletes', async () => {
    const { port } = await startHost({ mailboxes: MAILBOXES });
    const client = await openFlow(port);
    const lock = await client.getMailboxLock('INBOX');
    const appended = await client.append(
      'INBOX',
      'Subject: new\r\n\r\nbody',
      ['\\Seen'],
      new Date('2024-01-05'),
    );
    expect(appended).toMatchObject({ destination: 'INBOX', uid: 5 });
    expect(await client.messageFlagsAdd('5', ['$Forwarded'], { uid: true })).toBe(true);
    const message = await client.fetchOne('5', { flags: true, internalDate: true }, { uid: true });
    expect(message).toMatchObject({
      flags: new Set(['\\Seen', '$Forwarded', '\\Recent']),
      internalDate: new Date('2024-01-05'),
    });
    expect(await client.messageCopy('1:2', 'Archive')).toMatchObject({
      uidMap: new Map([
        [1, 1],
        [2, 2],
      ]),
    });
    expect(await client.messageMove('5', 'Archive', { uid: true })).toMatchObject({
      uidMap: new Map([[5, 3]]),
    });
    expect(await client.messageDelete('1')).toBe(true);
    expect(await client.search({ all: true }, { uid: true })).toEqual([2, 3, 4]);
    lock.release();
    expect(await client.status('Archive', { messages: true, unseen: true })).toMatchObject({
      messages: 3,
      unseen: 2,
    });
    await client.logout();
  });
});
