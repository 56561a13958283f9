import { describe, expect, it } from '@jest/globals';
import Strategy from 'passport-ldapauth';
import { startHost, type Running } from './support.js';

const BASE = 'dc=example,dc=com';
const ANN = `uid=ann,ou=people,${BASE}`;
const DIRECTORY = {
  base_dn: BASE,
  entries: [
    { dn: `cn=service,${BASE}`, attributes: { objectClass: 'person', sn: 's', userPassword: 'service' } },
    { dn: `ou=people,${BASE}`, attributes: { objectClass: 'organizationalUnit' } },
    {
      dn: ANN,
      attributes: {
        objectClass: 'inetOrgPerson',
        cn: 'Ann',
        sn: 'Smith',
        mail: 'ann@example.com',
        userPassword: 'secret',
      },
    },
    { dn: `ou=groups,${BASE}`, attributes: { objectClass: 'organizationalUnit' } },
    { dn: `cn=devs,ou=groups,${BASE}`, attributes: { objectClass: 'groupOfNames', member: ANN } },
  ],
};

/** Logs somebody in as passport does, which gives each request a strategy with what is to be called. */
function logIn({ url }: Running, username: string, password: string, more: object = {}): Promise<unknown> {
  const strategy = new Strategy({
    server: {
      url,
      bindDN: `cn=service,${BASE}`,
      bindCredentials: 'service',
      searchBase: `ou=people,${BASE}`,
      searchFilter: '(|(uid={{username}})(mail={{username}}))',
      groupSearchBase: `ou=groups,${BASE}`,
      groupSearchFilter: '(member={{dn}})',
      ...more,
    },
  });
  return new Promise((resolve, reject) => {
    const request = Object.assign(Object.create(strategy) as { authenticate(request: object): void }, {
      success: resolve,
      fail: (info: { readonly message: string }) => resolve(info.message),
      error: reject,
    });
    request.authenticate({ body: { username, password }, query: {} });
  });
}

describe('passport-ldapauth', () => {
  it('logs people in by name and by mail, with their groups', async () => {
    const running = await startHost(DIRECTORY);
    for (const name of ['ann', 'ann@example.com']) {
      expect(await logIn(running, name, 'secret')).toMatchObject({
        dn: ANN,
        cn: 'Ann',
        _groups: [{ dn: `cn=devs,ou=groups,${BASE}` }],
      });
    }
  });

  it('refuses a wrong password, a wrong name, and what would be a filter', async () => {
    const running = await startHost(DIRECTORY);
    expect(await logIn(running, 'ann', 'wrong')).toBe('Invalid username/password');
    expect(await logIn(running, 'nobody', 'secret')).toBe('Invalid username/password');
    expect(await logIn(running, '*)(uid=*', 'secret')).toBe('Invalid username/password');
  });

  // Its StartTLS sends the bind before the handshake, which no server answers.
  it('does so by TLS too', async () => {
    const running = await startHost({ ...DIRECTORY, tls: { self_signed: true } });
    const more = { url: running.url.replace('ldap:', 'ldaps:'), tlsOptions: { rejectUnauthorized: false } };
    expect(await logIn(running, 'ann', 'secret', more)).toMatchObject({ dn: ANN });
  });
});
