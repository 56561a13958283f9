import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { openFlow, RawClient, startHost } from './support.js';

const SCRIPT = fileURLToPath(new URL('tokens.py', import.meta.url));
const USERS = [
  { username: 'ann@example.com', access_token: { prefix: 'ya29.' } },
  { username: 'bob', password: 'secret' },
];
const ALWAYS_REFUSED = 'NO [AUTHENTICATIONFAILED] the access token is not right for this user\r\n';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const xoauth2 = (user: string, token: string): string =>
  base64(`user=${user}\x01auth=Bearer ${token}\x01\x01`);
const bearer = (user: string, token: string): string =>
  base64(`n,a=${user},\x01host=h\x01port=143\x01auth=Bearer ${token}\x01\x01`);

describe('access tokens', () => {
  it('are offered where one can be right', async () => {
    for (const [settings, isOffered] of [
      [{}, true],
      [{ users: USERS }, true],
      [{ users: [USERS[1]] }, false],
    ] as const) {
      const { port } = await startHost(settings);
      const client = await RawClient.open(port);
      const answer = await client.ask('CAPABILITY');
      expect(answer.includes(' AUTH=PLAIN AUTH=XOAUTH2 AUTH=OAUTHBEARER')).toBe(isOffered);
    }
    const { port } = await startHost({ users: [USERS[1]] });
    const client = await RawClient.open(port);
    expect(await client.ask(`AUTHENTICATE XOAUTH2 ${xoauth2('bob', 't')}`)).toBe(
      'NO only PLAIN can be used here, not XOAUTH2\r\n',
    );
  });

  it.each([
    ['XOAUTH2', xoauth2, { status: '401', schemes: 'bearer' }],
    ['OAUTHBEARER', bearer, { status: 'invalid_token', schemes: 'bearer' }],
  ] as const)('log in with %s, and are challenged before they are refused', async (name, make, challenge) => {
    const { port, kind } = await startHost({ users: USERS });
    const client = await RawClient.open(port);
    for (const dummy of ['', 'AQ==', '*']) {
      client.write(`a AUTHENTICATE ${name} ${make('ann@example.com', 'wrong')}\r\n`);
      const asked = await client.receive(/\r\n/);
      expect(JSON.parse(Buffer.from(asked.slice(2), 'base64').toString())).toEqual(challenge);
      client.write(`${dummy}\r\n`);
      expect(await client.receive(/^a .*\r\n/)).toBe(`a ${ALWAYS_REFUSED}`);
    }
    expect(await client.ask(`AUTHENTICATE ${name} YQ==`)).toMatch(/^BAD the response is none of /);
    expect(await client.ask(`AUTHENTICATE ${name}\r\n*`)).toMatch(/BAD AUTHENTICATE was cancelled/);
    expect(await client.ask(`AUTHENTICATE ${name}\r\n${make('ann@example.com', 'ya29.x')}`)).toMatch(
      /^\+ \r\nOK \[CAPABILITY .*\] AUTHENTICATE completed/,
    );
    expect(kind.connections.list()).toMatchObject([{ user: 'ann@example.com' }]);
  });

  it('are refused by the fault of logins, without a challenge', async () => {
    const { host, port } = await startHost();
    host.faults.set('imap', { phase: 'login', times: 1, message: 'not now' });
    const client = await RawClient.open(port);
    const command = `AUTHENTICATE OAUTHBEARER ${bearer('ann', 't')}`;
    expect(await client.ask(command)).toBe('NO [AUTHENTICATIONFAILED] not now\r\n');
    expect(await client.ask(command)).toMatch(/^OK /);
  });

  it('are sent by imapflow, which reads the challenge', async () => {
    const { port } = await startHost({ users: USERS });
    const flow = await openFlow(port, { auth: { user: 'ann@example.com', accessToken: 'ya29.x' } });
    expect(flow.authenticated).toBe(true);
    await expect(
      openFlow(port, { auth: { user: 'ann@example.com', accessToken: 'wrong' } }),
    ).rejects.toMatchObject({
      authenticationFailed: true,
      oauthError: { status: 'invalid_token', schemes: 'bearer' },
    });
  });

  itWithTool('python3', 'are sent by imaplib', async () => {
    const { port } = await startHost({ users: USERS });
    const { out, err } = await runTool(PYTHON, [SCRIPT, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      'XOAUTH2 wrong [AUTHENTICATIONFAILED] the access token is not right for this user',
      'XOAUTH2 ya29.a OK',
      'OAUTHBEARER wrong [AUTHENTICATIONFAILED] the access token is not right for this user',
      'OAUTHBEARER ya29.a OK',
    ]);
  });

  itWithTool('curl', 'are sent by curl', async () => {
    const { port } = await startHost({ users: USERS });
    const curl = async (token: string, ...more: readonly string[]): Promise<number | null> => {
      const login = ['-u', 'ann@example.com:', '--oauth2-bearer', token];
      return (
        await runTool('curl', ['-sS', '--max-time', '10', `imap://127.0.0.1:${port}/`, ...login, ...more])
      ).code;
    };
    expect(await curl('ya29.a')).toBe(0);
    expect(await curl('ya29.a', '--login-options', 'AUTH=XOAUTH2')).toBe(0);
    expect(await curl('ya29.a', '--sasl-ir')).toBe(0);
    expect(await curl('wrong')).toBe(67);
  });
});
