import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { codeOf, connect, run, startHost } from './support.js';

const BASE = 'dc=example,dc=com';
const ANN = `uid=ann,ou=people,${BASE}`;
const DEVS = `cn=devs,ou=groups,${BASE}`;

const DIRECTORY = {
  base_dn: BASE,
  tls: { self_signed: true },
  entries: [
    { dn: `cn=service,${BASE}`, attributes: { objectClass: 'person', sn: 's', userPassword: 'service' } },
    { dn: `ou=people,${BASE}`, attributes: { objectClass: 'organizationalUnit' } },
    {
      dn: ANN,
      attributes: {
        objectClass: 'inetOrgPerson',
        cn: 'Ann',
        sn: 'Smith',
        userPassword: 'secret',
        memberOf: DEVS,
        objectGUID: 'AAECAwQFBgcICQoLDA0ODw==',
      },
    },
    { dn: `ou=groups,${BASE}`, attributes: { objectClass: 'organizationalUnit' } },
    { dn: DEVS, attributes: { objectClass: 'groupOfNames', member: ANN } },
  ],
};

describe('applications log people in', () => {
  it('as Keycloak and Spring Security do: service account, search, bind as who was found, groups', async () => {
    const running = await startHost(DIRECTORY);
    const service = connect(running);
    await service.startTLS({ rejectUnauthorized: false });
    expect(await codeOf(service.bind(`cn=service,${BASE}`, 'service'))).toBe(0);
    const { searchEntries } = await service.search(BASE, {
      filter: '(&(objectClass=person)(uid=ann))',
      attributes: ['dn', 'uid', 'cn', 'memberOf', 'entryUUID', 'objectGUID', 'createTimestamp'],
      explicitBufferAttributes: ['objectGUID'],
      paged: { pageSize: 100 },
    });
    expect(searchEntries).toMatchObject([
      {
        dn: ANN,
        uid: 'ann',
        cn: 'Ann',
        memberOf: DEVS,
        entryUUID: expect.stringMatching(/^[\da-f-]{36}$/),
        objectGUID: Buffer.from('AAECAwQFBgcICQoLDA0ODw==', 'base64'),
      },
    ]);
    const uuid = String(searchEntries[0]?.['entryUUID']);
    const byUuid = await service.search(BASE, { filter: `(&(entryUUID=${uuid})(objectClass=person))` });
    expect(byUuid.searchEntries.map(({ dn }) => dn)).toEqual([ANN]);
    const login = connect(running);
    expect(await codeOf(login.bind(ANN, 'wrong'))).toBe(49);
    expect(await codeOf(login.bind(ANN, ''))).toBe(53);
    expect(await codeOf(login.bind(ANN, 'secret'))).toBe(0);
    const groups = await login.search(`ou=groups,${BASE}`, {
      filter: `(member=${ANN})`,
      attributes: ['cn'],
    });
    expect(groups.searchEntries).toEqual([{ dn: DEVS, cn: 'devs' }]);
    const ofGroup = await service.search(BASE, { filter: `(memberOf=${DEVS})`, attributes: ['uid'] });
    expect(ofGroup.searchEntries).toEqual([{ dn: ANN, uid: 'ann' }]);
  });

  it('as Keycloak looks for changed users and by binary ids, and Spring for groups by patterns', async () => {
    const running = await startHost(DIRECTORY);
    const service = connect(running);
    expect(await codeOf(service.bind(`cn=service,${BASE}`, 'service'))).toBe(0);
    const find = async (filter: string): Promise<string[]> =>
      (await service.search(BASE, { filter, attributes: ['1.1'], paged: { pageSize: 1 } })).searchEntries.map(
        ({ dn }) => dn,
      );
    const guid = Buffer.from('AAECAwQFBgcICQoLDA0ODw==', 'base64').toString('hex').replace(/../g, '\\$&');
    expect(await find(`(&(objectGUID=${guid})(objectClass=person))`)).toEqual([ANN]);
    expect(await find('(&(modifyTimestamp>=20000101000000.0Z)(objectclass=person)(uid=*))')).toEqual([ANN]);
    expect(await find('(&(modifyTimestamp>=29990101000000.0Z)(objectclass=person))')).toEqual([]);
    expect(await find('(&(|(uid=*nn*)(sn=*nn*)(mail=*nn*))(objectclass=inetOrgPerson))')).toEqual([ANN]);
    expect(await find(`(|(member=${ANN})(uniqueMember=${ANN}))`)).toEqual([DEVS]);
    expect(await find(`(memberOf:1.2.840.113556.1.4.1941:=${DEVS})`)).toEqual([]);
    expect(await find('(&(cn=devs)(objectclass=groupOfNames))')).toEqual([DEVS]);
  });

  itWithTool('ldapsearch', 'ldapsearch reads the schema that the root DSE names', async () => {
    const running = await startHost({ entries: DIRECTORY.entries });
    const read = async (...names: string[]): Promise<string> =>
      (
        await run(running, 'ldapsearch', [
          '-b',
          'cn=Schema',
          '-s',
          'base',
          '(objectClass=subschema)',
          ...names,
        ])
      ).out;
    expect(await read()).toBe(
      'dn: cn=schema\nobjectClass: top\nobjectClass: subentry\nobjectClass: subschema\ncn: schema\n\n',
    );
    const schema = await read('objectClasses', 'attributeTypes');
    expect(schema).toContain("objectClasses: ( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn )");
    expect(schema).toContain(
      "attributeTypes: ( 2.5.4.3 NAME ( 'cn' 'commonName' ) EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
    );
    const described = new Set(
      [...schema.matchAll(/^attributeTypes: \( \S+ NAME (?:\( )?(.*?) (?:\)|EQ|SY)/gm)].flatMap(
        ([, names = '']) => names.replaceAll("'", '').split(' '),
      ),
    );
    const used = [...schema.matchAll(/(?:MUST|MAY) (?:\( (.*?) \)|(\w+))/g)].flatMap(([, list, one = '']) =>
      (list ?? one).split(' $ '),
    );
    expect(used.filter((name) => !described.has(name))).toEqual([]);
  });
});
