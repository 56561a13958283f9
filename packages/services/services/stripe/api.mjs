import { parseParams } from './params.mjs';

/** A call that Stripe refuses, as its SDKs know it by `type` and `status`. */
export class StripeError extends Error {
  constructor(status, fields) {
    super(fields.message);
    this.status = status;
    this.fields = fields;
  }
}

/** What is wrong with the parameters of a call. */
export function invalid(message, fields = {}) {
  return new StripeError(400, { type: 'invalid_request_error', message, ...fields });
}

/** An object that is not there. */
export function missing(object, id, param = 'id', status = 404) {
  const message = `No such ${object.replaceAll('.', ' ').replace('_', '')}: '${id}'`;
  return new StripeError(status, { type: 'invalid_request_error', code: 'resource_missing', param, message });
}

const KEPT = 'stripe:idempotency';

/**
 * Makes the function of a mock: it reads the key and the parameters, gives the first answer again for an idempotency key,
 * and answers what `act` throws as Stripe does.
 *
 * @param act - takes the parameters, the ids of the path and what functions are given, and returns the object
 */
export function operation(act) {
  return (request, context) => {
    const headers = { 'Request-Id': `req_${token(context, 14)}`, 'Stripe-Version': versionOf(request) };
    try {
      checkKey(request);
      const params = parseParams(request);
      const again = replay(request, context);
      if (again !== undefined) return { ...again, headers: { ...headers, 'Idempotent-Replayed': 'true' } };
      const { expand, ...rest } = params;
      const json = act({ params: rest, expand, ids: request.params, request, context });
      keep(request, context, { status: 200, json });
      return { status: 200, headers, json };
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      const json = { error: { ...error.fields, request_log_url: logUrl(headers['Request-Id']) } };
      // As Stripe does, only what went wrong while it was carried out is kept.
      if (error.status === 402) keep(request, context, { status: 402, json });
      return { status: error.status, headers, json };
    }
  };
}

function logUrl(id) {
  return `https://dashboard.stripe.com/test/logs/${id}`;
}

function versionOf({ headers }) {
  return headers['stripe-version'] ?? '2026-01-28';
}

function checkKey({ headers }) {
  const { authorization = '' } = headers;
  const basic = /^Basic (.*)$/i.exec(authorization)?.[1];
  const key =
    basic === undefined
      ? /^Bearer (.+)$/i.exec(authorization)?.[1]
      : Buffer.from(basic, 'base64').toString().replace(/:.*$/, '');
  const refuse = (message, fields = {}) =>
    new StripeError(401, { type: 'invalid_request_error', message, ...fields });
  if (!key) {
    throw refuse(
      'You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.',
    );
  }
  if (key.includes('expired'))
    throw refuse(`Expired API Key provided: ${masked(key)}`, { code: 'api_key_expired' });
  if (!/^(sk|rk)_(test|live)_\w+$/.test(key) || key.includes('invalid'))
    throw refuse(`Invalid API Key provided: ${masked(key)}`);
}

function masked(key) {
  return key.length < 12 ? '*'.repeat(key.length) : `${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`;
}

/** The first answer to a call with the same idempotency key. */
function replay(request, { collection }) {
  const key = keyOf(request);
  if (key === undefined || !collection(KEPT).has(key)) return undefined;
  const { asked, status, json } = collection(KEPT).get(key);
  if (asked === askedBy(request)) return { status, json };
  throw new StripeError(400, {
    type: 'idempotency_error',
    message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
  });
}

function keep(request, { collection }, answer) {
  const key = keyOf(request);
  if (key !== undefined) collection(KEPT).create({ id: key, asked: askedBy(request), ...answer });
}

function keyOf({ method, headers }) {
  return method === 'POST' ? headers['idempotency-key'] : undefined;
}

function askedBy({ method, path, raw_body: body = '' }) {
  return `${method} ${path} ${String(body)}`;
}

/** Random letters and digits, by the seed. */
export function token({ random }, length) {
  return random.string(length);
}

/** The time of the clock in seconds. */
export function seconds({ clock }) {
  return Math.floor(clock.now() / 1000);
}
