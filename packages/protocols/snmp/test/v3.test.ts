import { afterEach, describe, expect, it } from '@jest/globals';
import net from 'net-snmp';
import { itWithTool } from '@backlot/conformance';
import type { Host } from '@backlot/core';
import { cleanups, cleanUp, portOf, run, startHost } from './support.js';

const NAME = '1.3.6.1.2.1.1.5.0';
const USERS = [
  { username: 'nobody' },
  {
    username: 'md5des',
    auth_protocol: 'MD5',
    auth_passphrase: 'authpass1',
    priv_protocol: 'DES',
    priv_passphrase: 'privpass1',
  },
  {
    username: 'shaaes',
    auth_protocol: 'SHA',
    auth_passphrase: 'authpass1',
    priv_protocol: 'AES',
    priv_passphrase: 'privpass1',
  },
  { username: 'reeder', auth_protocol: 'sha', auth_passphrase: 'authpass1', priv_protocol: 'aes-256-reeder' },
  {
    username: 'blumenthal',
    auth_protocol: 'sha',
    auth_passphrase: 'authpass1',
    priv_protocol: 'aes256',
    priv_passphrase: 'privpass1',
  },
  ...['SHA', 'SHA-224', 'SHA-256', 'SHA-384', 'SHA-512', 'MD5'].map((auth) => ({
    username: `auth${auth}`,
    auth_protocol: auth,
    auth_passphrase: 'authpass1',
  })),
  ...['SHA-256', 'SHA-512'].map((auth) => ({
    username: `priv${auth}`,
    auth_protocol: auth,
    auth_passphrase: 'authpass1',
    priv_protocol: 'AES',
    priv_passphrase: 'privpass1',
  })),
];
const MOCKS = [
  { oid: NAME, value: 'router' },
  { oid: '1.3.6.1.2.1.1.6.0', value: '{{request.username}} in "{{request.context}}"' },
];
const ANSWER = `.${NAME} = STRING: "router"`;

const start = (): Promise<Host> => startHost({ mocks: MOCKS, v3_users: USERS });
const auth = (protocol: string): string[] => [
  '-v3',
  '-lauthNoPriv',
  `-uauth${protocol}`,
  '-a',
  protocol,
  '-Aauthpass1',
];
const priv = (user: string, a: string, x: string): string[] => [
  ...['-v3', '-lauthPriv', `-u${user}`],
  ...['-a', a, '-Aauthpass1', '-x', x, '-Xprivpass1'],
];

afterEach(cleanUp);

describe('snmpget in v3', () => {
  itWithTool('snmpget', 'gets without authentication, with it, and with privacy', async () => {
    const host = await start();
    const logins = [
      ['-v3', '-lnoAuthNoPriv', '-unobody'],
      ...['SHA', 'SHA-224', 'SHA-256', 'SHA-384', 'SHA-512', 'MD5'].map(auth),
      priv('md5des', 'MD5', 'DES'),
      priv('shaaes', 'SHA', 'AES'),
      priv('blumenthal', 'SHA', 'AES-256'),
      priv('privSHA-256', 'SHA-256', 'AES'),
      priv('privSHA-512', 'SHA-512', 'AES'),
    ];
    for (const words of logins) {
      const { out, err } = await run('snmpget', host, words, [NAME]);
      expect([words.join(' '), out.trim() + err]).toEqual([words.join(' '), ANSWER]);
    }
    const walked = await run('snmpbulkwalk', host, [...priv('shaaes', 'SHA', 'AES'), '-nctx'], ['1.3.6.1.2']);
    expect(walked.out).toContain('"shaaes in \\"ctx\\""');
  });

  itWithTool('snmpget', 'is told by a report what is wrong', async () => {
    const host = await start();
    const wrong = async (words: readonly string[]): Promise<string> =>
      (await run('snmpget', host, words, [NAME])).err;
    expect(await wrong(['-v3', '-lnoAuthNoPriv', '-ustranger'])).toContain('Unknown user name');
    const badAuth = ['-v3', '-lauthNoPriv', '-uauthSHA', '-aSHA', '-Awrongpass'];
    expect(await wrong(badAuth)).toContain('Authentication failure (incorrect password, community or key)');
    expect(await wrong([...priv('md5des', 'MD5', 'DES').slice(0, -1), '-Xwrongpass'])).toContain(
      'Decryption error',
    );
    expect(await wrong([...priv('shaaes', 'SHA', 'AES').slice(0, -1), '-Xwrongpass'])).toContain(
      'Decryption error',
    );
    const more = [...auth('SHA').slice(2), '-lauthPriv', '-xAES', '-Xprivpass1'];
    expect(await wrong(['-v3', ...more])).toContain('Unsupported security level');
    // Less than the user has is a matter of access, not of the security model.
    expect(await wrong(['-v3', '-lnoAuthNoPriv', '-uauthSHA'])).toContain('authorizationError');
  });

  itWithTool('snmpget', 'needs no user where none is configured', async () => {
    const host = await startHost({ mocks: MOCKS });
    const { out } = await run('snmpget', host, ['-v3', '-lnoAuthNoPriv', '-uanybody'], [NAME]);
    expect(out.trim()).toBe(ANSWER);
    const { err } = await run('snmpget', host, auth('SHA'), [NAME]);
    expect(err).toContain('Unsupported security level');
  });

  itWithTool('snmpget', 'is brought back into the time window', async () => {
    const host = await start();
    // Engine boots and time of another life.
    const { out } = await run('snmpget', host, [...auth('SHA'), '-Z5,1000'], [NAME]);
    expect(out.trim()).toBe(ANSWER);
    expect(host.journal.count().count).toBe(1);
  });

  itWithTool('snmpget', 'finds the engine ID that is configured', async () => {
    const host = await startHost({ mocks: MOCKS, engine_id: '0x80001f8801020304' });
    const given = ['-v3', '-lnoAuthNoPriv', '-uanybody', '-e80001f8801020304'];
    expect((await run('snmpget', host, given, [NAME])).out.trim()).toBe(ANSWER);
  });
});

