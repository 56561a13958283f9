import { describe, expect, it } from '@jest/globals';
import { bearerChallenge, isBearerMechanism, Logins, readBearerResponse } from '../src/index.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a login with an access token', () => {
  it.each([
    [
      'XOAUTH2',
      'user=ann@example.com\x01auth=Bearer ya29.a~b+c/d==\x01\x01',
      'ann@example.com',
      'ya29.a~b+c/d==',
    ],
    ['XOAUTH2', 'user=ann\x01auth=bearer t\x01\x01', 'ann', 't'],
    [
      'OAUTHBEARER',
      'n,a=ann@example.com,\x01host=h\x01port=143\x01auth=Bearer t\x01\x01',
      'ann@example.com',
      't',
    ],
    ['OAUTHBEARER', 'n,,\x01auth=Bearer t\x01\x01', undefined, 't'],
    ['OAUTHBEARER', 'y,a=a=2Cb=3Dc,\x01auth=Bearer t\x01\x01', 'a,b=c', 't'],
    ['OAUTHBEARER', 'n,a=ann,\x01auth=\x01\x01', 'ann', ''],
  ] as const)('is read: %s %j', (mechanism, text, user, token) => {
    expect(readBearerResponse(mechanism, base64(text))).toEqual({ user, token });
  });

  it.each([
    ['XOAUTH2', ''],
    ['XOAUTH2', 'auth=Bearer t\x01\x01'],
    ['XOAUTH2', 'user=\x01auth=Bearer t\x01\x01'],
    ['XOAUTH2', 'user=a\r\nb\x01auth=Bearer t\x01\x01'],
    ['XOAUTH2', 'user=ann\x01auth=Bearer t\x01'],
    ['XOAUTH2', 'user=ann\x01auth=Basic t\x01\x01'],
    ['XOAUTH2', 'user=ann\x01auth=Bearer \x01\x01'],
    ['XOAUTH2', 'n,a=ann,\x01auth=Bearer t\x01\x01'],
    ['OAUTHBEARER', 'user=ann\x01auth=Bearer t\x01\x01'],
    ['OAUTHBEARER', 'p=tls-unique,,\x01auth=Bearer t\x01\x01'],
    ['OAUTHBEARER', 'n,a=a=b,\x01auth=Bearer t\x01\x01'],
    ['OAUTHBEARER', 'n,a=ann,\x01host=h\x01\x01'],
  ] as const)('is refused when it is none: %s %j', (mechanism, text) => {
    expect(readBearerResponse(mechanism, base64(text))).toBeUndefined();
  });

  it('is refused when it is not base64', () => {
    expect(readBearerResponse('XOAUTH2', 'user=ann')).toBeUndefined();
  });

  it('is challenged with the error as JSON', () => {
    const read = (challenge: string): unknown => JSON.parse(Buffer.from(challenge, 'base64').toString());
    expect(read(bearerChallenge('XOAUTH2'))).toEqual({ status: '401', schemes: 'bearer' });
    expect(read(bearerChallenge('OAUTHBEARER'))).toEqual({ status: 'invalid_token', schemes: 'bearer' });
  });

  it('has two mechanisms', () => {
    expect(['XOAUTH2', 'OAUTHBEARER', 'PLAIN', 'constructor'].map(isBearerMechanism)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('logins', () => {
  it('are all right without users', () => {
    const logins = new Logins(undefined);
    expect(logins.takesTokens).toBe(true);
    expect(logins.isRight('', '')).toBe(true);
    expect(logins.userOf('t', 'ann')).toBe('ann');
    expect(logins.userOf('t', undefined)).toBe('anonymous');
    expect(logins.userOf('', 'ann')).toBeUndefined();
  });

  it('are right by a password or by a token of the user', () => {
    const logins = new Logins([
      { username: 'ann', password: 'p' },
      { username: 'ann', password: 'q' },
      { username: 'bob', access_token: 'ya29.*' },
      { username: '__proto__', password: '', access_token: { any_of: ['old', 'new'] } },
    ]);
    expect(logins.takesTokens).toBe(true);
    expect(['p', 'q', ''].map((password) => logins.isRight('ann', password))).toEqual([true, true, false]);
    expect(logins.isRight('bob', '')).toBe(false);
    expect(logins.isRight('__proto__', '')).toBe(true);
    expect(logins.isProven('ann', (password) => password === 'q')).toBe(true);
    expect(logins.isProven('eve', () => true)).toBe(false);
    expect(logins.userOf('ya29.x', 'bob')).toBe('bob');
    expect(logins.userOf('ya29.x', 'ann')).toBeUndefined();
    expect(logins.userOf('new', undefined)).toBe('__proto__');
    expect(logins.userOf('newer', undefined)).toBeUndefined();
    expect(logins.userOf('', 'bob')).toBeUndefined();
  });

  it('take no tokens where no user has one, and refuse a user without anything', () => {
    expect(new Logins([{ username: 'ann', password: 'p' }]).takesTokens).toBe(false);
    expect(() => new Logins([{ username: 'ann' }])).toThrow(
      'user "ann" has neither a password nor an access_token; give one, or both',
    );
  });
});
