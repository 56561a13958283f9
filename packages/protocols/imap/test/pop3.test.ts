import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, RawConnection, runTool } from '@backlot/conformance';
import type { Json } from '@backlot/core';
import { afterThis, RawClient, startHost, type Running } from './support.js';

const SCRIPT = fileURLToPath(new URL('pop3.py', import.meta.url));
const DOTS = '.first\r\n..second\r\n.\r\nlast';
const MESSAGES = [
  { raw: `Subject: dots\r\n\r\n${DOTS}` },
  { raw: 'Subject: lines\n\none\ntwo\nthree\n' },
  { raw: 'Subject: head alone\n' },
];
const SETTINGS = {
  users: [{ username: 'ann', password: 'secret' }],
  mailboxes: [{ id: 'inbox', name: 'INBOX', messages: MESSAGES }],
};

/** A host whose IMAP kind serves POP3 as well. */
async function start(settings: Json = SETTINGS): Promise<Running & { readonly pop3: number }> {
  const running = await startHost({ pop3_port: 0, ...settings });
  return { ...running, pop3: Number(running.kind.status()['pop3_port']) };
}

/** A client that writes lines, and reads answers of one line or of several. */
class PopClient extends RawConnection {
  static async open(port: number): Promise<PopClient> {
    const client = new PopClient(await RawConnection.openSocket({ port }), afterThis);
    expect(await client.answer()).toBe('+OK Backlot POP3 is ready');
    return client;
  }

  static async login(port: number): Promise<PopClient> {
    const client = await PopClient.open(port);
    await client.say('USER ann');
    expect(await client.say('PASS secret')).toBe('+OK the maildrop is open');
    return client;
  }

  say(command: string): Promise<string> {
    this.send(`${command}\r\n`);
    return this.answer();
  }

  /** A command that is answered with lines, up to the dot. */
  async sayLines(command: string): Promise<string> {
    this.send(`${command}\r\n`);
    return this.#until(/^[^]*?\r\n\.\r\n/);
  }

  async answer(): Promise<string> {
    return (await this.#until(/^[^\n]*\r\n/)).trimEnd();
  }

  async #until(pattern: RegExp): Promise<string> {
    const find = (): string | undefined => pattern.exec(this.received.toString('latin1'))?.[0];
    await this.until(() => find() !== undefined);
    const found = find();
    if (found === undefined) throw new Error(`closed; received ${this.received.toString('latin1')}`);
    return this.take(found.length).toString('latin1');
  }
}

