import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { CompiledWebhookSign } from '@backlot/core';

/** What of a request is signed. */
interface Signed {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Gives the headers with the signature of one attempt. @param now - milliseconds since 1970 */
export type Signer = (request: Signed, now: number) => Readonly<Record<string, string>>;

const FORM = 'application/x-www-form-urlencoded';

/** Whether a value of the header `Content-Type` is that of a form. */
export function isFormType(type: string): boolean {
  return type.split(';', 1)[0]?.trim().toLowerCase() === FORM;
}

/** Makes what signs the attempts of one webhook. @throws Error for a secret that the scheme cannot have */
export function makeSigner(scheme: CompiledWebhookSign['scheme'], secret: string): Signer {
  return SCHEMES[scheme](secret);
}

/**
 * The url as Twilio calls it with a body that is no form: a digest of the body stands in its query, so that the signature,
 * which is over the url, covers it.
 */
export function withBodyHash(url: string, body: string | undefined): string {
  if (body === undefined || body === '' || /[?&]bodySHA256=/.test(url)) return url;
  const digest = createHash('sha256').update(body).digest('hex');
  const [address = '', fragment] = url.split('#', 2);
  const added = `${address}${address.includes('?') ? '&' : '?'}bodySHA256=${digest}`;
  return fragment === undefined ? added : `${added}#${fragment}`;
}

const SCHEMES: Readonly<Record<CompiledWebhookSign['scheme'], (secret: string) => Signer>> = {
  // The secret is the key as it is shown, with its prefix.
  stripe:
    (secret) =>
    ({ body = '' }, now) => {
      const time = seconds(now);
      return { 'Stripe-Signature': `t=${time},v1=${hmac('sha256', secret, `${time}.${body}`, 'hex')}` };
    },

  github:
    (secret) =>
    ({ body = '' }) => ({
      'X-Hub-Signature-256': `sha256=${hmac('sha256', secret, body, 'hex')}`,
    }),

  slack:
    (secret) =>
    ({ body = '' }, now) => {
      const time = seconds(now);
      return {
        'X-Slack-Request-Timestamp': time,
        'X-Slack-Signature': `v0=${hmac('sha256', secret, `v0:${time}:${body}`, 'hex')}`,
      };
    },

  twilio:
    (secret) =>
    ({ url, headers, body = '' }) => {
      const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
      const fields = type !== undefined && isFormType(type) ? sortedFields(body) : '';
      return { 'X-Twilio-Signature': hmac('sha1', secret, url + fields, 'base64') };
    },

  // Standard Webhooks 1.0: the id is that of the message and stays the same for each attempt.
  standard: (secret) => {
    const text = secret.replace(/^whsec_/, '');
    const key = Buffer.from(text, 'base64');
    // The decoder passes over what is no base64.
    if (key.length === 0 || !/^[A-Za-z0-9+/]+=*$/.test(text))
      throw new Error('the secret must be base64, as in "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"');
    const id = `msg_${randomBytes(16).toString('hex')}`;
    return ({ body = '' }, now) => {
      const time = seconds(now);
      return {
        'webhook-id': id,
        'webhook-timestamp': time,
        'webhook-signature': `v1,${hmac('sha256', key, `${id}.${time}.${body}`, 'base64')}`,
      };
    };
  },
};

/** The fields of a form as Twilio signs them: names in order, each with its values, which are sorted and named once. */
function sortedFields(body: string): string {
  const form = new URLSearchParams(body);
  const names = [...new Set(form.keys())].sort();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('');
}

function hmac(algorithm: string, key: string | Buffer, text: string, encoding: 'hex' | 'base64'): string {
  return createHmac(algorithm, key).update(text).digest(encoding);
}

function seconds(milliseconds: number): string {
  return String(Math.floor(milliseconds / 1000));
}
