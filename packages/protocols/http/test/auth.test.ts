import { describe, expect, it } from '@jest/globals';
import { AuthSchema, type AuthDefinition } from '../src/auth/index.js';
import { challengesOf, compile, compileNoting, reasonOf, request } from './auth-support.js';

const basic = (user: string, encoding: BufferEncoding = 'utf8') =>
  `Basic ${Buffer.from(user, encoding).toString('base64')}`;

describe('the schema', () => {
  it('describes every field and takes no others', () => {
    expect(AuthSchema.additionalProperties).toBe(false);
    for (const [name, field] of Object.entries(AuthSchema.properties)) {
      expect([name, typeof field.description]).toEqual([name, 'string']);
    }
  });
});

describe('compileAuth', () => {
  const problemsOf = (definition: AuthDefinition) => compileNoting(definition).problems;

  it('notes fields of another type, at their place', () => {
    expect(problemsOf({ type: 'bearer', value: 'x' })).toEqual([
      {
        path: '/request/auth/value',
        message: 'value has no meaning for auth type bearer; it takes token, jwt, challenge, realm',
      },
    ]);
    expect(problemsOf({ type: 'api_key', challenge: true })[0]?.path).toBe('/request/auth/challenge');
  });

  it('wants plain credentials for digest', () => {
    expect(problemsOf({ type: 'digest' }).map(({ path }) => path)).toEqual([
      '/request/auth/username',
      '/request/auth/password',
    ]);
    expect(problemsOf({ type: 'digest', username: 'a*', password: 're:x' })).toHaveLength(2);
    expect(problemsOf({ type: 'digest', username: 'a\\*', password: { equals: '' } })).toEqual([]);
  });

  it('lets ntlm do without credentials, but refuses patterns', () => {
    expect(problemsOf({ type: 'ntlm' })).toEqual([]);
    expect(problemsOf({ type: 'ntlm', username: 'a*' })[0]?.message).toContain('give plain text');
  });

  it('refuses challenge: false where the scheme lives by its challenge', () => {
    expect(problemsOf({ type: 'ntlm', challenge: false })).toHaveLength(1);
    expect(problemsOf({ type: 'ntlm', challenge: true })).toEqual([]);
  });

  it('refuses realms and header names that cannot be sent', () => {
    expect(problemsOf({ type: 'basic', realm: 'a"\r\nx: y' })[0]?.path).toBe('/request/auth/realm');
    expect(problemsOf({ type: 'api_key', header: 'x y' })[0]?.message).toContain('is not a header name');
  });
});

describe('bearer', () => {
  it('takes a token that fits the pattern', () => {
    const auth = compile({ type: 'bearer', token: 'abc-*' });
    expect(auth.test(request({ authorization: 'Bearer abc-1' }))).toBe(true);
    expect(auth.test(request({ authorization: 'bearer  abc-1 ' }))).toBe(true);
    expect(auth.test(request({ headers: { authorization: ['Basic eA==', 'Bearer abc-1'] } }))).toBe(true);
  });

  it('skips the mock with a reason that does not hold the token', () => {
    const auth = compile({ type: 'bearer', token: 'secret' });
    expect(auth.test(request())).toBe('no Authorization header, want bearer credentials');
    expect(auth.test(request({ authorization: 'Bearer' }))).toBe('bearer credentials hold no token');
    expect(auth.test(request({ authorization: 'Basic x' }))).toBe(
      'Authorization header has scheme "basic", want bearer',
    );
    expect(auth.test(request({ authorization: 'Bearer other' }))).toBe(
      'bearer token is not the one this mock wants',
    );
  });

  it('takes any token when none is named', () => {
    const auth = compile({ type: 'bearer' });
    expect(auth.test(request({ authorization: 'Bearer x' }))).toBe(true);
    expect(auth.test(request({ authorization: 'Bearer ' }))).not.toBe(true);
  });

  it('challenges when told to, and names an error only when there was a token', () => {
    const auth = compile({ type: 'bearer', token: 'a', challenge: true, realm: 'here' });
    expect(challengesOf(auth.test(request()))).toEqual(['Bearer realm="here"']);
    expect(challengesOf(auth.test(request({ authorization: 'Bearer b' })))).toEqual([
      'Bearer realm="here", error="invalid_token"',
    ]);
  });
});

describe('basic', () => {
  it('takes user name and password that fit their patterns', () => {
    const auth = compile({ type: 'basic', username: 'ann', password: 'p:*' });
    expect(auth.test(request({ authorization: basic('ann:p:1') }))).toBe(true);
    expect(reasonOf(auth.test(request({ authorization: basic('bob:p:1') })))).toBe(
      'basic user name: got "bob", want "ann"',
    );
    expect(reasonOf(auth.test(request({ authorization: basic('ann:x') })))).toBe(
      'basic password is not the one this mock wants',
    );
  });

  it('takes UTF-8 and ISO 8859-1', () => {
    const auth = compile({ type: 'basic', username: 'jäger', password: 'größe' });
    expect(auth.test(request({ authorization: basic('jäger:größe') }))).toBe(true);
    expect(auth.test(request({ authorization: basic('jäger:größe', 'latin1') }))).toBe(true);
  });

  it('takes anybody when nothing is named, but not nobody', () => {
    const auth = compile({ type: 'basic' });
    expect(auth.test(request({ authorization: basic(':') }))).toBe(true);
    expect(reasonOf(auth.test(request()))).toContain('no Authorization header');
    expect(reasonOf(auth.test(request({ authorization: basic('x') })))).toContain('no colon');
    expect(reasonOf(auth.test(request({ authorization: 'Basic !!' })))).toContain('not base64');
  });

  it('challenges when told to', () => {
    const auth = compile({ type: 'basic', challenge: true });
    expect(auth.test(request())).toEqual({
      challenge: {
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="backlot", charset="UTF-8"' },
        reason: 'no Authorization header, want basic credentials',
      },
    });
  });
});

describe('api_key', () => {
  it('reads X-API-Key unless another place is named', () => {
    const auth = compile({ type: 'api_key', value: 'k1' });
    expect(auth.test(request({ headers: { 'x-api-key': 'k1' } }))).toBe(true);
    expect(auth.test(request({ headers: { 'x-api-key': 'k2' } }))).toBe(
      'API key in header x-api-key is not the one this mock wants',
    );
    expect(auth.test(request({ query: { 'X-API-Key': 'k1' } }))).toBe('no API key in header x-api-key');
  });

  it('reads the named header, whatever its case, and any of its values', () => {
    const auth = compile({ type: 'api_key', header: 'X-Key', value: 'k1' });
    expect(auth.test(request({ headers: { 'x-key': ['k0', 'k1'] } }))).toBe(true);
  });

  it('reads a query parameter, or either place when both are named', () => {
    const query = compile({ type: 'api_key', query: 'key', value: 'k1' });
    expect(query.test(request({ query: { key: 'k1' } }))).toBe(true);
    expect(query.test(request({ headers: { 'x-api-key': 'k1' } }))).toBe('no API key in query parameter key');
    const either = compile({ type: 'api_key', query: 'key', header: 'x-key' });
    expect(either.test(request({ query: { key: 'k' } }))).toBe(true);
    expect(either.test(request({ headers: { 'x-key': 'k' } }))).toBe(true);
    expect(either.test(request({ headers: { 'x-key': '' } }))).toBe(
      'no API key in header x-key or query parameter key',
    );
  });

  it('does not take inherited names for parameters', () => {
    const auth = compile({ type: 'api_key', query: 'constructor' });
    expect(auth.test(request())).toBe('no API key in query parameter constructor');
  });
});
