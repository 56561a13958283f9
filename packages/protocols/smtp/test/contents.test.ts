import { describe, expect, it, jest } from '@jest/globals';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { MailMessage } from '../src/message.js';
import { RawClient, send, startHost } from './support.js';

const REJECT = { action: 'reject' } as const;

/** What the server answers to a mail of nodemailer. */
async function mailTo(port: number, mail: SendMailOptions): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port });
  try {
    const { response } = await transport.sendMail({
      from: 'ann@example.com',
      to: 'bob@example.com',
      ...mail,
    });
    return response.replace(/ as .*/, '');
  } catch (thrown) {
    return (thrown as { response?: string }).response ?? String(thrown);
  }
}

describe('rules about what a mail holds', () => {
  it('match headers, texts, attachments and the message as it came', async () => {
    const { port, emails } = await startHost({
      rules: [
        { headers: { 'X-Campaign': { prefix: 'spring' } }, ...REJECT, message: '550 header' },
        { headers: { received: 'second' }, ...REJECT, message: '550 repeated header' },
        {
          attachments: [{ filename: 'Grüße.pdf', content_type: 'Application/PDF' }, { size: { gt: 1000 } }],
          ...REJECT,
          message: '552 both attachments',
        },
        { attachments: [{ filename: '*.exe' }], ...REJECT, message: '552 no programs' },
        { text: { contains: 'größte Chance' }, ...REJECT, message: '554 text' },
        { text: { json_path: { path: '$.order.id', is: '7' } }, message: '250 order {{request.text}}' },
        { html: { contains: '<blink>' }, action: 'defer', message: '451 html' },
        { body: { contains: 'X-Raw: =?utf-8?' }, ...REJECT, message: '550 raw' },
      ],
    });
    expect(await mailTo(port, { headers: { 'x-campaign': 'spring 7' } })).toBe('550 header');
    expect(await mailTo(port, { headers: { Received: ['first', 'second'] } })).toBe('550 repeated header');
    const pdf = { filename: 'Grüße.pdf', content: 'x', contentType: 'application/pdf' };
    const long = { filename: 'long.txt', content: 'x'.repeat(2000) };
    expect(await mailTo(port, { attachments: [pdf, long] })).toBe('552 both attachments');
    expect(await mailTo(port, { attachments: [pdf] })).toBe('250 OK: queued');
    expect(await mailTo(port, { attachments: [{ filename: 'a.exe', content: 'MZ' }] })).toBe(
      '552 no programs',
    );
    expect(await mailTo(port, { text: 'Ihre größte Chance' })).toBe('554 text');
    expect(await mailTo(port, { text: '{"order":{"id":7}}' })).toBe('250 order {"order":{"id":7}}');
    expect(await mailTo(port, { text: 'plain', html: '<p><blink>now</blink>' })).toBe('451 html');
    expect(await mailTo(port, { subject: 'blink', text: '<blink>' })).toBe('250 OK: queued');
    const client = await RawClient.greet(port);
    expect(await send(client, 'a@b.c', 'd@e.f', 'X-Raw: =?utf-8?q?x?=\r\n\r\nHello\r\n')).toBe('550 raw');
    expect(emails()).toHaveLength(3);
  });

  it('decide at the end of the data, whatever recipients there are, and in their order', async () => {
    const { port } = await startHost({
      rules: [
        { text: 'pass', message: 'welcome' },
        { to: 'd@e.f', headers: { 'x-spam': 'yes' }, ...REJECT, message: '550 spam' },
        { to: 'd@e.f', ...REJECT, message: '551 nobody' },
      ],
    });
    const client = await RawClient.greet(port);
    expect(await send(client, 'a@b.c', 'd@e.f', 'From: a\r\n\r\npass\r\n')).toBe('250 welcome');
    expect(await send(client, 'a@b.c', 'd@e.f', 'X-Spam: yes\r\n\r\n')).toBe('550 spam');
    expect(await send(client, 'a@b.c', 'd@e.f', 'X-Spam: no\r\n\r\n')).toBe('551 nobody');
  });

  it('see the parts that an attachment of any name is', async () => {
    const { port } = await startHost({ rules: [{ attachments: [{}], ...REJECT }] });
    expect(await mailTo(port, { text: 'none' })).toBe('250 OK: queued');
    expect(await mailTo(port, { attachments: [{ filename: 'a', content: 'x' }] })).toBe(
      '550 Message rejected',
    );
  });

  it('give reasons, and explain takes what they ask for', async () => {
    const { host } = await startHost({
      rules: [
        { id: 'header', headers: { 'X-Tenant': 'a' } },
        { id: 'text', text: 'hello', html: { contains: 'b' } },
        { id: 'files', attachments: [{ filename: '*.pdf', content_type: 'application/pdf' }] },
      ],
    });
    const { explain } = host.kind('smtp');
    const explained = (entry: object): unknown => explain.call(host.kind('smtp'), entry);
    expect(explained({ from: 'a@b.c', headers: { 'x-tenant': 'a' } })).toMatchObject({ mock_id: 'header' });
    expect(explained({ text: 'hello', html: '<b>' })).toMatchObject({ mock_id: 'text' });
    const pdf = { filename: 'a.pdf', content_type: 'application/pdf' };
    expect(explained({ attachments: [pdf] })).toMatchObject({ mock_id: 'files' });
    const body = 'X-Tenant: b\r\nContent-Type: text/html\r\n\r\n<i>hello</i>\r\n';
    expect(explained({ body })).toMatchObject({
      outcome: 'own',
      others: [
        { mock_id: 'header', reason: 'header X-Tenant: got "b", want "a"' },
        { mock_id: 'text', reason: 'text: absent, want "hello"' },
        { mock_id: 'files', reason: 'attachments.0: nothing is attached' },
      ],
    });
    expect(
      explained({ attachments: [{ filename: 'a.txt' }, { ...pdf, content_type: 'text/plain' }] }),
    ).toMatchObject({
      others: [{}, {}, { reason: 'attachments.0.content_type: got "text/plain", want "application/pdf"' }],
    });
  });

  it('read a short mail no further where no rule asks', async () => {
    const asked = jest.spyOn(MailMessage.prototype, 'contents', 'get');
    const { port, host } = await startHost({ rules: [{ subject: 'x', ...REJECT }, { from: 'q@r.s' }] });
    const client = await RawClient.greet(port);
    await send(client, 'a@b.c', 'd@e.f', 'Subject: test\r\nX-Id: 1\r\n\r\nHello\r\n');
    expect(asked).not.toHaveBeenCalled();
    host.kind('smtp').mocks.create({ headers: { 'x-id': '1' }, message: '250 seen' });
    expect(await send(client, 'a@b.c', 'd@e.f', 'Subject: test\r\nX-Id: 1\r\n\r\nHello\r\n')).toBe(
      '250 seen',
    );
    expect(asked).toHaveBeenCalled();
    asked.mockRestore();
  });
});
