import { describe, expect, it } from '@jest/globals';
import { newConnectionAuth, type AuthInput, type CompiledAuth } from '../src/auth/index.js';
import { md4 } from '../src/auth/ntlm/md4.js';
import {
  agreeOnFlags,
  FLAGS,
  readMessage,
  writeChallenge,
  type AuthenticateMessage,
} from '../src/auth/ntlm/messages.js';
import { ntHash, ntlmV1Response, ntlmV2Hash, ntProof, upper } from '../src/auth/ntlm/responses.js';
import { verify } from '../src/auth/ntlm/verify.js';
import { AUTHENTICATE, challengesOf, compile, hex, NEGOTIATE, reasonOf, request } from './auth-support.js';

// [MS-NLMP] 4.2.1: the values that its examples share.
const SERVER_CHALLENGE = hex('0123456789abcdef');
const CLIENT_CHALLENGE = hex('aaaaaaaaaaaaaaaa');
// [MS-NLMP] 4.2.4.1.3.
const BLOB = hex(`
  0101000000000000 0000000000000000 aaaaaaaaaaaaaaaa 00000000
  02000c0044006f006d00610069006e00 01000c005300650072007600650072 00 00000000 00000000`);

describe('MD4', () => {
  it.each([
    ['', '31d6cfe0d16ae931b73c59d7e0c089c0'],
    ['a', 'bde52cb31de33e46245e05fbdbd6fb24'],
    ['abc', 'a448017aaf21d8525fc10ae87aa6729d'],
    ['message digest', 'd9130a8164549fe818874806e1c7014b'],
    ['abcdefghijklmnopqrstuvwxyz', 'd79e1c308aa5bbcdeea8ed63df412da9'],
    ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', '043f8582f241db351ce627e153e7f0e4'],
    ['1234567890'.repeat(8), 'e33b4ddc9c38f2199c3e7b164fcc0536'],
  ])('of %j is that of RFC 1320, section A.5', (text, digest) => {
    expect(md4(Buffer.from(text)).toString('hex')).toBe(digest);
  });
});

describe('NTLM responses', () => {
  const hash = ntHash('Password');

  it('are those of [MS-NLMP] 4.2.2 and 4.2.3 for NTLMv1', () => {
    expect(hash.toString('hex')).toBe('a4f49c406510bdcab6824ee7c30fd852');
    expect(ntlmV1Response(hash, SERVER_CHALLENGE, undefined).toString('hex')).toBe(
      '67c43011f30298a2ad35ece64f16331c44bdbed927841f94',
    );
    expect(ntlmV1Response(hash, SERVER_CHALLENGE, CLIENT_CHALLENGE).toString('hex')).toBe(
      '7537f803ae367128ca458204bde7caf81e97ed2683267232',
    );
  });

  it('are those of [MS-NLMP] 4.2.4 for NTLMv2', () => {
    const v2 = ntlmV2Hash(hash, 'User', 'Domain');
    expect(v2.toString('hex')).toBe('0c868a403bfd7a93a3001ef22ef02e3f');
    expect(ntProof(v2, SERVER_CHALLENGE, BLOB).toString('hex')).toBe('68cd0ab851e51c96aabc927bebef6a1c');
  });

  it('raise letters one by one', () => {
    expect(upper('Straße jäger')).toBe('STRAßE JÄGER');
  });
});

