import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { RawClient, startHost } from './support.js';

const SCRIPT = fileURLToPath(new URL('tokens.py', import.meta.url));
const USERS = [
  { username: 'ann@example.com', access_token: 'ya29.*' },
  { username: 'bob@example.com', password: 'secret' },
];
const MAIL = { from: 'a@b.c', to: 'd@e.f', subject: 'hi', text: 'x' };

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const xoauth2 = (user: string, token: string): string =>
  base64(`user=${user}\x01auth=Bearer ${token}\x01\x01`);
const bearer = (user: string, token: string): string =>
  base64(`n,a=${user},\x01auth=Bearer ${token}\x01\x01`);

describe('access tokens', () => {
  it('are offered where one can be right', async () => {
    for (const [settings, line] of [
      [{}, 'AUTH PLAIN LOGIN XOAUTH2 OAUTHBEARER'],
      [{ users: USERS }, 'AUTH CRAM-MD5 PLAIN LOGIN XOAUTH2 OAUTHBEARER'],
      [{ users: [USERS[1]] }, 'AUTH CRAM-MD5 PLAIN LOGIN'],
    ] as const) {
      const { port } = await startHost(settings);
      const client = await RawClient.open(port);
      expect((await client.say('EHLO c')).split('\n').map((each) => each.slice(4))).toContain(line);
    }
    const { port } = await startHost({ users: [USERS[1]] });
    const client = await RawClient.greet(port);
    expect(await client.say(`AUTH XOAUTH2 ${xoauth2('bob@example.com', 't')}`)).toMatch(/^504 /);
  });

  it.each([
    ['XOAUTH2', xoauth2, { status: '401', schemes: 'bearer' }],
    ['OAUTHBEARER', bearer, { status: 'invalid_token', schemes: 'bearer' }],
  ] as const)('log in with %s, and are challenged before they are refused', async (name, make, challenge) => {
    const { port } = await startHost({ users: USERS });
    const client = await RawClient.greet(port);
    for (const [user, token] of [
      ['ann@example.com', 'other'],
      ['bob@example.com', 'ya29.x'],
      ['eve@example.com', 'ya29.x'],
    ] as const) {
      const reply = await client.say(`AUTH ${name} ${make(user, token)}`);
      expect(reply.slice(0, 4)).toBe('334 ');
      expect(JSON.parse(Buffer.from(reply.slice(4), 'base64').toString())).toEqual(challenge);
      expect(await client.say('')).toBe('535 Authentication credentials invalid');
    }
    expect(await client.say(`AUTH ${name} not base64`)).toMatch(/^501 Error: syntax/);
    expect(await client.say(`AUTH ${name} =`)).toBe('501 Error: invalid userdata');
    expect(await client.sayAll(`AUTH ${name}`, '*')).toEqual(['334', '501 Authentication aborted']);
    expect(await client.sayAll(`AUTH ${name}`, make('ann@example.com', 'ya29.x'))).toEqual([
      '334',
      '235 Authentication successful',
    ]);
    expect(await client.say(`AUTH ${name} ${make('ann@example.com', 'ya29.x')}`)).toMatch(/^503 /);
    expect(await client.say('MAIL FROM:<a@b.c>')).toBe('250 Accepted');
  });

  it('name the user themselves with OAUTHBEARER', async () => {
    const { kind, port } = await startHost({ users: USERS });
    const client = await RawClient.greet(port);
    expect(await client.say(`AUTH OAUTHBEARER ${base64('n,,\x01auth=Bearer ya29.y\x01\x01')}`)).toMatch(
      /^235 /,
    );
    expect(kind.connections.list()).toMatchObject([{ user: 'ann@example.com' }]);
  });

  it('cannot be right for a user with a password only, nor the other way round', async () => {
    const { port } = await startHost({ users: USERS });
    const client = await RawClient.greet(port);
    expect(await client.say(`AUTH PLAIN ${base64('\0ann@example.com\0')}`)).toMatch(/^535 /);
    expect(await client.say(`AUTH PLAIN ${base64('\0bob@example.com\0secret')}`)).toMatch(/^235 /);
    await expect(startHost({ users: [{ username: 'ann' }] })).rejects.toThrow(
      'user "ann" has neither a password nor an access_token',
    );
  });

  it('are refused by the fault of logins, after which nodemailer asks for another', async () => {
    const { host, port, emails } = await startHost({ users: USERS });
    const asked: boolean[] = [];
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      auth: { type: 'OAuth2', user: 'ann@example.com' },
    });
    transport.set(
      'oauth2_provision_cb',
      (_user: string, renew: boolean, done: (error: null, token: string) => void) => {
        asked.push(renew);
        done(null, renew ? 'ya29.fresh' : 'stale');
      },
    );
    await transport.sendMail(MAIL);
    expect(asked).toEqual([false, true]);
    host.faults.set('smtp', { phase: 'login', times: 1, code: 454, message: 'Temporary failure' });
    await expect(transport.sendMail(MAIL)).rejects.toMatchObject({ code: 'EAUTH', responseCode: 454 });
    await transport.sendMail(MAIL);
    transport.close();
    expect(emails()).toHaveLength(2);
  });

  it('that are wrong are refused as nodemailer expects', async () => {
    const { port } = await startHost({ users: USERS });
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      auth: { type: 'OAuth2', user: 'ann@example.com', accessToken: 'wrong' },
    });
    await expect(transport.sendMail(MAIL)).rejects.toMatchObject({ code: 'EAUTH', responseCode: 535 });
    transport.close();
  });

  itWithTool('python3:smtplib', 'are sent by smtplib', async () => {
    const { port } = await startHost({ users: USERS });
    const { out, err } = await runTool(PYTHON, [SCRIPT, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      'XOAUTH2 wrong 535 Authentication credentials invalid',
      'XOAUTH2 ya29.a 235 Authentication successful',
      'OAUTHBEARER wrong 535 Authentication credentials invalid',
      'OAUTHBEARER ya29.a 235 Authentication successful',
    ]);
  });

  itWithTool('curl', 'are sent by curl', async () => {
    const { port, emails } = await startHost({ users: USERS });
    const curl = async (token: string, ...more: readonly string[]): Promise<number | null> => {
      const url = `smtp://127.0.0.1:${port}`;
      const login = ['-u', 'ann@example.com:', '--oauth2-bearer', token];
      const mail = ['--mail-from', 'a@b.c', '--mail-rcpt', 'd@e.f', '-T', '/etc/hostname'];
      return (await runTool('curl', ['-sS', '--max-time', '10', url, ...login, ...mail, ...more])).code;
    };
    expect(await curl('ya29.a')).toBe(0);
    expect(await curl('ya29.a', '--login-options', 'AUTH=XOAUTH2')).toBe(0);
    expect(await curl('ya29.a', '--sasl-ir')).toBe(0);
    expect(await curl('wrong')).toBe(67);
    expect(emails()).toHaveLength(3);
  });
});
