import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { begin, CALLBACK, discover, failure, logIn } from './support.js';
import { Visitor } from '../../../test/visitor.js';

const backlot = useBacklot({ services: ['oidc'] });
const connect = (client?: string): Promise<oidc.Configuration> => discover(backlot.env.OIDC_ISSUER, client);
const reached = (): string => backlot.env.OIDC_ISSUER;

describe('logout', () => {
  it('ends the session and its tokens, and leads back', async () => {
    const config = await connect();
    const visitor = new Visitor();
    const tokens = await logIn(config, {}, visitor);
    const url = oidc.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: CALLBACK,
      state: 'bye',
    });
    expect((await visitor.follow(url)).href).toBe(`${CALLBACK}?state=bye`);
    expect(await oidc.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false });
    const { url: next } = await begin(config, { prompt: 'none' });
    expect((await visitor.follow(next)).searchParams.get('error')).toBe('login_required');
  });

  it('takes a token that has expired as a hint, and none of somebody else', async () => {
    const config = await connect();
    const tokens = await logIn(config);
    await backlot.clock.advance(7_200_000);
    const hint = (id_token_hint: string, uri = CALLBACK): URL =>
      oidc.buildEndSessionUrl(config, { id_token_hint, post_logout_redirect_uri: uri });
    expect((await new Visitor().follow(hint(tokens.id_token ?? ''))).href).toBe(CALLBACK);
    const forged = await new Visitor().open(hint('x.y.z'));
    expect([forged.status, forged.text]).toEqual([400, expect.stringContaining('no token of this provider')]);
    const astray = await new Visitor().open(hint(tokens.id_token ?? '', 'https://evil.example/'));
    expect([astray.status, astray.text]).toEqual([400, expect.stringContaining('is not one of the client')]);
  });

  it('asks first when nothing says who wants it', async () => {
    const config = await connect();
    const visitor = new Visitor();
    await logIn(config, {}, visitor);
    const page = await visitor.open(new URL(`${reached()}/logout`));
    expect(page.text).toContain('Log out?');
    expect(backlot.collection('oidc:sessions').size).toBe(1);
    expect((await visitor.submit(page, { logout: 'yes' })).text).toContain('You are logged out');
    expect(backlot.collection('oidc:sessions').size).toBe(0);
  });

  it('tells applications, which verify the token that they are sent', async () => {
    const got: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        got.push(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logout`;
      backlot.collection('oidc:clients').update('web', { backchannel_logout_uri: url });
      const config = await connect();
      const visitor = new Visitor();
      const { id_token: hint = '' } = await logIn(config, {}, visitor);
      await visitor.open(oidc.buildEndSessionUrl(config, { id_token_hint: hint }));
      while (got.length < 1) await new Promise((resolve) => setImmediate(resolve));
      const token = new URLSearchParams(got[0]).get('logout_token') ?? '';
      const keys = createRemoteJWKSet(new URL(`${reached()}/jwks`));
      const { payload } = await jwtVerify(token, keys, {
        issuer: reached(),
        audience: 'web',
        typ: 'logout+jwt',
      });
      expect(payload).toMatchObject({
        sub: 'ann',
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('scenarios', () => {
  it.each([
    ['expired-tokens', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'],
    ['clock-skew', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'],
    ['wrong-audience', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['wrong-issuer', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
  ])('%s: openid-client refuses the tokens', async (scenario, code) => {
    const config = await connect();
    backlot.scenarios.activate(`oidc:${scenario}`);
    expect((await failure(logIn(config))).code).toBe(code);
    backlot.scenarios.deactivate(`oidc:${scenario}`);
    expect((await logIn(config)).claims()?.sub).toBe('ann');
  });

  it('clock-skew: who allows for it takes the tokens', async () => {
    const config = await connect();
    backlot.scenarios.activate('oidc:clock-skew');
    const { access_token: token } = await oidc.clientCredentialsGrant(config);
    const keys = createRemoteJWKSet(new URL(`${reached()}/jwks`));
    expect((await failure(jwtVerify(token, keys))).code).toBe('ERR_JWT_CLAIM_VALIDATION_FAILED');
    expect((await jwtVerify(token, keys, { clockTolerance: 601 })).payload.sub).toBe('web');
  });

  it('keys that rotate and have rotated: a client that asks for the key set again goes on', async () => {
    const config = await connect();
    const keys = createRemoteJWKSet(new URL(`${reached()}/jwks`), { cooldownDuration: 0 });
    const old = await logIn(config);
    await jwtVerify(old.access_token, keys);
    backlot.scenarios.activate('oidc:keys-rotating');
    const during = await logIn(config);
    expect(decodeProtectedHeader(during.access_token).kid).toBe('next');
    await jwtVerify(during.access_token, keys);
    await jwtVerify(old.access_token, keys);
    backlot.scenarios.deactivate('oidc:keys-rotating');
    backlot.scenarios.activate('oidc:rotated-keys');
    const fresh = createRemoteJWKSet(new URL(`${reached()}/jwks`), { cooldownDuration: 0 });
    expect((await jwtVerify((await logIn(config)).access_token, fresh)).protectedHeader.kid).toBe('next');
    expect((await failure(jwtVerify(old.access_token, fresh))).code).toBe('ERR_JWKS_NO_MATCHING_KEY');
    expect((await oidc.fetchUserInfo(config, during.access_token, 'ann')).sub).toBe('ann');
  });

  it('unknown-key: nobody can verify the tokens', async () => {
    const config = await connect();
    oidc.enableNonRepudiationChecks(config);
    expect((await logIn(config)).claims()?.sub).toBe('ann');
    backlot.scenarios.activate('oidc:unknown-key');
    expect(await failure(logIn(config))).toBeInstanceOf(Error);
  });

  it('consent-denied, refresh-refused, rate-limited and outage', async () => {
    const config = await connect();
    const { refresh_token: refresh = '' } = await logIn(config);
    backlot.scenarios.activate('oidc:consent-denied');
    const { url, checks } = await begin(config);
    const back = await new Visitor().follow(url);
    expect(await failure(oidc.authorizationCodeGrant(config, back, checks))).toMatchObject({
      error: 'access_denied',
    });
    backlot.scenarios.activate('oidc:refresh-refused');
    expect(await failure(oidc.refreshTokenGrant(config, refresh))).toMatchObject({ error: 'invalid_grant' });
    expect((await oidc.clientCredentialsGrant(config)).token_type).toBe('bearer');
    backlot.scenarios.activate('oidc:rate-limited');
    expect(await failure(oidc.clientCredentialsGrant(config))).toMatchObject({ status: 429 });
    backlot.scenarios.activate('oidc:outage');
    expect((await failure(connect())).code).toBe('OAUTH_RESPONSE_IS_NOT_CONFORM');
  });

  it('slow: answers come by the clock', async () => {
    backlot.scenarios.activate('oidc:slow');
    backlot.clock.freeze(true);
    const start = backlot.clock.now();
    let isThere = false;
    const config = connect().finally(() => (isThere = true));
    while (!isThere) {
      await backlot.clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(backlot.clock.now() - start).toBeGreaterThanOrEqual(3000);
    expect((await config).serverMetadata().issuer).toBe(reached());
  });
});

describe('what is not there', () => {
  it('is said in the form of OAuth, with what is there', async () => {
    const answer = await fetch(`${reached()}/tokens`, { method: 'POST' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: 'not_found',
      error_description: expect.stringMatching(/POST \/oidc\/tokens.*\/token,/),
    });
  });

  it('scripts of other origins may ask', async () => {
    const answer = await fetch(`${reached()}/token`, { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });
});
