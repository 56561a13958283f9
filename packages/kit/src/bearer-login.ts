/** SASL mechanisms that log in with an access token of OAuth 2; the second is RFC 7628, the first what was there before it. */
export const BEARER_MECHANISMS = ['XOAUTH2', 'OAUTHBEARER'] as const;

/** One of {@link BEARER_MECHANISMS}. */
export type BearerMechanism = (typeof BEARER_MECHANISMS)[number];

/** What a client says when it logs in with a token. */
export interface BearerResponse {
  /** Whom it wants to be; `undefined` when only the token says that. */
  readonly user: string | undefined;
  /** The token; empty for a client that only asks what the server wants (RFC 7628, 4.3). */
  readonly token: string;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The header of GS2 without channel binding (RFC 5801, 4). */
const GS2_HEADER = /^[ny],(?:a=([^,]*))?,$/;
const AUTH = /^auth=/i;
const USER = /^user=/i;
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
/** A name with line ends in it would end up in logs and headers. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

/** Whether a mechanism logs in with a token; its name in upper case. */
export function isBearerMechanism(name: string): name is BearerMechanism {
  return (BEARER_MECHANISMS as readonly string[]).includes(name);
}

/**
 * Reads the only message of a client that logs in with a token.
 *
 * @param response - in base64, as it came
 * @returns `undefined` when it is not what the mechanism wants
 */
export function readBearerResponse(mechanism: BearerMechanism, response: string): BearerResponse | undefined {
  if (!BASE64.test(response)) return undefined;
  const [first = '', ...fields] = Buffer.from(response, 'base64').toString('utf8').split('\x01');
  // Each field has its separator, and the message one more.
  if (fields.pop() !== '' || fields.pop() !== '') return undefined;
  const user = mechanism === 'XOAUTH2' ? readUser(first) : readIdentity(first);
  const auth = fields.find((field) => AUTH.test(field));
  if (user === undefined || auth === undefined) return undefined;
  const value = auth.slice('auth='.length);
  const token = value === '' ? '' : BEARER.exec(value)?.[1];
  return token === undefined ? undefined : { user: user === '' ? undefined : user, token };
}

/**
 * What a client that was refused is told before the refusal itself, which follows its answer to that.
 *
 * @returns JSON in base64
 */
export function bearerChallenge(mechanism: BearerMechanism): string {
  const status = mechanism === 'XOAUTH2' ? '401' : 'invalid_token';
  return Buffer.from(JSON.stringify({ status, schemes: 'bearer' })).toString('base64');
}

function readUser(first: string): string | undefined {
  const user = USER.test(first) ? first.slice('user='.length).trim() : '';
  return user === '' || CONTROL.test(user) ? undefined : user;
}

/** The identity that is asked for; empty when none is. */
function readIdentity(first: string): string | undefined {
  const header = GS2_HEADER.exec(first);
  if (header === null) return undefined;
  const name = header[1] ?? '';
  if (/=(?!2C|3D)/.test(name) || CONTROL.test(name)) return undefined;
  return name.replaceAll('=2C', ',').replaceAll('=3D', '=');
}
