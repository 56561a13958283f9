import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { Attribute, Change } from 'ldapts';
import { codeOf, connect, run, startHost, type Running } from './support.js';

const SALT = Buffer.from('0123456789ab');

function hashed(scheme: string, algorithm: string, salt: Buffer = Buffer.alloc(0)): string {
  const digest = createHash(algorithm).update('pässword').update(salt).digest();
  return `{${scheme}}${Buffer.concat([digest, salt]).toString('base64')}`;
}

const STORED: Readonly<Record<string, string>> = {
  clear: 'pässword',
  cleartext: '{CLEARTEXT}other',
  md5: hashed('MD5', 'md5'),
  smd5: hashed('SMD5', 'md5', SALT),
  sha: hashed('SHA', 'sha1'),
  ssha: hashed('ssha', 'sha1', SALT),
  ssha256: hashed('SSHA256', 'sha256', SALT),
  ssha512: hashed('SSHA512', 'sha512', SALT),
};

const dnOf = (uid: string): string => `uid=${uid},ou=people,dc=example,dc=com`;

const entryOf = (uid: string, userPassword?: string): { dn: string; attributes: Record<string, string> } => ({
  dn: dnOf(uid),
  attributes: { objectClass: 'inetOrgPerson', ...(userPassword === undefined ? {} : { userPassword }) },
});

const PEOPLE = {
  base_dn: 'dc=example,dc=com',
  entries: [...Object.entries(STORED).map(([uid, password]) => entryOf(uid, password)), entryOf('none')],
};

async function bind(running: Running, name: string, password: string): Promise<number> {
  return codeOf(connect(running).bind(name, password));
}

