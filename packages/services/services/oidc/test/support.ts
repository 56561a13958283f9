import { expect } from '@jest/globals';
import * as oidc from 'openid-client';
import { Visitor } from '../../../test/visitor.js';

/** Where an application would wait for the browser. */
export const CALLBACK = 'http://localhost:3000/callback';

const PUBLIC = ['spa', 'device'];

/** The configuration of a client, by discovery. */
export function discover(
  issuer: string,
  clientId = 'web',
  secret = PUBLIC.includes(clientId) ? undefined : 'secret',
): Promise<oidc.Configuration> {
  const auth = secret === undefined ? oidc.None() : oidc.ClientSecretPost(secret);
  return oidc.discovery(new URL(issuer), clientId, {}, auth, { execute: [oidc.allowInsecureRequests] });
}

/** What an application remembers while the browser is away. */
export interface Login {
  readonly url: URL;
  readonly checks: {
    readonly pkceCodeVerifier: string;
    readonly expectedState: string;
    readonly expectedNonce: string;
  };
}

/** What an application does before it sends the browser away. */
export async function begin(
  config: oidc.Configuration,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Login> {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return { url, checks: { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce } };
}

/** What a client gets for a login. */
export type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

/** Logs somebody in by the login_hint, without a page. */
export async function logIn(
  config: oidc.Configuration,
  parameters: Readonly<Record<string, string>> = {},
  visitor = new Visitor(),
): Promise<Tokens> {
  const { url, checks } = await begin(config, { login_hint: 'ann', ...parameters });
  return oidc.authorizationCodeGrant(config, await visitor.follow(url), checks);
}

/** The fields by which errors of clients are told apart. */
export interface Failure extends Error {
  readonly error?: string;
  readonly code?: string;
  readonly status?: number;
}

/** The error with which a call fails. */
export async function failure(promise: Promise<unknown>): Promise<Failure> {
  const value: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(value).toBeInstanceOf(Error);
  return value as Failure;
}
