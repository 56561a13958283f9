import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { begin, CALLBACK, discover as discoverAt, failure, logIn } from './support.js';
import { Visitor } from '../../../test/visitor.js';

const backlot = useBacklot({ services: ['oidc'] });
const discover = (client?: string, secret?: string) => discoverAt(backlot.env.OIDC_ISSUER, client, secret);

const keysOf = (config: oidc.Configuration) =>
  createRemoteJWKSet(new URL(config.serverMetadata().jwks_uri ?? ''), { cooldownDuration: 0 });

describe('the code flow', () => {
  it('goes through the login page, and gives tokens that jose verifies', async () => {
    const config = await discover();
    const { url, checks } = await begin(config);
    const visitor = new Visitor();
    const form = await visitor.open(url);
    expect(form.text).toContain('<input id="password" name="password" type="password"');
    const wrong = await visitor.submit(form, { username: 'ann', password: 'guess' });
    expect([wrong.status, wrong.text]).toEqual([
      401,
      expect.stringContaining('The name or the password is wrong.'),
    ]);
    const back = await visitor.submitAndLeave(wrong, { username: 'ann', password: 'password' });
    const tokens = await oidc.authorizationCodeGrant(config, back, checks);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'openid profile email' });
    expect(tokens.claims()).toMatchObject({
      iss: backlot.env.OIDC_ISSUER,
      sub: 'ann',
      aud: 'web',
      nonce: checks.expectedNonce,
      name: 'Ann Archer',
      email: 'ann@example.com',
      groups: ['admins', 'users'],
    });
    const { payload, protectedHeader } = await jwtVerify(tokens.access_token, keysOf(config), {
      issuer: backlot.env.OIDC_ISSUER,
      typ: 'at+jwt',
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: 'rs256' });
    expect(payload).toMatchObject({ sub: 'ann', client_id: 'web', scope: 'openid profile email' });
    const info = await oidc.fetchUserInfo(config, tokens.access_token, 'ann');
    expect(info).toMatchObject({ sub: 'ann', email: 'ann@example.com', preferred_username: 'ann' });
    expect(backlot.collection('oidc:sessions').list()).toMatchObject([{ sub: 'ann' }]);
  });

  it('knows the browser again, and asks again when the application wants it', async () => {
    const config = await discover();
    const visitor = new Visitor();
    await logIn(config, {}, visitor);
    const again = await begin(config, { prompt: 'none' });
    const tokens = await oidc.authorizationCodeGrant(config, await visitor.follow(again.url), again.checks);
    expect(tokens.claims()?.sub).toBe('ann');
    const { url } = await begin(config, { prompt: 'login' });
    expect((await visitor.open(url)).status).toBe(200);
    await backlot.clock.advance(120_000);
    const old = await begin(config, { max_age: '60' });
    expect((await visitor.open(old.url)).text).toContain('name="password"');
    const stranger = await begin(config, { prompt: 'none' });
    const back = await new Visitor().follow(stranger.url);
    expect(await failure(oidc.authorizationCodeGrant(config, back, stranger.checks))).toMatchObject({
      error: 'login_required',
    });
  });

  it('shows what a scope is for', async () => {
    const config = await discover();
    const tokens = await logIn(config, { scope: 'openid' });
    const claims = tokens.claims();
    expect(claims).not.toHaveProperty('email');
    expect(claims).not.toHaveProperty('name');
    expect(await oidc.fetchUserInfo(config, tokens.access_token, 'ann')).toEqual({
      sub: 'ann',
      groups: ['admins', 'users'],
    });
  });

  it('is for public clients with PKCE alone', async () => {
    const config = await discover('spa');
    expect((await logIn(config)).claims()?.aud).toBe('spa');
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid',
      login_hint: 'ann',
    });
    const back = await new Visitor().follow(url);
    expect(back.searchParams.get('error')).toBe('invalid_request');
    expect(back.searchParams.get('error_description')).toContain('code_challenge');
  });

  it('refuses plain challenges, wrong verifiers, and a code the second time', async () => {
    const config = await discover();
    const plain = await begin(config, { code_challenge_method: 'plain', login_hint: 'ann' });
    const refused = await new Visitor().follow(plain.url);
    expect(refused.searchParams.get('error_description')).toBe(
      'The code_challenge_method "plain" is not allowed; S256 is.',
    );
    const other = await begin(config, { login_hint: 'ann' });
    const back = await new Visitor().follow(other.url);
    const forged = { ...other.checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() };
    expect(await failure(oidc.authorizationCodeGrant(config, back, forged))).toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });
    const tokens = await oidc.authorizationCodeGrant(config, back, other.checks);
    expect(await failure(oidc.authorizationCodeGrant(config, back, other.checks))).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await failure(oidc.fetchUserInfo(config, tokens.access_token, 'ann'))).toMatchObject({
      code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
      status: 401,
    });
  });

  it('asks for consent, which may be denied, and remembers it', async () => {
    const config = await discover('third-party');
    const visitor = new Visitor();
    const first = await begin(config, { login_hint: 'ann' });
    const page = await visitor.open(first.url);
    expect(page.text).toContain('Third party asks for');
    const denied = await visitor.submitAndLeave(page, { consent: 'deny' });
    expect(await failure(oidc.authorizationCodeGrant(config, denied, first.checks))).toMatchObject({
      error: 'access_denied',
    });
    const second = await begin(config);
    const allowed = await visitor.submitAndLeave(await visitor.open(second.url), { consent: 'allow' });
    expect((await oidc.authorizationCodeGrant(config, allowed, second.checks)).claims()?.sub).toBe('ann');
    expect((await logIn(config, { prompt: 'none' }, visitor)).claims()?.sub).toBe('ann');
    const more = await begin(config, { scope: 'openid phone', prompt: 'none' });
    expect((await visitor.follow(more.url)).searchParams.get('error')).toBe('consent_required');
  });

  it('answers by fragment and by form as well', async () => {
    const config = await discover();
    const fragment = await begin(config, { response_mode: 'fragment', login_hint: 'ann' });
    const back = await new Visitor().follow(fragment.url);
    expect(new URLSearchParams(back.hash.slice(1)).get('state')).toBe(fragment.checks.expectedState);
    const post = await begin(config, { response_mode: 'form_post', login_hint: 'ann' });
    const page = await new Visitor().open(post.url);
    expect(page.action).toBe(CALLBACK);
    expect(page.fields).toMatchObject({ state: post.checks.expectedState, iss: backlot.env.OIDC_ISSUER });
  });

  it.each([
    [{ client_id: 'nobody' }, 'There is no client &quot;nobody&quot;'],
    [{ redirect_uri: 'https://evil.example/' }, 'is not one of the client'],
    [{ response_mode: 'pigeon' }, 'The response_mode'],
  ])('shows a page and leads nowhere for %j', async (parameters, text) => {
    const { url } = await begin(await discover(), parameters);
    const page = await new Visitor().open(url);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining(text)]);
  });

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ request: 'x.y.z' }, 'request_not_supported'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
  ])('tells the application what is wrong with %j', async (parameters, error) => {
    const { url, checks } = await begin(await discover(), parameters);
    const back = await new Visitor().follow(url);
    expect(back.searchParams.get('error')).toBe(error);
    expect(back.searchParams.get('state')).toBe(checks.expectedState);
  });

  it('lets disabled users and removed ones out', async () => {
    const config = await discover();
    const visitor = new Visitor();
    const { url } = await begin(config);
    const page = await visitor.submit(await visitor.open(url), { username: 'eve', password: 'password' });
    expect(page.text).toContain('The account is disabled.');
    const tokens = await logIn(config);
    backlot.collection('oidc:users').remove('ann');
    expect(await failure(oidc.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('other grants', () => {
  it('refresh tokens are good for one use; a second one ends the grant', async () => {
    const config = await discover();
    const first = await logIn(config);
    const second = await oidc.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(second.claims()).toMatchObject({ sub: 'ann', aud: 'web' });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const narrow = await oidc.refreshTokenGrant(config, second.refresh_token ?? '', { scope: 'openid' });
    expect(narrow.scope).toBe('openid');
    expect(await failure(oidc.refreshTokenGrant(config, first.refresh_token ?? ''))).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await failure(oidc.refreshTokenGrant(config, narrow.refresh_token ?? ''))).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('tokens end by the clock', async () => {
    const config = await discover();
    const tokens = await logIn(config);
    await backlot.clock.advance(3_601_000);
    expect(await failure(oidc.fetchUserInfo(config, tokens.access_token, 'ann'))).toMatchObject({
      status: 401,
    });
    await backlot.clock.advance(86_400_000);
    expect(await failure(oidc.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('client credentials are for machines, with their audience and scopes', async () => {
    const config = await discover('machine');
    const tokens = await oidc.clientCredentialsGrant(config, { scope: 'read' });
    expect(tokens.refresh_token).toBeUndefined();
    const { payload } = await jwtVerify(tokens.access_token, keysOf(config), {
      audience: 'https://api.example.com',
    });
    expect(payload).toMatchObject({ sub: 'machine', client_id: 'machine', scope: 'read' });
    expect(await failure(oidc.clientCredentialsGrant(config, { scope: 'root' }))).toMatchObject({
      error: 'invalid_scope',
    });
    const wrong = await discover('machine', 'guess');
    expect(await failure(oidc.clientCredentialsGrant(wrong))).toMatchObject({
      error: 'invalid_client',
      status: 401,
    });
  });

  it('a password does only for a client that has the grant', async () => {
    const ask = async (client: string, password: string) =>
      failure(oidc.genericGrantRequest(await discover(client), 'password', { username: 'ann', password }));
    expect(await ask('web', 'password')).toMatchObject({ error: 'unauthorized_client' });
    expect(await ask('legacy', 'guess')).toMatchObject({ error: 'invalid_grant' });
    const tokens = await oidc.genericGrantRequest(await discover('legacy'), 'password', {
      username: 'ann',
      password: 'password',
      scope: 'openid',
    });
    expect(tokens.claims()?.sub).toBe('ann');
  });

  it('a device waits until its user has typed the code, logged in and allowed it', async () => {
    const config = await discover('device');
    const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' });
    expect(device.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    const poll = () =>
      failure(
        oidc.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:device_code', {
          device_code: device.device_code,
        }),
      );
    backlot.clock.freeze(true);
    expect(await poll()).toMatchObject({ error: 'authorization_pending' });
    expect(await poll()).toMatchObject({ error: 'slow_down' });
    backlot.clock.freeze(false);
    const visitor = new Visitor();
    const asking = await visitor.open(new URL(device.verification_uri));
    const wrong = await visitor.submit(asking, { user_code: 'AAAA-AAAA' });
    expect(wrong.text).toContain('This code has expired');
    const login = await visitor.submit(wrong, { user_code: device.user_code.toLowerCase().replace('-', '') });
    const consent = await visitor.submit(login, { username: 'ann', password: 'password' });
    expect(consent.text).toContain('Television asks for');
    expect((await visitor.submit(consent, { consent: 'allow' })).text).toContain('Your device is logged in');
    const tokens = await oidc.pollDeviceAuthorizationGrant(config, device);
    expect(tokens.claims()?.sub).toBe('ann');
    expect(await poll()).toMatchObject({ error: 'invalid_grant' });
  });

  it('a device is refused, or too late', async () => {
    const config = await discover('device');
    const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' });
    const visitor = new Visitor();
    const login = await visitor.open(new URL(device.verification_uri_complete ?? ''));
    const consent = await visitor.submit(login, { username: 'ann', password: 'password' });
    await visitor.submit(consent, { consent: 'deny' });
    expect(await failure(oidc.pollDeviceAuthorizationGrant(config, device))).toMatchObject({
      error: 'access_denied',
    });
    const late = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' });
    await backlot.clock.advance(601_000);
    expect(await failure(oidc.pollDeviceAuthorizationGrant(config, late))).toMatchObject({
      error: 'expired_token',
    });
  });

  it('unknown grants and lacking parameters are refused', async () => {
    const config = await discover();
    expect(await failure(oidc.genericGrantRequest(config, 'magic', {}))).toMatchObject({
      error: 'unsupported_grant_type',
    });
    expect(await failure(oidc.genericGrantRequest(config, 'authorization_code', {}))).toMatchObject({
      error: 'invalid_request',
    });
    const twice = await fetch(`${backlot.env.OIDC_ISSUER}/token`, {
      method: 'POST',
      body: new URLSearchParams([
        ['grant_type', 'a'],
        ['grant_type', 'b'],
      ]),
    });
    expect([twice.status, await twice.json()]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'The parameter "grant_type" is given more than once.' },
    ]);
  });
});

describe('tokens', () => {
  it('are looked into and revoked by clients', async () => {
    const config = await discover();
    const tokens = await logIn(config);
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      sub: 'ann',
      username: 'ann',
      client_id: 'web',
      token_type: 'Bearer',
    });
    await oidc.tokenRevocation(config, tokens.refresh_token ?? '');
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
    expect(await oidc.tokenIntrospection(config, 'x.y.z')).toEqual({ active: false });
    expect(await failure(oidc.tokenIntrospection(await discover('spa'), 'x'))).toMatchObject({
      error: 'invalid_client',
    });
    await oidc.tokenRevocation(config, 'never given');
  });

  it('are signed as a registered client wants it', async () => {
    const config = await oidc.dynamicClientRegistration(
      new URL(backlot.env.OIDC_ISSUER),
      { redirect_uris: [CALLBACK], id_token_signed_response_alg: 'ES256', client_name: 'New' },
      undefined,
      { execute: [oidc.allowInsecureRequests] },
    );
    const tokens = await logIn(config);
    const { protectedHeader } = await jwtVerify(tokens.id_token ?? '', keysOf(config), {
      audience: config.clientMetadata().client_id,
    });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'es256' });
    expect(config.clientMetadata()).toMatchObject({ client_name: 'New' });
  });

  it.each([
    [{ redirect_uris: ['nowhere'] }, 'invalid_redirect_uri'],
    [{}, 'invalid_redirect_uri'],
    [{ redirect_uris: 'http://a' }, 'invalid_client_metadata'],
    [{ redirect_uris: [CALLBACK], scope: 5 }, 'invalid_client_metadata'],
    [{ redirect_uris: [CALLBACK], id_token_signed_response_alg: 'none' }, 'invalid_client_metadata'],
    [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'magic' }, 'invalid_client_metadata'],
    [{ grant_types: ['magic'] }, 'invalid_client_metadata'],
    [{ redirect_uris: [CALLBACK], backchannel_logout_uri: 'x' }, 'invalid_client_metadata'],
  ])('no client is registered with %j', async (metadata, error) => {
    const answer = await fetch(`${backlot.env.OIDC_ISSUER}/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(metadata),
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error }]);
  });
});
