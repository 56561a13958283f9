import { describe, expect, it } from '@jest/globals';
import KcAdminClient from '@keycloak/keycloak-admin-client';
import { useBacklot } from '@backlot/testing';
import { createRemoteJWKSet, decodeJwt, importSPKI, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { Visitor } from '../../../test/visitor.js';
import { startApplication } from './protected-application.mjs';

const backlot = useBacklot({ services: ['keycloak'] });

async function connect(username = 'admin', password = 'admin'): Promise<KcAdminClient> {
  const admin = new KcAdminClient({ baseUrl: backlot.env.KEYCLOAK_URL, realmName: 'master' });
  await admin.auth({ username, password, grantType: 'password', clientId: 'admin-cli' });
  admin.setConfig({ realmName: backlot.env.KEYCLOAK_REALM });
  return admin;
}

const realm = (name = 'demo'): string => `${backlot.env.KEYCLOAK_URL}/realms/${name}`;

async function token(fields: Record<string, string>, of = realm()) {
  const answer = await fetch(`${of}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'app', client_secret: 'secret', ...fields }),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, string> };
}

async function logIn(username = 'ann', password = 'password'): Promise<string> {
  const { json } = await token({ grant_type: 'password', username, password, scope: 'openid' });
  return json['access_token'] ?? '';
}

/** The status and the text of what the SDK throws. */
async function refusal(promise: Promise<unknown>): Promise<{ status?: number; message?: string }> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { response, message } = error as { response?: Response; message?: string };
  return {
    ...(response === undefined ? {} : { status: response.status }),
    ...(message === undefined ? {} : { message }),
  };
}

describe('realms', () => {
  it('are found, and their tokens verified', async () => {
    const access = await logIn();
    const keys = createRemoteJWKSet(new URL(`${realm()}/protocol/openid-connect/certs`));
    const { payload } = await jwtVerify(access, keys, { issuer: realm(), audience: 'account' });
    expect(payload).toMatchObject({
      typ: 'Bearer',
      azp: 'app',
      preferred_username: 'ann',
      email: 'ann@example.com',
      realm_access: { roles: ['default-roles-demo', 'user', 'manager'] },
      resource_access: { app: { roles: ['editor'] } },
    });
    const info = (await (await fetch(realm())).json()) as { public_key: string };
    const pem = `-----BEGIN PUBLIC KEY-----\n${info.public_key}\n-----END PUBLIC KEY-----`;
    await jwtVerify(access, await importSPKI(pem, 'RS256'));
    expect(info).toMatchObject({ realm: 'demo', 'token-service': `${realm()}/protocol/openid-connect` });
    const none = await fetch(`${realm('none')}/.well-known/openid-configuration`);
    expect([none.status, await none.json()]).toMatchObject([404, { error: 'Realm does not exist' }]);
  });

  it('have the code flow with the login page, refresh and logout', async () => {
    const config = await oidc.discovery(new URL(realm()), 'spa', {}, oidc.None(), {
      execute: [oidc.allowInsecureRequests],
    });
    const verifier = oidc.randomPKCECodeVerifier();
    const redirect_uri = 'http://localhost:3000/';
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'x',
    });
    const visitor = new Visitor();
    const page = await visitor.open(url);
    expect(page.text).toContain('id="kc-login"');
    const back = await visitor.submitAndLeave(page, { username: 'ann@example.com', password: 'password' });
    expect(back.searchParams.get('session_state')).toMatch(/^\w{32}$/);
    const tokens = await oidc.authorizationCodeGrant(config, back, {
      pkceCodeVerifier: verifier,
      expectedState: 'x',
    });
    expect(tokens.claims()).toMatchObject({ preferred_username: 'ann', azp: 'spa', typ: 'ID' });
    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(decodeJwt(next.refresh_token ?? '')).toMatchObject({ typ: 'Refresh', azp: 'spa' });
    expect(await oidc.fetchUserInfo(config, next.access_token, oidc.skipSubjectCheck)).toMatchObject({
      name: 'Ann Archer',
    });
    const out = oidc.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: redirect_uri,
    });
    expect((await visitor.follow(out)).href).toBe(redirect_uri);
    await expect(oidc.refreshTokenGrant(config, next.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('are made with what is imported, changed and deleted', async () => {
    const admin = await connect();
    await admin.realms.create({
      realm: 'shop',
      enabled: true,
      roles: { realm: [{ name: 'clerk' }] },
      clients: [{ clientId: 'till', secret: 'x', directAccessGrantsEnabled: true }],
      users: [
        {
          username: 'Cy',
          enabled: true,
          realmRoles: ['clerk'],
          credentials: [{ type: 'password', value: 'p' }],
        },
      ],
    });
    const login = {
      client_id: 'till',
      client_secret: 'x',
      grant_type: 'password',
      username: 'cy',
      password: 'p',
    };
    const { json } = await token(login, realm('shop'));
    expect(decodeJwt(json['access_token'] ?? '')).toMatchObject({
      iss: realm('shop'),
      realm_access: { roles: ['clerk'] },
    });
    expect((await token(login)).status).toBe(401);
    await admin.realms.update({ realm: 'shop' }, { displayName: 'The shop' });
    expect(await admin.realms.findOne({ realm: 'shop' })).toMatchObject({ displayName: 'The shop' });
    expect((await admin.realms.find()).map(({ realm: name }) => name)).toEqual(['master', 'demo', 'shop']);
    expect(await refusal(admin.realms.create({ realm: 'shop' }))).toMatchObject({ status: 409 });
    await admin.realms.del({ realm: 'shop' });
    expect(await admin.realms.findOne({ realm: 'shop' })).toBeNull();
    expect((await token(login, realm('shop'))).status).toBe(404);
  });
});

describe('users', () => {
  it('are made, found, changed and deleted, and log in as they are then', async () => {
    const { users } = await connect();
    const { id } = await users.create({ username: 'dora', email: 'dora@example.com', enabled: true });
    expect(await users.findOne({ id })).toMatchObject({
      username: 'dora',
      enabled: true,
      emailVerified: false,
    });
    expect(await logIn('dora', 'first')).toBe('');
    await users.resetPassword({ id, credential: { type: 'password', value: 'first', temporary: false } });
    expect(decodeJwt(await logIn('dora', 'first')).sub).toBe(id);
    await users.update({ id }, { firstName: 'Dora', attributes: { team: ['blue'] } });
    expect(await users.find({ q: 'team:blue' })).toMatchObject([{ id, firstName: 'Dora' }]);
    expect(await users.find({ search: 'example.com', first: 1, max: 1 })).toMatchObject([
      { username: 'bob' },
    ]);
    expect(await users.find({ username: 'dor', exact: true })).toEqual([]);
    expect(await users.count({ search: 'dora' })).toBe(1);
    await users.update({ id }, { enabled: false });
    expect(await logIn('dora', 'first')).toBe('');
    await users.del({ id });
    expect(await users.findOne({ id })).toBeNull();
  });

  it('are refused as Keycloak refuses them', async () => {
    const { users } = await connect();
    expect(await refusal(users.create({ username: 'ann' }))).toEqual({
      status: 409,
      message: 'User exists with same username',
    });
    expect(await refusal(users.create({ username: 'x', email: 'ann@example.com' }))).toMatchObject({
      status: 409,
    });
    expect(await refusal(users.create({}))).toEqual({
      status: 400,
      message: 'error-user-attribute-required',
    });
    expect(await refusal(users.del({ id: 'none' }))).toEqual({ status: 404, message: 'User not found' });
    for (const body of [{ username: 5 }, { credentials: 'p' }, { credentials: [null] }, [null], 5])
      expect(await refusal(users.create(body as never))).toMatchObject({ status: 400 });
    expect(await refusal(users.find({ max: 'many' as never }))).toMatchObject({ status: 400 });
  });

  it('get roles of the realm and of clients, which their tokens have', async () => {
    const admin = await connect();
    const [bob] = await admin.users.find({ username: 'bob' });
    const id = bob?.id ?? '';
    const { roleName } = await admin.roles.create({ name: 'auditor', description: 'Looks' });
    const role = await admin.roles.findOneByName({ name: roleName });
    const mapping = { id: role?.id ?? '', name: roleName };
    await admin.users.addRealmRoleMappings({ id, roles: [mapping] });
    expect((await admin.users.listRealmRoleMappings({ id })).map(({ name }) => name)).toContain('auditor');
    const [app] = await admin.clients.find({ clientId: 'app' });
    const client = app?.id ?? '';
    await admin.clients.createRole({ id: client, name: 'writer' });
    const [editor, writer] = await admin.clients.listRoles({ id: client });
    expect([editor?.name, writer?.name]).toEqual(['editor', 'writer']);
    await admin.users.addClientRoleMappings({
      id,
      clientUniqueId: client,
      roles: [{ id: writer?.id ?? '', name: 'writer' }],
    });
    expect(decodeJwt(await logIn('bob'))).toMatchObject({
      realm_access: { roles: ['default-roles-demo', 'user', 'auditor'] },
      resource_access: { app: { roles: ['writer'] } },
    });
    expect(await admin.roles.findUsersWithRole({ name: 'auditor' })).toMatchObject([{ username: 'bob' }]);
    await admin.users.delRealmRoleMappings({ id, roles: [mapping] });
    await admin.users.delClientRoleMappings({
      id,
      clientUniqueId: client,
      roles: [{ id: writer?.id ?? '', name: 'writer' }],
    });
    expect(decodeJwt(await logIn('bob'))).not.toHaveProperty('resource_access');
    await admin.roles.delByName({ name: 'user' });
    expect(decodeJwt(await logIn('bob'))).toMatchObject({ realm_access: { roles: ['default-roles-demo'] } });
    expect(await refusal(admin.roles.create({ name: 'auditor' }))).toEqual({
      status: 409,
      message: 'Role with name auditor already exists',
    });
  });

  it('are in groups', async () => {
    const admin = await connect();
    const [ann] = await admin.users.find({ username: 'ann' });
    const id = ann?.id ?? '';
    const { id: groupId } = await admin.groups.create({ name: 'owners' });
    await admin.users.addToGroup({ id, groupId });
    expect(await admin.users.listGroups({ id })).toMatchObject([{ name: 'owners', path: '/owners' }]);
    expect(await admin.groups.listMembers({ id: groupId })).toMatchObject([{ username: 'ann' }]);
    await admin.users.delFromGroup({ id, groupId });
    expect(await admin.groups.listMembers({ id: groupId })).toEqual([]);
    await admin.groups.del({ id: groupId });
    expect((await admin.groups.find()).map(({ name }) => name)).toEqual(['staff']);
  });

  it('are logged out', async () => {
    const { json } = await token({ grant_type: 'password', username: 'ann', password: 'password' });
    const admin = await connect();
    const [ann] = await admin.users.find({ username: 'ann' });
    await admin.users.logout({ id: ann?.id ?? '' });
    expect(
      await token({ grant_type: 'refresh_token', refresh_token: json['refresh_token'] ?? '' }),
    ).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
  });
});

describe('clients', () => {
  it('are made with a secret, changed and deleted, and log in themselves', async () => {
    const { clients, users } = await connect();
    const { id } = await clients.create({ clientId: 'job', serviceAccountsEnabled: true });
    const { value } = await clients.getClientSecret({ id });
    const login = { client_id: 'job', client_secret: value ?? '', grant_type: 'client_credentials' };
    const { json } = await token(login);
    const account = await clients.getServiceAccountUser({ id });
    expect(decodeJwt(json['access_token'] ?? '')).toMatchObject({
      sub: account.id,
      azp: 'job',
      preferred_username: 'service-account-job',
    });
    expect(await users.find({ search: 'service-account' })).toEqual([]);
    await clients.generateNewClientSecret({ id });
    expect(await token(login)).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    await clients.update({ id }, { clientId: 'job', publicClient: true });
    expect((await clients.findOne({ id }))?.publicClient).toBe(true);
    expect(await refusal(clients.create({ clientId: 'app' }))).toEqual({
      status: 409,
      message: 'Client app already exists',
    });
    await clients.del({ id });
    expect(await clients.find({ clientId: 'job' })).toEqual([]);
  });

  it('may do what their switches say', async () => {
    const login = {
      client_id: 'spa',
      client_secret: '',
      grant_type: 'password',
      username: 'ann',
      password: 'password',
    };
    expect(await token(login)).toMatchObject({ status: 400, json: { error: 'unauthorized_client' } });
    const { clients } = await connect();
    const [spa] = await clients.find({ clientId: 'spa' });
    await clients.update({ id: spa?.id ?? '' }, { ...spa, directAccessGrantsEnabled: true });
    expect((await token(login)).status).toBe(200);
  });
});

describe("Keycloak's own middleware", () => {
  it('lets tokens in by the roles that they have', async () => {
    const application = await startApplication(backlot.env.KEYCLOAK_URL);
    try {
      const ask = async (path: string, bearer: string): Promise<string> => {
        const answer = await fetch(application.url + path, {
          headers: { Authorization: `Bearer ${bearer}` },
        });
        return answer.ok ? answer.text() : String(answer.status);
      };
      const [ann, bob] = [await logIn(), await logIn('bob')];
      expect([await ask('/user', ann), await ask('/manager', ann), await ask('/editor', ann)]).toEqual(
        Array.from({ length: 3 }, () => 'hello ann'),
      );
      expect([await ask('/user', bob), await ask('/manager', bob), await ask('/editor', bob)]).toEqual([
        'hello bob',
        '403',
        '403',
      ]);
      expect(await ask('/user', `${bob.slice(0, -4)}AAAA`)).toBe('403');
      backlot.scenarios.activate('keycloak:expired-tokens');
      expect(await ask('/user', await logIn())).toBe('403');
      backlot.scenarios.deactivate('keycloak:expired-tokens');
      backlot.scenarios.activate('keycloak:rotated-keys');
      expect(await ask('/user', await logIn())).toBe('hello ann');
    } finally {
      await application.close();
    }
  });
});

describe('what is refused', () => {
  it('the admin API is for administrators', async () => {
    expect(await refusal(connect('admin', 'guess'))).toMatchObject({ status: 401 });
    const headers = { Authorization: `Bearer ${await logIn()}` };
    const answer = await fetch(`${backlot.env.KEYCLOAK_URL}/admin/realms/demo/users`, { headers });
    expect([answer.status, await answer.json()]).toEqual([403, { error: 'HTTP 403 Forbidden' }]);
    const nobody = await fetch(`${backlot.env.KEYCLOAK_URL}/admin/realms/demo/users`);
    expect([nobody.status, await nobody.json()]).toEqual([401, { error: 'HTTP 401 Unauthorized' }]);
    const admin = await connect();
    admin.setConfig({ realmName: 'none' });
    expect(await refusal(admin.users.find())).toEqual({ status: 404, message: 'Realm not found.' });
    expect(await refusal(admin.components.find())).toMatchObject({ status: 404 });
  });

  it.each([
    ['locked', 'password'],
    ['session-ended', 'refresh_token'],
  ])('scenario %s', async (scenario, grant_type) => {
    backlot.scenarios.activate(`keycloak:${scenario}`);
    expect(
      await token({ grant_type, username: 'ann', password: 'password', refresh_token: 'x' }),
    ).toMatchObject({
      status: 400,
      json: { error: 'invalid_grant' },
    });
  });

  it('scenarios wrong-client and clock-skew', async () => {
    backlot.scenarios.activate('keycloak:clock-skew');
    const { nbf, iat = 0 } = decodeJwt(await logIn());
    expect((nbf ?? iat) - backlot.clock.now() / 1000).toBeGreaterThan(590);
    backlot.scenarios.activate('keycloak:wrong-client');
    expect(await token({ grant_type: 'password', username: 'ann', password: 'password' })).toMatchObject({
      status: 401,
      json: { error: 'unauthorized_client' },
    });
  });

  it('scenarios forbidden and outage', async () => {
    const { users } = await connect();
    backlot.scenarios.activate('keycloak:forbidden');
    expect(await refusal(users.find())).toEqual({ status: 403, message: 'HTTP 403 Forbidden' });
    backlot.scenarios.activate('keycloak:outage');
    expect(await refusal(connect())).toMatchObject({ status: 503 });
  });
});
