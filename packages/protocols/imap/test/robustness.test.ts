import { describe, expect, it } from '@jest/globals';
import { abandon, mulberry32, mutate, playSession } from '@backlot/conformance';
import { NESTED } from './letters.js';
import { RawClient, openFlow, startHost } from './support.js';

/** What imapflow 1.0.200 and imaplib sent in sessions that use every kind of command. */
const SESSION = Buffer.from(
  [
    '1 CAPABILITY',
    '2 ID ("name" "imapflow" "version" "1.0.200" "os" "linux" "support-url" NIL)',
    '3 AUTHENTICATE PLAIN',
    'AGFubgBzZWNyZXQ=',
    '4 NAMESPACE',
    '5 LIST "" "*"',
    '6 LSUB "" "*"',
    '7 STATUS Archive/2024 (MESSAGES UNSEEN UIDNEXT UIDVALIDITY RECENT)',
    '8 SELECT INBOX',
    '9 UID FETCH 1:* (UID FLAGS ENVELOPE BODYSTRUCTURE BODY.PEEK[HEADER.FIELDS (SUBJECT X-Tag)] BODY.PEEK[1.2]<0.65536> RFC822.SIZE INTERNALDATE)',
    '10 UID SEARCH OR (SEEN FROM "ann") NOT FLAGGED SINCE 1-Feb-2024 LARGER 10 UID 1:5',
    '11 SEARCH CHARSET UTF-8 SUBJECT {5}',
    'Stra\u00df',
    '12 APPEND INBOX (\\Seen) " 5-Jan-2024 10:00:00 +0200" {28+}',
    'Subject: new\r\n\r\nbody\r\nbody\r\n',
    '13 STORE 1 +FLAGS.SILENT (\\Flagged $Forwarded)',
    '14 CREATE "&ANw-mlaut/Kind"',
    '15 UID COPY 1:2 Archive/2024',
    '16 MOVE 3 Archive/2024',
    '17 IDLE',
    'DONE',
    '18 RENAME "&ANw-mlaut/Kind" Neu',
    '19 SUBSCRIBE Neu',
    '20 UID EXPUNGE 1:2',
    '21 DELETE Neu',
    '22 CLOSE',
    '23 LOGOUT',
    '',
  ].join('\r\n'),
  'latin1',
);
const MAILBOXES = [
  { id: 'inbox', name: 'INBOX', messages: [{ raw: NESTED }, { subject: 'plain', body: 'text' }] },
  { name: 'Archive/2024' },
];
const MUTATIONS = 10_000;
const AT_ONCE = 100;
const SPECIAL = [0, 10, 13, 32, 34, 40, 41, 42, 92, 123, 125, 255];
const INSERTS = [
  ...SPECIAL.map((byte) => Buffer.of(byte)),
  '{4294967295}\r\n',
  '{2000000000+}\r\n',
  '{5+}\r\n',
  '(',
  ')',
  '((((((((',
  '"',
  '*',
  '1:*',
  '\r\n',
  ' NOT',
  'BODY[',
  'UID ',
  '\0',
  '4294967296',
  '&',
];

/** What comes back for a session, one character per byte. */
async function exchange(port: number, bytes: Buffer): Promise<string> {
  return (await playSession(port, bytes)).toString('latin1');
}

async function checkRealClient(port: number): Promise<void> {
  const client = await openFlow(port);
  const lock = await client.getMailboxLock('INBOX');
  const message = await client.fetchOne('1', { source: true });
  expect(message === false ? '' : message.source?.toString('latin1')).toBe(NESTED);
  lock.release();
  await client.logout();
}