describe('NTLM messages', () => {
  it('of type 3 are read', () => {
    const message = readMessage(AUTHENTICATE, 0);
    expect(message).toMatchObject({
      type: 'authenticate',
      domain: 'Domain',
      user: 'User',
      workstation: 'COMPUTER',
    });
    expect(verify(message as AuthenticateMessage, SERVER_CHALLENGE, credentials('User', 'Password'))).toBe(
      true,
    );
  });

  it('of type 3 are read in the character set that was agreed on, whatever they claim', () => {
    const message = Buffer.from(AUTHENTICATE);
    message.write('ann', 84, 'latin1');
    message.writeUInt16LE(3, 36);
    message.writeUInt16LE(0, 28);
    message.writeUInt16LE(0, 44);
    expect(readMessage(message, FLAGS.oem | FLAGS.ntlm)).toMatchObject({ user: 'ann' });
  });

  it('of type 1 are read', () => {
    expect(readMessage(Buffer.from(NEGOTIATE, 'base64'), 0)).toEqual({
      type: 'negotiate',
      flags: 0x00088206,
    });
  });

  it('of type 2 are written as clients read them', () => {
    const flags = agreeOnFlags(0xe2088297);
    expect(flags).toBe(0xe2898215);
    expect(writeChallenge(flags, SERVER_CHALLENGE, 'Lot').toString('hex')).toBe(
      hex(`
        4e544c4d53535000 02000000 0600 0600 38000000 158289e2 0123456789abcdef 0000000000000000
        2c00 2c00 3e000000 0a0000000000000f 4c004f005400
        02000600 4c004f005400 01000600 4c004f005400 04000600 6c006f007400 03000600 6c006f007400 00000000`).toString(
        'hex',
      ),
    );
  });

  it('speak the OEM character set with clients that know nothing else', () => {
    const flags = agreeOnFlags(FLAGS.oem | FLAGS.ntlm);
    expect(flags & (FLAGS.oem | FLAGS.unicode)).toBe(FLAGS.oem);
    const message = writeChallenge(flags, SERVER_CHALLENGE, 'Lot');
    expect(message.toString('latin1', 56, 59)).toBe('LOT');
  });

  it.each([
    ['does not start', Buffer.from('NTLMSSX\0\x01\0\0\0\0\0\0\0')],
    ['of 12 bytes', AUTHENTICATE.subarray(0, 12)],
    ['with 40 bytes', AUTHENTICATE.subarray(0, 40)],
    ['of type 9', Buffer.concat([AUTHENTICATE.subarray(0, 8), hex('09000000'), AUTHENTICATE.subarray(12)])],
    ['field beyond its end', AUTHENTICATE.subarray(0, 150)],
    ['of 20000 bytes', Buffer.concat([AUTHENTICATE, Buffer.alloc(20_000 - AUTHENTICATE.length)])],
  ])('are refused: %s', (reason, bytes) => {
    expect(readMessage(bytes, 0)).toContain(reason);
  });

  it('are refused when an offset lies', () => {
    for (const at of [16, 24, 32, 40, 48]) {
      for (const offset of [0, 11, 51, AUTHENTICATE.length, 0x7fffffff, 0xffffffff]) {
        const message = Buffer.from(AUTHENTICATE);
        message.writeUInt32LE(offset, at);
        expect(readMessage(message, 0)).toBe('NTLM message of type 3 has a field beyond its end');
      }
    }
  });
});

function credentials(user: string | undefined, password?: string, domain?: string) {
  return { user, domain, hash: password === undefined ? undefined : ntHash(password) };
}

describe('verifying a type 3 message', () => {
  const message = readMessage(AUTHENTICATE, 0) as AuthenticateMessage;
  const check = (...wanted: Parameters<typeof credentials>) =>
    verify(message, SERVER_CHALLENGE, credentials(...wanted));

  it('compares names in any case, and the password', () => {
    expect(check('uSER', 'Password', 'DOMAIN')).toBe(true);
    expect(check('Other', 'Password')).toBe('NTLM user: got "User", want "Other"');
    expect(check('User', 'Password', 'x')).toBe('NTLM domain: got "Domain", want "x"');
    expect(check('User', 'password')).toBe('NTLMv2 response does not prove the password of this mock');
    expect(verify(message, CLIENT_CHALLENGE, credentials('User', 'Password'))).not.toBe(true);
  });

  it('checks only what is named', () => {
    expect(check(undefined)).toBe(true);
    expect(check('User')).toBe(true);
    expect(check(undefined, 'Password')).toBe(true);
    expect(check(undefined, 'nope')).not.toBe(true);
  });

  it('takes NTLMv1 and NTLM2 session', () => {
    const hash = ntHash('Password');
    const none = Buffer.alloc(0);
    const v1 = {
      ...message,
      lmResponse: none,
      ntResponse: ntlmV1Response(hash, SERVER_CHALLENGE, undefined),
    };
    expect(verify(v1, SERVER_CHALLENGE, credentials('User', 'Password'))).toBe(true);
    expect(verify(v1, SERVER_CHALLENGE, credentials('User', 'x'))).toContain(
      'NTLMv1 response does not prove',
    );
    const session = {
      ...message,
      lmResponse: Buffer.concat([CLIENT_CHALLENGE, Buffer.alloc(16)]),
      ntResponse: ntlmV1Response(hash, SERVER_CHALLENGE, CLIENT_CHALLENGE),
    };
    expect(verify(session, SERVER_CHALLENGE, credentials('User', 'Password'))).toBe(true);
  });

  it('refuses anonymous clients, LM and odd lengths', () => {
    const none = Buffer.alloc(0);
    const anonymous = { ...message, user: '', ntResponse: none, lmResponse: Buffer.alloc(1) };
    expect(verify(anonymous, SERVER_CHALLENGE, credentials(undefined))).toBe('NTLM client is anonymous');
    const lm = { ...message, ntResponse: none };
    expect(verify(lm, SERVER_CHALLENGE, credentials('User', 'Password'))).toContain('LM response only');
    const odd = { ...message, ntResponse: Buffer.alloc(30) };
    expect(verify(odd, SERVER_CHALLENGE, credentials('User', 'Password'))).toContain('of 30 bytes');
  });
});

