import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import twilio from 'twilio';

const backlot = useBacklot({ services: ['twilio'] });
const FROM = '+15005550006';
const TO = '+14155550100';

/** The HTTP client of the SDK, which goes to another address. */
function makeClient(options: object): twilio.RequestClient {
  const client = new twilio.RequestClient(options);
  const send = client.request.bind(client);
  client.request = (request) => {
    const uri = request.uri.replace(/^https:\/\/(\w+)\.twilio\.com/, `${backlot.env.TWILIO_URL}/$1`);
    return send({ ...request, uri });
  };
  return client;
}

function connect(token = backlot.env.TWILIO_AUTH_TOKEN, options: object = {}): twilio.Twilio {
  return twilio(backlot.env.TWILIO_ACCOUNT_SID, token, { httpClient: makeClient(options) });
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('messages', () => {
  it('are sent, read, listed, redacted and deleted', async () => {
    const { messages } = connect();
    const made = await messages.create({ to: TO, from: FROM, body: 'Tea is ready' });
    expect(made).toMatchObject({
      status: 'queued',
      direction: 'outbound-api',
      errorCode: null,
      numSegments: '1',
    });
    expect(made.sid).toMatch(/^SM[0-9a-f]{32}$/);
    expect(made.dateCreated).toBeInstanceOf(Date);
    expect(await messages(made.sid).fetch()).toMatchObject({
      status: 'delivered',
      body: 'Tea is ready',
      to: TO,
    });
    expect((await messages(made.sid).update({ body: '' })).body).toBe('');
    expect(await messages(made.sid).remove()).toBe(true);
    expect(await failure(messages(made.sid).fetch())).toMatchObject({
      name: 'Error',
      status: 404,
      code: 20404,
    });
    expect(backlot.collection('twilio:messages').size).toBe(0);
  });

  it('are listed in pages, newest first', async () => {
    const { messages } = connect();
    for (let n = 0; n < 5; n += 1) await messages.create({ to: TO, from: FROM, body: `${n}` });
    const bodies = (await messages.list({ pageSize: 2 })).map(({ body }) => body);
    expect(bodies).toEqual(['4', '3', '2', '1', '0']);
    expect(await messages.list({ to: '+14155550199' })).toEqual([]);
  });

  it('are scheduled with a service, and called off', async () => {
    const { messages } = connect();
    const sendAt = new Date(Date.now() + 3_600_000);
    const plan = {
      to: TO,
      body: 'later',
      messagingServiceSid: `MG${'0'.repeat(32)}`,
      sendAt,
      scheduleType: 'fixed' as const,
    };
    const { sid, status } = await messages.create(plan);
    expect(status).toBe('scheduled');
    expect((await messages(sid).update({ status: 'canceled' })).status).toBe('canceled');
    expect(await failure(messages(sid).update({ status: 'canceled' }))).toMatchObject({ code: 30409 });
  });

  it.each([
    [{ to: '+15005550001' }, 21211],
    [{ to: '+15005550002' }, 21612],
    [{ to: '+15005550004' }, 21610],
    [{ to: '+15005550009' }, 21614],
    [{ to: 'ann' }, 21211],
    [{ from: '+15005550007' }, 21606],
    [{ from: '+15005550008' }, 21611],
    [{ from: undefined }, 21603],
    [{ body: '' }, 21602],
    [{ body: 'x'.repeat(1601) }, 21617],
  ])('are refused for %j', async (change, code) => {
    const call = connect().messages.create({ to: TO, from: FROM, body: 'x', ...change } as never);
    expect(await failure(call)).toMatchObject({
      status: 400,
      code,
      moreInfo: expect.stringContaining(String(code)),
    });
  });
});

/** Tells of each callback that has come. */
const arrivals = new EventEmitter();

interface Callback {
  readonly url: string;
  readonly signature: string;
  readonly fields: Record<string, string>;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function receive(): Promise<{ url: string; got: Callback[] }> {
  const got: Callback[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const fields = Object.fromEntries(new URLSearchParams(body));
      got.push({
        url: `${url}${request.url ?? ''}`,
        signature: String(request.headers['x-twilio-signature']),
        fields,
      });
      arrivals.emit('got');
      response.end('<Response/>');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, got };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await once(arrivals, 'got');
}

const isSigned = ({ url, signature, fields }: Callback, token = backlot.env.TWILIO_AUTH_TOKEN): boolean =>
  twilio.validateRequest(token, signature, url, fields);

describe('callbacks', () => {
  it('tell what becomes of a message, signed', async () => {
    const { url, got } = await receive();
    const { sid } = await connect().messages.create({
      to: TO,
      from: FROM,
      body: 'x',
      statusCallback: `${url}/status?a=1`,
    });
    await until(() => got.length === 2);
    expect(got.map(({ fields }) => [fields['MessageSid'], fields['MessageStatus']])).toEqual([
      [sid, 'sent'],
      [sid, 'delivered'],
    ]);
    expect(got.every((one) => isSigned(one))).toBe(true);
    expect(got.some((one) => isSigned(one, 'another'))).toBe(false);
  });

  it('bring what is sent to a number, and calls to it', async () => {
    const { url, got } = await receive();
    const number = await connect().incomingPhoneNumbers.create({
      phoneNumber: '+14155550111',
      smsUrl: `${url}/sms`,
      voiceUrl: `${url}/voice`,
    });
    for (const what of ['message', 'call']) {
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ From: TO, To: number.phoneNumber, Body: 'Hello' });
      const answer = await fetch(`${backlot.env.TWILIO_URL}/simulate/${what}`, {
        method: 'POST',
        headers,
        body,
      });
      expect(answer.status).toBe(200);
    }
    await until(() => got.length === 2);
    expect(got.map((one) => [new URL(one.url).pathname, isSigned(one)]).sort()).toEqual([
      ['/sms', true],
      ['/voice', true],
    ]);
    expect(await connect().messages.list({ from: TO })).toMatchObject([
      { direction: 'inbound', status: 'received', body: 'Hello' },
    ]);
    await connect().incomingPhoneNumbers(number.sid).update({ friendlyName: 'Shop' });
    expect((await connect().incomingPhoneNumbers.list()).map(({ friendlyName }) => friendlyName)).toEqual([
      'Shop',
    ]);
    await connect().incomingPhoneNumbers(number.sid).remove();
  });

  it('a call asks for its instructions, and tells that it has ended', async () => {
    const { url, got } = await receive();
    const { calls } = connect();
    const made = await calls.create({
      to: TO,
      from: FROM,
      url: `${url}/twiml`,
      statusCallback: `${url}/status`,
    });
    expect(made.status).toBe('queued');
    await until(() => got.length === 1);
    await calls(made.sid).update({ status: 'completed' });
    await until(() => got.length === 2);
    expect(got.map(({ fields }) => fields['CallStatus'])).toEqual(['in-progress', 'completed']);
    expect(got.every((one) => isSigned(one))).toBe(true);
    expect(await calls(made.sid).fetch()).toMatchObject({ status: 'completed', duration: '0' });
    expect(await failure(calls(made.sid).update({ status: 'completed' }))).toMatchObject({ code: 21220 });
    expect(await failure(calls.create({ to: TO, from: FROM }))).toMatchObject({ code: 21205 });
    expect(await calls.list({ status: 'completed' })).toHaveLength(1);
    expect(await calls(made.sid).remove()).toBe(true);
  });
});

