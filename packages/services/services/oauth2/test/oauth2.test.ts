import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from 'simple-oauth2';
import { Visitor } from '../../../test/visitor.js';

const backlot = useBacklot({ services: ['oauth2'] });
const CALLBACK = 'http://localhost:3000/callback';

function options(id = 'web', secret = 'secret') {
  const tokenHost = backlot.env.OAUTH2_URL;
  return {
    client: { id, secret },
    auth: { tokenHost, tokenPath: '/oauth2/token', revokePath: '/oauth2/revoke' },
  };
}

function codeClient(id?: string): AuthorizationCode {
  const { auth, client } = options(id);
  return new AuthorizationCode({ client, auth: { ...auth, authorizePath: '/oauth2/authorize' } });
}

/** What the server has refused, as the SDK throws it. */
async function refusal(promise: Promise<unknown>): Promise<{ status: number; error: string }> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { output, data } = error as {
    output: { statusCode: number };
    data: { payload: { error: string } };
  };
  return { status: output.statusCode, error: data.payload.error };
}

async function ask(path: string, token: string): Promise<{ status: number; json: unknown }> {
  const answer = await fetch(`${backlot.env.OAUTH2_URL}${path}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  return { status: answer.status, json: await answer.json() };
}

async function introspect(token: string): Promise<unknown> {
  const answer = await fetch(`${backlot.env.OAUTH2_URL}/introspect`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('web:secret').toString('base64')}` },
    body: new URLSearchParams({ token }),
  });
  return answer.json();
}

async function logIn(id = 'web', scope = 'read') {
  const client = codeClient(id);
  const url = client.authorizeURL({ redirect_uri: CALLBACK, scope, state: 's1' });
  const visitor = new Visitor();
  const back = await visitor.submitAndLeave(await visitor.open(new URL(url)), {
    username: 'ann',
    password: 'password',
  });
  expect(back.searchParams.get('state')).toBe('s1');
  return client.getToken({ code: back.searchParams.get('code') ?? '', redirect_uri: CALLBACK, scope });
}

describe('the grants', () => {
  it('a code that the login page leads to is good for a token, once', async () => {
    const access = await logIn();
    expect(access.token).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'read' });
    expect(access.token).not.toHaveProperty('id_token');
    expect(await ask('/userinfo', String(access.token['access_token']))).toEqual({
      status: 200,
      json: { sub: 'ann' },
    });
    const client = codeClient();
    const [{ id: code } = { id: '' }] = backlot.collection<{ id: string }>('oauth2:codes').list();
    expect(await refusal(client.getToken({ code, redirect_uri: CALLBACK }))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
    expect(await introspect(String(access.token['access_token']))).toEqual({ active: false });
  });

  it('client credentials', async () => {
    const access = await new ClientCredentials(options()).getToken({ scope: ['read', 'write'] });
    expect(access.token).toMatchObject({ scope: 'read write' });
    expect(await introspect(String(access.token['access_token']))).toMatchObject({
      active: true,
      client_id: 'web',
      sub: 'web',
      scope: 'read write',
    });
    expect(await ask('/userinfo', String(access.token['access_token']))).toMatchObject({
      status: 401,
      json: { error: 'invalid_token' },
    });
  });

  it('a name and a password', async () => {
    const client = new ResourceOwnerPassword(options());
    const access = await client.getToken({ username: 'bob', password: 'password', scope: 'profile email' });
    expect(await ask('/userinfo', String(access.token['access_token']))).toMatchObject({
      json: { sub: 'bob', name: 'Bob Baker', email: 'bob@example.com' },
    });
    expect(await refusal(client.getToken({ username: 'bob', password: 'guess' }))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
  });

  it('refresh tokens, which are good for one use', async () => {
    const access = await logIn();
    const next = await access.refresh();
    expect(next.token['access_token']).not.toBe(access.token['access_token']);
    expect(await refusal(access.refresh())).toEqual({ status: 400, error: 'invalid_grant' });
    expect(await refusal(next.refresh())).toEqual({ status: 400, error: 'invalid_grant' });
  });
});

describe('tokens', () => {
  it('are revoked, alone and with their grant', async () => {
    const access = await logIn();
    const token = String(access.token['access_token']);
    await access.revoke('access_token');
    expect(await introspect(token)).toEqual({ active: false });
    expect(await introspect(String(access.token['refresh_token']))).toMatchObject({ active: true });
    await access.revokeAll();
    expect(await introspect(String(access.token['refresh_token']))).toEqual({ active: false });
  });

  it('end by the clock', async () => {
    const access = await logIn();
    await backlot.clock.advance(3_600_000);
    expect(await introspect(String(access.token['access_token']))).toEqual({ active: false });
    expect((await access.refresh()).token).toMatchObject({ token_type: 'Bearer' });
  });
});

describe('what is refused', () => {
  it.each([
    ['web', 'guess', {}, 401, 'invalid_client'],
    ['nobody', 'secret', {}, 401, 'invalid_client'],
    ['third-party', 'secret', {}, 400, 'unauthorized_client'],
    ['web', 'secret', { scope: 'root' }, 400, 'invalid_scope'],
  ])('client credentials of %s with %s for %j', async (id, secret, parameters, status, error) => {
    const client = new ClientCredentials(options(id, secret));
    expect(await refusal(client.getToken(parameters))).toEqual({ status, error });
  });

  it('an unknown path is answered with those that are known', async () => {
    const { status, json } = await ask('/nowhere', '');
    expect([status, json]).toMatchObject([404, { error_description: expect.stringContaining('/token') }]);
  });

  it('the metadata say what there is', async () => {
    const { json } = await ask('/.well-known/oauth-authorization-server', '');
    expect(json).toMatchObject({
      issuer: backlot.env.OAUTH2_URL,
      token_endpoint: `${backlot.env.OAUTH2_URL}/token`,
      code_challenge_methods_supported: ['S256', 'plain'],
    });
    expect(json).not.toHaveProperty('jwks_uri');
    expect(json).not.toHaveProperty('end_session_endpoint');
  });
});

describe('scenarios', () => {
  it('consent-denied', async () => {
    backlot.scenarios.activate('oauth2:consent-denied');
    const url = codeClient().authorizeURL({ redirect_uri: CALLBACK, scope: 'read' });
    expect((await new Visitor().follow(new URL(url))).searchParams.get('error')).toBe('access_denied');
  });

  it('expired-tokens', async () => {
    backlot.scenarios.activate('oauth2:expired-tokens');
    const access = await new ClientCredentials(options()).getToken({});
    expect(await introspect(String(access.token['access_token']))).toEqual({ active: false });
  });

  it.each([
    ['outage', 503, 'temporarily_unavailable'],
    ['rate-limited', 429, 'temporarily_unavailable'],
    ['wrong-client', 401, 'invalid_client'],
  ])('%s', async (scenario, status, error) => {
    backlot.scenarios.activate(`oauth2:${scenario}`);
    expect(await refusal(new ClientCredentials(options()).getToken({}))).toEqual({ status, error });
  });

  it('refresh-refused', async () => {
    const access = await logIn();
    backlot.scenarios.activate('oauth2:refresh-refused');
    expect(await refusal(access.refresh())).toEqual({ status: 400, error: 'invalid_grant' });
  });
});
