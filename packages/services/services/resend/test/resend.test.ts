import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { Resend } from 'resend';

const backlot = useBacklot({ services: ['resend'] });

function connect(key = backlot.env.RESEND_API_KEY): Resend {
  return new Resend(key, { baseUrl: backlot.env.RESEND_BASE_URL });
}

const MAIL = { from: 'Tea <tea@example.com>', to: 'ann@example.com', subject: 'Hello', text: 'Ready.' };

async function sendOne(change: object = {}): Promise<string> {
  const { data, error } = await connect().emails.send({ ...MAIL, ...change });
  expect(error).toBeNull();
  return data?.id ?? '';
}

describe('emails', () => {
  it('are sent, read, and kept with all that they have', async () => {
    const id = await sendOne({
      cc: ['bob@example.com'],
      replyTo: 'shop@example.com',
      tags: [{ name: 'kind', value: 'hello' }],
      attachments: [{ filename: 'a.bin', content: Buffer.from([0, 255]) }],
      headers: { 'X-A': '1' },
    });
    expect(id).toMatch(/^[\da-f-]{36}$/);
    const { data } = await connect().emails.get(id);
    expect(data).toMatchObject({
      object: 'email',
      id,
      from: MAIL.from,
      to: ['ann@example.com'],
      cc: ['bob@example.com'],
      reply_to: ['shop@example.com'],
      subject: 'Hello',
      text: 'Ready.',
      html: null,
      tags: [{ name: 'kind', value: 'hello' }],
      last_event: 'delivered',
      scheduled_at: null,
    });
    expect(backlot.collection('resend:emails').list()).toMatchObject([
      { attachments: [{ filename: 'a.bin', content: 'AP8=' }], headers: { 'X-A': '1' } },
    ]);
    expect((await connect().emails.get('none')).error).toMatchObject({ name: 'not_found', statusCode: 404 });
  });

  it('are listed by pages, newest first', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift(await sendOne());
    const { emails } = connect();
    const first = await emails.list({ limit: 2 });
    expect(first.data).toMatchObject({ has_more: true, data: [{ id: ids[0] }, { id: ids[1] }] });
    const rest = await emails.list({ limit: 3, after: ids[1] ?? '' });
    expect(rest.data?.has_more).toBe(false);
    expect(rest.data?.data.map(({ id }) => id)).toEqual(ids.slice(2));
    const back = await emails.list({ limit: 1, before: ids[2] ?? '' });
    expect(back.data?.data.map(({ id }) => id)).toEqual([ids[1]]);
  });

  it('to the test addresses come to their ends', async () => {
    for (const outcome of ['bounced', 'complained', 'suppressed']) {
      const id = await sendOne({ to: `${outcome}@resend.dev` });
      expect((await connect().emails.get(id)).data?.last_event).toBe(outcome);
    }
  });

  it('are sent once for an idempotency key, which is for one mail', async () => {
    const { emails } = connect();
    const first = await emails.send(MAIL, { idempotencyKey: 'k1' });
    const again = await emails.send(MAIL, { idempotencyKey: 'k1' });
    expect(again.data).toEqual(first.data);
    expect(backlot.collection('resend:emails').list()).toHaveLength(1);
    const { error } = await emails.send({ ...MAIL, subject: 'x' }, { idempotencyKey: 'k1' });
    expect(error).toMatchObject({ name: 'invalid_idempotent_request', statusCode: 409 });
  });

  it('wait for their time, are moved and canceled', async () => {
    backlot.clock.freeze(true);
    const { emails } = connect();
    const id = await sendOne({ scheduledAt: 'in 1 hour' });
    const stateOf = async (one: string): Promise<unknown> => (await emails.get(one)).data?.last_event;
    expect(await stateOf(id)).toBe('scheduled');
    expect((await emails.update({ id, scheduledAt: 'in 2 hours' })).data).toMatchObject({ id });
    await backlot.clock.advance(3_600_000);
    expect(await stateOf(id)).toBe('scheduled');
    await backlot.clock.advance(3_600_000);
    expect(await stateOf(id)).toBe('delivered');
    expect((await emails.cancel(id)).error?.name).toBe('validation_error');
    const other = await sendOne({ scheduledAt: 'in 1 day' });
    await emails.cancel(other);
    expect(await stateOf(other)).toBe('canceled');
    expect((await emails.send({ ...MAIL, scheduledAt: 'in 31 days' })).error?.message).toContain('30 days');
  });

  it.each([
    [{ from: 'tea' }, 'invalid_from_address'],
    [{ to: undefined }, 'missing_required_field'],
    [{ to: [] }, 'missing_required_field'],
    [{ to: ['ann'] }, 'validation_error'],
    [{ to: Array.from({ length: 51 }, () => 'ann@example.com') }, 'validation_error'],
    [{ text: undefined }, 'missing_required_field'],
    [{ tags: [{ name: 'a b', value: 'c' }] }, 'validation_error'],
    [{ attachments: [{ filename: 'a' }] }, 'invalid_attachment'],
    [{ scheduledAt: 'soon' }, 'validation_error'],
    [{ template: { id: 't' } }, 'validation_error'],
  ])('are refused for %j', async (change, name) => {
    const { data, error } = await connect().emails.send({ ...MAIL, ...change } as never);
    expect(data).toBeNull();
    expect(error).toMatchObject({ statusCode: 422, name });
  });
});

