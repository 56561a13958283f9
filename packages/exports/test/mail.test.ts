import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectCleanups, itWithTool, runTool } from '@backlot/conformance';
import { importersFor, importFile, readImport, type Host } from '@backlot/core';
import { runAtOnce } from '@backlot/core/plugin';
import { imap } from '@backlot/imap';
import { smtp } from '@backlot/smtp';
import { describe, expect, it } from '@jest/globals';
import { exported, running } from './support/running.js';

const afterThis = collectCleanups();

const FIRST =
  'From: Ann <ann@example.com>\r\nTo: bob@example.com\r\nSubject: one\r\n\r\nHello\r\nFrom here on\r\n>From there\r\n';
const SECOND =
  'From: Cy <cy@example.com>\r\nTo: bob@example.com\r\nSubject: =?utf-8?q?zw=C3=A4i?=\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n';

/** Sends a mail as any client does. */
async function send(host: Host, raw: string): Promise<void> {
  const { port = 0 } = host.kind('smtp').address ?? {};
  const socket = connect(port, 'localhost').setEncoding('utf8');
  const replies = socket[Symbol.asyncIterator]();
  await replies.next();
  for (const line of [
    'HELO here',
    'MAIL FROM:<ann@example.com>',
    'RCPT TO:<bob@example.com>',
    'DATA',
    `${raw}.`,
    'QUIT',
  ]) {
    socket.write(`${line}\r\n`);
    await replies.next();
  }
  socket.destroy();
}

/** What Python's own library reads in an mbox. */
const READ_MBOX = `
import json, mailbox, sys
from email.header import decode_header, make_header
print(json.dumps([[str(make_header(decode_header(m['subject']))), m.get_payload(decode=True).decode('utf8'), m.get_flags(), m.get_from().split()[0]] for m in mailbox.mbox(sys.argv[1])]))
`;

describe('mails', () => {
  it('are written a piece at a time where they are long, wherever their lines end', async () => {
    const host = await running([smtp], { protocols: { smtp: {} } }, afterThis);
    const lines = [
      'From a\r\n',
      '>From b\n',
      'x'.repeat(1000),
      '\r',
      '\r\n',
      ' From c\r\n',
      'grün\r\n',
      `${'y'.repeat(200_000)}\n`,
    ];
    for (let count = 0; count < 3; count += 1) {
      const raw = `Subject: long\r\n\r\n${Array.from({ length: 4000 }, (_, n) => lines[(n * (7 + count) + (n >> 3)) % (n % 400 === 0 ? 8 : 7)]).join('')}`;
      host.kind('smtp').captures?.clear();
      const whole = Buffer.from(raw);
      host.kind('smtp').captures?.recall(
        {
          captureId: 'long',
          capture: () => {
            throw new Error('the mail was shown');
          },
          capturePieces: () => ({ shown: { from: 'ann@example.com' }, texts: {} }),
          given: { id: 'long', recipients: [], raw: whole, receivedAt: 0 },
        },
        1,
      );
      const text = whole
        .toString('latin1')
        .replaceAll('\r\n', '\n')
        .replaceAll(/^(>*From )/gm, '>$1');
      const { bytes } = await exported(host, 'mbox');
      expect(bytes.toString('latin1')).toBe(
        `From ann@example.com Thu Jan  1 00:00:00 1970\n${text}${text.endsWith('\n') ? '\n' : '\n\n'}`,
      );
      expect((await exported(host, 'eml')).bytes.equals(whole)).toBe(true);
    }
  });

  itWithTool('python3', 'are an mbox for Python, and messages of IMAP again', async () => {
    const host = await running(
      [smtp, imap],
      {
        protocols: {
          imap: {
            mailboxes: [
              {
                id: 'in',
                name: 'INBOX',
                messages: [
                  { raw: 'From: d@example.com\nSubject: kept\n\nkept\n', flags: ['\\Seen', '\\Flagged'] },
                ],
              },
            ],
          },
        },
      },
      afterThis,
    );
    await send(host, FIRST);
    await send(host, SECOND);
    const { bytes, report } = await exported(host, 'mbox');
    expect(report).toMatchObject({ written: { mails: 3 }, refused: [] });
    const folder = mkdtempSync(join(tmpdir(), 'mbox-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'mails.mbox');
    writeFileSync(file, bytes);
    const { out, err } = await runTool('python3', ['-c', READ_MBOX, file]);
    expect(err).toBe('');
    // Python leaves the quotes of mboxrd as they are.
    expect(JSON.parse(out)).toEqual([
      ['one', 'Hello\n>From here on\n>>From there\n', '', 'ann@example.com'],
      ['zwäi', 'Grüße\n', '', 'ann@example.com'],
      ['kept', 'kept\n', 'ROF', 'd@example.com'],
    ]);
    const importers = await importersFor(importFile({ name: 'mails.mbox', content: bytes }), [imap], []);
    const { imported } = runAtOnce(
      readImport(importFile({ name: 'mails.mbox', content: bytes }), importers, { seed: 1 }),
    );
    const [box] = imported.protocols?.['imap']?.['mailboxes'] as readonly {
      messages: readonly { raw: string }[];
    }[];
    expect(box?.messages.map(({ raw }) => raw.trim())).toEqual([
      FIRST.replaceAll('\r\n', '\n').trim(),
      SECOND.replaceAll('\r\n', '\n').trim(),
      'From: d@example.com\nSubject: kept\nStatus: RO\nX-Status: F\n\nkept',
    ]);
  });

  itWithTool('python3', 'are files of their own, byte by byte as they came', async () => {
    const host = await running([smtp, imap], { protocols: {} }, afterThis);
    await expect(exported(host, 'eml')).rejects.toThrow('there is no mail');
    await send(host, FIRST);
    expect((await exported(host, 'eml')).text).toContain(FIRST);
    await send(host, SECOND);
    await expect(exported(host, 'eml')).rejects.toThrow(
      /^there are 2 mails, and a file has one: name it by its id, such as "/,
    );
    const [, second] = host.kind('smtp').captures?.values() as readonly { id: string }[];
    const { bytes } = await exported(host, 'eml', second?.id);
    const { out } = await runTool(
      'python3',
      [
        '-c',
        'import email,sys; from email import policy; m=email.message_from_bytes(sys.stdin.buffer.read(), policy=policy.default); print(m["subject"], m.get_content().strip())',
      ],
      { input: bytes.toString() },
    );
    expect(out.trim()).toBe('zwäi Grüße');
  });

  it('says which mail there is none of', async () => {
    const host = await running([smtp], { protocols: {} }, afterThis);
    await send(host, FIRST);
    await expect(exported(host, 'eml', 'nobody')).rejects.toThrow('there is no mail "nobody"');
  });
});