describe('userPassword', () => {
  it.each(Object.keys(STORED))('binds its entry: %s', async (uid) => {
    const running = await startHost(PEOPLE);
    const password = uid === 'cleartext' ? 'other' : 'pässword';
    expect(await bind(running, dnOf(uid), password)).toBe(0);
    expect(await bind(running, dnOf(uid).toUpperCase(), password)).toBe(0);
    expect(await bind(running, dnOf(uid), `${password}x`)).toBe(49);
    expect(await bind(running, dnOf(uid), STORED[uid] === password ? 'no' : (STORED[uid] ?? ''))).toBe(49);
  });

  it('makes the server refuse everybody else', async () => {
    const running = await startHost(PEOPLE);
    expect(await bind(running, dnOf('nobody'), 'pässword')).toBe(49);
    expect(await bind(running, dnOf('none'), 'pässword')).toBe(49);
    expect(await bind(running, 'no name', 'pässword')).toBe(49);
    expect(await bind(running, dnOf('clear'), '')).toBe(53);
    expect(await bind(running, dnOf('nobody'), '')).toBe(53);
    expect(await bind(running, '', '')).toBe(0);
    expect(await bind(running, dnOf('clear'), 'x'.repeat(2000))).toBe(49);
    expect(await codeOf(connect(running).bind('PLAIN', `\0dn:${dnOf('ssha')}\0pässword`))).toBe(0);
    expect(await codeOf(connect(running).bind('PLAIN', `\0dn:${dnOf('ssha')}\0no`))).toBe(49);
    expect(running.log).toEqual([]);
  });

  it('counts beside users', async () => {
    const running = await startHost({ ...PEOPLE, users: [{ username: 'cn=admin', password: 'root' }] });
    expect(await bind(running, 'cn=admin', 'root')).toBe(0);
    expect(await bind(running, 'cn=admin', 'pässword')).toBe(49);
    expect(await bind(running, dnOf('ssha'), 'pässword')).toBe(0);
  });

  it('counts at once when it is added, changed, moved and removed, and until a reset', async () => {
    const running = await startHost({ base_dn: 'dc=example,dc=com', entries: [entryOf('ada')] });
    expect(await bind(running, dnOf('ada'), 'anything')).toBe(0);
    const client = connect(running);
    await client.add(dnOf('eve'), { objectClass: 'inetOrgPerson', userPassword: 'one' });
    expect(await bind(running, dnOf('eve'), 'one')).toBe(0);
    expect(await bind(running, dnOf('ada'), 'anything')).toBe(49);
    const modification = new Attribute({ type: 'userPassword', values: ['two', 'three'] });
    await client.modify(dnOf('eve'), new Change({ operation: 'replace', modification }));
    expect(await bind(running, dnOf('eve'), 'one')).toBe(49);
    expect(await bind(running, dnOf('eve'), 'two')).toBe(0);
    expect(await bind(running, dnOf('eve'), 'three')).toBe(0);
    await client.modifyDN(dnOf('eve'), 'uid=eva');
    expect(await bind(running, dnOf('eve'), 'two')).toBe(49);
    expect(await bind(running, dnOf('eva'), 'two')).toBe(0);
    expect(await client.compare(dnOf('eva'), 'userPassword', 'two')).toBe(true);
    expect(await client.compare(dnOf('eva'), 'userPassword', 'Two')).toBe(false);
    await client.del(dnOf('eva'));
    expect(await bind(running, dnOf('ada'), 'anything')).toBe(0);
    await client.add(dnOf('eve'), { objectClass: 'inetOrgPerson', userPassword: 'one' });
    running.host.reset();
    expect(await bind(running, dnOf('ada'), 'anything')).toBe(0);
  });

  it('of a scheme that cannot be checked is refused in a configuration, and told when it comes later', async () => {
    await expect(startHost({ entries: [entryOf('ada', '{CRYPT}$6$x$y')] })).rejects.toThrow(
      'passwords of the scheme {CRYPT} cannot be checked',
    );
    await expect(startHost({ entries: [entryOf('ada', '{SHA}c2hvcnQ=')] })).rejects.toThrow('20 bytes');
    const running = await startHost(PEOPLE);
    await connect(running).add(dnOf('eve'), { objectClass: 'inetOrgPerson', userPassword: '{CRYPT}x' });
    expect(await bind(running, dnOf('eve'), 'x')).toBe(49);
    expect(await bind(running, dnOf('eve'), '{CRYPT}x')).toBe(49);
    expect(JSON.stringify(running.log)).toContain('{CRYPT} cannot be checked');
  });

  it('is shown to who has not bound only by its name', async () => {
    const running = await startHost({
      ...PEOPLE,
      mocks: [{ base_dn: 'cn=mock,dc=example,dc=com', attributes: { cn: 'mock', userPassword: 'shown' } }],
    });
    const read = async (client: ReturnType<typeof connect>, attributes: string[], dn = dnOf('clear')) => {
      const { searchEntries } = await client.search(dn, { scope: 'base', attributes });
      return searchEntries[0]?.['userPassword'];
    };
    const client = connect(running);
    expect(await read(client, [])).toBeUndefined();
    expect(await read(client, ['*', '+'])).toBeUndefined();
    expect(await read(client, ['userPassword'])).toBe('pässword');
    expect(await read(client, [], 'cn=mock,dc=example,dc=com')).toBe('shown');
    await client.bind(dnOf('clear'), 'pässword');
    expect(await read(client, [])).toBe('pässword');
  });

  itWithTool('ldappasswd', 'ldappasswd sets it, and makes one', async () => {
    const running = await startHost(PEOPLE);
    // Its exit code is 1, whatever the result.
    const passwd = async (...args: string[]): Promise<string> => {
      const { code, out, err } = await run(running, 'ldappasswd', args);
      return code === 0 ? out : (/\((\d+)\)/.exec(out + err)?.[1] ?? `${code} ${out} ${err}`);
    };
    const login = ['-D', dnOf('ssha'), '-w', 'pässword'];
    expect(await passwd(...login, '-a', 'wrong', '-s', 'new')).toBe('53');
    expect(await passwd(...login, '-a', 'pässword', '-s', 'new')).toBe('');
    expect((await run(running, 'ldapwhoami', login)).code).toBe(49);
    expect((await run(running, 'ldapwhoami', ['-D', dnOf('ssha'), '-w', 'new'])).out).toBe(
      `dn:${dnOf('ssha')}\n`,
    );
    expect(await passwd('-s', 'new')).toBe('8');
    expect(await passwd('-s', 'new', dnOf('nobody'))).toBe('32');
    const made = await passwd('-D', dnOf('ssha'), '-w', 'new', dnOf('none'));
    const password = /New password: (\S+)/.exec(made)?.[1] ?? '';
    expect(await bind(running, dnOf('none'), password)).toBe(0);
  });
});
