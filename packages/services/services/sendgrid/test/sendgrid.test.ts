import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { EventWebhook, EventWebhookHeader } from '@sendgrid/eventwebhook';
import mail from '@sendgrid/mail';
import client from '@sendgrid/client';

// Their declarations export the classes in a way that TypeScript takes for none.
const MailService = mail.constructor as new () => typeof mail;
const Client = client.constructor as new () => Client;
type MailService = typeof mail;
type Client = typeof client;

const backlot = useBacklot({ services: ['sendgrid'] });

function connectClient(key = backlot.env.SENDGRID_API_KEY): Client {
  const client = new Client();
  client.setApiKey(key);
  client.setDefaultRequest('baseUrl', backlot.env.SENDGRID_URL);
  return client;
}

function connect(key?: string): MailService {
  const mail = new MailService();
  mail.setClient(connectClient(key));
  return mail;
}

const MAIL = { from: 'Tea <tea@example.com>', to: 'ann@example.com', subject: 'Hello', text: 'Ready.' };

/** What a call throws: its status and the errors of the body. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) =>
      thrown as { code: number; response: { body: { errors: { message: string; field: string }[] } } },
  );
  const [first] = error?.response.body.errors ?? [];
  return { status: error?.code, field: first?.field, message: first?.message };
}

describe('mails', () => {
  it('are taken, and kept with all that they have', async () => {
    const [{ statusCode, headers }] = await connect().send({
      ...MAIL,
      cc: 'bob@example.com',
      html: '<b>Ready.</b>',
      attachments: [{ filename: 'a.bin', content: 'AP8=' }],
      categories: ['tea'],
      customArgs: { order: '7' },
    });
    expect(statusCode).toBe(202);
    const id = String((headers as Record<string, string>)['x-message-id']);
    expect(backlot.collection('sendgrid:mails').list()).toMatchObject([
      {
        id: `${id}.0`,
        from: { email: 'tea@example.com', name: 'Tea' },
        to: [{ email: 'ann@example.com' }],
        cc: [{ email: 'bob@example.com' }],
        subject: 'Hello',
        content: [{ type: 'text/plain', value: 'Ready.' }, { type: 'text/html' }],
        attachments: [{ filename: 'a.bin', content: 'AP8=' }],
        custom_args: { order: '7' },
      },
    ]);
    const [, activity] = await connectClient().request({
      method: 'GET',
      url: '/v3/messages',
      qs: { limit: 1 },
    });
    expect(activity).toMatchObject({ messages: [{ to_email: 'ann@example.com', status: 'delivered' }] });
  });

  it('to many are one for each, and in the sandbox none', async () => {
    await connect().sendMultiple({ ...MAIL, to: ['ann@example.com', 'bob@example.com'] });
    expect(backlot.collection('sendgrid:mails').size).toBe(2);
    const [{ statusCode }] = await connect().send({
      ...MAIL,
      mailSettings: { sandboxMode: { enable: true } },
    });
    expect([statusCode, backlot.collection('sendgrid:mails').size]).toEqual([200, 2]);
  });

  it.each([
    [{ from: { email: 'tea' } }, 'from.email'],
    [{ to: [{ email: 'ann' }] }, 'personalizations.0.to.0.email'],
    [{ subject: '' }, 'subject'],
    [{ text: undefined }, 'content'],
    [{ attachments: [{ filename: 'a', content: 'not base64!' }] }, 'attachments.0.content'],
    [{ sendAt: 9_999_999_999 }, 'send_at'],
  ])('are refused for %j', async (change, field) => {
    expect(await errorOf(connect().send({ ...MAIL, ...change } as never))).toEqual({
      status: 400,
      field,
      message: expect.any(String),
    });
    expect(backlot.collection('sendgrid:mails').size).toBe(0);
  });

  it('that are no mail are refused', async () => {
    const call = (body: unknown): Promise<unknown> =>
      connectClient().request({ method: 'POST', url: '/v3/mail/send', body: body as object });
    expect(await errorOf(call([]))).toMatchObject({ status: 400 });
    expect(await errorOf(call({ personalizations: [null] }))).toMatchObject({ status: 400 });
    expect(await errorOf(call({ nonsense: 1 }))).toMatchObject({ status: 400, field: 'nonsense' });
  });
});

describe('mails later', () => {
  it('keep the batch and the time of which they are', async () => {
    const client = connectClient();
    const [{ statusCode }, batch] = await client.request({ method: 'POST', url: '/v3/mail/batch' });
    const { batch_id: batchId } = batch as { batch_id: string };
    expect([statusCode, batchId.length]).toEqual([201, 40]);
    const sendAt = Math.floor(backlot.clock.now() / 1000) + 3600;
    await connect().send({ ...MAIL, batchId, sendAt });
    expect(backlot.collection('sendgrid:mails').list()).toMatchObject([
      { batch_id: batchId, send_at: sendAt },
    ]);
  });

  it('are read by id, with what became of them', async () => {
    await connect().send({ ...MAIL, to: 'bounce@example.com' });
    const client = connectClient();
    const [, list] = await client.request({ method: 'GET', url: '/v3/messages' });
    const [first] = (list as { messages: { msg_id: string; status: string }[] }).messages;
    expect(first).toMatchObject({ status: 'not_delivered' });
    const [, one] = await client.request({ method: 'GET', url: `/v3/messages/${first?.msg_id ?? ''}` });
    expect(one).toMatchObject({
      subject: 'Hello',
      to_email: 'bounce@example.com',
      events: [{ event_name: 'processed' }, { event_name: 'bounce' }],
    });
    expect(await errorOf(client.request({ method: 'GET', url: '/v3/messages/none' }))).toMatchObject({
      status: 404,
    });
    expect(
      await errorOf(client.request({ method: 'GET', url: '/v3/messages', qs: { limit: 0 } })),
    ).toMatchObject({ status: 400, field: 'limit' });
  });
});

describe('event webhooks', () => {
  it('are sent the events that they want, signed', async () => {
    const got: { headers: IncomingHttpHeaders; body: string }[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        server.emit('got');
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const client = connectClient();
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
      const settings = '/v3/user/webhooks/event/settings';
      const [, made] = await client.request({
        method: 'POST',
        url: settings,
        body: { url, bounce: true, delivered: true },
      });
      const { id } = made as { id: string };
      await connect().send({ ...MAIL, to: ['ann@example.com', 'bounce@example.com'] });
      while (got.length < 1) await once(server, 'got');
      const [{ headers, body } = { headers: {}, body: '' }] = got;
      const events = JSON.parse(body) as { event: string; email: string }[];
      expect(events.map(({ event, email }) => [event, email])).toEqual([
        ['delivered', 'ann@example.com'],
        ['bounce', 'bounce@example.com'],
      ]);
      const [, signing] = await client.request({ method: 'GET', url: `${settings}/signed/${id}` });
      const webhook = new EventWebhook();
      const key = webhook.convertPublicKeyToECDSA((signing as { public_key: string }).public_key);
      const signature = String(headers[EventWebhookHeader.SIGNATURE().toLowerCase()]);
      const time = String(headers[EventWebhookHeader.TIMESTAMP().toLowerCase()]);
      expect(webhook.verifySignature(key, body, signature, time)).toBe(true);
      expect(webhook.verifySignature(key, `${body} `, signature, time)).toBe(false);
      await client.request({ method: 'DELETE', url: `${settings}/${id}` });
      expect(await errorOf(client.request({ method: 'GET', url: `${settings}/${id}` }))).toMatchObject({
        status: 404,
      });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('errors and scenarios', () => {
  it('a wrong key is refused, and an unknown path names those that are known', async () => {
    expect(await errorOf(connect('SG.invalid').send(MAIL))).toMatchObject({ status: 401 });
    expect(await errorOf(connect('SG.readonly').send(MAIL))).toMatchObject({ status: 403 });
    const call = connectClient().request({ method: 'GET', url: '/v3/templates' });
    expect(await errorOf(call)).toEqual({
      status: 404,
      field: null,
      message: expect.stringMatching(/templates.*knows .*\/v3\/mail\/send/),
    });
  });

  it.each([
    ['rate-limited', 429],
    ['outage', 503],
    ['wrong-key', 401],
    ['quota', 401],
    ['unverified-sender', 403],
    ['too-large', 413],
  ])('%s answers with %d', async (scenario, status) => {
    backlot.scenarios.activate(`sendgrid:${scenario}`);
    expect(await errorOf(connect().send(MAIL))).toMatchObject({ status });
  });
});
