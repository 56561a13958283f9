import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import {
  collectCleanups,
  itWithTool,
  PYTHON,
  runTool,
  startServer,
  type RunningServer,
  type ToolResult,
} from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { ResultCodeError } from 'ldapts';
import { codeOf, connect, run, startHost, type Running } from './support.js';

const afterThis = collectCleanups();
const BASE = 'dc=example,dc=com';
const ADMIN = ['-D', `cn=admin,${BASE}`, '-w', 's3cr3t-1'];
const ENTRIES = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,${BASE}
objectClass: organizationalUnit
ou: people

dn: uid=ada,ou=people,${BASE}
objectClass: inetOrgPerson
uid: ada
cn: Ada Lovelace
sn: Lovelace
userPassword: s3cr3t-2

dn: ou=far,${BASE}
objectClass: referral
objectClass: extensibleObject
ou: far
ref: ldap://far.example.org/ou=far,${BASE}
`;

/** OpenLDAP's server with these entries. */
async function startSlapd(database: 'ldif' | 'mdb' = 'ldif'): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'slapd-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'db'));
  const config = join(folder, 'slapd.conf');
  const schemas = ['core', 'cosine', 'inetorgperson'].map(
    (name) => `include /etc/ldap/schema/${name}.schema`,
  );
  writeFileSync(
    config,
    `${schemas.join('\n')}
pidfile ${folder}/pid
${database === 'mdb' ? 'modulepath /usr/lib/ldap\nmoduleload back_mdb\n' : ''}database ${database}
suffix ${BASE}
directory ${folder}/db
rootdn cn=admin,${BASE}
rootpw s3cr3t-1
`,
  );
  writeFileSync(join(folder, 'entries.ldif'), ENTRIES);
  expect((await runTool('slapadd', ['-f', config, '-l', join(folder, 'entries.ldif')])).code).toBe(0);
  const real = await startServer(
    'slapd',
    (port) => ['-f', config, '-h', `ldap://127.0.0.1:${port}`, '-d', '256'],
    'slapd starting',
    true,
  );
  afterThis(() => real.stop());
  return real;
}

const relayed = ({ port }: RunningServer, mode: string, mocks: readonly Json[] = []): Promise<Running> =>
  startHost({ upstream: { url: `ldap://127.0.0.1:${port}`, mode }, mocks });

const ADA = `uid=ada,ou=people,${BASE}`;
/** What is asked: the tool, its arguments and what it reads. */
const REQUESTS: readonly (readonly [string, readonly string[], string?])[] = [
  ['ldapsearch', [...ADMIN, '-b', BASE]],
  ['ldapsearch', ['-b', BASE, '(&(uid=ada)(userPassword=s3cr3t-2))', 'cn']],
  ['ldapsearch', [...ADMIN, '-b', BASE, '-E', 'pr=1/noprompt', '(objectClass=*)', '1.1']],
  ['ldapsearch', ['-b', `ou=none,${BASE}`]],
  ['ldapsearch', ['-b', `ou=far,${BASE}`]],
  ['ldapsearch', ['-b', '', '-s', 'base', 'supportedLDAPVersion']],
  ['ldapcompare', [...ADMIN, ADA, 'sn:Lovelace']],
  ['ldapcompare', [...ADMIN, ADA, 'userPassword:s3cr3t-3']],
  ['ldapwhoami', ADMIN],
  ['ldapwhoami', ['-D', `cn=admin,${BASE}`, '-w', 's3cr3t-4']],
  ['ldapadd', ADMIN, `dn: uid=bob,${BASE}\nobjectClass: account\nuid: bob\ndescription: d\n`],
  ['ldapmodify', ADMIN, `dn: ${ADA}\nchangetype: modify\nreplace: userPassword\nuserPassword: s3cr3t-2\n`],
  ['ldapmodrdn', [...ADMIN, `uid=bob,${BASE}`, 'uid=rob']],
  ['ldapdelete', [...ADMIN, `uid=rob,${BASE}`]],
  ['ldapdelete', [...ADMIN, `uid=rob,${BASE}`]],
];

