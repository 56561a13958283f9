import { describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { readAttachment } from '../src/attachments.js';
import { CapturedMail } from '../src/captured-mail.js';
import { MailMessage } from '../src/message.js';
import { parseMail } from '../src/read-mail.js';
import { startHost } from './support.js';

const LINE = 'a line of the text, which goes on\r\n';
const LONG = LINE.repeat(2_000);
const AS_TEXT = LONG.replaceAll('\r\n', '\n').slice(0, -1);

async function captured(mail: string | Buffer): Promise<CapturedMail> {
  const raw = Buffer.from(mail);
  return new CapturedMail(
    { id: 'm', from: 'a@b.c', to: ['d@e.f'], raw, receivedAt: 0 },
    await parseMail(raw),
  );
}

const part = (type: string, text: string): string => `--b\r\nContent-Type: ${type}\r\n\r\n${text}`;
const mails: readonly (readonly [string, string | Buffer])[] = [
  ['a text', `Subject: s\r\n\r\n${LONG}`],
  ['a text without a line end', `Subject: s\r\n\r\n${LONG}end`],
  ['a text that ends within a line end', `Subject: s\r\n\r\n${LONG}\r`],
  ['line feeds and returns alone', `Subject: s\r\n\r\n${'a\nb\rc\r\r\n'.repeat(5_000)}`],
  ['nothing but line ends', `Subject: s\r\n\r\n${'\r\n'.repeat(20_000)}`],
  ['Latin 1 that is ASCII', `Content-Type: text/plain; charset=iso-8859-1\r\n\r\n${LONG}`],
  [
    'a text that is not ASCII',
    `Content-Type: text/plain; charset=utf-8\r\n\r\n${'grün 😀\r\n'.repeat(5_000)}`,
  ],
  [
    'escapes that are ASCII',
    `Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n${'\x1b$B&&\x1b(B\r\n'.repeat(3_000)}`,
  ],
  [
    'bytes that are no text',
    Buffer.concat([Buffer.from(`Subject: s\r\n\r\n${LONG}`), Buffer.from([255, 254])]),
  ],
  [
    'both kinds of text, and a file',
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part('text/plain', LONG)}${part('text/html', LONG)}${part('image/png', 'x')}\r\n--b--\r\n`,
  ],
  [
    'two texts',
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part('text/plain', LONG)}${part('text/plain', LONG)}--b--\r\n`,
  ],
];

describe('a long mail', () => {
  it.each(mails)('is shown in pieces that are what it shows as a whole: %s', async (_, mail) => {
    const capture = await captured(mail);
    const { shown, texts } = capture.capturePieces();
    expect(Object.hasOwn(texts, 'body')).toBe(Buffer.from(mail).length >= 32 * 1024);
    const joined = Object.entries(texts).map(([name, text]) => {
      const pieces = [...text.pieces()];
      expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(96 * 1024);
      expect(pieces.join('')).toHaveLength(text.length);
      return [name, pieces.join('')] as const;
    });
    expect({ ...shown, ...Object.fromEntries(joined) }).toEqual({ ...capture.capture() });
  });

  it.each(mails)('shows beginnings of what it shows as a whole: %s', async (_, mail) => {
    const capture = await captured(mail);
    const whole = { ...capture.capture() } as Record<string, unknown>;
    for (const most of [256, 1_000, 16_385, 10_000_000]) {
      const { shown, lengths } = capture.captureStart(most);
      const starts = { ...shown } as Record<string, unknown>;
      expect(Object.keys(starts).sort()).toEqual(Object.keys(whole).sort());
      for (const [name, value] of Object.entries(whole)) {
        if (typeof value !== 'string') expect(starts[name]).toEqual(value);
        else {
          // One character more than is shown tells that there are more.
          expect(String(starts[name]).slice(0, most + 1)).toBe(value.slice(0, most + 1));
          expect(lengths[name] ?? String(starts[name]).length).toBe(value.length);
        }
      }
    }
  });

  it('gives what is attached a piece at a time, whatever its encoding', async () => {
    const bytes = Buffer.from(LONG).map((byte, index) => (byte + index) % 256);
    const base64 = Buffer.from(bytes).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
    const encoded = `--b\r\nContent-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64}\r\n`;
    const capture = await captured(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part('text/plain', LONG)}${encoded}${part('image/gif', LONG)}--b--\r\n`,
    );
    for (const [index, contentType, content] of [
      [0, 'image/png', Buffer.from(bytes)],
      [1, 'image/gif', Buffer.from(LONG.replaceAll('\r\n', '\n'))],
    ] as const) {
      const found = await capture.captureAttachment(index);
      const pieces: Uint8Array[] = [];
      const made = found?.pieces();
      for (let step = made?.next(); step !== undefined && step.done !== true; step = made?.next())
        if (step.value !== undefined) pieces.push(step.value);
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
      expect(Buffer.concat(pieces).equals(content)).toBe(true);
      expect([found?.contentType, found?.length]).toEqual([contentType, content.length]);
      expect(await readAttachment(capture.capture(), index)).toMatchObject({ contentType, content });
    }
    expect(await capture.captureAttachment(2)).toBeUndefined();
  });

  it('is read by a rule that asks for its text, which is made in steps', async () => {
    const { port, emails } = await startHost({
      rules: [
        {
          id: 'text',
          text: { suffix: 'the needle' },
          action: 'reject',
          message: '552 found {{request.size}}',
        },
        { id: 'html', html: '*needle*', action: 'defer' },
      ],
    });
    const transport = createTransport({ host: '127.0.0.1', port });
    const envelope = { from: 'a@b.c', to: ['d@e.f'] };
    const raw = (end: string, type = 'text/plain'): string =>
      `Subject: s\r\nContent-Type: ${type}\r\n\r\n${LONG.repeat(20)}${end}`;
    await expect(transport.sendMail({ envelope, raw: raw('the needle') })).rejects.toThrow('552 found');
    await expect(transport.sendMail({ envelope, raw: raw('needle', 'text/html') })).rejects.toThrow('451');
    await transport.sendMail({ envelope, raw: raw('the end') });
    transport.close();
    expect(emails().map(({ text }) => text?.slice(-8))).toEqual(['\nthe end']);
    const message = new MailMessage('a@b.c', '');
    const mail = Buffer.from(raw('the end'));
    message.complete(['d@e.f'], mail, await parseMail(mail));
    let steps = 0;
    for (const _ of message.makeTexts()) steps += 1;
    expect(steps).toBeGreaterThan(mail.length / (64 * 1024));
    expect(message.textOf('text')).toBe(emails()[0]?.text);
  });

  it('has its flowed lines joined wherever it is cut while it is read', async () => {
    const lines = 'x \r\n y\r\n-- \r\n'.repeat(20_000);
    const { text } = (await captured(`Content-Type: text/plain; format=flowed\r\n\r\n${lines}`)).capture();
    expect(text).toBe('x y\n-- \n'.repeat(20_000).slice(0, -1));
  });

  it('of plain text keeps its bytes alone', async () => {
    const plain = await captured(`Subject: s\r\n\r\n${LONG}`);
    expect(plain.capture().text).toBe(AS_TEXT);
    expect(plain.bytes).toBeLessThan(1.1 * LONG.length);
    const decoded = await captured(`Content-Transfer-Encoding: quoted-printable\r\n\r\n${LONG}`);
    expect(decoded.capture().text).toBe(AS_TEXT);
    expect(decoded.bytes).toBeGreaterThan(2 * LONG.length);
  });
});
