import { describe, expect, it } from '@jest/globals';
import { readBodies } from '../src/mime/bodies.js';
import { MAX_DEPTH, MAX_FIELDS, MAX_HEAD, MAX_PARTS, STEP } from '../src/mime/bounds.js';
import { readStructure } from '../src/mime/leaves.js';
import { parseMail } from '../src/read-mail.js';
import { RawClient, send, startHost } from './support.js';

const HEAD = 'From: a@b.c\r\nSubject: bounds\r\n';
const multipart = (boundary: string): string =>
  `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`;

/** How often reading a mail lets others in, and what it found. */
function countSteps(raw: Buffer): {
  steps: number;
  leaves: number;
  text: number;
  unread: string | undefined;
} {
  const structure = drive(readStructure(raw));
  const bodies = drive(readBodies(raw, structure.result.leaves));
  return {
    steps: structure.steps + bodies.steps,
    leaves: structure.result.leaves.length,
    text: (bodies.result.long.text ?? bodies.result.made.text)?.length ?? 0,
    unread: structure.result.beyond,
  };
}

function drive<T>(work: Iterator<unknown, T>): { steps: number; result: T } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { steps, result: step.value };
  }
}

async function read(text: string): Promise<Awaited<ReturnType<typeof parseMail>>> {
  return parseMail(Buffer.from(text));
}

describe('a mail beyond the bounds', () => {
  const deep = Array.from({ length: 5000 }, (_, n) => `${multipart(`b${n}`)}--b${n}\r\n`).join('');
  it.each([
    [
      'messages',
      `${'Content-Type: message/rfc822\r\n\r\n'.repeat(5000)}end\r\n`,
      `parts more than ${MAX_DEPTH} deep`,
    ],
    ['multiparts', deep, `parts more than ${MAX_DEPTH} deep`],
    ['parts', multipart('b') + '--b\r\n\r\nx\r\n'.repeat(5000), `more than ${MAX_PARTS} parts`],
    ['fields', `${'X: y\r\n'.repeat(5000)}\r\ntext\r\n`, `a header beyond ${MAX_HEAD} bytes`],
    ['a long field', `X: ${'y'.repeat(MAX_HEAD)}\r\n\r\ntext\r\n`, `a header beyond ${MAX_HEAD} bytes`],
    ['addresses', `Cc: ${'a@b.c, '.repeat(100_000)}\r\n\r\ntext\r\n`, `a header beyond ${MAX_HEAD} bytes`],
  ])('is taken and read up to them: %s', async (_name, rest, bound) => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    expect(await send(client, 'a@b.c', 'd@e.f', HEAD + rest)).toMatch(/^250 OK/);
    const [mail] = emails();
    expect(mail).toMatchObject({ subject: 'bounds', unread: expect.stringContaining(bound) });
    expect(mail?.body).toBe(HEAD + rest);
  });

  it('has as many parts and fields as are read', () => {
    const raw = Buffer.from(multipart('b') + '--b\r\n\r\nx\r\n'.repeat(5000));
    expect(countSteps(raw)).toMatchObject({ leaves: MAX_PARTS });
    const { result } = drive(readStructure(Buffer.from(`${'X: y\r\n'.repeat(5000)}\r\n`)));
    expect(result.head.fields).toHaveLength(MAX_FIELDS);
  });
});

describe('reading a mail', () => {
  it.each([
    ['lines', '', '\r\n'],
    ['one line', '', 'x'],
    ['base64', 'Content-Transfer-Encoding: base64\r\n', '=A=='],
    ['quoted-printable', 'Content-Transfer-Encoding: quoted-printable\r\n', '=41=\r\n'],
    ['flowed lines', 'Content-Type: text/plain; format=flowed\r\n', 'x \r\n'],
    ['dashes', multipart('b').slice(0, -2), '--\r\n'],
    ['an encoding with shifts', 'Content-Type: text/plain; charset=iso-2022-jp\r\n', '\x1b$B&&\r\n'],
  ])('of %s lets others in as often as it is long', (_name, head, unit) => {
    const make = (bytes: number): Buffer =>
      Buffer.concat([Buffer.from(`${HEAD}${head}\r\n`), Buffer.alloc(bytes, unit, 'latin1')]);
    const once = countSteps(make(16 * STEP)).steps;
    const twice = countSteps(make(32 * STEP)).steps;
    expect(once).toBeGreaterThanOrEqual(16);
    expect(twice).toBeGreaterThanOrEqual(2 * once - 4);
    expect(twice).toBeLessThanOrEqual(2 * once + 4);
  });

  it('waits for nothing when the mail is short', () => {
    expect(parseMail(Buffer.from(`${HEAD}${multipart('b')}--b\r\n\r\nx\r\n`))).not.toBeInstanceOf(Promise);
  });

  it('takes texts out of whatever holds them', async () => {
    const mail = await read(
      HEAD +
        multipart('out') +
        '--out\r\nContent-Transfer-Encoding: base64\r\n\r\nYWI=\r\nY2Q=\r\n--out  \r\n' +
        'Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nforwarded\r\n' +
        '--out\r\nContent-Type: text/html; charset=no-such\r\n\r\n<b>\u20ac</b>\r\n' +
        '--out\r\nContent-Type: text/plain; format=flowed; delsp=yes\r\n\r\none \r\n two\r\n-- \r\nme\r\n' +
        '--out--\r\nepilogue\r\n--out\r\n\r\nno part\r\n',
    );
    expect(mail.subject).toBe('bounds');
    expect(mail.parts.text).toBe('abcd\nforwarded\n\nonetwo\n-- \nme');
    expect(mail.parts.html).toBe('<b>\u00e2\u201a\u00ac</b>');
    expect(mail.parts.attachments).toEqual([]);
  });

  it('attaches the message of a report, and what is encoded or named so', async () => {
    const inner = 'Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nreturned\r\n';
    const report = await read(
      `Content-Type: multipart/report; boundary=r\r\n\r\n--r\r\n\r\nsorry\r\n--r\r\n${inner}--r--\r\n`,
    );
    expect(report.parts).toMatchObject({
      text: 'sorry',
      attachments: [{ content_type: 'message/rfc822', size: 25 }],
    });
    const digest = await read(
      `Content-Type: multipart/digest; boundary=d\r\n\r\n--d\r\n\r\nSubject: one\r\n\r\nfirst\r\n--d--\r\n`,
    );
    expect(digest.parts).toMatchObject({ text: 'first', attachments: [] });
    const named = await read(
      multipart('n') +
        "--n\r\nContent-Disposition: attachment; filename*1*=b%C3%BC; filename*0*=utf-8''a%2F\r\n\r\nx\r\n" +
        '--n\r\nContent-Type: (a comment) text/csv; name="a(1).csv"; boundary=x; name=other\r\n\r\n\r\n--n--\r\n',
    );
    expect(named.parts.attachments).toEqual([
      { filename: 'a/b\u00fc', content_type: 'text/plain', size: 2 },
      { filename: 'a(1).csv', content_type: 'text/csv', size: 1 },
    ]);
  });

  it('ends what is inside where what is around it ends', async () => {
    const mail = await read(
      multipart('a') +
        `--a\r\n${multipart('ab')}--ab\r\n\r\none\r\n--a\r\nContent-Type: text/html\r\n--a\r\n\r\ntwo`,
    );
    expect(mail.parts).toMatchObject({ text: 'one\n\ntwo', attachments: [] });
    expect(mail.parts.html).toBeUndefined();
  });
});
