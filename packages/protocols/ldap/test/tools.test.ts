import { describe, expect } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { COMPANY, run, startHost } from './support.js';

const ADA = 'uid=ada,ou=people,dc=example,dc=com';
const BASE = ['-b', 'dc=example,dc=com'];

const EVE = `dn: uid=eve,ou=people,dc=example,dc=com
objectClass: inetOrgPerson
cn: Eve
sn: Moneypenny
jpegPhoto:: /9j/AAEC
`;

describe('the clients of OpenLDAP', () => {
  itWithTool(
    'ldapsearch',
    'ldapsearch: filters of every kind',
    async () => {
      const running = await startHost(COMPANY);
      const find = async (filter: string): Promise<string> => {
        const { out, code, err } = await run(running, 'ldapsearch', [...BASE, filter, '1.1']);
        expect({ code, err }).toEqual({ code: 0, err: '' });
        return out
          .split('\n')
          .filter((line) => line.startsWith('dn: '))
          .map((line) => line.slice(4).split(',')[0])
          .join(' ');
      };
      expect(await find('(objectclass=*)')).toBe('dc=example ou=people uid=ada uid=bob ou=groups cn=admins');
      expect(await find('(UID=ADA)')).toBe('uid=ada');
      expect(await find('(cn=ada   lovelace)')).toBe('uid=ada');
      expect(await find('(mail=ada@example.com)')).toBe('uid=ada');
      expect(await find('(commonName=Countess*)')).toBe('uid=ada');
      expect(await find('(2.5.4.3=*OF love*)')).toBe('uid=ada');
      expect(await find('(cn=a*a*love*e)')).toBe('uid=ada');
      expect(await find('(cn=a*a*lovelace*e)')).toBe('');
      expect(await find('(uidNumber>=300)')).toBe('uid=ada');
      expect(await find('(uidNumber<=200)')).toBe('uid=bob');
      expect(await find('(uidNumber=01000)')).toBe('uid=ada');
      expect(await find('(cn~=bob muller)')).toBe('uid=bob');
      expect(await find('(telephoneNumber=+442012345678)')).toBe('uid=ada');
      expect(await find('(&(objectClass=person)(!(uid=ada)))')).toBe('uid=bob');
      expect(await find('(|(uid=ada)(uid=bob)(uid=carol))')).toBe('uid=ada uid=bob');
      expect(await find('(manager=uid=ada,ou=people,dc=example,dc=com)')).toBe('uid=bob');
      expect(await find('(cn:caseExactMatch:=Ada Lovelace)')).toBe('uid=ada');
      expect(await find('(cn:caseExactMatch:=ada lovelace)')).toBe('');
      expect(await find('(cn:=ada lovelace)')).toBe('uid=ada');
      expect(await find('(ou:dn:=people)')).toBe('ou=people uid=ada uid=bob');
      expect(await find('(userAccountControl:1.2.840.113556.1.4.803:=2)')).toBe('uid=bob');
      expect(await find('(userAccountControl:1.2.840.113556.1.4.803:=3)')).toBe('');
      expect(await find('(!(cn:1.2.3.4:=x))')).toBe('');
      expect(await find('(userPassword=Secret)')).toBe('uid=ada');
      expect(await find('(userPassword=secret)')).toBe('');
      expect(await find('(jpegPhoto=\\ff\\d8\\ff\\00\\01\\02\\03)')).toBe('uid=ada');
      expect(await find('(cn;lang-fr=*)')).toBe('uid=ada');
      expect(await find('(&)')).toBe('dc=example ou=people uid=ada uid=bob ou=groups cn=admins');
      expect(await find('(|)')).toBe('');
    },
    60_000,
  );

  itWithTool(
    'ldapsearch',
    'ldapsearch: scopes, attributes, limits and pages',
    async () => {
      const running = await startHost(COMPANY);
      const search = (...args: string[]): ReturnType<typeof run> =>
        run(running, 'ldapsearch', [...BASE, ...args]);
      expect((await search('-s', 'base', '(objectClass=*)', 'o')).out).toBe(
        'dn: dc=example,dc=com\no: Example\n\n',
      );
      expect((await search('-s', 'one', '(objectClass=*)', 'ou')).out).toBe(
        'dn: ou=people,dc=example,dc=com\nou: people\n\ndn: ou=groups,dc=example,dc=com\nou: groups\n\n',
      );
      const ada = await search('(uid=ada)', 'UID', 'cn', 'jpegPhoto', 'nothing');
      expect(ada.out).toBe(
        `dn: ${ADA}\ncn: Ada Lovelace\ncn: Countess of Lovelace\ncn;lang-fr: Ada la comtesse\njpegPhoto:: /9j/AAECAw==\nuid: ada\n\n`,
      );
      expect((await search('-A', '(uid=ada)', 'sn')).out).toBe(`dn: ${ADA}\nsn:\n\n`);
      expect((await search('(uid=ada)', '1.1')).out).toBe(`dn: ${ADA}\n\n`);
      expect((await search('(uid=bob)', '+')).out).toMatch(
        /^dn: uid=bob,ou=people,dc=example,dc=com\nentryDN: uid=bob.*\nentryUUID: [\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\ncreateTimestamp: \d{14}Z\nmodifyTimestamp: \d{14}Z\n\n$/,
      );
      expect((await search('(uid=bob)', '*')).out).not.toContain('entryUUID');
      const limited = await search('-z', '2', '(objectClass=*)', '1.1');
      expect(limited.code).toBe(4);
      expect(limited.out.match(/^dn:/gm)).toHaveLength(2);
      const paged = await search('-E', 'pr=4/noprompt', '(objectClass=*)', '1.1');
      expect(paged).toMatchObject({ code: 0 });
      expect(paged.out.match(/^dn:/gm)).toHaveLength(6);
      const critical = await search('-e', '!1.2.3', '(objectClass=*)');
      expect(critical.code).toBe(12);
      const missing = await run(running, 'ldapsearch', ['-b', 'ou=nobody,ou=people,dc=example,dc=com']);
      expect(missing).toMatchObject({ code: 32, err: expect.stringContaining('') });
      expect(missing.out + missing.err).toContain('Matched DN: ou=people,dc=example,dc=com');
      expect((await run(running, 'ldapsearch', ['-b', 'no name'])).code).toBe(34);
    },
    60_000,
  );

  itWithTool('ldapsearch', 'ldapsearch: the root DSE', async () => {
    const running = await startHost({ ...COMPANY, tls: { self_signed: true } });
    const root = await run(running, 'ldapsearch', ['-b', '', '-s', 'base', '(objectClass=*)', '+']);
    for (const line of [
      'namingContexts: dc=example,dc=com',
      'subschemaSubentry: cn=schema',
      'supportedExtension: 1.3.6.1.4.1.4203.1.11.1',
      'supportedControl: 1.2.840.113556.1.4.319',
      'supportedExtension: 1.3.6.1.4.1.4203.1.11.3',
      'supportedExtension: 1.3.6.1.4.1.1466.20037',
      'supportedLDAPVersion: 3',
      'supportedSASLMechanisms: PLAIN',
    ]) {
      expect(root.out).toContain(`${line}\n`);
    }
    expect(root.out).not.toContain('objectClass');
  });

  itWithTool(
    'ldapadd',
    'ldapadd, ldapmodify, ldapcompare, ldapmodrdn and ldapdelete change the tree',
    async () => {
      const running = await startHost(COMPANY);
      const eve = 'uid=eve,ou=people,dc=example,dc=com';
      const read = async (dn: string): Promise<string> =>
        (await run(running, 'ldapsearch', ['-b', dn, '-s', 'base'])).out;
      expect((await run(running, 'ldapadd', [], EVE)).code).toBe(0);
      expect(await read(eve)).toBe(`${EVE}uid: eve\n\n`);
      expect((await run(running, 'ldapadd', [], EVE)).code).toBe(68);
      expect((await run(running, 'ldapadd', [], EVE.replace('ou=people', 'ou=none'))).code).toBe(32);
      expect((await run(running, 'ldapadd', [], EVE.replace('dc=com', 'dc=org'))).code).toBe(53);

      const modify = (changes: string): Promise<number> =>
        run(running, 'ldapmodify', [], `dn: ${eve}\nchangetype: modify\n${changes}\n`).then(
          ({ code }) => code,
        );
      expect(
        await modify('replace: cn\ncn: Eva\n-\nadd: mail\nmail: a@x\nmail: b@x\n-\ndelete: jpegPhoto\n-'),
      ).toBe(0);
      expect(await read(eve)).toBe(
        `dn: ${eve}\nobjectClass: inetOrgPerson\ncn: Eva\nsn: Moneypenny\nuid: eve\nmail: a@x\nmail: b@x\n\n`,
      );
      expect(await modify('delete: mail\nmail: B@X\n-')).toBe(0);
      expect(await modify('delete: mail\nmail: c@x\n-')).toBe(16);
      expect(await modify('add: mail\nmail: A@x\n-')).toBe(20);
      expect(await modify('replace: cn\ncn: lost\n-\ndelete: uid\n-')).toBe(67);
      expect(await read(eve)).toContain('cn: Eva\n');

      const compare = (value: string): Promise<number> =>
        run(running, 'ldapcompare', [eve, value]).then(({ code }) => code);
      expect(await compare('cn:EVA')).toBe(6);
      expect(await compare('cn:Bob')).toBe(5);
      expect(await compare('title:x')).toBe(16);

      expect((await run(running, 'ldapmodrdn', ['-r', eve, 'uid=eva'])).code).toBe(0);
      expect(await read('uid=eva,ou=people,dc=example,dc=com')).toContain('uid: eva\n');
      const move = ['-r', '-s', 'dc=example,dc=com', 'ou=people,dc=example,dc=com', 'ou=staff'];
      expect((await run(running, 'ldapmodrdn', move)).code).toBe(0);
      expect(await read('uid=ada,ou=staff,dc=example,dc=com')).toContain('cn: Ada Lovelace');
      expect((await run(running, 'ldapmodrdn', ['ou=staff,dc=example,dc=com', 'ou=groups'])).code).toBe(68);

      const remove = (...args: string[]): Promise<number> =>
        run(running, 'ldapdelete', args).then(({ code }) => code);
      expect(await remove('ou=staff,dc=example,dc=com')).toBe(66);
      expect(await remove('uid=eva,ou=staff,dc=example,dc=com')).toBe(0);
      expect(await remove('uid=eva,ou=staff,dc=example,dc=com')).toBe(32);
      expect(await remove('-r', 'ou=staff,dc=example,dc=com')).toBe(0);
      expect(await read('uid=ada,ou=staff,dc=example,dc=com')).toBe('');

      running.host.reset();
      expect(await read(ADA)).toContain('cn: Ada Lovelace');
      expect(running.log).toEqual([]);
    },
    60_000,
  );

  itWithTool('ldapwhoami', 'binds are checked, ldapwhoami tells who it is', async () => {
    const users = [
      { username: 'cn=Admin,dc=example,dc=com', password: 'one' },
      { username: 'ada', password: 'two' },
    ];
    const running = await startHost({ ...COMPANY, users });
    const who = async (...args: string[]): Promise<string> => {
      const { code, out } = await run(running, 'ldapwhoami', args);
      return code === 0 ? out : String(code);
    };
    expect(await who()).toBe('anonymous\n');
    expect(await who('-D', 'CN=admin, dc=example, dc=com', '-w', 'one')).toBe(
      'dn:CN=admin, dc=example, dc=com\n',
    );
    expect(await who('-D', ADA, '-w', 'two')).toBe(`dn:${ADA}\n`);
    expect(await who('-D', 'cn=Ada,dc=elsewhere', '-w', 'two')).toBe('dn:cn=Ada,dc=elsewhere\n');
    expect(await who('-D', ADA, '-w', 'one')).toBe('49');
    expect(await who('-D', 'cn=other,dc=example,dc=com', '-w', 'one')).toBe('49');
  });

  itWithTool('ldapwhoami', 'StartTLS and ldaps on one port', async () => {
    const running = await startHost({ tls: { self_signed: true } });
    const insecure = { LDAPTLS_REQCERT: 'never' };
    const startTls = await runTool('ldapwhoami', ['-x', '-ZZ', '-H', running.url], { env: insecure });
    expect(startTls).toMatchObject({ code: 0, out: 'anonymous\n' });
    const implicit = await runTool('ldapwhoami', ['-x', '-H', running.url.replace('ldap:', 'ldaps:')], {
      env: insecure,
    });
    expect(implicit).toMatchObject({ code: 0, out: 'anonymous\n' });
    expect(running.kind.status()).toMatchObject({ tls: true });
    const plain = await startHost();
    expect((await runTool('ldapwhoami', ['-x', '-ZZ', '-H', plain.url], { env: insecure })).code).not.toBe(0);
  });
});
