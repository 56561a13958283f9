import { describe, expect, it } from '@jest/globals';
import { smtp } from '../src/index.js';
import { parseMail, readMail, readShort } from '../src/read-mail.js';
import { RawClient, envelope, send, startHost } from './support.js';

const mime = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`;

describe('captured mail', () => {
  it('is read whatever its charset and encoding', async () => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    const cases = [
      ['=?ISO-8859-1?Q?Gr=FC=DFe?=', 'iso-8859-1', 'R3L832U=', 'Grüße'],
      ['=?windows-1251?B?z/Do4uXy?=', 'windows-1251', 'z/Do4uXy', 'Привет'],
      ['=?koi8-r?B?8NLJ18XU?=', 'koi8-r', '8NLJ18XU', 'Привет'],
      ['=?Shift_JIS?B?k/qWe4zq?=', 'shift_jis', 'k/qWe4zq', '日本語'],
      ['=?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?=', 'iso-2022-jp', 'GyRCRnxLXDhsGyhC', '日本語'],
      ['=?GB18030?B?xOO6ww==?=', 'gb18030', 'xOO6ww==', '你好'],
      ['=?Big5?B?p0Gmbg==?=', 'big5', 'p0Gmbg==', '你好'],
      ['=?EUC-KR?B?vsiz5w==?=', 'euc-kr', 'vsiz5w==', '안녕'],
      ['=?UTF-8?Q?=F0=9F=98=80_ok?=', 'utf-8', '8J+YgCBvaw==', '😀 ok'],
    ] as const;
    for (const [subject, charset, base64] of cases) {
      await send(
        client,
        'a@b.c',
        'd@e.f',
        mime(
          `Subject: ${subject}`,
          `Content-Type: text/plain; charset=${charset}`,
          'Content-Transfer-Encoding: base64',
          '',
          base64,
        ),
      );
    }
    expect(emails().map(({ subject, text }) => [subject, text])).toEqual(
      cases.map(([, , , text]) => [text, text]),
    );
  });

  it('gives the decoded bytes of what is attached', async () => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    const bytes = Buffer.from([0, 1, 254, 255]);
    const part = (...lines: readonly string[]): readonly string[] => ['--out', ...lines];
    const data = mime(
      'Subject: files',
      'Content-Type: multipart/mixed; boundary=out',
      '',
      ...part('Content-Type: text/plain', '', 'the text'),
      ...part(
        'Content-Type: image/png; name="=?utf-8?q?gr=C3=BCn.png?="',
        'Content-Transfer-Encoding: base64',
        '',
        bytes.toString('base64'),
      ),
      ...part('Content-Type: text/plain', 'Content-Disposition: attachment; filename=a.txt', '', 'a file'),
      '--out--',
    );
    await send(client, 'a@b.c', 'd@e.f', data);
    await send(client, 'a@b.c', 'd@e.f', mime('Subject: plain', '', 'no file'));
    const [mail, plain] = emails();
    const attached: unknown[] = [];
    for (const index of [0, 1, 2]) attached.push(await smtp.capture?.attachment?.(mail as never, index));
    expect(attached).toEqual([
      { filename: 'grün.png', contentType: 'image/png', content: bytes },
      { filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('a file\n') },
      undefined,
    ]);
    expect(mail?.attachments.map(({ size }) => size)).toEqual([4, 7]);
    expect(await smtp.capture?.attachment?.(plain as never, 0)).toBeUndefined();
  });

  it('has texts, attachments and headers of every form', async () => {
    const { port, emails, host } = await startHost();
    const client = await RawClient.greet(port);
    const data = mime(
      'Received: from a',
      'Received: from b',
      'From: =?utf-8?q?J=C3=B6rg?= <j@b.c>',
      'Cc: Team: ann@x.y, Bob <bob@x.y>;, carl@x.y',
      'Message-ID: <1@x.y>',
      'Subject: =?utf-8?q?first?= =?utf-8?q?_second?=',
      '__proto__: plain',
      'Content-Type: multipart/mixed; boundary=out',
      '',
      'preamble',
      '--out',
      'Content-Type: multipart/alternative; boundary="in"',
      '',
      '--in',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Stra=DFe =',
      'und Weg',
      '--in',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Straße</p>',
      '--in--',
      '--out',
      "Content-Type: application/pdf; name*=utf-8''%C3%9Cber.pdf",
      'Content-Transfer-Encoding: base64',
      '',
      'AAEC',
      '--out',
      'Content-Type: text/csv',
      'Content-Disposition: attachment; filename="=?utf-8?q?t=C3=A4b.csv?="',
      '',
      'a;b',
      '--out',
      'Content-Type: image/png',
      'Content-Transfer-Encoding: base64',
      '',
      'AA==',
      '--out--',
    );
    const reply = await send(client, 'j@b.c', 'd@e.f', data);
    const [mail] = emails();
    expect(reply).toBe(`250 OK: queued as ${mail?.id}`);
    expect(mail).toMatchObject({
      from: 'j@b.c',
      to: ['d@e.f'],
      cc: ['ann@x.y', 'bob@x.y', 'carl@x.y'],
      subject: 'first second',
      message_id: '<1@x.y>',
      text: 'Straße und Weg',
      html: '<p>Straße</p>',
      body: data,
      attachments: [
        { filename: 'Über.pdf', content_type: 'application/pdf', size: 3 },
        { filename: 'täb.csv', content_type: 'text/csv', size: 4 },
        { filename: '', content_type: 'image/png', size: 1 },
      ],
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    });
    expect(mail?.headers['from']).toBe('Jörg <j@b.c>');
    expect(mail?.headers['received']).toEqual(['from a', 'from b']);
    expect(Object.entries(mail?.headers ?? {})).toContainEqual(['__proto__', 'plain']);
    expect(host.kind('smtp').status()).toMatchObject({ messages: 1 });
  });

  it('is read the same with and without the parser', async () => {
    const mails = [
      'Subject: a\r\n\r\n',
      'Subject: a\r\n\r\n\r\n',
      'From: a@b.c\r\nTo: b\r\nTo: c\r\nSUBJECT:  =?utf-8?q?=C3=BC?= x \r\nMessage-ID: <1@2>\r\n\r\none\r\n\r\ntwo \r\n',
      'Subject: ü\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nüber\r\n',
      'Subject:\r\nX: a:b\r\n\r\n.\r\n',
    ];
    for (const mail of mails) {
      const raw = Buffer.from(mail);
      const whole = await parseMail(raw);
      const head = readMail(raw);
      expect(head).not.toBeInstanceOf(Promise);
      expect(head).toMatchObject({ subject: whole.subject });
      expect(readShort(raw)).toEqual(whole);
    }
  });

  it('is there to the byte, dots and all, wherever the packets are cut', async () => {
    const { port, emails } = await startHost();
    const data = Buffer.from('Subject: dots\r\n\r\n..\r\n...three\r\n .x\r\na..b\r\n\r\n..\r\n', 'latin1');
    const wanted = 'Subject: dots\r\n\r\n.\r\n..three\r\n .x\r\na..b\r\n\r\n.\r\n';
    const session = Buffer.concat([data, Buffer.from('.\r\nNOOP\r\n')]);
    const client = await RawClient.greet(port);
    for (let at = 1; at < session.length; at += 1) {
      await client.sayAll(...envelope('a@b.c', 'd@e.f'), 'DATA');
      client.send(session.subarray(0, at));
      await new Promise((resolve) => setImmediate(resolve));
      client.send(session.subarray(at));
      expect([await client.reply(), await client.reply()]).toEqual([
        expect.stringMatching(/^250 OK: queued/),
        '250 OK',
      ]);
    }
    expect(new Set(emails().map(({ body }) => body))).toEqual(new Set([wanted]));
    expect(emails()).toHaveLength(session.length - 1);
    for (const [sent, kept] of [
      ['', ''],
      ['..\r\n', '.\r\n'],
      ['\r\n', '\r\n'],
      ['....\r\n', '...\r\n'],
      ['.x\r\n', 'x\r\n'],
      ['a\n..b\r\n', 'a\n..b\r\n'],
      ['a\r..b\r\n', 'a\r..b\r\n'],
      ['a\n.\nb\n.\r\nc\r\n', 'a\n.\nb\n.\r\nc\r\n'],
      ['a\r\n..\nb\r\n', 'a\r\n.\nb\r\n'],
    ]) {
      await send(client, 'a@b.c', 'd@e.f', sent);
      expect(emails().at(-1)?.body).toBe(kept);
    }
  });

  it('says so when its bytes are no UTF-8', async () => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n).filter((n) => n !== 10 && n !== 13));
    const data = Buffer.concat([
      Buffer.from('Subject: caf\xe9\r\n\r\n', 'latin1'),
      bytes,
      Buffer.from('\r\n'),
    ]);
    await client.sayAll('MAIL FROM:<a@b.c> BODY=8BITMIME', 'RCPT TO:<d@e.f>', 'DATA');
    client.send(Buffer.concat([data, Buffer.from('.\r\n')]));
    expect(await client.reply()).toMatch(/^250 /);
    const [mail] = emails();
    expect(mail?.body_encoding).toBe('base64');
    expect(Buffer.from(mail?.body ?? '', 'base64')).toEqual(data);
  });

  it('may be followed by MAIL, RCPT and DATA in the packet of its final dot', async () => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    const commands = 'MAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\n';
    client.send(`${commands}Subject: 1\r\n\r\n.\r\n${commands}Subject: 2\r\n\r\nx\r\n.\r\n${commands}`);
    const replies: string[] = [];
    for (let n = 0; n < 11; n += 1) replies.push((await client.reply()).slice(0, 3));
    expect(replies).toEqual(['250', '250', '354', '250', '250', '250', '354', '250', '250', '250', '354']);
    client.send('Subject: 3\r\n\r\n.\r\nQUIT\r\n');
    expect((await client.replies()).map((reply) => reply.slice(0, 3))).toEqual(['250', '221']);
    expect(emails().map(({ subject }) => subject)).toEqual(['1', '2', '3']);
  });

  it('is kept only when its data was ended', async () => {
    const { port, emails, entries } = await startHost();
    const client = await RawClient.greet(port);
    await client.sayAll(...envelope('a@b.c', 'd@e.f'), 'DATA');
    client.socket.end('Subject: half\r\n\r\nnever ended\r\n');
    await client.closes();
    expect(emails()).toEqual([]);
    expect(entries()).toMatchObject([{ aborted: true }]);
  });

  it('is kept up to max_emails, until it is cleared or all is reset', async () => {
    const { port, host, emails } = await startHost({ max_emails: 3 });
    const client = await RawClient.greet(port);
    for (const n of [1, 2, 3, 4, 5]) await send(client, 'a@b.c', 'd@e.f', `Subject: ${n}\r\n\r\n`);
    expect(emails().map(({ subject }) => subject)).toEqual(['3', '4', '5']);
    host.kind('smtp').captures?.clear();
    expect(emails()).toEqual([]);
    await send(client, 'a@b.c', 'd@e.f');
    await client.sayAll(...envelope('a@b.c', 'd@e.f'), 'DATA');
    host.reset();
    expect(emails()).toEqual([]);
    // What began before the reset is answered, and recorded nowhere.
    expect(await client.say('Subject: late\r\n\r\n.')).toMatch(/^250 /);
    expect(emails()).toEqual([]);
    await send(client, 'a@b.c', 'd@e.f');
    expect(emails()).toHaveLength(1);
  });

  it('can be as broken as it likes', async () => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    const deep = Array.from(
      { length: 400 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    );
    const broken = [
      'no header at all',
      'Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/plain; charset=no-such\r\n\r\nüber',
      'Content-Type: multipart/mixed\r\n\r\n--\r\n',
      'Content-Transfer-Encoding: base64\r\n\r\n!!!!',
      'Subject: =?no-such?Q?=FF?= =?utf-8?B?////?=\r\n\r\n',
      deep.join(''),
      `X: ${'a'.repeat(3_000_000)}\r\n\r\n`,
    ];
    for (const data of broken) expect(await send(client, 'a@b.c', 'd@e.f', `${data}\r\n`)).toMatch(/^250 OK/);
    expect(emails().map(({ body }) => body)).toEqual(broken.map((data) => `${data}\r\n`));
  });
});
