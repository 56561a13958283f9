// What a client may do to hold the server up. Each attack plays once against a running server, bounded in bytes and time.
import { connect, repeat, tlsAttacks } from '@backlot/tooling/attack-client';

const MEBIBYTE = 1024 * 1024;
const HEAD = 'From: a@b.c\r\nTo: d@e.f\r\nSubject: s\r\nMIME-Version: 1.0\r\n';

/** Sends one mail and waits for its answer. */
async function mail(port, ...pieces) {
  const client = await connect(port);
  await client.until(/^220 /m);
  for (const command of ['EHLO x', 'MAIL FROM:<a@b.c>', 'RCPT TO:<d@e.f>', 'DATA']) {
    await client.send(`${command}\r\n`);
    await client.until(/^\d{3} .*\r\n/m);
  }
  await client.send(HEAD);
  for (const piece of pieces) await client.send(piece);
  await client.send('\r\n.\r\n');
  await client.until(/^\d{3} .*\r\n/m);
  client.close();
}

const ofMail = (name, make) => ({ name: `mail: ${name}`, run: (port) => mail(port, ...make()) });
const encoded = (encoding, unit, bytes) => [
  `Content-Transfer-Encoding: ${encoding}\r\n\r\n`,
  repeat(unit, Math.floor(bytes / unit.length)),
];
const typed = (type, unit, bytes) => [
  `Content-Type: ${type}\r\n\r\n`,
  repeat(unit, Math.floor(bytes / unit.length)),
];

/** Sends one mail of about 24 MiB, of lines in some form behind a head, and asks for something of it, to which it is kept. */
const asked = (name, head, line, ask) => ({
  name: `a mail of 24 MiB ${name}`,
  async run(port, api) {
    const bytes = Buffer.isBuffer(line) ? line : Buffer.from(line);
    const piece = Buffer.concat(Array.from({ length: Math.ceil(200_000 / bytes.length) }, () => bytes));
    const count = Math.floor((24 * MEBIBYTE) / piece.length);
    await mail(port, `${head}\r\n\r\n`, ...Array.from({ length: count }, () => piece));
    const base = `http://127.0.0.1:${api}/api/emails`;
    const [{ id }] = await (await fetch(`${base}?max_body=1000`)).json();
    for (const [path, init, follow] of ask(id)) {
      const response = await fetch(
        path.startsWith('/api') ? `http://127.0.0.1:${api}${path}` : base + path,
        init,
      );
      // A wait that found nothing.
      if (!response.ok && response.status !== 408)
        throw new Error(`${path} was answered with ${response.status}`);
      if (follow === undefined) for await (const _ of response.body);
      else {
        const { body } = await fetch(`http://127.0.0.1:${api}${follow(await response.json())}`);
        for await (const _ of body);
      }
    }
  },
});
const posted = (body) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});
const HTML = 'Content-Type: text/html';
const BASE64 = `${'QUJD'.repeat(19)}\r\n`;
/** Long mails that are no UTF-8 or have to be decoded, and in what form. */
const DECODED = [
  ['latin1', 'Content-Type: text/plain; charset=iso-8859-1', Buffer.from('gr\xfcn und mehr\r\n', 'latin1')],
  [
    'windows-1252',
    'Content-Type: text/plain; charset=windows-1252',
    Buffer.from('\x80 und mehr\r\n', 'latin1'),
  ],
  ['iso-2022-jp', 'Content-Type: text/plain; charset=iso-2022-jp', '\x1b$B&&&&&&\x1b(B\r\n'],
  ['utf-16', 'Content-Type: text/plain; charset=utf-16le', Buffer.from('grün und mehr\r\n', 'utf16le')],
  ['GB18030', 'Content-Type: text/plain; charset=gb18030', Buffer.from('\xd6\xd0\xce\xc4\r\n', 'latin1')],
  ['base64', 'Content-Transfer-Encoding: base64', BASE64],
  ['quoted-printable', 'Content-Transfer-Encoding: quoted-printable', 'gr=C3=BCn und mehr\r\n'],
];
const attachment = (line) =>
  ['Content-Type: application/octet-stream', `Content-Transfer-Encoding: ${line}`].join('\r\n');

