import { describe, expect, it } from '@jest/globals';
import { NESTED, PLAIN } from './letters.js';
import { RawClient, openFlow, startHost } from './support.js';

const MAILBOX = {
  name: 'INBOX',
  messages: [
    { uid: 10, raw: NESTED, date: '2024-02-02T04:30:01Z', flags: ['\\Seen', 'Work'] },
    {
      uid: 20,
      raw: `Date: Sat, 3 Feb 2024 01:00:00 +0000\r\n${PLAIN}`,
      date: '2024-02-03T23:59:59Z',
      flags: ['\\Flagged'],
    },
    {
      uid: 30,
      raw: 'Subject: =?iso-8859-1?Q?Stra=DFe?= =?utf-8?B?IGbDvHIgYWxsZQ==?=\nCc: dora@example.com\nBcc: emil@example.com\nX-Tag: blue\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\nR3L832U=\n',
      date: '2024-02-04T12:00:00Z',
      flags: ['\\Answered', '\\Deleted', '\\Draft'],
    },
  ],
};

const CASES: readonly (readonly [string, string])[] = [
  ['ALL', '1 2 3'],
  ['2', '2'],
  ['2:*', '2 3'],
  ['UID 20:*', '2 3'],
  ['UID 1:5', ''],
  ['SEEN', '1'],
  ['UNSEEN', '2 3'],
  ['FLAGGED', '2'],
  ['UNFLAGGED', '1 3'],
  ['ANSWERED', '3'],
  ['UNANSWERED', '1 2'],
  ['DELETED', '3'],
  ['UNDELETED', '1 2'],
  ['DRAFT', '3'],
  ['UNDRAFT', '1 2'],
  ['KEYWORD work', '1'],
  ['UNKEYWORD Work', '2 3'],
  ['NEW', ''],
  ['OLD', '1 2 3'],
  ['RECENT', ''],
  ['NOT SEEN', '2 3'],
  ['OR SEEN FLAGGED', '1 2'],
  ['OR (SEEN FLAGGED) NOT OR SEEN FLAGGED', '3'],
  ['(UNSEEN FLAGGED) 1:2', '2'],
  ['FROM ann@EXAMPLE', '1 2'],
  ['FROM "the first"', '1'],
  ['TO juergen', '1'],
  ['CC dora', '3'],
  ['BCC emil', '3'],
  ['SUBJECT "long subject"', '1'],
  ['SUBJECT ""', '1 2 3'],
  ['HEADER x-tag BLUE', '3'],
  ['HEADER X-Tag ""', '3'],
  ['HEADER Nothing ""', ''],
  ['BODY "second line"', '2'],
  ['BODY subject', '1'],
  ['BODY "<b>INSIDE"', '1'],
  ['BODY JVBERi0', ''],
  ['TEXT plain', '1 2 3'],
  ['TEXT nested@example.com', '1'],
  ['BEFORE 3-Feb-2024', '1'],
  ['ON 3-feb-2024', '2'],
  ['SINCE "3-Feb-2024"', '2 3'],
  ['SENTBEFORE 2-Feb-2024', '1'],
  ['SENTON 1-Feb-2024', '1'],
  ['SENTSINCE 2-Feb-2024', '2'],
  [`LARGER ${NESTED.length - 1}`, '1'],
  [`LARGER ${NESTED.length}`, ''],
  [`SMALLER ${NESTED.length}`, '2 3'],
  ['CHARSET US-ASCII SUBJECT plain', '2'],
  ['CHARSET UTF-8 TO "J\u00c3\u00bcrgen"', '1'],
  ['CHARSET iso-8859-1 BODY "gr\u00fc\u00dfe"', '1 3'],
  ['BODY "Gr\u00c3\u00bc\u00c3\u0178e"'.replace('\u0178', '\u009f'), '1 3'],
  ['SUBJECT "stra\u00c3\u009fe f\u00c3\u00bcr"', '3'],
  ['BODY "eine lange Zeile"', '1'],
];

describe('SEARCH', () => {
  it('finds by every criterion', async () => {
    const { port } = await startHost({ mailboxes: [MAILBOX] });
    const client = await RawClient.login(port, 'INBOX');
    const found: (readonly [string, string])[] = [];
    for (const [criteria] of CASES) {
      const answer = await client.ask(`SEARCH ${criteria}`);
      found.push([criteria, /^\* SEARCH ?(.*)\r\nOK SEARCH completed\r\n$/.exec(answer)?.[1] ?? answer]);
    }
    expect(found).toEqual(CASES);
    expect(await client.ask('UID SEARCH UNSEEN')).toBe('* SEARCH 20 30\r\nOK UID SEARCH completed\r\n');
  });

  it('takes texts as literals, synchronising and not', async () => {
    const { port } = await startHost({ mailboxes: [MAILBOX] });
    const client = await RawClient.login(port, 'INBOX');
    client.write('a SEARCH CHARSET UTF-8 TO {7}\r\n');
    expect(await client.receive(/\r\n/)).toBe('+ go ahead\r\n');
    client.write('J\u00c3\u00bcrgen SUBJECT {4+}\r\nlong\r\n');
    expect(await client.receive(/a OK/)).toBe(
      '* SEARCH\r\na OK SEARCH completed\r\n'.replace('SEARCH\r', 'SEARCH 1\r'),
    );
  });

  it.each([
    'SEARCH',
    'SEARCH ',
    'SEARCH NOTHING',
    'SEARCH SUBJECT',
    'SEARCH ON 31-Feb-2024',
    'SEARCH ON yesterday',
    'SEARCH LARGER x',
    'SEARCH 4',
    'SEARCH NOT 1:9',
    'SEARCH (SEEN',
    'SEARCH SEEN)',
    'SEARCH OR SEEN',
    'SEARCH HEADER a',
    `SEARCH ${'NOT '.repeat(60)}SEEN`,
    `SEARCH ${'('.repeat(30_000)}`,
    'SEARCH __proto__',
  ])('refuses %s', async (command) => {
    const { port } = await startHost({ mailboxes: [MAILBOX] });
    const client = await RawClient.login(port, 'INBOX');
    expect(await client.ask(command)).toMatch(/^BAD \S/);
    expect(await client.ask('SEARCH ALL')).toContain('* SEARCH 1 2 3\r\n');
  });

  it('names the character sets it knows', async () => {
    const { port } = await startHost({ mailboxes: [MAILBOX] });
    const client = await RawClient.login(port, 'INBOX');
    expect(await client.ask('SEARCH CHARSET KOI8-X SUBJECT a')).toMatch(
      /^NO \[BADCHARSET \(US-ASCII UTF-8 ISO-8859-1\)\]/,
    );
  });

  it('answers imapflow', async () => {
    const { port } = await startHost({ mailboxes: [MAILBOX] });
    const client = await openFlow(port);
    await client.mailboxOpen('INBOX');
    expect(await client.search({ subject: 'Straße' })).toEqual([3]);
    expect(
      await client.search({ or: [{ seen: true }, { from: 'ann' }], not: { flagged: true } }, { uid: true }),
    ).toEqual([10]);
    expect(await client.search({ since: new Date('2024-02-03'), larger: 10 }, { uid: true })).toEqual([
      20, 30,
    ]);
  });
});