/** A client that answers a type 2 message with NTLMv2. */
function typeThree(challenge: string, user: string, password: string, domain = ''): string {
  const serverChallenge = Buffer.from(challenge.split(' ')[1] ?? '', 'base64').subarray(24, 32);
  const proof = ntProof(ntlmV2Hash(ntHash(password), user, domain), serverChallenge, BLOB);
  const parts = [
    Buffer.alloc(0),
    Buffer.concat([proof, BLOB]),
    Buffer.from(domain, 'utf16le'),
    Buffer.from(user, 'utf16le'),
    Buffer.alloc(0),
    Buffer.alloc(0),
  ];
  const header = Buffer.alloc(64);
  header.write('NTLMSSP\0\x03', 'latin1');
  let offset = 64;
  for (const [index, part] of parts.entries()) {
    header.writeUInt16LE(part.length, 12 + index * 8);
    header.writeUInt16LE(part.length, 14 + index * 8);
    header.writeUInt32LE(offset, 16 + index * 8);
    offset += part.length;
  }
  header.writeUInt32LE(FLAGS.unicode | FLAGS.ntlm, 60);
  return Buffer.concat([header, ...parts]).toString('base64');
}

/** One connection, on which requests are tested. */
function connect() {
  const connection = newConnectionAuth();
  return {
    connection,
    send: (auth: CompiledAuth, authorization?: string) => {
      const parts: Partial<AuthInput> = { connection };
      return auth.test(request(authorization === undefined ? parts : { ...parts, authorization }));
    },
  };
}

function logIn(
  auth: CompiledAuth,
  client: ReturnType<typeof connect>,
  user: string,
  password: string,
  domain?: string,
) {
  const challenge = challengesOf(client.send(auth, `NTLM ${NEGOTIATE}`))?.[0] ?? '';
  return client.send(auth, `NTLM ${typeThree(challenge, user, password, domain)}`);
}

