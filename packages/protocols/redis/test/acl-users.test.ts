import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterThis, encode, RawClient, startHost } from './support.js';

const USERS = [
  {
    username: 'ada',
    password: 'secret',
    rules: '~app:* &app:* +@read +@write +@pubsub +@connection +@transaction +@scripting +info -flushall',
  },
  { username: 'root', password: 'grübe' },
];

describe('users of the configuration', () => {
  it('log in with their passwords, and do what their rules allow', async () => {
    const { port } = await startHost({ users: USERS, password: 'p' });
    const client = new RawClient(port);
    expect(await client.ask('GET app:1')).toContain('NOAUTH');
    expect(await client.ask('AUTH ada wrong')).toContain('WRONGPASS');
    expect(await client.ask('AUTH ada secret')).toBe('+OK\r\n');
    expect(await client.ask('SET app:1 x')).toBe('+OK\r\n');
    expect(await client.ask('SET other x')).toContain(
      'NOPERM this user has no permissions to access one of the keys',
    );
    expect(await client.ask('FLUSHALL')).toContain("run the 'flushall' command");
    expect(await client.ask('HELLO 3 AUTH root grübe')).toContain('proto');
    expect(await client.ask('FLUSHALL')).toBe('+OK\r\n');
    expect(await client.ask('AUTH p')).toBe('+OK\r\n');
    expect(await client.ask('ACL WHOAMI')).toBe('$7\r\ndefault\r\n');
  });

  it('leave the user default as it is in redis-server, unless it is one of them', async () => {
    const { port } = await startHost({ users: USERS });
    const client = new RawClient(port);
    expect(await client.ask('SET other x')).toBe('+OK\r\n');
    expect(await client.ask('AUTH nobody x')).toContain('WRONGPASS');
    expect(await client.ask('AUTH x')).toContain('without any password configured for the default user');
    const closed = await startHost({ users: [...USERS, { username: 'default', rules: 'off' }] });
    expect(await new RawClient(closed.port).ask('PING')).toContain('NOAUTH');
  });

  it('rules hold before mocks', async () => {
    const mocks = [{ id: 'm', command: 'GET', response: { type: 'bulk', value: 'mock' } }];
    const { port } = await startHost({ users: USERS, mode: 'mock' }, mocks);
    const client = new RawClient(port);
    await client.ask('AUTH ada secret');
    expect(await client.ask('GET app:1')).toBe('$4\r\nmock\r\n');
    expect(await client.ask('GET other')).toContain('NOPERM');
  });

  it.each([
    [
      [{ username: 'a', rules: '+nope' }],
      /users\/0\/rules.*'\+nope': Unknown command or category name in ACL/,
    ],
    [
      [{ username: 'a' }, { username: 'b', rules: '~* ~b' }],
      /users\/1\/rules.*Adding a pattern after the \* pattern/,
    ],
    [[{ username: 'a' }, { username: 'a' }], /users\/1\/username.*there is a user a already/],
    [[{ username: 'a b' }], /users\/0\/username.*has no spaces/],
    [[{ username: 'a', rules: '(+get' }], /users\/0\/rules.*Unmatched parenthesis/],
  ])('%j is refused', async (users, problem) => {
    await expect(startHost({ users })).rejects.toThrow(problem);
  });
});

