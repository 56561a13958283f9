import { verify } from '@octokit/webhooks-methods';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { createHash, createHmac } from 'node:crypto';
import { makeSigner } from '../src/sign.js';
import { startBell, startTarget, type Received } from './support.js';

const JSON_BODY = '{"id": "evt_1", "name": "Grüße"}';
type Definition = Parameters<typeof startBell>[0][number];

/** Sends one webhook and gives what its target received. */
async function receive(webhook: Omit<Definition, 'url'>, path = '/hook'): Promise<Received> {
  const target = await startTarget();
  const bell = await startBell([{ ...webhook, url: target.url + path }]);
  await bell.ring('{"id": "evt_1"}');
  await bell.attempts(1);
  const [received] = target.received;
  if (received === undefined) throw new Error(JSON.stringify(bell.history()));
  return received;
}

describe('signatures', () => {
  it('of github pass its own check', async () => {
    const secret = "It's a Secret to Everybody";
    const { headers, body } = await receive({ body: JSON_BODY, sign: { scheme: 'github', secret } });
    const signature = String(headers['x-hub-signature-256']);
    expect(await verify(secret, body, signature)).toBe(true);
    expect(await verify(secret, `${body} `, signature)).toBe(false);
    // The example of its documentation.
    expect(makeSigner('github', secret)({ url: '', headers: {}, body: 'Hello, World!' }, 0)).toEqual({
      'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    });
  });

  it('of Standard Webhooks pass its own check, also of a second attempt', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const target = await startTarget((response, number) =>
      response.writeHead(number === 1 ? 500 : 204).end(),
    );
    const bell = await startBell([
      {
        url: target.url,
        body: JSON_BODY,
        sign: { scheme: 'standard', secret },
        retries: 1,
        retry_delay: '1ms',
      },
    ]);
    await bell.ring();
    await bell.attempts(2);
    const headers = target.received.map((received) => received.headers as Record<string, string>);
    for (const [index, { body }] of target.received.entries()) {
      expect(new Webhook(secret).verify(body, headers[index] ?? {})).toEqual({ id: 'evt_1', name: 'Grüße' });
      expect(() => new Webhook(secret).verify(`${body} `, headers[index] ?? {})).toThrow();
    }
    expect(headers[0]?.['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(headers[1]?.['webhook-id']).toBe(headers[0]?.['webhook-id']);
    expect(bell.history()[0]?.request_headers['webhook-signature']).toBe(headers[0]?.['webhook-signature']);
  });

  it('of stripe are what its library makes', async () => {
    const signer = makeSigner('stripe', 'whsec_test_secret');
    // Made by generateTestHeaderString of Stripe's library for node.
    expect(
      signer({ url: '', headers: {}, body: '{"id":"evt_1","object":"event"}' }, 1_700_000_000_999),
    ).toEqual({
      'Stripe-Signature': 't=1700000000,v1=0c8670ed117751cc551a20e35839447075c42800ea3cf3e8a2fbda99cd1e6edd',
    });
    const { headers, body } = await receive({
      body: JSON_BODY,
      sign: { scheme: 'stripe', secret: 'whsec_{{request.body.id}}' },
    });
    const [, time = '', signature] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['stripe-signature'])) ?? [];
    expect(signature).toBe(createHmac('sha256', 'whsec_evt_1').update(`${time}.${body}`).digest('hex'));
  });

  it('of slack are those of its documentation', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const signer = makeSigner('slack', '8f742231b10e8888abcd99yyyzzz85a5');
    expect(signer({ url: '', headers: {}, body }, 1_531_420_618_000)).toEqual({
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    });
  });

  it('of twilio are those of its documentation', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const body =
      'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212';
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    expect(makeSigner('twilio', '12345')({ url, headers, body }, 0)).toEqual({
      'X-Twilio-Signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
    });
    const sign = { scheme: 'twilio', secret: '12345' } as const;
    const form = await receive({ body: 'b=2&a=1&b=1&b=2', headers, sign });
    const host = `http://${form.headers.host ?? ''}`;
    expect(form.headers['x-twilio-signature']).toBe(
      createHmac('sha1', '12345').update(`${host}/hooka1b1b2`).digest('base64'),
    );
    // What is no form stands in the url as a digest.
    const json = await receive({ body: JSON_BODY, sign }, '/hook?a=1');
    const digest = createHash('sha256').update(JSON_BODY).digest('hex');
    expect(json.url).toBe(`/hook?a=1&bodySHA256=${digest}`);
    expect(json.headers['x-twilio-signature']).toBe(
      createHmac('sha1', '12345')
        .update(`http://${json.headers.host ?? ''}${json.url}`)
        .digest('base64'),
    );
  });

  it('take the place of headers of the same name, and have the time of the host', async () => {
    const target = await startTarget();
    const bell = await startBell([
      {
        url: target.url,
        body: 'x',
        delay: '1h',
        headers: { 'stripe-signature': 'mine', 'X-Other': 'kept' },
        sign: { scheme: 'stripe', secret: 's' },
      },
    ]);
    await bell.host.clock.setNow(Date.UTC(2030, 0, 1));
    bell.host.clock.freeze(true);
    await bell.ring();
    await bell.host.clock.advance(3_600_000);
    await bell.attempts(1);
    const time = Date.UTC(2030, 0, 1, 1) / 1000;
    expect(target.received[0]?.headers).toMatchObject({
      'stripe-signature': `t=${time},v1=${createHmac('sha256', 's').update(`${time}.x`).digest('hex')}`,
      'x-other': 'kept',
    });
  });

  it('of what is sent by hand pass the same checks, with secrets that are no templates', async () => {
    const target = await startTarget();
    const { webhooks } = (await startBell([])).host;
    const secret = '{{uuid}}';
    const sent = await webhooks?.send({
      url: target.url,
      headers: { 'x-hub-signature-256': 'old', 'X-Other': 'kept' },
      body: JSON_BODY,
      sign: { scheme: 'github', secret },
    });
    const [received] = target.received;
    const signature = String(received?.headers['x-hub-signature-256']);
    expect(await verify(secret, received?.body ?? '', signature)).toBe(true);
    expect(sent?.request_headers).toEqual({
      'Content-Type': 'application/json',
      'X-Hub-Signature-256': signature,
      'X-Other': 'kept',
    });

    await webhooks?.send({ url: `${target.url}/x`, body: '{}', sign: { scheme: 'twilio', secret } });
    expect(target.received[1]?.url).toMatch(/^\/x\?bodySHA256=[0-9a-f]{64}$/);

    const wrong = { url: target.url, sign: { scheme: 'standard', secret: 'no base64' } } as const;
    await expect(webhooks?.send(wrong)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('must be base64'),
    });
    expect(target.received).toHaveLength(2);
  });

  it('with a secret that cannot be used are refused', async () => {
    const url = 'http://127.0.0.1:1/';
    await expect(startBell([{ url, sign: { scheme: 'standard', secret: 'no base64' } }])).rejects.toThrow(
      /webhooks.*secret.*must be base64/s,
    );
    await expect(startBell([{ url, sign: { scheme: 'strip' as never, secret: 'x' } }])).rejects.toThrow(
      /scheme/,
    );
    const bell = await startBell([{ url, sign: { scheme: 'standard', secret: '{{request.headers.none}}' } }]);
    await bell.ring();
    expect(await bell.attempts(1)).toMatchObject([{ error: expect.stringContaining('must be base64') }]);
  });
});

describe('templates of headers', () => {
  it('see url and body as they go out', async () => {
    const received = await receive(
      {
        body: '{"id": "{{request.body.id}}", "to": "{{webhook.url}}"}',
        headers: { 'X-Digest': '{{hmac "sha256" "k" webhook.body}}', 'X-Url': '{{webhook.url}}' },
      },
      '/hook/{{request.body.id}}',
    );
    const url = `http://${received.headers.host ?? ''}/hook/evt_1`;
    expect(received.body).toBe(`{"id": "evt_1", "to": "${url}"}`);
    expect(received.headers).toMatchObject({
      'x-digest': createHmac('sha256', 'k').update(received.body).digest('hex'),
      'x-url': url,
    });
  });
});
