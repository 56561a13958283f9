import net from 'node:net';
import tls from 'node:tls';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { RawClient, afterThis, openFlow, startHost } from './support.js';

const USERS = [{ username: 'ann', password: 'sécret "x"' }];
const plain = (user: string, password: string): string =>
  Buffer.from(`\0${user}\0${password}`).toString('base64');

describe('logging in', () => {
  it('passes with any name when there are no users', async () => {
    const { port } = await startHost();
    const client = await RawClient.open(port);
    expect(await client.ask('LOGIN "" ""')).toMatch(/^OK \[CAPABILITY IMAP4rev1 /);
    expect(await client.ask('LOGIN a b')).toMatch(/^BAD LOGIN is for before the login/);
    expect(await client.ask('AUTHENTICATE PLAIN')).toMatch(/^BAD /);
  });

  it('checks users, in every form', async () => {
    const { port } = await startHost({ users: USERS });
    const client = await RawClient.open(port);
    expect(await client.ask('LOGIN ann wrong')).toMatch(/^NO \[AUTHENTICATIONFAILED\]/);
    expect(await client.ask('SELECT INBOX')).toMatch(/^BAD SELECT needs a login first/);
    expect(await client.ask(`AUTHENTICATE PLAIN ${plain('ann', 'wrong')}`)).toMatch(/^NO /);
    expect(await client.ask('LOGIN ann "s\u00c3\u00a9cret \\"x\\""')).toMatch(/^OK /);
    for (const command of [
      `AUTHENTICATE plain ${plain('ann', 'sécret "x"')}`,
      `AUTHENTICATE PLAIN\r\n${plain('ann', 'sécret "x"')}`,
      'LOGIN {3+}\r\nann {11+}\r\ns\u00c3\u00a9cret "x"',
    ]) {
      const other = await RawClient.open(port);
      expect(await other.ask(command)).toMatch(/OK \[CAPABILITY/);
    }
  });

  it.each([
    ['AUTHENTICATE PLAIN\r\n*', 'BAD AUTHENTICATE was cancelled'],
    ['AUTHENTICATE PLAIN !!', 'BAD the response is not base64'],
    ['AUTHENTICATE PLAIN =', 'BAD the response must hold'],
    ['AUTHENTICATE PLAIN YQ==', 'BAD the response must hold'],
    ['AUTHENTICATE CRAM-MD5', 'NO only PLAIN, XOAUTH2, OAUTHBEARER can be used here, not CRAM-MD5'],
    ['LOGIN ann', 'BAD got the end of the command, want a space'],
    ['LOGIN "ann', 'BAD a quoted string has no closing quote'],
    ['LOGIN (a) b', 'BAD got "(a) b", want a user name'],
  ])('answers %j', async (command, expected) => {
    const { port } = await startHost();
    const client = await RawClient.open(port);
    expect(await client.ask(command)).toContain(expected);
    expect(await client.ask('LOGIN a b')).toMatch(/^OK /);
  });

  it('is done by imapflow with AUTHENTICATE, and refused as it expects', async () => {
    const { port } = await startHost({ users: USERS });
    const client = await openFlow(port, { auth: { user: 'ann', pass: 'sécret "x"' } });
    expect(client.authenticated).toBe(true);
    expect(client.serverInfo).toMatchObject({ name: 'Backlot' });
    await expect(openFlow(port)).rejects.toMatchObject({
      authenticationFailed: true,
      serverResponseCode: 'AUTHENTICATIONFAILED',
    });
  });
});

describe('a connection', () => {
  it('greets with its capabilities and answers the small commands', async () => {
    const { port } = await startHost();
    const socket = net.connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    const client = new RawClient(socket, afterThis);
    expect(await client.receive(/\r\n/)).toMatch(
      /^\* OK \[CAPABILITY IMAP4rev1 LITERAL\+ ID IDLE NAMESPACE UNSELECT CHILDREN UIDPLUS MOVE APPENDLIMIT=16777216 SASL-IR AUTH=PLAIN AUTH=XOAUTH2 AUTH=OAUTHBEARER\] /,
    );
    expect(await client.ask('CAPABILITY')).toMatch(/^\* CAPABILITY IMAP4rev1 [^]*OK CAPABILITY completed/);
    expect(await client.ask('ID NIL')).toMatch(/^\* ID \("name" "Backlot"/);
    expect(await client.ask('ID ("name" "x" "version" NIL)')).toMatch(/OK ID completed/);
    expect(await client.ask('STARTTLS')).toMatch(/^BAD STARTTLS is not configured/);
    await client.ask('login a b');
    expect(await client.ask('NAMESPACE')).toBe(
      '* NAMESPACE (("" "/")) NIL NIL\r\nOK NAMESPACE completed\r\n',
    );
    expect(await client.ask('STATUS inbox (MESSAGES RECENT UIDNEXT UIDVALIDITY UNSEEN)')).toMatch(
      /^\* STATUS INBOX \(MESSAGES 0 RECENT 0 UIDNEXT 1 UIDVALIDITY \d+ UNSEEN 0\)\r\nOK/,
    );
    expect(await client.ask('LOGOUT')).toBe('* BYE logging out\r\nOK LOGOUT completed\r\n');
    await client.closed();
  });

  it('answers a pipeline in order, however it is cut', async () => {
    const { port } = await startHost({ mailboxes: [{ name: 'INBOX', messages: [{ subject: 'a' }] }] });
    const client = await RawClient.open(port);
    const pipeline =
      'a LOGIN {3+}\r\nann {1+}\r\nb\r\nb SELECT INBOX\r\nc IDLE\r\nDONE\r\nd FETCH 1 UID\r\ne LOGOUT\r\n';
    for (const character of pipeline) client.write(character);
    const answer = await client.receive(/^e OK/m);
    expect([...answer.matchAll(/^(\w) (\w+)/gm)].map(([, tag, status]) => `${tag} ${status}`)).toEqual([
      'a OK',
      'b OK',
      'c OK',
      'd OK',
      'e OK',
    ]);
  });

  it('says goodbye when the server stops', async () => {
    const { host, port } = await startHost();
    const client = await RawClient.login(port);
    await host.stop(100);
    expect(await client.closed()).toBe('* BYE the server is stopping\r\n');
  });
});

describe('TLS', () => {
  it('is upgraded to with STARTTLS, which forgets what came in the clear', async () => {
    const { port, host } = await startHost({ tls: { mode: 'starttls' } });
    const client = await RawClient.open(port);
    expect(await client.ask('CAPABILITY')).toContain(' STARTTLS');
    client.socket.removeAllListeners('data');
    client.write('s STARTTLS\r\nx LOGIN injected y\r\n');
    await once(client.socket, 'data');
    const secured = tls.connect({ socket: client.socket, rejectUnauthorized: false });
    afterThis(() => secured.destroy());
    await once(secured, 'secureConnect');
    const inside = new RawClient(secured, afterThis);
    expect(await inside.ask('CAPABILITY')).not.toContain('STARTTLS');
    expect(await inside.ask('LOGIN ann b')).toMatch(/^OK/);
    expect(await inside.ask('STARTTLS')).toMatch(/^BAD/);
    expect(host.journal.list().filter(({ method }) => method === 'LOGIN')).toHaveLength(1);
  });

  it('is used by imapflow either way', async () => {
    for (const mode of ['starttls', 'implicit']) {
      const { port } = await startHost({ tls: { mode } });
      const client = await openFlow(port, {
        secure: mode === 'implicit',
        doSTARTTLS: mode === 'starttls',
        tls: { rejectUnauthorized: false },
      });
      expect(client.secureConnection).toBe(true);
      expect((await client.mailboxOpen('INBOX')).exists).toBe(0);
      await client.logout();
    }
  });
});

describe('the journal', () => {
  it('has an entry for every command, with its mailbox and without passwords', async () => {
    const { host, port } = await startHost({
      mailboxes: [{ id: 'a', name: 'Ä', messages: [{ subject: 'x' }] }],
    });
    const client = await RawClient.login(port, '&AMQ-');
    await client.ask('UID FETCH 1 FLAGS');
    await client.ask('APPEND nowhere {3+}\r\na:b');
    await client.ask('NOTHING');
    await client.ask(`AUTHENTICATE PLAIN ${plain('a', 'topsecret')}`);
    await client.ask('LOGOUT');
    const entries = host.journal
      .list()
      .map(({ method, path, status, matched_id: id, body }) => [method, path, status, id, body]);
    expect(entries).toEqual([
      ['LOGIN', '', 'OK', undefined, undefined],
      ['SELECT', 'Ä', 'OK', 'a', '&AMQ-'],
      ['UID FETCH', 'Ä', 'OK', 'a', '1 FLAGS'],
      ['APPEND', 'nowhere', 'NO', undefined, 'a:b'],
      ['NOTHING', '', 'BAD', undefined, undefined],
      ['AUTHENTICATE', '', 'BAD', undefined, undefined],
      ['LOGOUT', '', 'OK', undefined, undefined],
    ]);
    expect(JSON.stringify(host.journal.list())).not.toContain('topsecret');
  });

  it('calls unmatched what is about nothing that is there', async () => {
    const { host, port } = await startHost();
    const client = await RawClient.login(port, 'INBOX');
    for (const command of ['LIST "" *', 'CREATE Own', 'STATUS Own (MESSAGES)', 'STATUS None (MESSAGES)'])
      await client.ask(command);
    expect(host.journal.list({ unmatched: true }).map(({ method, path }) => [method, path])).toEqual([
      ['STATUS', 'None'],
    ]);
  });

  it('has an IDLE once it has ended', async () => {
    const { host, port } = await startHost();
    const client = await RawClient.login(port, 'INBOX');
    client.write('i IDLE\r\n');
    await client.receive(/\+ /);
    client.socket.resetAndDestroy();
    await eventually(() =>
      host.journal.list().some(({ method, aborted }) => method === 'IDLE' && aborted === true),
    );
  });
});

describe('faults', () => {
  it.each([
    [{}, 'NO fault injected\r\n'],
    [{ response: 'BAD', message: 'no such thing' }, 'BAD no such thing\r\n'],
    [{ message: '[INUSE] try later' }, 'NO [INUSE] try later\r\n'],
  ])('%j', async (fault, expected) => {
    const { host, port } = await startHost({ mailboxes: [{ name: 'INBOX', messages: [{ subject: 'a' }] }] });
    const client = await RawClient.login(port, 'INBOX');
    host.faults.set('imap', fault);
    for (const command of [
      'FETCH 1 FLAGS',
      'SEARCH ALL',
      'LIST "" *',
      'CREATE A',
      'STORE 1 FLAGS (x)',
      'APPEND INBOX {1+}\r\na',
      'EXPUNGE',
    ]) {
      expect([command, await client.ask(command)]).toEqual([command, expected]);
    }
    for (const command of [
      'CAPABILITY',
      'NOOP',
      'ID NIL',
      'NAMESPACE',
      'LIST "" ""',
      'CHECK',
      'UNSELECT',
      'LOGOUT',
    ]) {
      expect([command, await client.ask(command)]).toEqual([command, expect.stringMatching(/^OK /m)]);
    }
    host.faults.clear('imap');
    const other = await RawClient.login(port, 'INBOX');
    expect(await other.ask('FETCH 1 FLAGS')).toContain('FLAGS ()');
    expect(await other.ask('STATUS A (MESSAGES)')).toMatch(/^NO /);
  });

  it('count the mailbox, whose delay and limit hold', async () => {
    const { host, port } = await startHost({
      mailboxes: [{ id: 'in', name: 'INBOX', messages: [{ subject: 'a' }], times: 2, delay: '20ms' }],
    });
    const client = await RawClient.login(port);
    host.faults.set('imap', {});
    expect(await client.ask('SELECT INBOX')).toBe('NO fault injected\r\n');
    expect(await client.ask('SELECT Other')).toBe('NO fault injected\r\n');
    host.faults.clear('imap');
    expect(await client.ask('SELECT INBOX')).toContain('* 1 EXISTS');
    expect(await client.ask('SELECT INBOX')).toContain('* 0 EXISTS');
    const [first, second] = host.journal.list({ protocol: 'imap' }).filter(({ fault }) => fault === true);
    expect(first).toMatchObject({ method: 'SELECT', path: 'INBOX', status: 'NO', matched_id: 'in' });
    expect(first?.duration_ms).toBeGreaterThanOrEqual(15);
    expect(second).toMatchObject({ path: 'Other' });
    expect(second).not.toHaveProperty('matched_id');
  });

  it('BYE closes the connection', async () => {
    const { host, port } = await startHost();
    const client = await RawClient.login(port);
    host.faults.set('imap', { response: 'BYE', message: 'going down' });
    client.write('a SELECT INBOX\r\n');
    expect(await client.receive(/\r\n/)).toBe('* BYE going down\r\n');
    await client.closed();
    expect(host.journal.list().at(-1)).toMatchObject({ method: 'SELECT', status: 'BYE', fault: true });
  });

  it.each([{ response: 'OK' }, { message: 'two\r\nlines' }, { message: '' }, { message: 'é' }])(
    'refuses %j',
    async (fault) => {
      const { host } = await startHost();
      expect(() => host.faults.set('imap', fault)).toThrow(/must|invalid/i);
    },
  );
});