describe('batches', () => {
  it('are sent whole or not at all', async () => {
    const { batch } = connect();
    const { data } = await batch.send([MAIL, { ...MAIL, subject: 'Two' }]);
    expect(data?.data).toHaveLength(2);
    expect((await batch.send([MAIL, { ...MAIL, from: 'tea' }])).error?.name).toBe('invalid_from_address');
    expect(backlot.collection('resend:emails').list()).toHaveLength(2);
  });

  it('that are permissive say which are wrong', async () => {
    const { data } = await connect().batch.send([{ ...MAIL, from: 'tea' }, MAIL], {
      batchValidation: 'permissive',
    });
    expect(data).toMatchObject({
      data: [{ id: expect.any(String) }],
      errors: [{ index: 0, message: expect.stringContaining('Invalid `from` field') }],
    });
  });
});

describe('webhooks', () => {
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
      const resend = connect();
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      const { data: made } = await resend.webhooks.create({ endpoint, events: ['email.bounced'] });
      expect((await resend.webhooks.list()).data?.data).toMatchObject([{ id: made?.id, endpoint }]);
      await sendOne();
      const id = await sendOne({ to: 'bounced@resend.dev' });
      while (got.length < 1) await once(server, 'got');
      const [{ headers, body } = { headers: {}, body: '' }] = got;
      const verify = (payload: string): unknown =>
        resend.webhooks.verify({
          payload,
          headers: {
            id: String(headers['svix-id']),
            timestamp: String(headers['svix-timestamp']),
            signature: String(headers['svix-signature']),
          },
          webhookSecret: made?.signing_secret ?? '',
        });
      expect(verify(body)).toMatchObject({ type: 'email.bounced', data: { email_id: id } });
      expect(() => verify(body.replace('bounced', 'opened'))).toThrow('signature');
      expect((await resend.webhooks.remove(made?.id ?? '')).data).toMatchObject({ deleted: true });
      expect((await resend.webhooks.get(made?.id ?? '')).error?.name).toBe('not_found');
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('errors and scenarios', () => {
  it('a wrong key is refused, and an unknown path names those that are known', async () => {
    expect((await connect('re_invalid').emails.list()).error).toMatchObject({ name: 'invalid_api_key' });
    const { error } = await connect().domains.list();
    expect(error?.message).toMatch(/\/domains.*knows .*\/emails/);
  });

  it('slow takes an email after ten minutes', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('resend:slow');
    let isSent = false;
    const sending = connect()
      .emails.send(MAIL)
      .finally(() => (isSent = true));
    let minutes = 0;
    for (; !isSent; minutes += 1) {
      await backlot.clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(minutes).toBeGreaterThanOrEqual(10);
    expect((await sending).error).toBeNull();
  });

  it.each([
    ['rate-limited', 'rate_limit_exceeded'],
    ['quota', 'daily_quota_exceeded'],
    ['outage', 'internal_server_error'],
    ['wrong-key', 'invalid_api_key'],
    ['unverified-domain', 'validation_error'],
  ])('%s answers so', async (scenario, name) => {
    backlot.scenarios.activate(`resend:${scenario}`);
    const { data, error, headers } = await connect().emails.send(MAIL);
    expect(data).toBeNull();
    expect(error?.name).toBe(name);
    if (scenario === 'rate-limited') expect(headers?.['retry-after']).toBe('1');
  });
});