/** What is recorded: each of these is a request, or several, with their answers. */
const RECORDED: typeof REQUESTS = [
  ['ldapsearch', [...ADMIN, '-b', BASE]],
  ['ldapsearch', ['-b', BASE]],
  ['ldapsearch', ['-b', BASE, '-s', 'one', '(uid=ada)', 'cn']],
  ['ldapsearch', ['-b', BASE, '-s', 'sub', '(uid=ada)', 'cn']],
  ['ldapsearch', ['-b', BASE, '-s', 'base', '(objectClass=*)', '+']],
  ['ldapsearch', [...ADMIN, '-b', BASE, '-E', 'pr=1/noprompt', '(objectClass=*)', '1.1']],
  ['ldapsearch', ['-b', `ou=none,ou=people,${BASE}`]],
  ['ldapsearch', ['-b', `ou=far,${BASE}`]],
  ['ldapsearch', ['-b', '', '-s', 'base', 'supportedLDAPVersion', 'vendorName']],
  ['ldapsearch', ['-b', 'cn=Subschema', '-s', 'base', '(objectClass=subschema)', 'cn']],
  ['ldapcompare', [...ADMIN, ADA, 'sn:Lovelace']],
  ['ldapcompare', [...ADMIN, ADA, 'sn:Byron']],
  ['ldapcompare', [...ADMIN, ADA, 'userPassword:s3cr3t-3']],
  ['ldapsearch', ['-D', `cn=admin,${BASE}`, '-w', 's3cr3t-4', '-b', BASE]],
  ['ldapadd', ADMIN, `dn: uid=bob,${BASE}\nobjectClass: account\nuid: bob\ndescription: d\n`],
  ['ldapadd', ADMIN, `dn: uid=bob,${BASE}\nobjectClass: account\nuid: bob\ndescription: d\n`],
  ['ldapsearch', ['-b', BASE, '(uid=bob)', 'description']],
  ['ldapmodify', ADMIN, `dn: ${ADA}\nchangetype: modify\nreplace: userPassword\nuserPassword: s3cr3t-2\n`],
  ['ldapmodrdn', [...ADMIN, `uid=bob,${BASE}`, 'uid=rob']],
  ['ldapsearch', ['-b', BASE, '(uid=bob)', 'description']],
  ['ldapdelete', [...ADMIN, `uid=rob,${BASE}`]],
  ['ldapdelete', [...ADMIN, `uid=rob,${BASE}`]],
];

/** What ldap3 does: it reads the root DSE and the schema when it connects, and checks classes and attributes by them. */
const LDAP3 = `
import sys
from ldap3 import ALL, BASE, LEVEL, MODIFY_REPLACE, Connection, ObjectDef, Reader, Server

base = '${BASE}'
server = Server('127.0.0.1', int(sys.argv[1]), get_info=ALL)
print(Connection(server, f'cn=admin,{base}', 's3cr3t-4').bind())
c = Connection(server, f'cn=admin,{base}', 's3cr3t-1', auto_bind=True)
print(base in server.info.naming_contexts, 'inetOrgPerson' in server.schema.object_classes)
for n in range(3):
    print(c.add(f'uid=u{n},{base}', 'inetOrgPerson', {'cn': f'User {n}', 'sn': 'Ü', 'mail': f'{n}@example.com'}))
print(c.add(f'uid=u0,{base}', 'inetOrgPerson', {'cn': 'twice', 'sn': 'x'}), c.result['description'])
for scope in (BASE, LEVEL):
    print(c.search(base, '(objectClass=*)', scope, attributes=['o', 'uid']), sorted(e.entry_dn for e in c.entries))
found = c.extend.standard.paged_search(base, '(mail=*)', attributes=['mail'], paged_size=1, generator=False)
print([(e['dn'], e['attributes']['mail']) for e in found if e['type'] == 'searchResEntry'])
print(c.modify(f'uid=u0,{base}', {'sn': [(MODIFY_REPLACE, ['Null'])]}), c.compare(f'uid=u0,{base}', 'sn', 'Null'))
people = Reader(c, ObjectDef('inetOrgPerson', c), base, 'uid: u0')
people.search()
print([(str(p.cn), str(p.sn)) for p in people])
print(c.modify_dn(f'uid=u2,{base}', 'uid=u9'), c.delete(f'uid=u9,{base}'), c.delete(f'uid=u9,{base}'), c.result['description'])
c.unbind()
`;

