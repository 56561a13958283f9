import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { processCertificate } from '@backlot/kit';
import { createTransport } from 'nodemailer';
import { EXIM, startExim } from './exim.js';
import { afterThis, envelope, RawClient, send, startHost, type Running } from './support.js';

/** What an application sends with nodemailer, and what it is told. */
async function work(port: number): Promise<readonly string[]> {
  const transport = createTransport({ host: '127.0.0.1', port, auth: { user: 'ann', pass: 'secret' } });
  const told: string[] = [];
  const sendMail = async (to: string | string[], subject: string): Promise<void> => {
    const mail = { from: 'shop@example.com', to, subject, text: `Dear {{name}}\n.\nyours` };
    const attachments = [{ filename: 'a.csv', content: 'a,b' }];
    try {
      const { response, accepted, rejected } = await transport.sendMail({ ...mail, attachments });
      told.push(`${response.replace(/(id=|as ).*/, '')}to ${accepted.join(' ')}, not ${rejected.join(' ')}`);
    } catch (error) {
      told.push(String((error as { response?: string }).response));
    }
  };
  await sendMail('ann@example.com', 'Welcome');
  await sendMail(['ann@example.com', 'nobody@example.com', 'bob@example.com'], 'News');
  await sendMail('nobody@example.com', 'Welcome');
  await sendMail('later@example.com', 'Welcome');
  await sendMail('bob@example.com', 'spam');
  return told;
}

const TOLD = [
  '250 OK to ann@example.com, not ',
  '250 OK to ann@example.com bob@example.com, not nobody@example.com',
  '550 5.1.1 there is no nobody here',
  '451 4.2.1 come back',
  '550 5.7.1 no spam please',
];

