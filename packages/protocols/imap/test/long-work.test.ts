import { describe, expect, it } from '@jest/globals';
import { Mailbox } from '../src/mail/mailbox.js';
import { MailContent } from '../src/mail/content.js';
import { withCrlf } from '../src/mail/line-ends.js';
import { compileNamePattern } from '../src/mail/name-pattern.js';
import { parseMessage } from '../src/mime/part.js';
import { searchMessages } from '../src/session/search-messages.js';
import { Selected } from '../src/session/selected.js';
import type { SearchKey } from '../src/wire/search-keys.js';
import { RawClient, startHost } from './support.js';

const HEAD = 'From: a@b.c\r\nSubject: long\r\n';
const KIB = 1024;

/** How often work lets others in, and what comes of it. */
function drive<T>(work: Iterator<unknown, T>): { steps: number; result: T } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { steps, result: step.value };
  }
}

function make(head: string, unit: string, bytes: number): Buffer {
  return Buffer.concat([Buffer.from(`${HEAD}${head}\r\n`), Buffer.alloc(bytes, unit, 'latin1')]);
}

function mailboxOf(...messages: readonly Buffer[]): Selected {
  const mailbox = new Mailbox('INBOX', 1, undefined);
  for (const raw of messages) {
    mailbox.add([
      { content: new MailContent(raw), date: 0, flags: [], isRecent: false, origin: 'client', key: '' },
    ]);
  }
  return new Selected(mailbox, true);
}

const TEXT: SearchKey = { type: 'text', text: 'needle' };

describe('work on a long message', () => {
  it.each([
    ['lines of a header', 'X: y\r\n'.repeat(50_000), ' '],
    ['delimiters that are none', 'Content-Type: multipart/mixed; boundary=b\r\n', '--b-\n'],
    ['a text', '', 'x'],
  ])('lets others in as often as it is long: %s', (_name, head, unit) => {
    const stepsOf = (bytes: number): number => {
      const content = new MailContent(make(head, unit, bytes));
      return drive(content.structure()).steps;
    };
    const once = stepsOf(4096 * KIB);
    const twice = stepsOf(8192 * KIB);
    expect(once).toBeGreaterThanOrEqual(15);
    expect(twice - once).toBeGreaterThanOrEqual(15);
    expect(twice).toBeLessThanOrEqual(2 * once + 4);
  });

  it('reads no more headers, parts and parameters than it may', () => {
    const fields = drive(parseMessage(make('X: y\r\n'.repeat(50_000), ' ', 0))).result.header.fields;
    expect(fields.length).toBeLessThanOrEqual(10_000);
    const long = drive(parseMessage(make(`To: ${'a@b.c, '.repeat(200_000)}\r\n`, ' ', 0))).result;
    expect(long.header.get('to')).toBeUndefined();
    const many = drive(
      parseMessage(make(`Content-Type: text/plain${'; a=b'.repeat(50_000)}\r\n`, ' ', 0)),
    ).result;
    expect(many.contentType.parameters).toHaveLength(1000);
  });

  it('never looks for a boundary beyond the part that it is in', () => {
    const inner = '--b\r\nContent-Type: multipart/mixed; boundary=never\r\n\r\n';
    const head = 'Content-Type: multipart/mixed; boundary=b\r\n';
    const stepsOf = (parts: number): number => {
      const raw = Buffer.concat([
        Buffer.from(`${HEAD}${head}\r\n${inner.repeat(parts)}`),
        Buffer.alloc(4096 * KIB, 'x'),
      ]);
      return drive(parseMessage(raw)).steps;
    };
    // The last part is searched whole; the others are as short as they are.
    expect(stepsOf(500)).toBeLessThan(3 * stepsOf(1) + 600);
  });

  it('searches it in steps, and finds what is there', () => {
    const raw = make('Content-Transfer-Encoding: quoted-printable\r\n', '=41=\r\n', 4096 * KIB);
    const { entries } = mailboxOf(raw, Buffer.concat([raw, Buffer.from('\r\nNee=64le\r\n')]));
    const { steps, result } = drive(searchMessages(TEXT, entries, () => false));
    expect(result.map(({ number }) => number)).toEqual([2]);
    expect(steps).toBeGreaterThanOrEqual(2 * 64);
    const keys: SearchKey = {
      type: 'and',
      keys: [
        {
          type: 'not',
          key: {
            type: 'or',
            keys: [
              { type: 'body', text: 'needle' },
              { type: 'smaller', size: 9 },
            ],
          },
        },
        { type: 'field', field: 'subject', text: 'long' },
      ],
    };
    expect(drive(searchMessages(keys, entries, () => false)).result.map(({ number }) => number)).toEqual([1]);
  });

  it('searches many messages in steps, and not on when nobody waits', () => {
    const { entries } = mailboxOf(...Array.from({ length: 100 }, () => make('', 'x', 10)));
    expect(drive(searchMessages(TEXT, entries, () => false)).steps).toBe(100);
    let asked = 0;
    expect(drive(searchMessages(TEXT, entries, () => (asked += 1) > 10)).steps).toBe(10);
  });

  it('makes line ends CR LF, and drops NUL', () => {
    const text = (bytes: string): string => drive(withCrlf(Buffer.from(bytes))).result.toString();
    expect(text('a\nb\rc\r\nd\n\n\r\r\n')).toBe('a\r\nb\r\nc\r\nd\r\n\r\n\r\n\r\n');
    expect(text('a\0b')).toBe('ab');
    const right = Buffer.from('a\r\nb\r\n');
    expect(drive(withCrlf(right)).result).toBe(right);
    expect(drive(withCrlf(Buffer.alloc(4096 * KIB, '\n'))).steps).toBe(32);
  });
});