describe("net-snmp's v3 session", () => {
  const user = {
    name: 'reeder',
    level: net.SecurityLevel.authPriv,
    authProtocol: net.AuthProtocols.sha,
    authKey: 'authpass1',
    privProtocol: net.PrivProtocols.aes256r,
    privKey: 'authpass1',
  };
  const get = async (host: Host, changed: object): Promise<string> => {
    const session = net.createV3Session(
      '127.0.0.1',
      { ...user, ...changed },
      {
        port: portOf(host),
        retries: 0,
      },
    );
    cleanups.push(() => session.close());
    return new Promise((resolve) =>
      session.get([NAME], (error, varbinds) =>
        resolve(error === null ? String(varbinds?.[0]?.value) : String(error)),
      ),
    );
  };

  it('gets with AES-256', async () => {
    const host = await start();
    expect(await get(host, {})).toBe('router');
  });

  it('is refused by reports', async () => {
    const host = await start();
    expect(await get(host, { name: 'stranger' })).toContain('Unknown User Name');
    expect(await get(host, { authKey: 'wrongpass' })).toContain('Wrong Digest');
    expect(await get(host, { privKey: 'wrongpass' })).toContain('Decryption Error');
  });
});

describe('v3_users and engine_id', () => {
  it.each([
    [{ v3_users: [{ username: 'a', auth_protocol: 'CRC', auth_passphrase: '12345678' }] }, 'got "CRC"'],
    [{ v3_users: [{ username: 'a', auth_protocol: 'SHA' }] }, '/v3_users/0/auth_passphrase'],
    [{ v3_users: [{ username: 'a', auth_passphrase: '12345678' }] }, '/v3_users/0/auth_protocol'],
    [{ v3_users: [{ username: 'a', priv_protocol: 'DES' }] }, 'no privacy without authentication'],
    [
      {
        v3_users: [
          { username: 'a', auth_protocol: 'SHA', auth_passphrase: '12345678', priv_protocol: 'ROT13' },
        ],
      },
      'got "ROT13"',
    ],
    [{ v3_users: [{ username: 'a' }, { username: 'a' }] }, '"a" is there twice'],
    [{ engine_id: '0x00' }, '5 to 32 hexadecimal octets'],
    [{ engine_id: '0000000000' }, '5 to 32 hexadecimal octets'],
  ])('that are bad are refused: %j', async (settings, message) => {
    await expect(startHost(settings)).rejects.toThrow(message);
  });

  it('are all told what is wrong with them', async () => {
    const settings = {
      v3_users: [{ username: 'a', priv_protocol: 'DES' }, { username: 'a' }],
      engine_id: '00',
    };
    await expect(startHost(settings)).rejects.toMatchObject({
      details: ['v3_users/0/auth_protocol', 'v3_users/1/username', 'engine_id'].map((place) => ({
        path: expect.stringContaining(place),
      })),
    });
  });
});
