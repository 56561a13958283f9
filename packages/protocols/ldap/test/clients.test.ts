import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Attribute, Change, InvalidCredentialsError } from 'ldapts';
import ldapjs from 'ldapjs';
import { ber, codeOf, COMPANY, connect, RawClient, rawSearch, splitMessages, startHost } from './support.js';

const ADA = 'uid=ada,ou=people,dc=example,dc=com';

describe('ldapts', () => {
  it('binds, searches, pages, changes and compares', async () => {
    const running = await startHost({ ...COMPANY, users: [{ username: 'ada', password: 'two' }] });
    const client = connect(running);
    await expect(client.bind(ADA, 'wrong')).rejects.toBeInstanceOf(InvalidCredentialsError);
    await client.bind(ADA, 'two');
    const { searchEntries } = await client.search('dc=example,dc=com', {
      filter: '(&(objectClass=person)(!(uid=bob)))',
      attributes: ['cn', 'jpegPhoto'],
      explicitBufferAttributes: ['jpegPhoto'],
    });
    expect(searchEntries).toEqual([
      {
        dn: ADA,
        cn: ['Ada Lovelace', 'Countess of Lovelace'],
        'cn;lang-fr': 'Ada la comtesse',
        jpegPhoto: Buffer.from('/9j/AAECAw==', 'base64'),
      },
    ]);
    const paged = await client.search('dc=example,dc=com', { paged: { pageSize: 2 } });
    expect(paged.searchEntries).toHaveLength(6);
    await client.add('cn=new,ou=groups,dc=example,dc=com', { objectClass: 'groupOfNames', member: ADA });
    const change = new Change({
      operation: 'add',
      modification: new Attribute({ type: 'description', values: ['x'.repeat(1000)] }),
    });
    await client.modify('cn=new,ou=groups,dc=example,dc=com', change);
    expect(await client.compare('cn=new,ou=groups,dc=example,dc=com', 'member', ADA.toUpperCase())).toBe(
      true,
    );
    expect(await client.compare('cn=new,ou=groups,dc=example,dc=com', 'member', 'cn=no')).toBe(false);
    await client.modifyDN('cn=new,ou=groups,dc=example,dc=com', 'cn=newer,dc=example,dc=com');
    await client.del('cn=newer,dc=example,dc=com');
    expect(await codeOf(client.del('cn=newer,dc=example,dc=com'))).toBe(32);
    expect(await codeOf(client.exop('1.2.3.4'))).toBe(2);
    expect((await client.exop('1.3.6.1.4.1.4203.1.11.3')).value).toBe(`dn:${ADA}`);
  });

  it('binds by SASL PLAIN, and with a name that is no DN', async () => {
    const running = await startHost({ users: [{ username: 'uid=ada,dc=example,dc=com', password: 'two' }] });
    const client = connect(running);
    await client.bind('PLAIN', '\0ada\0two');
    expect((await client.exop('1.3.6.1.4.1.4203.1.11.3')).value).toBe('u:ada');
    expect(await codeOf(client.bind('PLAIN', '\0ada\0one'))).toBe(49);
    expect(await codeOf(client.bind('ada', 'two'))).toBe(0);
    expect(await codeOf(client.bind('EXTERNAL', ''))).toBe(7);
  });

  it('upgrades by StartTLS', async () => {
    const running = await startHost({ ...COMPANY, tls: { self_signed: true, mode: 'starttls' } });
    const client = connect(running);
    await client.startTLS({ rejectUnauthorized: false });
    expect((await client.search(ADA, { scope: 'base' })).searchEntries).toHaveLength(1);
    expect(await codeOf(client.exop('1.3.6.1.4.1.1466.20037'))).toBe(1);
  });

  it('does a thousand operations on one connection', async () => {
    const running = await startHost({
      ...COMPANY,
      mocks: [{ id: 'm', base_dn: 'dc=mock', attributes: { cn: 'x' } }],
    });
    const client = connect(running);
    // ldapts connects for each request that comes before it is connected.
    await client.bind('', '');
    for (let done = 0; done < 1000; done += 50) {
      const found = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          client.search(index % 2 === 0 ? 'dc=mock' : ADA, { scope: 'base' }),
        ),
      );
      expect(found.every(({ searchEntries }) => searchEntries.length === 1)).toBe(true);
    }
    expect(running.kind.status()).toMatchObject({ connections: 1 });
    expect(running.host.journal.count({ matchedId: 'm' }).count).toBe(500);
  });
});

