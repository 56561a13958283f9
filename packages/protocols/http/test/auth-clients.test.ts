import { Agent } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { NtlmClient } from 'axios-ntlm';
import { DigestClient } from 'digest-fetch';
import type { AuthDefinition } from '../src/auth/index.js';
import { curl, curlHas, startServer, type AuthServer } from './auth-support.js';

const areToolsRequired = process.env['BACKLOT_REQUIRE_TOOLS'] === '1';
const itWithCurl = areToolsRequired || (await curlHas('http')) ? it : it.skip;
const itWithCurlNtlm = areToolsRequired || (await curlHas('NTLM')) ? it : it.skip;

const servers: AuthServer[] = [];

async function start(...definitions: readonly AuthDefinition[]): Promise<AuthServer> {
  const server = await startServer(...definitions);
  servers.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('curl', () => {
  const person = { username: 'ann', password: 'se:cret' } as const;

  itWithCurl('-u answers a basic challenge, and needs none', async () => {
    const server = await start({ type: 'basic', ...person });
    expect(await curl('-u', 'ann:se:cret', server.url)).toBe('welcome 0 GET  200');
    expect(await curl('-u', 'ann:no', server.url)).toBe('no 404');
  });

  itWithCurl('--oauth2-bearer sends the token', async () => {
    const server = await start({ type: 'bearer', token: 'abc' });
    expect(await curl('--oauth2-bearer', 'abc', server.url)).toBe('welcome 0 GET  200');
  });

  itWithCurl.each([undefined, 'MD5', 'MD5-sess', 'SHA-256', 'SHA-256-sess'] as const)(
    '--digest with %s',
    async (algorithm) => {
      const server = await start({
        type: 'digest',
        ...person,
        ...(algorithm === undefined ? {} : { algorithm }),
      });
      expect(await curl('--digest', '-u', 'ann:se:cret', `${server.url}/a%20b?c=d`)).toBe(
        'welcome 0 GET  200',
      );
      expect(server.results).toEqual(['no Authorization header, want digest credentials', 'passed']);
      expect(await curl('--digest', '-u', 'ann:wrong', server.url)).toBe('no 401');
    },
  );

  itWithCurl('--digest sends a body after the challenge', async () => {
    const server = await start({ type: 'digest', ...person });
    expect(await curl('--digest', '-u', 'ann:se:cret', '-d', 'x=1', server.url)).toBe(
      'welcome 0 POST x=1 200',
    );
  });

  itWithCurl('--digest with auth-int', async () => {
    const server = await start({ type: 'digest', ...person, qop: 'auth-int' });
    expect(await curl('--digest', '-u', 'ann:se:cret', server.url)).toBe('welcome 0 GET  200');
  });

  itWithCurlNtlm('--ntlm authenticates its connection once', async () => {
    const server = await start({ type: 'ntlm', ...person });
    const urls = [1, 2, 3].map((index) => `${server.url}/${index}`);
    expect(await curl('--ntlm', '-u', 'ann:se:cret', ...urls)).toBe('welcome 0 GET  200'.repeat(3));
    expect(server.results).toEqual(['NTLM handshake is under way', 'passed', 'passed', 'passed']);
    expect(server.connections.size).toBe(1);
  });

  itWithCurlNtlm('--ntlm sends a body after the handshake', async () => {
    const server = await start({ type: 'ntlm', ...person });
    expect(await curl('--ntlm', '-u', 'CORP\\ann:se:cret', '-d', 'x=1', server.url)).toBe(
      'welcome 0 POST x=1 200',
    );
  });

  itWithCurlNtlm('--ntlm is refused with a wrong password or domain', async () => {
    const server = await start({ type: 'ntlm', username: 'CORP\\ann', password: 'se:cret' });
    expect(await curl('--ntlm', '-u', 'CORP\\ann:no', server.url)).toBe('no 401');
    expect(await curl('--ntlm', '-u', 'HOME\\ann:se:cret', server.url)).toBe('no 401');
    expect(await curl('--ntlm', '-u', 'corp\\Ann:se:cret', server.url)).toBe('welcome 0 GET  200');
  });

  itWithCurlNtlm('--anyauth takes what is asked for', async () => {
    for (const definition of [
      { type: 'basic', challenge: true, ...person },
      { type: 'digest', ...person },
      { type: 'ntlm', ...person },
    ] as const) {
      const server = await start(definition);
      expect(await curl('--anyauth', '-u', 'ann:se:cret', server.url)).toBe('welcome 0 GET  200');
    }
  });

  itWithCurlNtlm('--anyauth chooses among several', async () => {
    const server = await start({ type: 'basic', challenge: true, ...person }, { type: 'digest', ...person });
    expect(await curl('--anyauth', '-u', 'ann:se:cret', server.url)).toBe('welcome 1 GET  200');
  });
});

describe('digest-fetch', () => {
  it.each([
    [undefined, undefined],
    [undefined, 'SHA-256'],
    ['MD5', 'MD5'],
    ['SHA-256', 'SHA-256'],
    ['SHA-512-256', 'SHA-512-256'],
  ] as const)('logs in to %s with %s', async (algorithm, own) => {
    const server = await start({
      type: 'digest',
      username: 'ann',
      password: 'secret',
      ...(algorithm === undefined ? {} : { algorithm }),
    });
    const client = new DigestClient('ann', 'secret', own === undefined ? {} : { algorithm: own });
    for (let call = 0; call < 3; call += 1) {
      const answer = await client.fetch(`${server.url}/x?y=${call}`);
      expect([answer.status, await answer.text()]).toEqual([200, 'welcome 0 GET ']);
    }
    expect(server.results.slice(1)).toEqual(['passed', 'passed', 'passed']);
  });
});

describe('axios-ntlm', () => {
  const logIn = async (server: AuthServer, password: string) => {
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const client = NtlmClient(
        { username: 'ann', password, domain: 'CORP', workstation: 'DESK' },
        { httpAgent, proxy: false, validateStatus: (status) => status === 200 },
      );
      const first = await client.get<string>(server.url);
      const second = await client.get<string>(server.url);
      return [first.data, second.data];
    } finally {
      httpAgent.destroy();
    }
  };

  it('logs in once for its connection', async () => {
    const server = await start({ type: 'ntlm', username: 'CORP\\ann', password: 'secret' });
    expect(await logIn(server, 'secret')).toEqual(['welcome 0 GET ', 'welcome 0 GET ']);
    expect(server.results).toEqual([
      'no Authorization header, want ntlm credentials',
      'NTLM handshake is under way',
      'passed',
      'passed',
    ]);
  });

  it('is refused with a wrong password', async () => {
    const server = await start({ type: 'ntlm', username: 'ann', password: 'secret' });
    await expect(logIn(server, 'wrong')).rejects.toThrow('401');
  });
});