export const attacks = [
  ofMail('100,000 messages within each other', () => [
    repeat('Content-Type: message/rfc822\r\n\r\n', 100_000),
  ]),
  ofMail('100,000 multiparts within each other', () =>
    Array.from(
      { length: 100_000 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    )
      .join('')
      .match(/[^]{1,65536}/g),
  ),
  ofMail('500,000 empty parts', () => typed('multipart/mixed; boundary=b', '--b\r\n\r\n\r\n', 4_500_000)),
  ofMail('20 MiB of dashes', () => typed('multipart/mixed; boundary=b', '--\r\n', 20 * MEBIBYTE)),
  ofMail('500,000 header lines', () => [repeat('X-A: b\r\n', 500_000), '\r\nx']),
  ofMail('a header of 20 MiB', () => ['X-A: ', repeat('x', 20 * MEBIBYTE), '\r\n\r\nx']),
  ofMail('100,000 addresses', () => ['Cc: ', repeat('user@example.com, ', 100_000), '\r\n\r\nx']),
  ofMail('a megabyte of parentheses', () => ['Cc: ', repeat('(', MEBIBYTE), '\r\n\r\nx']),
  ofMail('130,000 encoded words', () => ['Subject: ', repeat('=?utf-8?q?a?= ', 130_000), '\r\n\r\nx']),
  ofMail('100,000 continued parameters', () => [
    'Content-Type: text/plain',
    Array.from({ length: 100_000 }, (_, n) => `;\r\n a*${n}=x`).join(''),
    '\r\n\r\nx',
  ]),
  ofMail('a line of 20 MiB', () => ['\r\n', repeat('x', 20 * MEBIBYTE)]),
  ofMail('20 MiB of empty lines', () => ['\r\n', repeat('\r\n', 10 * MEBIBYTE)]),
  ofMail('20 MiB of line feeds', () => ['\r\n', repeat('\n', 20 * MEBIBYTE)]),
  ofMail('20 MiB of dots', () => ['\r\n', repeat('\r\n..', 5 * MEBIBYTE)]),
  ofMail('20 MiB of base64', () => encoded('base64', `${'QUJD'.repeat(19)}\r\n`, 20 * MEBIBYTE)),
  ofMail('20 MiB of padded base64 in one line', () => encoded('base64', '=A', 20 * MEBIBYTE)),
  ofMail('20 MiB of quoted-printable', () =>
    encoded('quoted-printable', `${'=41'.repeat(25)}\r\n`, 20 * MEBIBYTE),
  ),
  ofMail('20 MiB of flowed lines', () => typed('text/plain; format=flowed', 'x \r\n', 20 * MEBIBYTE)),
  ofMail('12 MiB of iso-2022-jp', () =>
    typed('text/plain; charset=iso-2022-jp', '\x1b$B&&\r\n', 12 * MEBIBYTE),
  ),
  ofMail('a text of 10 MiB beside HTML', () => [
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Type: text/html\r\n\r\n',
    repeat('<a href=x>&amp;<p>\r\n', 500_000),
    '--b--\r\n',
  ]),
  {
    name: '300,000 commands in one pipeline',
    async run(port) {
      const client = await connect(port);
      await client.send(repeat('NOOP\r\n', 300_000));
      await client.send('QUIT\r\n');
      await client.closed();
      client.close();
    },
  },
  {
    name: '2000 mails in one pipeline',
    async run(port) {
      const client = await connect(port);
      await client.send('EHLO x\r\n');
      const one = `MAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\n${HEAD}\r\nx\r\n.\r\n`;
      await client.send(repeat(one, 2000));
      await client.send('QUIT\r\n');
      await client.closed();
      client.close();
    },
  },
  {
    name: 'a mail in 50,000 packets of one byte',
    async run(port) {
      const client = await connect(port);
      await client.send('EHLO x\r\nMAIL FROM:<a@b.c>\r\nRCPT TO:<d@e.f>\r\nDATA\r\n');
      for (let sent = 0; sent < 50_000; sent += 1) {
        await client.send('x');
        if (sent % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      client.reset();
    },
  },
  {
    name: '1000 recipients, 20 times',
    async run(port) {
      const client = await connect(port);
      await client.send('EHLO x\r\n');
      for (let round = 0; round < 20; round += 1) {
        await client.send('MAIL FROM:<a@b.c>\r\n');
        await client.send(repeat('RCPT TO:<somebody@example.com>\r\n', 1000));
        await client.send('RSET\r\n');
      }
      await client.send('QUIT\r\n');
      await client.closed();
      client.close();
    },
  },
  {
    name: '12 mails of 20 MiB, and the list of them',
    async run(port, api) {
      for (let sent = 0; sent < 12; sent += 1)
        await mail(port, '\r\n', repeat('x'.repeat(76) + '\r\n', (20 * MEBIBYTE) / 78));
      const { body } = await fetch(`http://127.0.0.1:${api}/api/emails?limit=10000`);
      for await (const _ of body);
    },
  },
  ...DECODED.flatMap(([form, head, line]) => [
    asked(`in ${form}, only sent`, head, line, () => []),
    asked(`in ${form}, read by its id`, head, line, (id) => [[`/${id}`]]),
    asked(`in ${form}, whole in a list`, head, line, () => [['?max_body=100000000']]),
  ]),
  asked('whose attachment is read, base64', attachment('base64'), BASE64, (id) => [[`/${id}/attachments/0`]]),
  asked('whose attachment is read, bytes', attachment('binary'), Buffer.from('x\xff\r\n', 'latin1'), (id) => [
    [`/${id}/attachments/0`],
  ]),
  asked('whose HTML is shown in a frame', HTML, '<iframe><p>words</p>\r\n', (id) => [
    [`/${id}/frame`, posted({}), ({ path }) => path],
  ]),
  ...['text', 'body'].flatMap((field) =>
    [
      ['contains', { contains: 'needle' }],
      ['a pattern with stars', '*a*needle*b*'],
      ['no text', { not: { contains: 'needle' } }],
      ['an expression', 're:needle'],
    ].map(([what, pattern]) =>
      asked(
        `of which ${field} is searched, ${what}`,
        HTML.replace('html', 'plain'),
        'a line of words\r\n',
        () => [['/wait', posted({ where: { [field]: pattern }, timeout: '1ms' })]],
      ),
    ),
  ),
  ...['text', 'body'].flatMap((field) => [
    asked(`of which a check asks for ${field}`, HTML.replace('html', 'plain'), 'a line of words\r\n', () => [
      ['/api/verify', posted({ expect: [{ smtp: { [field]: '*needle*' }, times: 0 }] })],
    ]),
    {
      name: `a mail of 24 MiB that a rule asks for ${field}`,
      async run(port, api) {
        await fetch(
          `http://127.0.0.1:${api}/api/mocks/smtp`,
          posted({ id: 'needle', [field]: '*needle*', action: 'reject' }),
        );
        const piece = repeat('a line of words\r\n', 10_000);
        await mail(port, '\r\n', ...Array.from({ length: 148 }, () => piece));
      },
    },
  ]),
  asked('of bytes, of which body is searched', HTML, Buffer.from('x\xff\xfe\r\n', 'latin1'), () => [
    ['?body=*needle*&max_body=1000'],
  ]),
  asked('in base64, of which text is searched', DECODED[5][1], BASE64, () => [
    ['?text=*needle*&max_body=1000'],
  ]),
  asked('in latin1, that is waited for', DECODED[0][1], DECODED[0][2], () => [['/wait', posted({})]]),
  ...['mbox', 'eml'].map((format) =>
    asked(`that is exported as ${format}`, HTML, 'From a line of words\r\n', () => [
      [`/api/export?format=${format}`],
    ]),
  ),
  asked('in base64, in a recording', DECODED[5][1], BASE64, () => [['/api/flight']]),
  ...['a line of words', 'grün und mehr', 'x\xff\xfe'].map((text, index) => ({
    name: `a mail of 24 MiB that is read by its id: ${['ASCII', 'UTF-8', 'bytes'][index]}`,
    async run(port, api) {
      const line = Buffer.from(`${text}\r\n`, index === 2 ? 'latin1' : 'utf8');
      const piece = Buffer.concat(Array.from({ length: 20_000 }, () => line));
      await mail(port, '\r\n', ...Array.from({ length: (24 * MEBIBYTE) / piece.length }, () => piece));
      const base = `http://127.0.0.1:${api}/api/emails`;
      const [{ id }] = await (await fetch(`${base}?max_body=1000`)).json();
      const { body } = await fetch(`${base}/${id}`);
      for await (const _ of body);
    },
  })),
];

export const further = [
  { settings: { tls: { mode: 'implicit' } }, attacks: tlsAttacks('TLS', { speech: 'NOOP\r\n' }) },
  {
    settings: { tls: { mode: 'starttls' } },
    attacks: tlsAttacks('STARTTLS', { speech: 'NOOP\r\n', upgrade: ['EHLO x', 'STARTTLS'] }),
  },
];