describe('the client of ldapjs', () => {
  it('binds, searches, adds, modifies, renames, compares and deletes', async () => {
    const running = await startHost(COMPANY);
    const client = ldapjs.createClient({ url: running.url });
    const call = <T>(run: (done: (error: unknown, result?: T) => void) => void): Promise<T | undefined> =>
      new Promise((resolve, reject) =>
        run((error, result) => (error instanceof Error ? reject(error) : resolve(result))),
      );
    await call((done) => client.bind(ADA, 'Secret', done));
    const names: string[] = [];
    await call((done) =>
      client.search('dc=example,dc=com', { scope: 'sub', filter: '(uid=*)' }, (error, events) => {
        if (error !== null) return done(error);
        events.on('searchEntry', (entry) => names.push(String(entry.dn)));
        events.on('error', done);
        events.on('end', () => done(undefined));
      }),
    );
    expect(names).toEqual([ADA, 'uid=bob,ou=people,dc=example,dc=com']);
    const dn = 'cn=js,dc=example,dc=com';
    await call((done) => client.add(dn, { cn: 'js', objectClass: ['top'] }, done));
    const change = new ldapjs.Change({
      operation: 'replace',
      modification: new ldapjs.Attribute({ type: 'description', values: ['y'] }),
    });
    await call((done) => client.modify(dn, change, done));
    expect(await call((done) => client.compare(dn, 'description', 'Y', done))).toBe(true);
    await call((done) => client.modifyDN(dn, 'cn=json', done));
    await call((done) => client.del('cn=json,dc=example,dc=com', done));
    await expect(call((done) => client.del(dn, done))).rejects.toThrow('No Such Object');
    await call((done) => client.unbind(done));
    await eventually(() => running.kind.status()['connections'] === 0);
  });
});

describe('a connection', () => {
  it('answers with the numbers of the requests, also large ones', async () => {
    const running = await startHost(COMPANY);
    const client = await RawClient.connect(running.port);
    for (const number of ['0201 7f', '0202 0080', '0203 00ffff', '0204 7fffffff']) {
      const search = rawSearch(1, 'dc=example,dc=com', ber(0x87, 'o'));
      const id = Buffer.from(number.replace(' ', ''), 'hex');
      const operation = search.subarray(search.indexOf(0x63));
      client.send(ber(0x30, id, operation));
    }
    const answers = await client.messages(8);
    const idOf = (message: Buffer | undefined): string =>
      message?.toString('hex').replace(/^30(?:8[1-3](?:..)+?)?(?:..)?(?=02)/, '') ?? '';
    const told = answers.map(
      (answer) => /^02(?:017f|020080|0300ffff|047fffffff)6[45]/.exec(idOf(answer))?.[0],
    );
    const ids = ['02017f', '02020080', '020300ffff', '02047fffffff'];
    // Searches may be answered in any order (RFC 4511, section 3.1); of each the entry (64) comes before the end (65).
    expect(ids.flatMap((id) => told.filter((one) => one?.startsWith(id)))).toEqual(
      ids.flatMap((id) => [`${id}64`, `${id}65`]),
    );
  });

  it('a delayed answer holds up no other, and can be abandoned', async () => {
    const running = await startHost({
      ...COMPANY,
      mocks: [{ id: 'slow', base_dn: 'dc=slow', attributes: { cn: 'x' }, delay: '1h' }],
    });
    const client = await RawClient.connect(running.port);
    client.send(Buffer.concat([rawSearch(1, 'dc=slow'), rawSearch(2, 'dc=slow'), rawSearch(3, 'dc=none')]));
    const [first] = await client.messages(1);
    expect(first?.subarray(2, 5)).toEqual(Buffer.from([2, 1, 3]));
    client.send(ber(0x30, ber(0x02, 4), ber(0x50, 1)));
    await eventually(() =>
      running.host.journal.list().some(({ method, aborted }) => method === 'SEARCH' && aborted === true),
    );
    await running.host.clock.advance(3_600_000);
    const answers = await client.messages(3);
    expect(answers.map((answer) => answer.readUInt8(4))).toEqual([3, 2, 2]);
    expect(
      running.host.journal.list().map(({ method, path }) => `${String(method)} ${String(path)}`),
    ).toContain('ABANDON 1');
  });

  it('a delayed answer is given up when the client ends the connection', async () => {
    const running = await startHost({ mocks: [{ id: 'slow', base_dn: 'dc=slow', delay: '1h' }] });
    const client = await RawClient.connect(running.port);
    client.send(Buffer.concat([rawSearch(1, 'dc=slow'), rawSearch(2, 'dc=none')]));
    await client.messages(1);
    client.socket.end();
    expect(splitMessages(await client.untilClosed())).toHaveLength(1);
    expect(running.host.journal.list({ matchedId: 'slow' })).toMatchObject([{ aborted: true }]);
  });

  it('unbind ends it', async () => {
    const running = await startHost();
    const client = await RawClient.connect(running.port);
    client.send('30050201014200');
    expect(await client.untilClosed()).toHaveLength(0);
    expect(running.host.journal.list()).toMatchObject([{ method: 'UNBIND' }]);
  });

  it('a large answer is sent as fast as the client reads, and a further one follows', async () => {
    const entries = Array.from({ length: 3000 }, (_, index) => ({
      dn: `cn=e${index},dc=big`,
      attributes: { description: 'x'.repeat(5_000) },
    }));
    const running = await startHost({ base_dn: 'dc=big', entries });
    const client = await RawClient.connect(running.port);
    client.send(rawSearch(1, 'dc=big'));
    client.send(rawSearch(2, 'dc=none'));
    await eventually(() => running.host.journal.list().length === 2);
    expect(running.host.journal.list().map(({ status }) => status)).toEqual(expect.arrayContaining([0, 32]));
    await eventually(() => client.size > 3000 * 5_000 && splitMessages(client.received).length === 3002);
  }, 30_000);
});
