import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { collectCleanups, itWithTool, runTool, startServer, type ToolResult } from '@backlot/conformance';
import { codeOf, connect, run, startHost } from './support.js';

const afterThis = collectCleanups();
const BASE = 'dc=example,dc=com';
const ADMIN = ['-D', `cn=admin,${BASE}`, '-w', 'secret'];

const ENTRIES = [
  { dn: BASE, attributes: { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' } },
  { dn: `ou=people,${BASE}`, attributes: { objectClass: ['organizationalUnit'], ou: 'people' } },
  {
    dn: `uid=ada,ou=people,${BASE}`,
    attributes: { objectClass: ['inetOrgPerson'], uid: 'ada', cn: 'Ada', sn: 'L' },
  },
  {
    dn: `ou=far,${BASE}`,
    attributes: {
      objectClass: ['referral', 'extensibleObject'],
      ou: 'far',
      ref: ['ldap://far.example/ou=people,dc=far,dc=example', 'ldaps://two.example/'],
    },
  },
  {
    dn: `cn=near,ou=people,${BASE}`,
    attributes: { objectClass: ['referral', 'extensibleObject'], cn: 'near', ref: ['ldap://near.example'] },
  },
];

const SETTINGS = {
  base_dn: BASE,
  users: [{ username: `cn=admin,${BASE}`, password: 'secret' }],
  entries: ENTRIES,
};

function toLdif(): string {
  return ENTRIES.map(({ dn, attributes }) => {
    const lines = Object.entries(attributes).flatMap(([name, values]) =>
      [values].flat().map((value) => `${name}: ${value}\n`),
    );
    return `dn: ${dn}\n${lines.join('')}`;
  }).join('\n');
}

/** OpenLDAP's server with the same entries; gives its address. */
async function startSlapd(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'slapd-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'db'));
  const config = join(folder, 'slapd.conf');
  writeFileSync(
    config,
    `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
pidfile ${folder}/pid
database ldif
suffix ${BASE}
directory ${folder}/db
rootdn cn=admin,${BASE}
rootpw secret
`,
  );
  const ldif = join(folder, 'entries.ldif');
  writeFileSync(ldif, toLdif());
  const added = await runTool('slapadd', ['-f', config, '-l', ldif]);
  expect(added.code).toBe(0);
  const args = (free: number): string[] => ['-f', config, '-h', `ldap://127.0.0.1:${free}`, '-d', '256'];
  const { port, stop } = await startServer('slapd', args, 'slapd starting', true);
  afterThis(stop);
  return `ldap://127.0.0.1:${port}`;
}

/** What is asked of both: the tool, its arguments and what it reads. */
const REQUESTS: readonly (readonly [string, readonly string[], string?])[] = [
  ...['(uid=ada)', '(ou=*)', '(objectClass=referral)', '(objectClass=*)'].flatMap((filter) =>
    [['sub'], ['one'], ['sub', '-M'], ['one', '-MM']].map(
      ([scope = '', ...more]) => ['ldapsearch', ['-b', BASE, '-s', scope, ...more, filter, 'ref']] as const,
    ),
  ),
  ...['base', 'one', 'sub'].flatMap((scope) =>
    [`ou=far,${BASE}`, `uid=x,ou=far,${BASE}`, `cn=b,uid=x,ou=far,${BASE}`, `cn=near,ou=people,${BASE}`].map(
      (base) => ['ldapsearch', ['-b', base, '-s', scope, 'ref']] as const,
    ),
  ),
  ['ldapsearch', ['-b', `ou=far,${BASE}`, '-M', 'ref']],
  ['ldapsearch', ['-b', BASE, '-E', 'pr=1/noprompt', '(uid=ada)', '1.1']],
  ['ldapcompare', [`ou=far,${BASE}`, 'ou:far']],
  ['ldapcompare', ['-M', `ou=far,${BASE}`, 'ou:far']],
  ['ldapdelete', [`uid=x,ou=far,${BASE}`]],
  ['ldapdelete', [`cn=near,ou=people,${BASE}`]],
  ['ldapadd', [], `dn: cn=a,ou=far,${BASE}\nobjectClass: device\ncn: a\n`],
  ['ldapadd', [], `dn: ou=far,${BASE}\nobjectClass: organizationalUnit\nou: far\n`],
  ['ldapmodify', [], `dn: ou=far,${BASE}\nchangetype: modify\nadd: description\ndescription: a\n`],
  ['ldapmodify', ['-M'], `dn: ou=far,${BASE}\nchangetype: modify\nadd: description\ndescription: a\n`],
  ['ldapmodrdn', [`ou=far,${BASE}`, 'ou=x']],
  ['ldapmodrdn', ['-s', `ou=far,${BASE}`, `uid=ada,ou=people,${BASE}`, 'uid=ada']],
  ['ldapdelete', ['-M', `ou=far,${BASE}`]],
  ['ldapsearch', ['-b', BASE, '-s', 'one', '(ou=*)', '1.1']],
];

/** What a client says, without the words that no client reads, and whatever the order of entries and references. */
function read({ code, out, err }: ToolResult): object {
  const tell = (text: string): string[] =>
    text
      .replace(/\n\s*additional info: .*/gi, '')
      .split(/\n(?=dn: |# ref)|\n\n/)
      .map((each) => each.trim())
      .filter((each) => each !== '' && !/^(adding|modifying|# pagedresults)/.test(each))
      .sort();
  return { code, out: tell(out), err: tell(err) };
}

describe('entries that refer to other servers', () => {
  itWithTool(
    'slapd ldapsearch',
    'are answered as OpenLDAP does',
    async () => {
      const running = await startHost(SETTINGS);
      const other = { ...running, url: await startSlapd() };
      for (const [tool, args, input] of REQUESTS) {
        const [ours, theirs] = [
          await run(running, tool, [...ADMIN, ...args], input),
          await run(other, tool, [...ADMIN, ...args], input),
        ];
        expect({ tool, args, ...read(ours) }).toEqual({ tool, args, ...read(theirs) });
      }
    },
    120_000,
  );

  it('send ldapts to where they refer', async () => {
    const running = await startHost(SETTINGS);
    const client = connect(running);
    const { searchEntries, searchReferences } = await client.search(BASE, { filter: '(uid=ada)' });
    expect(searchEntries.map(({ dn }) => dn)).toEqual([`uid=ada,ou=people,${BASE}`]);
    expect(searchReferences).toEqual([
      `ldap://near.example/cn=near,ou=people,${BASE}??sub`,
      'ldap://far.example/ou=people,dc=far,dc=example??sub',
      `ldaps://two.example/ou=far,${BASE}??sub`,
    ]);
    expect(await codeOf(client.del(`uid=x,ou=far,${BASE}`))).toBe(10);
  });

  it('keep names that need escapes, and addresses that are none of LDAP', async () => {
    const running = await startHost({
      base_dn: BASE,
      entries: [
        {
          dn: `ou=a b,${BASE}`,
          attributes: {
            objectClass: 'referral',
            ref: ['ldap://h/ou=x%20y', 'https://h/x', 'ldap://h/%zz', 'ldap://h'],
          },
        },
      ],
    });
    const { err } = await run(running, 'ldapdelete', [`cn=q?,ou=a b,${BASE}`]);
    expect(err.match(/\S+:\/\/\S+/g)).toEqual([
      'ldap://h/cn=q%3F,ou=x%20y',
      'https://h/x',
      'ldap://h/%zz',
      `ldap://h/cn=q%3F,ou=a%20b,${BASE}`,
    ]);
  });

  it('hide what is below them, until they are gone', async () => {
    const running = await startHost({
      base_dn: BASE,
      entries: [...ENTRIES, { dn: `uid=z,ou=far,${BASE}`, attributes: { objectClass: 'account' } }],
    });
    const client = connect(running);
    const find = async (): Promise<number> =>
      (await client.search(BASE, { filter: '(uid=z)' })).searchEntries.length;
    expect(await find()).toBe(0);
    expect(
      (await run(running, 'ldapmodify', ['-M'], `dn: ou=far,${BASE}\nchangetype: modify\ndelete: ref\n`))
        .code,
    ).toBe(0);
    expect(await find()).toBe(1);
  });

  it('can be answered by mocks, which then hide them', async () => {
    const running = await startHost({
      ...SETTINGS,
      mocks: [
        { base_dn: `ou=far,${BASE}`, dn: `ou=here,${BASE}`, attributes: { ou: 'here' } },
        { base_dn: `ou=moved,${BASE}`, referral: ['ldap://new.example/{{request.base}}'] },
      ],
    });
    const here = await run(running, 'ldapsearch', ['-b', `ou=far,${BASE}`, '1.1']);
    expect(here).toMatchObject({ code: 0, out: `dn: ou=here,${BASE}\n\n` });
    const moved = await run(running, 'ldapsearch', ['-b', `ou=moved,${BASE}`]);
    expect(moved).toMatchObject({ code: 10 });
    expect(moved.err).toContain(`Referral: ldap://new.example/ou=moved,${BASE}`);
    const { mocks } = running.kind;
    expect(() => mocks.create({ result_code: 10 })).toThrow(/10 \(referral\) needs addresses/);
    expect(() => mocks.create({ result_code: 32, referral: ['ldap://a'] })).toThrow(
      /leave one of the two out/,
    );
  });
});