describe('an upstream of SMTP', () => {
  itWithTool(EXIM, 'is recorded with nodemailer, replayed without it, and compared', async () => {
    const exim = await startExim();
    const through = (mode: string, rules: readonly object[] = []): Promise<Running> =>
      startHost({ upstream: { url: `smtp://127.0.0.1:${exim.port}`, mode }, rules });
    const recording = await through('record_new');
    expect(await work(recording.port)).toEqual(TOLD);
    const rules = recording.kind.mocks.list();
    expect(rules).toMatchObject([
      {
        from: 'shop@example.com',
        to: 'ann@example.com',
        subject: 'Welcome',
        attachments: [{ filename: 'a.csv', content_type: 'text/csv' }],
        action: 'accept',
        message: expect.stringMatching(/^250 OK id=\{\{uuid\}\}/),
      },
      { to: 'nobody@example.com', action: 'reject', message: '550 5.1.1 there is no nobody here' },
      { to: { any_of: ['ann@example.com', 'bob@example.com'] }, subject: 'News', action: 'accept' },
      { to: 'later@example.com', action: 'defer', message: '451 4.2.1 come back' },
      { to: 'bob@example.com', subject: 'spam', action: 'reject', message: '550 5.7.1 no spam please' },
    ]);
    expect(recording.emails().map(({ to, subject }) => [to, subject])).toEqual([
      [['ann@example.com'], 'Welcome'],
      [['ann@example.com', 'bob@example.com'], 'News'],
    ]);
    expect(recording.entries().map(({ path, status }) => [path, status])).toEqual([
      ['shop@example.com -> ann@example.com', 250],
      ['shop@example.com -> nobody@example.com', 550],
      ['shop@example.com -> ann@example.com, bob@example.com', 250],
      ['shop@example.com -> nobody@example.com', 550],
      ['shop@example.com -> later@example.com', 451],
      ['shop@example.com -> bob@example.com', 550],
    ]);

    // Who is no user there is none here.
    const transport = createTransport({
      host: '127.0.0.1',
      port: recording.port,
      auth: { user: 'eve', pass: 'x' },
    });
    await expect(transport.verify()).rejects.toMatchObject({ responseCode: 535 });

    const spy = await through('spy', [{ to: 'nobody@example.com', message: '250 mocked' }]);
    const client = await RawClient.greet(spy.port);
    expect(await send(client, 'shop@example.com', 'nobody@example.com')).toBe('250 mocked');
    expect(await send(client, 'shop@example.com', 'eve@example.com')).toBe('550 5.1.1 there is no eve here');
    const comparing = await through('diff', [
      { to: 'nobody@example.com', action: 'reject', message: '550 5.1.1 no such user' },
    ]);
    const other = await RawClient.greet(comparing.port);
    await send(other, 'shop@example.com', 'nobody@example.com');
    expect(comparing.entries()).toMatchObject([
      {
        upstream: {
          differences: [
            'reply /: the mock has "550 5.1.1 no such user", the upstream "550 5.1.1 there is no nobody here"',
          ],
        },
      },
    ]);
    // Exim ends once its sessions have.
    for (const { host } of [recording, spy, comparing]) await host.stop(0);
    await exim.stop();

    const replayed = await startHost({ upstream: { mode: 'replay' }, rules: structuredClone(rules) });
    expect(await work(replayed.port)).toEqual(TOLD);
    expect(replayed.host.journal.count({ protocol: 'smtp', unmatched: true }).count).toBe(0);
    // What was not recorded is refused, and is a miss.
    const last = await RawClient.greet(replayed.port);
    expect(await last.sayAll(...envelope('shop@example.com', 'zoe@example.com', 'ann@example.com'))).toEqual([
      '250 Accepted',
      '550 5.7.1 a mail to zoe@example.com was not recorded, and only recordings are replayed',
      '250 Accepted',
    ]);
    await last.say('DATA');
    expect(await last.say('Subject: Goodbye\r\n\r\nHello\r\n.')).toBe(
      '550 5.7.1 this mail to ann@example.com was not recorded, and only recordings are replayed',
    );
    expect(replayed.host.journal.count({ protocol: 'smtp', unmatched: true }).count).toBe(2);
  });

  itWithTool(EXIM, 'is reached by STARTTLS, of whose certificate it is sure', async () => {
    const { cert, key } = await processCertificate();
    const exim = await startExim({ cert, key });
    const folder = mkdtempSync(join(tmpdir(), 'backlot-smtp-'));
    afterThis(() => rmSync(folder, { recursive: true, force: true }));
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, cert);
    const through = (scheme: string, more: object = {}): Promise<Running> =>
      startHost({ upstream: { url: `${scheme}://127.0.0.1:${exim.port}`, mode: 'record_new', ...more } });
    const first = async (running: Running): Promise<string | undefined> => (await work(running.port))[0];
    expect(await first(await through('smtp'))).toMatch(/^550 5.7.0 Must issue a STARTTLS|^530/);
    const secure = await through('smtp+starttls', { ca });
    expect(await work(secure.port)).toEqual(TOLD);
    const doubted = await RawClient.greet((await through('smtp+starttls')).port);
    expect(await doubted.say('MAIL FROM:<a@example.com>')).toMatch(
      /^451 4.4.1 the upstream gave no answer: .*certificate/,
    );
    const unsure = await through('smtp+starttls', { verify: false });
    expect(await first(unsure)).toBe(TOLD[0]);
    const plain = await startExim();
    const without = await startHost({
      upstream: { url: `smtp+starttls://127.0.0.1:${plain.port}`, mode: 'passthrough' },
    });
    const client = await RawClient.greet(without.port);
    expect(await client.say('MAIL FROM:<a@example.com>')).toBe(
      '451 4.4.1 the upstream gave no answer: it does not offer STARTTLS',
    );
  });

  it('takes what it has deferred later, and so does the replay', async () => {
    const real = await startHost({
      rules: [{ to: 'ann@example.com', action: 'defer', message: '451 later', times: 2 }],
    });
    const record = await startHost({
      upstream: { url: `smtp://127.0.0.1:${real.port}`, mode: 'record_new' },
    });
    const told = async (port: number): Promise<readonly string[]> => {
      const client = await RawClient.greet(port);
      const replies: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        replies.push((await send(client, 'shop@example.com', 'ann@example.com')).slice(0, 6));
        await client.say('RSET');
      }
      return replies;
    };
    expect(await told(record.port)).toEqual(['451 la', '451 la', '250 OK']);
    const rules = record.kind.mocks.list();
    const replayed = await startHost({ upstream: { mode: 'replay' }, rules: structuredClone(rules) });
    expect(await told(replayed.port)).toEqual(['451 la', '451 la', '250 OK']);
  });

  it('gets a long mail as it is, and a client whose upstream is gone is told so', async () => {
    const real = await startHost();
    const passing = await startHost({
      upstream: { url: `smtp://127.0.0.1:${real.port}`, mode: 'passthrough' },
    });
    const client = await RawClient.greet(passing.port);
    const lines = `..dots\r\n${'x'.repeat(900)}\r\n`.repeat(4_000);
    expect(await send(client, 'a@example.com', 'b@example.com', `Subject: long\r\n\r\n${lines}`)).toMatch(
      /^250/,
    );
    expect(real.emails().map(({ body }) => body)).toEqual(passing.emails().map(({ body }) => body));
    expect(real.emails()[0]?.body.length).toBeGreaterThan(3_000_000);
    await real.host.stop();
    const later = await RawClient.greet(passing.port);
    expect(await later.say('MAIL FROM:<a@example.com>')).toMatch(/^451 4.4.1 the upstream gave no answer: /);
  });
});