describe('rules at runtime', () => {
  it('are gone after a reset, and come back with a snapshot', async () => {
    const { host, port } = await startHost({ users: USERS });
    const [admin, guest, ada] = [new RawClient(port), new RawClient(port), new RawClient(port)];
    await admin.ask('ACL SETUSER guest on >pass ~* +get');
    await admin.ask('ACL SETUSER ada -set');
    await admin.ask('CONFIG SET requirepass new');
    expect(await guest.ask('AUTH guest pass')).toBe('+OK\r\n');
    expect(await ada.ask('AUTH ada secret')).toBe('+OK\r\n');
    expect(await ada.ask('SET app:1 x')).toContain('NOPERM');
    const { id } = host.snapshots.create();
    host.reset();
    expect(await guest.untilClosed()).toBe('');
    expect(await ada.ask('SET app:1 x')).toBe('+OK\r\n');
    expect(await admin.ask('ACL USERS')).toBe('*3\r\n$3\r\nada\r\n$7\r\ndefault\r\n$4\r\nroot\r\n');
    expect(await admin.ask('ACL LOG')).toBe('*0\r\n');
    expect(await admin.ask('CONFIG GET requirepass')).toContain('$0\r\n');
    host.snapshots.restore(id);
    expect(await ada.ask('SET app:1 x')).toContain('NOPERM');
    const again = new RawClient(port);
    expect(await again.ask('AUTH guest pass')).toBe('+OK\r\n');
    expect(await again.ask('GET x')).toBe('$-1\r\n');
    expect(await new RawClient(port).ask('PING')).toContain('NOAUTH');
  });

  it('who is removed is disconnected, the own user once it is answered', async () => {
    const { port } = await startHost();
    const [admin, ada, own] = [new RawClient(port), new RawClient(port), new RawClient(port)];
    await admin.ask('ACL SETUSER ada on nopass +@all ~* &*');
    await ada.ask('AUTH ada x');
    expect(await admin.ask('ACL DELUSER ada')).toBe(':1\r\n');
    expect(await ada.untilClosed()).toBe('');
    await admin.ask('ACL SETUSER own on nopass +@all ~* &*');
    await own.ask('AUTH own x');
    own.send(encode('ACL', 'DELUSER', 'own') + encode('PING'));
    expect(await own.untilClosed()).toBe(':1\r\n');
    expect(await admin.ask('PING')).toBe('+PONG\r\n');
  });

  it('who listens to what is allowed no longer is disconnected', async () => {
    const { port } = await startHost();
    const admin = new RawClient(port);
    await admin.ask('ACL SETUSER p on nopass +@all &a* &b*');
    const clients = await Promise.all(
      ['SUBSCRIBE a1', 'SUBSCRIBE b1', 'PSUBSCRIBE b*', 'SSUBSCRIBE b2', 'PING'].map(async (line) => {
        const client = new RawClient(port);
        await client.ask('AUTH p x');
        await client.ask(line);
        return client;
      }),
    );
    expect(await admin.ask('ACL SETUSER p &c*')).toBe('+OK\r\n');
    expect(await admin.ask('ACL SETUSER p resetchannels &a*')).toBe('+OK\r\n');
    const [kept, ...others] = clients;
    const last = others.pop();
    for (const client of others) await client.untilClosed();
    expect(await admin.ask('PUBLISH a1 x')).toBe(':1\r\n');
    expect(await kept?.reply()).toContain('message');
    expect(await last?.ask('PING')).toBe('+PONG\r\n');
  });

  it('MONITOR does not show them', async () => {
    const { port } = await startHost();
    const [monitor, client] = [new RawClient(port), new RawClient(port)];
    await monitor.ask('MONITOR');
    await client.ask('acl setuser ada >secret');
    expect(await monitor.reply()).toMatch(/"acl" "setuser" "\(redacted\)" "\(redacted\)"\r\n$/);
  });

  it('the log counts what is refused again, and forgets what was first', async () => {
    const { host, port } = await startHost();
    const client = new RawClient(port);
    await client.ask('ACL SETUSER b on >x');
    for (let n = 0; n < 3; n += 1) await client.ask('AUTH b wrong');
    const other = new RawClient(port);
    await host.clock.advance(61_000);
    await other.ask('AUTH b wrong');
    const log = await other.ask('ACL LOG');
    expect(log.startsWith('*2\r\n')).toBe(true);
    expect([...log.matchAll(/count\r\n:(\d+)/g)].map(([, count]) => count)).toEqual(['1', '3']);
    expect([...log.matchAll(/age-seconds\r\n\$\d+\r\n(\d+)/g)].map(([, age]) => age)).toEqual(['0', '61']);
    for (let n = 0; n < 200; n += 1) await other.ask(`AUTH user${n} wrong`);
    expect((await other.ask('ACL LOG 1000')).startsWith('*128\r\n')).toBe(true);
  });

  it('passwords are made by chance of the host', async () => {
    const passwords: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const { port } = await startHost();
      const client = new RawClient(port);
      passwords.push(
        await client.ask('ACL GENPASS'),
        await client.ask('ACL GENPASS 5'),
        await client.ask('ACL GENPASS 4096'),
      );
    }
    expect(passwords[0]).toMatch(/^\$64\r\n[0-9a-f]{64}\r\n$/);
    expect(passwords[1]).toMatch(/^\$2\r\n[0-9a-f]{2}\r\n$/);
    expect(passwords[2]).toMatch(/^\$1024\r\n[0-9a-f]{1024}\r\n$/);
    expect(passwords.slice(0, 3)).toEqual(passwords.slice(3));
  });

  it('are bounded', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    const many = (count: number, sign: string): string[] =>
      Array.from({ length: count }, (_, n) => `${sign}${n}`);
    client.send(encode('ACL', 'SETUSER', 'a', ...many(257, '~k')));
    expect(await client.reply()).toContain('There are 256 patterns of keys');
    client.send(encode('ACL', 'SETUSER', 'a', ...many(257, '&k')));
    expect(await client.reply()).toContain('256 of channels');
    client.send(encode('ACL', 'SETUSER', 'a', ...many(257, '+debug|a')));
    expect(await client.reply()).toContain('256 first arguments');
    client.send(encode('ACL', 'SETUSER', 'a', `~${'k'.repeat(1025)}`));
    expect(await client.reply()).toContain('A pattern has 1024 bytes at most');
    client.send(encode('ACL', 'SETUSER', 'a', ...many(1000, '>p')));
    expect(await client.reply()).toContain('may take 65536 bytes');
    client.send(encode('ACL', 'SETUSER', 'a', 'x'.repeat(70_000)));
    expect(await client.reply()).toContain('have 65536 bytes at most');
    expect(await client.ask('ACL USERS')).toBe('*1\r\n$7\r\ndefault\r\n');
    client.send(encode('ACL', 'SETUSER', 'a', 'on', 'nopass', '+@all', ...many(200, '~k*z'), '~other*'));
    expect(await client.reply()).toBe('+OK\r\n');
    await client.ask('AUTH a x');
    client.send(encode('DEL', ...many(5000, 'other')));
    expect(await client.reply()).toContain('ERR the keys of this command are too many');
    client.send(encode('DEL', ...many(500, 'other')));
    expect(await client.reply()).toBe(':0\r\n');
    client.send(encode('DEL', ...many(5000, 'none')));
    expect(await client.reply()).toContain('NOPERM');
  });

  it('a password is kept as its hash', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    await client.ask('ACL SETUSER ada on >geheim');
    const hash = createHash('sha256').update('geheim').digest('hex');
    expect(await client.ask('ACL GETUSER ada')).toContain(hash);
  });
});