describe('robustness', () => {
  it('answers the session itself without a BAD', async () => {
    const { port } = await startHost({ mailboxes: MAILBOXES });
    const answer = await exchange(port, SESSION);
    expect([...answer.matchAll(/^\d+ (?!OK).*$/gm)].map(([line]) => line)).toEqual([]);
    expect(answer).toContain('\r\n23 OK LOGOUT completed\r\n');
  });

  it(`lives through ${MUTATIONS} changed sessions`, async () => {
    const { host, port, log } = await startHost({ mailboxes: MAILBOXES });
    const below = mulberry32(7);
    let refused = 0;
    for (let done = 0; done < MUTATIONS; done += AT_ONCE) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, () => exchange(port, mutate(SESSION, below, INSERTS))),
      );
      for (const answer of answers) {
        expect(answer.startsWith('* OK [CAPABILITY')).toBe(true);
        if (/^(?:\S+ (?:BAD|NO)|\* BYE) /m.test(answer)) refused += 1;
      }
      host.reset();
    }
    expect(refused).toBeGreaterThan(MUTATIONS / 2);
    expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
    host.reset();
    await checkRealClient(port);
  }, 120_000);

  it.each([
    ['a LOGIN {4294967295}\r\n', /^a BAD a literal of 4294967295 bytes is too long; 65536 are the most\r\n/],
    ['a LOGIN {2000000000+}\r\n', /^\* BYE a literal of 2000000000 bytes is too long/],
    ['a LOGIN {99999999999999999999}\r\n', /^a BAD a literal of .* bytes is too long/],
    ['a APPEND INBOX {65537}\r\n', /^a BAD a literal of 65537 bytes is too long; 65536/],
    [
      `a LOGIN ${'{60000+}\r\n'}${'x'.repeat(60_000)} {60000+}\r\n${'x'.repeat(60_000)} {60000+}\r\n`,
      /^\* BYE the command is too long/,
    ],
    ['x'.repeat(70_000), /^\* BYE a line has more than 65536 bytes\r\n$/],
    ['\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', /^\* BYE this is no IMAP\r\n$/],
    ['\0\0\0', /^\* BYE this is no IMAP\r\n$/],
    ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', /^\* BYE this is IMAP, not HTTP\r\n$/],
    ['x\r\n'.repeat(20), /^(?:\* BAD .*\r\n){10}\* BYE too many bad commands\r\n$/],
  ])('cuts off %j before the login', async (bytes, expected) => {
    const { port } = await startHost({ mailboxes: MAILBOXES });
    const client = await RawClient.open(port);
    client.write(bytes);
    if (expected.source.startsWith('^a')) expect(await client.receive(/\r\n/)).toMatch(expected);
    else expect(await client.closed()).toMatch(expected);
    await checkRealClient(port);
  });

  it.each([
    'X',
    'UID',
    'UID LOGIN a b',
    'SELECT',
    'SELECT (INBOX)',
    'SELECT "IN',
    'SELECT "a\\b"',
    'SELECT INBOX extra',
    `FETCH 1 ${'('.repeat(50_000)}`,
    `FETCH ${'1,'.repeat(20_000)}`,
    `FETCH 1 BODY[${'1.'.repeat(20_000)}1]`,
    `FETCH 1 BODY[${'1.'.repeat(200)}1]`,
    'STATUS INBOX (NOTHING)',
    'STATUS INBOX ()',
    'LIST "" * extra',
    'LIST (SUBSCRIBED) "" *',
    'ID',
    'COMPRESS DEFLATE',
    'ENABLE UTF8=ACCEPT',
    '__proto__',
    'constructor',
    '\x7f',
    'NOOP \x00',
  ])('answers BAD to %j and goes on', async (command) => {
    const { port } = await startHost({ mailboxes: MAILBOXES });
    const client = await RawClient.login(port, 'INBOX');
    expect(await client.ask(command)).toMatch(/^BAD \S/);
    expect(await client.ask('FETCH 2 UID')).toBe('* 2 FETCH (UID 2)\r\nOK FETCH completed\r\n');
  });

  it('answers sets of thousands of ranges at once', async () => {
    const { port } = await startHost({ mailboxes: MAILBOXES });
    const client = await RawClient.login(port, 'INBOX');
    expect(await client.ask(`UID FETCH ${'1:4294967295,*:1,'.repeat(3_000)}7 FLAGS`)).toBe(
      '* 1 FETCH (UID 1 FLAGS ())\r\n* 2 FETCH (UID 2 FLAGS ())\r\nOK UID FETCH completed\r\n',
    );
  });

  it.each([
    [
      'parts within parts',
      `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n'.repeat(5_000)}`,
    ],
    [
      'very many parts',
      `Content-Type: multipart/mixed; boundary=a\r\n\r\n${'--a\r\n\r\nx\r\n'.repeat(50_000)}`,
    ],
    ['messages within messages', 'Content-Type: message/rfc822\r\n\r\n'.repeat(20_000)],
    ['a header without end', 'a: b\r\n'.repeat(100_000)],
    ['one long field', `Subject: ${' x'.repeat(500_000)}`],
    ['addresses without end', `From: ${'<"(,:;'.repeat(100_000)}`],
    ['parameters without end', `Content-Type: text/plain${'; a="'.repeat(50_000)}`],
    ['comments within comments', `Content-Type: ${'('.repeat(200_000)}`],
    [
      'encoded words without end',
      `Subject: ${'=?utf-8?q?a?= '.repeat(50_000)}\r\nTo: ${'=?'.repeat(100_000)}`,
    ],
    ['nothing but line ends', '\r\n'.repeat(100_000)],
    [
      'bytes',
      Buffer.from(Array.from({ length: 50_000 }, (_, index) => 1 + ((index * 7919) % 255))).toString(
        'latin1',
      ),
    ],
  ])('reads messages of %s', async (_name, raw) => {
    const { port } = await startHost();
    const client = await RawClient.login(port, 'INBOX');
    // The work of this process and not the time it takes: other processes may want the machine too.
    const start = process.cpuUsage().user;
    expect(await client.ask(`APPEND INBOX {${raw.length}+}\r\n${raw}`)).toMatch(/OK \[APPENDUID/);
    expect(
      await client.ask(
        'FETCH 1 (BODYSTRUCTURE BODY ENVELOPE BODY.PEEK[1.1.MIME] BODY.PEEK[HEADER.FIELDS (a)])',
      ),
    ).toMatch(/OK FETCH completed/);
    expect(await client.ask('SEARCH OR TEXT zzz HEADER Subject zzz')).toContain('* SEARCH\r\n');
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(3_000);
  });

  it('cuts off an idling client that does not read', async () => {
    const { host, port } = await startHost({ mailboxes: MAILBOXES });
    const silent = await RawClient.login(port, 'INBOX');
    silent.write('i IDLE\r\n');
    await silent.receive(/\+ /);
    silent.socket.pause();
    const keyword = 'k'.repeat(20_000);
    const other = await RawClient.login(port, 'INBOX');
    for (let round = 0; round < 2_000 && host.kind('imap').status()['connections'] === 2; round += 1) {
      await other.ask(`STORE 1 FLAGS.SILENT (${keyword}${round})`);
    }
    expect(host.kind('imap').status()['connections']).toBe(1);
    abandon(silent.socket);
  });
});