describe('POP3', () => {
  it('is there when it is asked for', async () => {
    const { kind } = await startHost();
    expect(kind.status()).not.toHaveProperty('pop3_port');
    const { pop3 } = await start();
    expect(pop3).toBeGreaterThan(0);
  });

  it('answers its commands', async () => {
    const { host, pop3 } = await start();
    const client = await PopClient.login(pop3);
    const sizes = [
      `Subject: dots\r\n\r\n${DOTS}`.length,
      'Subject: lines\r\n\r\none\r\ntwo\r\nthree\r\n'.length,
      21,
    ];
    expect(await client.say('STAT')).toBe(`+OK 3 ${sizes.reduce((sum, size) => sum + size)}`);
    expect(await client.sayLines('LIST')).toBe(
      `+OK 3 messages\r\n${sizes.map((size, index) => `${index + 1} ${size}\r\n`).join('')}.\r\n`,
    );
    expect(await client.say('list 2')).toBe(`+OK 2 ${sizes[1]}`);
    expect(await client.sayLines('UIDL')).toMatch(
      /^\+OK 3 messages\r\n1 \d+\.1\r\n2 \d+\.2\r\n3 \d+\.3\r\n\.\r\n$/,
    );
    expect(await client.sayLines('RETR 1')).toBe(
      `+OK ${sizes[0]} octets\r\nSubject: dots\r\n\r\n..first\r\n...second\r\n..\r\nlast\r\n.\r\n`,
    );
    expect(await client.sayLines('TOP 2 0')).toBe(`+OK ${sizes[1]} octets\r\nSubject: lines\r\n\r\n.\r\n`);
    expect(await client.sayLines('TOP 2 2')).toMatch(/\r\n\r\none\r\ntwo\r\n\.\r\n$/);
    expect(await client.sayLines('TOP 2 99')).toMatch(/\r\nthree\r\n\.\r\n$/);
    expect(await client.sayLines('TOP 3 1')).toMatch(/octets\r\nSubject: head alone\r\n\.\r\n$/);
    expect(await client.say('NOOP')).toBe('+OK');
    expect(host.journal.list().map(({ method, path, body, status }) => [method, path, body, status])).toEqual(
      expect.arrayContaining([
        ['USER', '', 'ann', 'OK'],
        ['PASS', '', undefined, 'OK'],
        ['TOP', 'INBOX', '2 99', 'OK'],
      ]),
    );
    expect(await client.say('QUIT')).toBe('+OK goodbye');
    await client.closes();
  });

  it('removes messages at QUIT alone, and shares them with IMAP', async () => {
    const { port, pop3 } = await start();
    const imap = await RawClient.login(port, 'INBOX');
    const left = await PopClient.login(pop3);
    expect(await left.say('DELE 1')).toBe('+OK message 1 is marked as deleted');
    expect(await left.say('RETR 1')).toBe('-ERR message 1 is marked as deleted');
    expect(await left.say('RSET')).toMatch(/^\+OK/);
    expect(await left.say('DELE 2')).toMatch(/^\+OK/);
    left.socket.destroy();
    const client = await PopClient.login(pop3);
    await client.sayLines('RETR 3');
    await client.say('DELE 1');
    expect(await client.say('STAT')).toMatch(/^\+OK 2 /);
    expect(await imap.ask('NOOP')).toMatch(/^\* 3 FETCH \(FLAGS \(\\Seen\)\)\r\nOK/);
    expect(await client.say('QUIT')).toMatch(/^\+OK/);
    expect(await imap.ask('NOOP')).toBe('* 1 EXPUNGE\r\nOK NOOP completed\r\n');
  });

  it.each([
    ['STAT', '-ERR STAT needs a login first'],
    ['PASS secret', '-ERR PASS needs USER first'],
    ['USER', '-ERR USER wants the name of a user'],
    ['APOP ann 0', '-ERR there is no command "APOP"'],
    ['\u0000', '-ERR there is no command "\\u0000"'],
    ['STLS', '-ERR STLS is not configured'],
    ['CAPA x', '-ERR CAPA takes no argument, got "x"'],
    ['AUTH CRAM-MD5', '-ERR only PLAIN can be used here, not "CRAM-MD5"'],
    ['AUTH', '-ERR only PLAIN can be used here, not ""'],
    ['AUTH PLAIN a b', '-ERR AUTH takes a mechanism and a response'],
    ['AUTH PLAIN !', '-ERR the response is not base64'],
  ])('answers %j before a login', async (command, expected) => {
    const { pop3 } = await start();
    const client = await PopClient.open(pop3);
    expect(await client.say(command)).toBe(expected);
  });

  it.each([
    ['RETR', '-ERR got "", want the number of a message'],
    ['RETR 0', '-ERR got "0", want the number of a message'],
    ['RETR 4', '-ERR there is no message 4, only 3 in the maildrop'],
    ['LIST x', '-ERR got "x", want the number of a message'],
    ['TOP 1', '-ERR got "TOP 1", want TOP, a message and a number of lines'],
    ['TOP 1 -1', '-ERR got "TOP 1 -1", want TOP, a message and a number of lines'],
    ['USER ann', '-ERR USER is for before the login'],
  ])('answers %j after it', async (command, expected) => {
    const { pop3 } = await start();
    const client = await PopClient.login(pop3);
    expect(await client.say(command)).toBe(expected);
  });

  it('ends a connection that has nothing but bad commands, or lines without end', async () => {
    const { pop3 } = await start();
    const bad = await PopClient.open(pop3);
    for (let count = 1; count < 10; count += 1)
      expect(await bad.say('X')).toBe('-ERR there is no command "X"');
    expect(await bad.say('X')).toBe('-ERR there is no command "X"; too many bad commands');
    await bad.closes();
    const long = await PopClient.open(pop3);
    long.send('A'.repeat(20_000));
    expect(await long.answer()).toMatch(/^-ERR .*16384/);
    await long.closes();
  });

  it('answers a pipeline in order', async () => {
    const { pop3 } = await start();
    const client = await PopClient.open(pop3);
    client.send('USER ann\r\nPASS secret\r\nSTAT\r\nQUIT\r\nSTAT\r\n');
    await client.closes();
    expect(client.received.toString().match(/^(\+OK|-ERR)/gm)).toEqual(['+OK', '+OK', '+OK', '+OK']);
  });

  it('logs in by SASL, with tokens where a user has one', async () => {
    const { pop3, kind } = await start({
      users: [{ username: 'ann', password: 'secret', access_token: 't' }],
    });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const client = await PopClient.open(pop3);
    expect(await client.sayLines('CAPA')).toContain('\r\nSASL PLAIN XOAUTH2 OAUTHBEARER\r\n');
    expect(await client.say(`AUTH PLAIN ${base64('\0ann\0wrong')}`)).toBe(
      '-ERR [AUTH] wrong user name or password',
    );
    expect(await client.say('AUTH PLAIN')).toBe('+');
    expect(await client.say('*')).toBe('-ERR AUTH was cancelled');
    const challenge = await client.say(`AUTH OAUTHBEARER ${base64('n,,\x01auth=Bearer x\x01\x01')}`);
    expect(JSON.parse(Buffer.from(challenge.slice(2), 'base64').toString())).toMatchObject({
      status: 'invalid_token',
    });
    expect(await client.say('AQ==')).toBe('-ERR [AUTH] the access token is not right for this user');
    expect(await client.say(`AUTH XOAUTH2 ${base64('user=ann\x01auth=Bearer t\x01\x01')}`)).toMatch(/^\+OK/);
    expect(kind.connections.list()).toMatchObject([{ id: expect.stringMatching(/^pop3-/), user: 'ann' }]);
  });

  it('has the faults, the uses and the delays of the kind', async () => {
    const { host, kind, pop3 } = await start({
      mailboxes: [{ id: 'inbox', name: 'INBOX', delay: '1s', messages: MESSAGES }],
    });
    host.faults.set('imap', { phase: 'login', times: 1, message: 'not now' });
    const client = await PopClient.open(pop3);
    await client.say('USER ann');
    expect(await client.say('PASS x')).toBe('-ERR [AUTH] not now');
    await client.say('USER ann');
    expect(await client.say('PASS x')).toMatch(/^\+OK/);
    host.faults.set('imap', { match: { method: 'RETR' }, times: 1, message: '[SYS/TEMP] try later' });
    client.send('RETR 1\r\n');
    await host.clock.advance(1000);
    expect(await client.answer()).toBe('-ERR [SYS/TEMP] try later');
    client.send('STAT\r\n');
    await host.clock.advance(1000);
    expect(await client.answer()).toMatch(/^\+OK 3 /);
    expect(kind.mocks.get('inbox')).toBeDefined();
    host.faults.set('imap', { response: 'BYE', message: 'bye' });
    client.send('STAT\r\n');
    await host.clock.advance(1000);
    expect(await client.answer()).toBe('-ERR bye');
    await client.closes();
  });

  it('is upgraded to TLS by STLS', async () => {
    const { pop3 } = await start({ ...SETTINGS, tls: { mode: 'starttls' } });
    const plain = await PopClient.open(pop3);
    expect(await plain.sayLines('CAPA')).toContain('\r\nSTLS\r\n');
    expect(await plain.say('STLS')).toBe('+OK begin TLS now');
    plain.socket.removeAllListeners('data');
    const socket = tls.connect({ socket: plain.socket, rejectUnauthorized: false });
    const client = new PopClient(socket, afterThis);
    expect(await client.sayLines('CAPA')).not.toContain('STLS');
    expect(await client.say('STLS')).toBe('-ERR the connection is encrypted already');
    await client.say('USER ann');
    expect(await client.say('PASS secret')).toMatch(/^\+OK/);
  });

  it('gives its port back when the other one is taken', async () => {
    const { port } = await startHost();
    await expect(startHost({ pop3_port: port })).rejects.toMatchObject({ code: 'port_in_use' });
  });

  itWithTool('python3', 'serves poplib', async () => {
    const { pop3 } = await start();
    const { out, err } = await runTool(PYTHON, [SCRIPT, String(pop3)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      '-ERR [AUTH] wrong user name or password',
      '1 False last',
      '2 True three',
      '3 True Subject: head alone',
      "[b'', b'one']",
      '2 True',
    ]);
  });

  itWithTool('curl', 'serves curl', async () => {
    const { pop3 } = await start();
    const curl = (path: string, ...more: readonly string[]): ReturnType<typeof runTool> =>
      runTool('curl', [
        '-sS',
        '--max-time',
        '10',
        '-u',
        'ann:secret',
        `pop3://127.0.0.1:${pop3}/${path}`,
        ...more,
      ]);
    expect((await curl('')).out).toMatch(/^1 \d+\r\n2 \d+\r\n3 \d+\r\n$/);
    expect((await curl('1')).out).toBe(`Subject: dots\r\n\r\n${DOTS}\r\n`);
    expect((await curl('', '-X', 'UIDL')).out).toMatch(/^1 \d+\.1\r\n/);
    expect((await curl('1', '-I', '-X', 'DELE')).code).toBe(0);
    expect((await curl('9')).code).toBe(8);
  });

  itWithTool('mpop', 'serves mpop, which takes the mail away', async () => {
    const { port, pop3 } = await start();
    const folder = mkdtempSync(join(tmpdir(), 'mpop-'));
    afterThis(() => rmSync(folder, { recursive: true }));
    const rc = join(folder, 'mpoprc');
    const box = join(folder, 'box');
    writeFileSync(
      rc,
      `account a\nhost 127.0.0.1\nport ${pop3}\nuser ann\npassword secret\nauth plain\ntls off\nkeep off\nuidls_file ${folder}/uidls\ndelivery mbox ${box}\n`,
    );
    chmodSync(rc, 0o600);
    const { code, err } = await runTool('mpop', ['-C', rc, '-q', 'a'], { env: { HOME: folder } });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(readFileSync(box, 'latin1').match(/^Subject: .*$/gm)).toEqual([
      'Subject: dots',
      'Subject: lines',
      'Subject: head alone',
    ]);
    const imap = await RawClient.login(port);
    expect(await imap.ask('STATUS INBOX (MESSAGES)')).toContain('(MESSAGES 0)');
  });
});
