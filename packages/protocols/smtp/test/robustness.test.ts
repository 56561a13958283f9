import net from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { abandon, eventually, mulberry32, mutate, playSession } from '@backlot/conformance';
import { RawClient, send, startHost } from './support.js';

/** A session with a login and two mails, one of them with two recipients, texts and an attachment. */
const SESSION = Buffer.from(
  'EHLO [127.0.0.1]\r\nAUTH PLAIN AGFubgBzZWNyZXQ=\r\nMAIL FROM:<joerg@example.com> SIZE=900 BODY=8BITMIME\r\n' +
    'RCPT TO:<ann@example.com>\r\nRCPT TO:<bob@example.com>\r\nDATA\r\n' +
    'From: =?UTF-8?Q?J=C3=B6rg?= <joerg@example.com>\r\nTo: ann@example.com, bob@example.com\r\n' +
    'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\nMessage-ID: <1@example.com>\r\nMIME-Version: 1.0\r\n' +
    'Content-Type: multipart/mixed; boundary="--_NmP-1"\r\n\r\n----_NmP-1\r\n' +
    'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n' +
    '..dot\r\n=C3=BCber\r\n----_NmP-1\r\nContent-Type: application/octet-stream; name=a.bin\r\n' +
    'Content-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=a.bin\r\n\r\nAAEC/w==\r\n' +
    '----_NmP-1--\r\n.\r\nRSET\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\n' +
    'Subject: two\r\n\r\nplain\r\n.\r\nQUIT\r\n',
);

const MUTATIONS = 10_000;
const AT_ONCE = 100;

const INSERTS = [
  '\r\n',
  '\n',
  '\r\n.\r\n',
  '\n.\n',
  '\0',
  ' ',
  '<',
  '>',
  'DATA\r\n',
  'RSET\r\n',
  'STARTTLS\r\n',
  'EHLO x\r\n',
];

/** What comes back for a session, as text. */
async function exchange(port: number, bytes: Buffer): Promise<string> {
  return (await playSession(port, bytes)).toString();
}

async function checkRealClient(port: number): Promise<void> {
  const transport = createTransport({ host: '127.0.0.1', port });
  const sent = await transport.sendMail({ from: 'a@b.c', to: 'd@e.f', subject: 'well', text: 'well' });
  expect(sent.response).toMatch(/^250 OK/);
  transport.close();
}

describe('bytes that are no session', () => {
  it('are made of one that works', async () => {
    const { port, emails } = await startHost();
    const codes = (await exchange(port, SESSION)).match(/^\d{3}(?= )/gm)?.join(' ');
    expect(codes).toBe('220 250 235 250 250 250 354 250 250 250 250 354 250 221');
    expect(emails()).toMatchObject([
      { subject: 'Grüße', text: '.dot\nüber' },
      { subject: 'two', text: 'plain' },
    ]);
  });

  it('are answered behind the end of their client, when an answer takes longer than that end', async () => {
    const { port, emails } = await startHost({ rules: [{ to: 'ann@*', action: 'accept', delay: '100ms' }] });
    const codes = (await exchange(port, SESSION)).match(/^\d{3}(?= )/gm)?.join(' ');
    expect(codes).toBe('220 250 235 250 250 250 354 250 250 250 250 354 250 221');
    expect(emails()).toHaveLength(2);
  });

  it(`end ${MUTATIONS} times in replies and the close of their connection`, async () => {
    const { port, host, log } = await startHost({
      rules: [
        { to: 'bob@*', subject: 'x', action: 'reject' },
        { to: 'full@*', action: 'reject' },
      ],
    });
    // Makes the certificate, which some of the sessions would wait for.
    await createTransport({
      host: '127.0.0.1',
      port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
    }).verify();
    const below = mulberry32(20_261);
    let refused = 0;
    for (let done = 0; done < MUTATIONS; done += AT_ONCE) {
      const sent = Array.from({ length: AT_ONCE }, () => mutate(SESSION, below, INSERTS));
      for (const answer of await Promise.all(sent.map((bytes) => exchange(port, bytes)))) {
        if (!/^(?:\d{3}[ -][^\r\n]*\r\n)*$/.test(answer))
          throw new Error(`odd answer ${JSON.stringify(answer)}`);
        if (/^5\d\d /m.test(answer)) refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(MUTATIONS / 3);
    expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(host.kind('smtp').status()).toMatchObject({ state: 'running' });
    await checkRealClient(port);
    await eventually(() => host.kind('smtp').status()['connections'] === 0);
  }, 60_000);

  it.each([
    ['TLS', Buffer.from('16030100a5010000a10303', 'hex'), /^220 .*\r\n(500 .*\r\n)?$/],
    [
      'HTTP',
      Buffer.from('POST / HTTP/1.1\r\nHost: a\r\n\r\nMAIL FROM:<a@b.c>\r\n'),
      /^220 .*\r\n421 HTTP requests not allowed\r\n$/,
    ],
    ['0xff', Buffer.alloc(70_000, 255), /^220 .*\r\n500 Error: line too long\r\n$/],
    ['nothing', Buffer.alloc(0), /^220 .*\r\n$/],
  ])('of %s get their answer', async (_name, bytes, answer) => {
    const { port, log } = await startHost();
    expect(await exchange(port, bytes)).toMatch(answer);
    expect(log).toEqual([]);
  });

  it('cannot smuggle a mail behind bare line feeds', async () => {
    const { port, emails } = await startHost();
    const client = await RawClient.greet(port);
    for (const end of ['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\r\n\0.\r\n']) {
      const data = `Subject: one${end}MAIL FROM:<evil@e.f>\r\nRCPT TO:<d@e.f>\r\nDATA\r\nSubject: two\r\n`;
      expect(await send(client, 'a@b.c', 'd@e.f', data)).toMatch(/^250 OK/);
      expect(await client.say('NOOP')).toBe('250 OK');
    }
    expect(emails().map(({ from }) => from)).toEqual(Array.from({ length: 6 }, () => 'a@b.c'));
  });

  it('that stop in the middle leave nothing behind', async () => {
    const { port, host } = await startHost();
    for (let length = 1; length < SESSION.length; length += 29) {
      const socket = net.connect({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(SESSION.subarray(0, length));
      await new Promise((resolve) => setImmediate(resolve));
      abandon(socket);
    }
    await eventually(() => host.kind('smtp').status()['connections'] === 0);
    await checkRealClient(port);
  });

  it('are not answered for a client that never reads', async () => {
    const { port, host } = await startHost();
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    const help = Buffer.from('HELP\r\n'.repeat(10_000));
    // The server stops reading once its replies wait, so that the client's own buffer fills.
    let turns = 0;
    while (socket.writableLength < 1_000_000 && turns < 5_000) {
      socket.write(help);
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(socket.writableLength).toBeGreaterThanOrEqual(1_000_000);
    await checkRealClient(port);
    socket.destroy();
    await eventually(() => host.kind('smtp').status()['connections'] === 0);
  });
});