describe('verify and lookups', () => {
  it('a number is verified by its code, once', async () => {
    const { services } = connect().verify.v2;
    const service = services(backlot.env.TWILIO_VERIFY_SERVICE_SID);
    const started = await service.verifications.create({ to: TO, channel: 'sms' });
    expect(started).toMatchObject({ status: 'pending', valid: false, channel: 'sms' });
    expect(await service.verificationChecks.create({ to: TO, code: '000000' })).toMatchObject({
      status: 'pending',
      valid: false,
    });
    expect(await service.verificationChecks.create({ to: TO, code: '123456' })).toMatchObject({
      status: 'approved',
      valid: true,
    });
    expect(await failure(service.verificationChecks.create({ to: TO, code: '123456' }))).toMatchObject({
      status: 404,
    });
  });

  it('a code is tried five times, and is good for ten minutes', async () => {
    backlot.clock.freeze(true);
    const made = await connect().verify.v2.services.create({ friendlyName: 'Mine', codeLength: 4 });
    const { verificationChecks, verifications } = connect().verify.v2.services(made.sid);
    await verifications.create({ to: TO, channel: 'sms' });
    for (let n = 0; n < 5; n += 1) await verificationChecks.create({ to: TO, code: '1' });
    expect(await failure(verificationChecks.create({ to: TO, code: '1234' }))).toMatchObject({
      status: 429,
      code: 60202,
    });
    await backlot.clock.advance(600_001);
    await verifications.create({ to: TO, channel: 'sms' });
    expect((await verificationChecks.create({ to: TO, code: '1234' })).status).toBe('approved');
    expect(await failure(verifications.create({ to: '+15005550001', channel: 'sms' }))).toMatchObject({
      code: 60200,
    });
    expect(await failure(verifications.create({ to: TO, channel: 'pigeon' }))).toMatchObject({ code: 60200 });
    expect(await connect().verify.v2.services.list({ pageSize: 1 })).toHaveLength(2);
  });

  it('a number is looked up', async () => {
    const { phoneNumbers } = connect().lookups.v2;
    const found = await phoneNumbers('+41791234567').fetch({ fields: 'line_type_intelligence' });
    expect(found).toMatchObject({ valid: true, countryCode: 'CH', lineTypeIntelligence: { type: 'mobile' } });
    expect((await phoneNumbers('+1500').fetch()).valid).toBe(false);
    expect(await failure(phoneNumbers('ann').fetch())).toMatchObject({ status: 404 });
  });
});

describe('errors and scenarios', () => {
  it('a wrong token is refused, and an unknown path names those that are known', async () => {
    expect(await failure(connect('invalid').messages.list())).toMatchObject({ status: 401, code: 20003 });
    expect(await failure(connect().conversations.v1.conversations.list())).toMatchObject({
      status: 404,
      message: expect.stringMatching(/knows .*Messages.json/),
    });
  });

  it.each([
    ['rate-limited', 429, 20429],
    ['outage', 503, 20503],
    ['wrong-token', 401, 20003],
    ['suspended', 403, 20005],
    ['unfunded', 400, 30002],
  ])('%s answers with %d', async (scenario, status, code) => {
    backlot.scenarios.activate(`twilio:${scenario}`);
    expect(await failure(connect().messages.create({ to: TO, from: FROM, body: 'x' }))).toMatchObject({
      status,
      code,
    });
  });

  it('rate-limited-once is over with the next attempt of the SDK', async () => {
    backlot.scenarios.activate('twilio:rate-limited-once');
    const patient = connect(undefined, { autoRetry: true, maxRetryDelay: 1 });
    expect((await patient.messages.create({ to: TO, from: FROM, body: 'x' })).status).toBe('queued');
  });
});