describe('a pattern of LIST', () => {
  /** By trying everything; for short names only. */
  function fitsSlowly(steps: string, name: string): boolean {
    const [step] = steps;
    if (step === undefined) return name === '';
    const rest = steps.slice(1);
    if (step !== '*' && step !== '%') return name[0] === step && fitsSlowly(rest, name.slice(1));
    if (fitsSlowly(rest, name)) return true;
    return name !== '' && (step === '*' || name[0] !== '/') && fitsSlowly(steps, name.slice(1));
  }

  it('fits what it would fit if everything were tried', () => {
    const wordsOf = (letters: string, length: number): string[] =>
      length === 0
        ? ['']
        : wordsOf(letters, length - 1).flatMap((word) => [word, ...[...letters].map((l) => word + l)]);
    const names = [...new Set(wordsOf('ab/', 5))];
    for (const pattern of new Set(wordsOf('a/*%', 4))) {
      const fits = compileNamePattern(pattern);
      for (const name of names) {
        if (fits?.(name) !== fitsSlowly(pattern, name)) throw new Error(`"${pattern}" and "${name}"`);
      }
    }
  });
});

describe('a command that asks for too much', () => {
  it('is answered with what is too much', async () => {
    const { port } = await startHost({ mailboxes: [{ name: 'INBOX', messages: [{ subject: 'one' }] }] });
    const client = await RawClient.login(port, 'INBOX');
    const words = (count: number, make: (n: number) => string): string =>
      Array.from({ length: count }, (_, n) => make(n)).join(' ');
    expect(await client.ask(`SEARCH ${words(1001, () => 'ALL')}`)).toMatch(/^BAD .*1000 criteria/m);
    expect(await client.ask(`SEARCH ${words(1000, () => '1:*')}`)).toMatch(/^\* SEARCH 1\r\n/);
    expect(await client.ask(`FETCH 1 (${words(101, (n) => `BODY.PEEK[]<${n}.1>`)})`)).toMatch(
      /^BAD .*100 items/m,
    );
    expect(await client.ask(`FETCH 1 (${words(500, () => 'UID')})`)).toMatch(/^\* 1 FETCH \(UID 1\)\r\n/);
    expect(await client.ask(`STORE 1 +FLAGS (${words(101, (n) => `k${n}`)})`)).toMatch(/^BAD .*100 flags/m);
    expect(await client.ask(`STATUS INBOX (${words(500, () => 'MESSAGES')})`)).toContain(
      'MESSAGES 1 MESSAGES 1)',
    );
    for (let n = 0; n < 10; n += 1) {
      expect(await client.ask(`STORE 1 FLAGS (${words(100, (k) => `k${n}-${k}`)})`)).toMatch(/^OK/m);
    }
    expect(await client.ask('STORE 1 +FLAGS (another)')).toMatch(/^NO \[LIMIT\] a mailbox/m);
    expect(await client.ask('STORE 1 FLAGS (k1-1 \\Seen)')).toMatch(/^OK/m);
  });

  it('still works through many messages', async () => {
    const { port } = await startHost({ mailboxes: [{ name: 'INBOX', messages: [{ subject: 'one' }] }] });
    const client = await RawClient.login(port, 'INBOX');
    for (let held = 1; held < 2048; held *= 2)
      expect(await client.ask('COPY 1:* INBOX')).toMatch(/OK \[COPYUID/);
    const told = await client.ask('STORE 1:* +FLAGS (\\Flagged)');
    expect(told.match(/^\* \d+ FETCH/gm)).toHaveLength(2048);
    expect((await client.ask('FETCH 1:* (UID)')).match(/^\* \d+ FETCH/gm)).toHaveLength(2048);
    expect(await client.ask('UID SEARCH SUBJECT one FLAGGED')).toMatch(/ 2048\r\n/);
  });
});