describe('clients', () => {
  it('ioredis and node-redis log in as users, and get errors of rules', async () => {
    const { port } = await startHost({ users: USERS, password: 'p' });
    const first = new Redis({ port, username: 'ada', password: 'secret', disconnectTimeout: 50 });
    afterThis(() => first.disconnect());
    expect(await first.set('app:1', 'x')).toBe('OK');
    await expect(first.set('other', 'x')).rejects.toThrow(/^NOPERM/);
    await expect(first.multi().get('app:1').get('other').exec()).rejects.toThrow('EXECABORT');
    await expect(first.eval("return redis.call('GET', 'other')", 0)).rejects.toThrow(
      "can't access at least one",
    );
    const second = createClient({ url: `redis://root:gr%C3%BCbe@127.0.0.1:${port}` });
    second.on('error', () => undefined);
    afterThis(() => second.destroy());
    await second.connect();
    await second.aclSetUser('bob', ['on', '>b', '~*', '+get', '(%R~x +set)']);
    const bob = await second.aclGetUser('bob');
    expect(bob?.commands).toBe('-@all +get');
    expect(await second.aclUsers()).toEqual(['ada', 'bob', 'default', 'root']);
    expect(await second.aclDryRun('bob', ['SET', 'x', '1'])).toContain("'x' key");
    const [entry] = await second.aclLog();
    expect(entry).toMatchObject({ reason: 'key', username: 'ada', context: 'lua' });
    expect(await second.aclDelUser('bob')).toBe(1);
    const wrong = createClient({
      url: `redis://root:no@127.0.0.1:${port}`,
      socket: { reconnectStrategy: false },
    });
    wrong.on('error', () => undefined);
    await expect(wrong.connect()).rejects.toThrow('WRONGPASS');
  });

  itWithTool(PYTHON, 'redis-py manages users', async () => {
    const { port } = await startHost({ users: USERS });
    const script = `
import sys, redis
r = redis.Redis(port=int(sys.argv[1]), username='root', password='gr\\u00fcbe', decode_responses=True)
print(r.acl_whoami(), r.acl_users())
print(r.acl_setuser('eve', enabled=True, passwords=['+one'], categories=['+@read'], commands=['+set', '-get'], keys=['x:*']))
eve = r.acl_getuser('eve')
print(eve['enabled'], eve['keys'], len(eve['passwords']), eve['flags'])
e = redis.Redis(port=int(sys.argv[1]), username='eve', password='one')
print(e.set('x:1', 1))
for f in [lambda: e.get('x:1'), lambda: e.set('y', 1)]:
    try:
        f()
    except redis.exceptions.NoPermissionError as error:
        print('no', error)
print([(x['reason'], x['object'], x['count']) for x in r.acl_log()])
print(r.acl_log_reset(), r.acl_log(), len(r.acl_genpass()), 'get' in r.acl_cat('read'))
print(r.acl_deluser('eve'), r.acl_list()[1])
try:
    redis.Redis(port=int(sys.argv[1]), username='eve', password='one').ping()
except redis.exceptions.ResponseError as error:
    print('wrong', error)
`;
    const { out, err } = await runTool(PYTHON, ['-c', script, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      "root ['ada', 'default', 'root']",
      'True',
      "True ['~x:*'] 1 ['on']",
      'True',
      "no this user has no permissions to run the 'get' command",
      'no this user has no permissions to access one of the keys used as arguments',
      "[('key', 'y', 1), ('command', 'get', 1)]",
      'True [] 64 True',
      '1 user default on nopass ~* &* +@all',
      'wrong WRONGPASS invalid username-password pair or user is disabled.',
    ]);
  });
});