describe('ntlm', () => {
  const ann = compile({ type: 'ntlm', username: 'ann', password: 'secret' });
  const bob = compile({ type: 'ntlm', username: 'bob', password: 'other' });

  it('asks, challenges, verifies, and then knows the connection', () => {
    const client = connect();
    expect(challengesOf(client.send(ann))).toEqual(['NTLM']);
    expect(challengesOf(client.send(ann, `NTLM ${NEGOTIATE}`))?.[0]).toMatch(/^NTLM TlRMTVNTUAAC/);
    expect(logIn(ann, client, 'ann', 'secret')).toBe(true);
    expect(client.send(ann)).toBe(true);
    expect(client.connection.user).toEqual({ name: 'ann', domain: '' });
    expect(challengesOf(connect().send(ann))).toEqual(['NTLM']);
  });

  it('asks again when the password is wrong, and the next attempt may succeed', () => {
    const client = connect();
    const failed = logIn(ann, client, 'ann', 'guess');
    expect(challengesOf(failed)).toEqual(['NTLM']);
    expect(reasonOf(failed)).toContain('does not prove the password');
    expect(challengesOf(client.send(ann))).toEqual(['NTLM']);
    expect(logIn(ann, client, 'ann', 'secret')).toBe(true);
  });

  it('gives every mock the same challenge, and each checks the proof by itself', () => {
    const client = connect();
    const first = challengesOf(client.send(ann, `NTLM ${NEGOTIATE}`));
    expect(challengesOf(client.send(bob, `NTLM ${NEGOTIATE}`))).toEqual(first);
    const proof = `NTLM ${typeThree(first?.[0] ?? '', 'bob', 'other')}`;
    expect(challengesOf(client.send(ann, proof))).toEqual(['NTLM']);
    expect(client.send(bob, proof)).toBe(true);
    expect(client.send(bob)).toBe(true);
    expect(reasonOf(client.send(ann))).toBe('NTLM user: got "bob", want "ann"');
    expect(client.send(compile({ type: 'ntlm' }))).toBe(true);
    expect(client.send(compile({ type: 'ntlm', password: 'other' }))).toBe(true);
  });

  it('forgets the user when the client starts over, with a new challenge', () => {
    const client = connect();
    const first = challengesOf(client.send(ann, `NTLM ${NEGOTIATE}`))?.[0] ?? '';
    const proof = `NTLM ${typeThree(first, 'ann', 'secret')}`;
    expect(client.send(ann, proof)).toBe(true);
    const second = challengesOf(client.send(ann, `NTLM ${NEGOTIATE}`))?.[0];
    expect(second).not.toBe(first);
    expect(challengesOf(client.send(ann))).toEqual(['NTLM']);
    expect(challengesOf(client.send(ann, proof))).toEqual(['NTLM']);
  });

  it('checks the domain when the user name has one', () => {
    const auth = compile({ type: 'ntlm', username: 'CORP\\ann', password: 'secret' });
    expect(logIn(auth, connect(), 'ann', 'secret', 'corp')).toBe(true);
    expect(reasonOf(logIn(auth, connect(), 'ann', 'secret', 'HOME'))).toBe(
      'NTLM domain: got "HOME", want "CORP"',
    );
  });

  it('lets anybody in who completes the handshake when nothing is named', () => {
    expect(logIn(compile({ type: 'ntlm' }), connect(), 'whoever', 'whatever')).toBe(true);
  });

  it('answers Negotiate with Negotiate when it carries NTLM', () => {
    const client = connect();
    const challenge = challengesOf(client.send(ann, `Negotiate ${NEGOTIATE}`))?.[0] ?? '';
    expect(challenge).toMatch(/^Negotiate TlRMTVNTUAAC/);
    expect(client.send(ann, `Negotiate ${typeThree(challenge, 'ann', 'secret')}`)).toBe(true);
    expect(reasonOf(client.send(ann, 'Negotiate YIIB'))).toBe('negotiate credentials hold no NTLM message');
  });

  it('names the realm as its target', () => {
    const auth = compile({ type: 'ntlm', realm: 'studio' });
    const value = challengesOf(connect().send(auth, `NTLM ${NEGOTIATE}`))?.[0] ?? '';
    expect(Buffer.from(value.slice(5), 'base64').toString('utf16le')).toContain('studio');
  });

  it('challenges anew for what it cannot read', () => {
    const client = connect();
    for (const [text, reason] of [
      ['NTLM', 'not base64'],
      ['NTLM $$$', 'not base64'],
      ['NTLM AAAA', 'hold no NTLM message'],
      [`NTLM ${AUTHENTICATE.toString('base64')}`, 'without a challenge'],
      ['Basic eDp5', 'want ntlm'],
    ] as const) {
      const result = client.send(ann, text);
      expect(challengesOf(result)).toEqual(['NTLM']);
      expect(reasonOf(result)).toContain(reason);
    }
  });

  it('cannot match without a connection', () => {
    expect(ann.test(request({ connection: undefined }))).toContain('authenticates a connection');
  });
});