/** An answer as it is compared: secrets were not kept, and references and the ends of pages have places and cookies of their own. */
function comparable({ out, ...rest }: ToolResult): unknown {
  const entries = out.replace(/^userPassword:: .+$/gm, 'userPassword:: UkVEQUNURUQ=').split('\n\n');
  const [pages, others] = [true, false].map((isPage) =>
    entries
      .flatMap((entry) => entry.trim().split(/(?<=^# pagedresults.*)\n/))
      .filter((entry) => /^# pagedresults/.test(entry) === isPage),
  );
  return { ...rest, entries: others?.toSorted(), pages: pages?.length };
}

describe('an upstream of LDAP', () => {
  itWithTool(
    'slapd ldapsearch',
    'answers the tools of OpenLDAP as without Backlot, and keeps no secrets',
    async () => {
      const real = await startSlapd();
      const passing = await relayed(real, 'passthrough');
      const work = async (url: string): Promise<unknown[]> => {
        const answers: unknown[] = [];
        for (const [tool, args, input] of REQUESTS)
          answers.push(await run({ ...passing, url }, tool, args, input));
        return answers;
      };
      const direct = await work(`ldap://127.0.0.1:${real.port}`);
      expect(await work(passing.url)).toEqual(direct);
      expect(direct[0]).toMatchObject({ code: 0, out: expect.stringContaining('# refldap://far') });
      const entries = passing.host.journal.list();
      expect(JSON.stringify(entries)).not.toContain('s3cr3t');
      expect(JSON.stringify(entries)).not.toContain(Buffer.from('s3cr3t-2').toString('base64').slice(0, 8));
      expect(entries.slice(0, 2)).toMatchObject([
        { method: 'BIND', path: `cn=admin,${BASE}`, upstream: { answered: true }, response: { status: 0 } },
        { method: 'SEARCH', path: BASE, body: '(objectclass=*)', response: { status: 0 } },
      ]);
      expect(entries[1]?.response?.body).toContain('userPassword: REDACTED\n');
      const of = (method: string): unknown[] =>
        entries
          .filter((entry) => entry.method === method)
          .map(({ body, response }) => [body, response?.status]);
      expect(of('SEARCH')).toContainEqual(['(&(uid=ada)(userPassword=REDACTED))', 0]);
      expect(of('COMPARE')).toEqual([
        ['sn: Lovelace\n', 6],
        ['userPassword: REDACTED\n', 5],
      ]);
      expect(of('MODIFY')).toEqual([['replace: userPassword\nuserPassword: REDACTED\n-\n', 0]]);
      expect(of('DELETE')).toEqual([
        [undefined, 0],
        [undefined, 32],
      ]);
      expect(of('BIND')).toContainEqual(['simple', 49]);
    },
  );

  itWithTool('slapd', 'is asked for what no mock answers, and compared with mocks', async () => {
    const real = await startSlapd();
    const ada = {
      base_dn: BASE,
      filter: '(uid=ada)',
      dn: ADA,
      attributes: { cn: 'Ada Byron', sn: 'Lovelace' },
    };
    const others = { base_dn: `ou=people,${BASE}`, filter: '(ou=people)', result_code: 'noSuchObject' };
    const ask = async (host: Running): Promise<unknown[]> => {
      const client = connect(host);
      const find = async (base: string, filter: string): Promise<unknown> =>
        (await client.search(base, { filter, attributes: ['cn', 'sn'] })).searchEntries;
      return [
        await find(BASE, '(uid=ada)'),
        await find(ADA, '(sn=Lovelace)'),
        await codeOf(find(`ou=people,${BASE}`, '(ou=people)')),
        // Ten at a time, each of which has its own answer.
        ...(await Promise.all(Array.from({ length: 10 }, () => find(ADA, '(cn=Ada Lovelace)')))),
      ];
    };
    const found = { dn: ADA, cn: 'Ada Lovelace', sn: 'Lovelace' };
    const expected = [[{ ...found, cn: 'Ada Byron' }], [found], 32, ...Array<unknown>(10).fill([found])];
    expect(await ask(await relayed(real, 'spy', [ada, others]))).toEqual(expected);
    const diff = await relayed(real, 'diff', [ada, others]);
    expect(await ask(diff)).toEqual(expected);
    const noted = diff.host.journal.list().flatMap(({ upstream }) => upstream?.differences ?? []);
    expect(noted).toEqual([
      `entry "uid=ada,ou=people,${BASE}" /cn/0: the mock has "Ada Byron", the upstream "Ada Lovelace"`,
      `references /0: the mock has nothing, the upstream "ldap://far.example.org/ou=far,${BASE}??sub"`,
      'result code /: the mock has 32, the upstream 0',
      `entry "ou=people,${BASE}" /: the mock has nothing, the upstream {}`,
    ]);
    await real.stop();
    const late = connect(diff);
    await expect(late.search(ADA, { filter: '(sn=x)' })).rejects.toThrow();
    expect(diff.host.journal.list().at(-1)?.response?.status).toContain('the upstream gave no answer');
  });

  itWithTool(
    'slapd ldapsearch',
    'is recorded from OpenLDAP by its tools, which are then answered the same without it',
    async () => {
      const real = await startSlapd('mdb');
      const recording = await relayed(real, 'record_new');
      const work = async (running: Running): Promise<ToolResult[]> => {
        const answers: ToolResult[] = [];
        for (const [tool, args, input] of RECORDED) answers.push(await run(running, tool, args, input));
        return answers;
      };
      const first = await work(recording);
      expect(recording.host.journal.list().every(({ upstream }) => upstream?.answered === true)).toBe(true);
      const mocks = recording.kind.mocks.list();
      expect(JSON.stringify(mocks)).not.toContain('s3cr3t');
      expect(JSON.stringify(mocks)).not.toContain(Buffer.from('s3cr3t-2').toString('base64').slice(0, 8));
      await real.stop();
      const replaying = await startHost({ upstream: { mode: 'replay' }, mocks });
      const second = await work(replaying);
      expect(second.map(comparable)).toEqual(first.map(comparable));
      expect(replaying.host.journal.list({ unmatched: true })).toEqual([]);
      const used = mocks.map(({ id }) => replaying.kind.calls.of(String(id)).count > 0);
      expect(used.every(Boolean)).toBe(true);
    },
  );

  itWithTool('slapd', 'is answered by a recording that is for just the same search', async () => {
    const real = await startSlapd();
    const recording = await relayed(real, 'record_new');
    const search = async (
      running: Running,
      base: string,
      scope: 'base' | 'one' | 'sub',
      filter: string,
      attributes?: string[],
      user?: string,
    ): Promise<unknown> => {
      const client = connect(running);
      const ask = async (): Promise<unknown> => {
        if (user !== undefined) await client.bind(user, 's3cr3t-1');
        return (await client.search(base, { scope, filter, ...(attributes && { attributes }) }))
          .searchEntries;
      };
      try {
        return await ask();
      } catch (error) {
        if (error instanceof ResultCodeError) return error.code;
        throw error;
      }
    };
    const asked = [BASE, 'sub', '(uid=ada)', ['cn']] as const;
    const [base, , filter, attributes] = asked;
    const ada = await search(recording, base, 'sub', filter, [...attributes]);
    expect(ada).toEqual([{ dn: ADA, cn: 'Ada Lovelace' }]);
    const mocks = recording.kind.mocks.list();
    await real.stop();
    const replaying = await startHost({ upstream: { mode: 'replay' }, mocks });
    expect(await search(replaying, base, 'sub', '(UID=Ada)', ['CN'])).toEqual(ada);
    expect(await search(replaying, base, 'one', filter, [...attributes])).toBe(53);
    expect(await search(replaying, base, 'base', filter, [...attributes])).toBe(53);
    expect(await search(replaying, `ou=people,${BASE}`, 'sub', filter, [...attributes])).toBe(53);
    expect(await search(replaying, base, 'sub', filter, ['cn', 'sn'])).toBe(53);
    expect(await search(replaying, base, 'sub', filter)).toBe(53);
    expect(await search(replaying, base, 'sub', '(uid=bob)', [...attributes])).toBe(53);
    // A bind that was not recorded.
    expect(await search(replaying, base, 'sub', filter, [...attributes], `cn=admin,${BASE}`)).toBe(53);
    const missed = replaying.host.journal.list({ unmatched: true });
    expect(missed.map(({ method }) => method)).toEqual([...Array<string>(6).fill('SEARCH'), 'BIND']);
    const { method, path, body, query } = missed[0] ?? {};
    expect(replaying.kind.explain({ method, path, body, query }).others[0]?.reason).toBe(
      'search_scope: got one, want sub',
    );
  });

  itWithTool(
    'slapd python3:ldap3',
    'is recorded from OpenLDAP by ldap3, which is then answered the same without it',
    async () => {
      const real = await startSlapd('mdb');
      const recording = await relayed(real, 'record_new');
      const work = ({ port }: Pick<Running, 'port'>): Promise<ToolResult> =>
        runTool(PYTHON, ['-c', LDAP3, String(port)]);
      const first = await work(recording);
      expect(first).toMatchObject({ code: 0, err: '' });
      expect(first.out.trim().split('\n')).toEqual([
        'False',
        'True True',
        ...['True', 'True', 'True', 'False entryAlreadyExists'],
        `True ['${BASE}']`,
        `True ['ou=people,${BASE}', 'uid=u0,${BASE}', 'uid=u1,${BASE}', 'uid=u2,${BASE}']`,
        `[${[0, 1, 2].map((n) => `('uid=u${n},${BASE}', ['${n}@example.com'])`).join(', ')}]`,
        'True True',
        "[('User 0', 'Null')]",
        'True True False noSuchObject',
      ]);
      const mocks = recording.kind.mocks.list();
      expect(recording.log).toEqual([]);
      await real.stop();
      const replaying = await startHost({ upstream: { mode: 'replay' }, mocks });
      expect(await work(replaying)).toEqual(first);
      expect(replaying.host.journal.list({ unmatched: true })).toEqual([]);
      expect(mocks.filter(({ id }) => replaying.kind.calls.of(String(id)).count === 0)).toEqual([]);
      // What is asked otherwise is no recording's: another page of the tree, and another filter.
      const client = connect(replaying);
      for (const [base, filter] of [
        [`ou=people,${BASE}`, '(mail=*)'],
        [BASE, '(mail=x*)'],
      ] as const)
        expect(await codeOf(client.search(base, { filter, paged: { pageSize: 1 } }))).toBe(53);
    },
  );
});
