import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newConnectionAuth, type AuthInput, type CompiledAuth } from '../src/auth/index.js';
import type { DigestAlgorithm } from '../src/auth/digest/algorithms.js';
import { digestAuth, type DigestSettings } from '../src/auth/digest/digest.js';
import { NonceBook } from '../src/auth/digest/nonce-book.js';
import { parseParameters } from '../src/auth/digest/parameters.js';
import { digestResponse, hashCredentials } from '../src/auth/digest/response.js';
import { challengesOf, compile, reasonOf, request } from './auth-support.js';

const MUFASA: DigestSettings = {
  username: 'Mufasa',
  password: 'Circle Of Life',
  realm: 'backlot',
  algorithms: ['SHA-256', 'MD5'],
  qop: 'auth',
};

interface Attempt extends Partial<DigestSettings> {
  readonly nonce: string;
  readonly algorithm?: DigestAlgorithm;
  readonly nc?: number;
  readonly uri?: string;
  readonly method?: string;
  readonly body?: Uint8Array;
  readonly legacy?: boolean;
  readonly encoding?: 'utf8' | 'latin1';
  readonly extra?: string;
}

/** What an honest client sends. */
function answer(attempt: Attempt): string {
  const {
    nonce,
    algorithm = 'MD5',
    nc = 1,
    uri = '/a?b=1',
    method = 'GET',
    qop = 'auth',
    encoding,
  } = attempt;
  const { username, password, realm } = { ...MUFASA, ...attempt };
  const protection = { qop, nc: nc.toString(16).padStart(8, '0'), cnonce: 'c0ffee' };
  const response = digestResponse(hashCredentials(algorithm, { username, realm, password }, encoding), {
    algorithm,
    nonce,
    method,
    uri,
    ...(attempt.legacy === true ? {} : { protection }),
    ...(attempt.body === undefined ? {} : { body: attempt.body }),
  });
  const sent = Buffer.from(username, encoding ?? 'utf8').toString('latin1');
  return (
    `Digest username="${sent}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"` +
    (attempt.legacy === true
      ? ''
      : `, algorithm=${algorithm}, qop=${qop}, nc=${protection.nc}, cnonce="${protection.cnonce}"`) +
    (attempt.extra ?? '')
  );
}

function nonceOf(auth: CompiledAuth): string {
  const value = challengesOf(auth.test(request()))?.[0] ?? '';
  return /nonce="([^"]+)"/.exec(value)?.[1] ?? 'none';
}

const get = (authorization: string, more: Partial<AuthInput> = {}) =>
  request({ authorization, target: '/a?b=1', ...more });

describe('digest responses', () => {
  const rfc7616 = {
    username: 'Mufasa',
    realm: 'http-auth@example.org',
    password: 'Circle of Life',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  };

  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const)('are those of RFC 7616, section 3.9.1, with %s', (algorithm, response) => {
    expect(
      digestResponse(hashCredentials(algorithm, rfc7616), {
        algorithm,
        nonce: rfc7616.nonce,
        method: 'GET',
        uri: '/dir/index.html',
        protection: { qop: 'auth', nc: '00000001', cnonce: rfc7616.cnonce },
      }),
    ).toBe(response);
  });

  it('are those of RFC 7616, section 3.9.2, as erratum 4897 corrects it', () => {
    const algorithm = 'SHA-512-256';
    const person = { username: 'Jäsøn Doe', realm: 'api@example.org', password: 'Secret, or not?' };
    expect(
      digestResponse(hashCredentials(algorithm, person), {
        algorithm,
        nonce: '5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK',
        method: 'GET',
        uri: '/doe.json',
        protection: { qop: 'auth', nc: '00000001', cnonce: 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v' },
      }),
    ).toBe('3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5');
  });

  const rfc2617 = {
    username: 'Mufasa',
    realm: 'testrealm@host.com',
    password: 'Circle Of Life',
  };

  it('is that of RFC 2617, section 3.5', () => {
    expect(
      digestResponse(hashCredentials('MD5', rfc2617), {
        algorithm: 'MD5',
        nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
        method: 'GET',
        uri: '/dir/index.html',
        protection: { qop: 'auth', nc: '00000001', cnonce: '0a4f113b' },
      }),
    ).toBe('6629fae49393a05397450978507c4ef1');
  });

  it('is that of RFC 2069 without qop', () => {
    // The example of RFC 2069, section 2.4, as erratum 749 corrects it.
    expect(
      digestResponse(hashCredentials('MD5', { ...rfc2617, password: 'CircleOfLife' }), {
        algorithm: 'MD5',
        nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
        method: 'GET',
        uri: '/dir/index.html',
      }),
    ).toBe('1949323746fe6a43ef61f9606e7febea');
  });

  it('covers nonces and body where the algorithm and the qop say so', () => {
    const md5 = (text: string) => createHash('md5').update(text).digest('hex');
    const a1 = md5(`${md5('u:r:p')}:n:c`);
    const a2 = md5(`POST:/x:${md5('body')}`);
    expect(
      digestResponse(hashCredentials('MD5-sess', { username: 'u', realm: 'r', password: 'p' }), {
        algorithm: 'MD5-sess',
        nonce: 'n',
        method: 'POST',
        uri: '/x',
        protection: { qop: 'auth-int', nc: '00000002', cnonce: 'c' },
        body: Buffer.from('body'),
      }),
    ).toBe(md5(`${a1}:n:00000002:c:auth-int:${a2}`));
  });
});

describe('the parameters of the header', () => {
  it('are read in quotes and without, with and without space', () => {
    expect([...(parseParameters('a=1,b = "x, \\"y\\" \\\\ \\z" ,, C=d e , ') ?? [])]).toEqual([
      ['a', '1'],
      ['b', 'x, "y" \\ \\z'],
      ['c', 'd e'],
    ]);
  });

  it.each(['a', 'a="x', 'a="x"y', '=x', 'a=1, A=2', 'a b=1', 'x'.repeat(9)])('are refused: %s', (text) => {
    expect(parseParameters(text)).toBeUndefined();
  });

  it('are bounded', () => {
    const many = Array.from({ length: 40 }, (_, index) => `a${index}=1`).join(',');
    expect(parseParameters(many)).toBeUndefined();
  });
});

describe('digest', () => {
  it('offers MD5 and SHA-256 with one nonce', () => {
    const values =
      challengesOf(compile({ type: 'digest', username: 'u', password: 'p' }).test(request())) ?? [];
    expect(values).toHaveLength(2);
    expect(values[0]).toMatch(
      /^Digest realm="backlot", qop="auth", algorithm=MD5, nonce="[\w-]{30}", opaque="[\w-]+", charset=UTF-8$/,
    );
    expect(values[1]).toBe(values[0]?.replace('MD5', 'SHA-256'));
  });

  it('offers what the definition names', () => {
    const auth = compile({
      type: 'digest',
      username: 'u',
      password: 'p',
      realm: 'here',
      algorithm: 'SHA-256-sess',
      qop: 'auth-int',
    });
    const values = challengesOf(auth.test(request())) ?? [];
    expect(values).toHaveLength(1);
    expect(values[0]).toContain('Digest realm="here", qop="auth-int", algorithm=SHA-256-sess');
  });

  it.each(['MD5', 'MD5-sess', 'SHA-256', 'SHA-256-sess', 'SHA-512-256'] as const)(
    'takes an answer with %s',
    (algorithm) => {
      const auth = digestAuth({ ...MUFASA, algorithms: [algorithm] }, new NonceBook());
      expect(auth.test(get(answer({ nonce: nonceOf(auth), algorithm })))).toBe(true);
    },
  );

  it('takes the form of RFC 2069, again and again', () => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const authorization = answer({ nonce: nonceOf(auth), legacy: true });
    expect(auth.test(get(authorization))).toBe(true);
    expect(auth.test(get(authorization))).toBe(true);
  });

  it('checks the body with auth-int', () => {
    const auth = digestAuth({ ...MUFASA, qop: 'auth-int' }, new NonceBook());
    const body = Buffer.from('{"a":1}');
    const more = { method: 'POST', body };
    const good = answer({ nonce: nonceOf(auth), qop: 'auth-int', ...more });
    expect(auth.test(get(good, more))).toBe(true);
    const forged = { method: 'POST', body: Buffer.from('{"a":2}') };
    const other = answer({ nonce: nonceOf(auth), qop: 'auth-int', ...more });
    expect(reasonOf(auth.test(get(other, forged)))).toContain('does not prove');
    expect(reasonOf(auth.test(get(answer({ nonce: nonceOf(auth), legacy: true }))))).toBe(
      'digest qop: got none, want "auth-int"',
    );
  });

  it('takes absolute and origin form for the same target', () => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const absolute = 'http://example.test/a?b=1';
    expect(auth.test(get(answer({ nonce: nonceOf(auth) }), { target: absolute }))).toBe(true);
    expect(auth.test(get(answer({ nonce: nonceOf(auth), uri: absolute })))).toBe(true);
  });

  it('takes user names in UTF-8, ISO 8859-1 and the notation of RFC 8187', () => {
    const person = { username: 'Jäsøn', password: 'größe' };
    const auth = digestAuth({ ...MUFASA, ...person }, new NonceBook());
    expect(auth.test(get(answer({ nonce: nonceOf(auth), ...person })))).toBe(true);
    expect(auth.test(get(answer({ nonce: nonceOf(auth), ...person, encoding: 'latin1' })))).toBe(true);
    const extended = answer({ nonce: nonceOf(auth), ...person }).replace(
      /username="[^"]*"/,
      "username*=UTF-8''J%C3%A4s%C3%B8n",
    );
    expect(auth.test(get(extended))).toBe(true);
    expect(auth.test(get(extended.replace('%C3', '%FF')))).not.toBe(true);
  });

  it('does not take a password that equals another one in its low bytes only', () => {
    const auth = digestAuth({ ...MUFASA, password: '\u0161' }, new NonceBook());
    expect(auth.test(get(answer({ nonce: nonceOf(auth), password: 'a' })))).not.toBe(true);
  });

  it('takes DOMAIN\\user as clients write it', () => {
    const auth = digestAuth({ ...MUFASA, username: 'DOM\\ann' }, new NonceBook());
    expect(auth.test(get(answer({ nonce: nonceOf(auth), username: 'DOM\\ann' })))).toBe(true);
    const escaped = answer({ nonce: nonceOf(auth), username: 'DOM\\ann' }).replace('DOM\\', 'DOM\\\\');
    expect(auth.test(get(escaped))).toBe(true);
  });

  it.each<[string, Partial<Attempt>, Partial<AuthInput>]>([
    ['does not prove the password', { password: 'wrong' }, {}],
    ['digest user name: got "Scar", want "Mufasa"', { username: 'Scar' }, {}],
    ['digest realm: got "there", want "backlot"', { realm: 'there' }, {}],
    ['digest algorithm: got "SHA-512-256", want SHA-256 or MD5', { algorithm: 'SHA-512-256' }, {}],
    ['digest uri: got "/other", want the request target "/a?b=1"', { uri: '/other' }, {}],
    ['does not prove the password', { method: 'POST' }, {}],
    ['digest opaque', { extra: ', opaque="x"' }, {}],
    ['digest qop: got "auth-int", want "auth"', { qop: 'auth-int' }, {}],
    ['malformed', { extra: ', nonce="x"' }, {}],
  ])('refuses and says: %s', (reason, attempt, more) => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const result = auth.test(get(answer({ nonce: nonceOf(auth), ...attempt }), more));
    expect(reasonOf(result)).toContain(reason);
    expect(challengesOf(result)?.[0]).not.toContain('stale');
  });

  it.each(['nonce', 'uri', 'response', 'realm', 'cnonce'])('refuses an answer without %s', (name) => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const without = answer({ nonce: nonceOf(auth) }).replace(new RegExp(`\\b${name}="[^"]*",? ?`), '');
    expect(reasonOf(auth.test(get(without)))).toBe(`digest credentials have no ${name}`);
  });

  it('refuses a count that is not one', () => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const bad = answer({ nonce: nonceOf(auth) }).replace('nc=00000001', 'nc=1');
    expect(reasonOf(auth.test(get(bad)))).toBe('digest nc: got "1", want eight hex digits');
  });
});

describe('nonces', () => {
  it('are good once per count, and a test of the same request is no replay', () => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const nonce = nonceOf(auth);
    const first = get(answer({ nonce }));
    expect(auth.test(first)).toBe(true);
    expect(auth.test(first)).toBe(true);
    expect(auth.test(get(answer({ nonce, nc: 2 })))).toBe(true);
    const replay = auth.test(get(answer({ nonce })));
    expect(challengesOf(replay)?.[0]).toContain(', stale=true');
    expect(challengesOf(replay)?.[1]).toContain(', stale=true');
  });

  it('are not used up by a message without a connection', () => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const authorization = answer({ nonce: nonceOf(auth) });
    expect(auth.test(get(authorization, { connection: undefined }))).toBe(true);
    expect(auth.test(get(authorization))).toBe(true);
    expect(auth.test(get(authorization, { connection: undefined }))).toBe(true);
  });

  it('may be used out of order within 64 counts', () => {
    const book = new NonceBook();
    const nonce = book.issue();
    const use = (count: number) => book.use(nonce, count, {});
    expect([use(3), use(1), use(2), use(2), use(3)]).toEqual([true, true, true, false, false]);
    expect([use(66), use(3), use(4), use(2)]).toEqual([true, false, true, false]);
    expect([use(0xffffffff), use(66), use(0), use(0xfffffffe)]).toEqual([true, false, false, true]);
  });

  it('of another process are stale when the password is right, unknown otherwise', () => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const foreign = new NonceBook().issue();
    expect(challengesOf(auth.test(get(answer({ nonce: foreign }))))?.[0]).toContain('stale=true');
    expect(challengesOf(auth.test(get(answer({ nonce: foreign, password: 'x' }))))?.[0]).not.toContain(
      'stale',
    );
    expect(challengesOf(auth.test(get(answer({ nonce: foreign, legacy: true }))))?.[0]).toContain(
      'stale=true',
    );
  });

  it('are remembered up to the capacity; then the oldest turn stale', () => {
    const book = new NonceBook(2);
    const unused = book.issue();
    const nonces = [book.issue(), book.issue(), book.issue()];
    for (const nonce of nonces) {
      expect(book.use(nonce, 1, {})).toBe(true);
    }
    expect(book.isGood(unused)).toBe(false);
    expect(nonces.map((nonce) => book.use(nonce, 2, {}))).toEqual([false, true, true]);
  });

  it('cannot be made up', () => {
    const book = new NonceBook();
    const nonce = book.issue();
    const forged = `${nonce.startsWith('B') ? 'C' : 'B'}${nonce.slice(1)}`;
    expect([book.isGood(nonce), book.isGood(forged), book.isGood(''), book.isGood('='.repeat(30))]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('serve every connection', () => {
    const auth = digestAuth(MUFASA, new NonceBook());
    const nonce = nonceOf(auth);
    expect(auth.test(get(answer({ nonce, nc: 1 }), { connection: newConnectionAuth() }))).toBe(true);
    expect(auth.test(get(answer({ nonce, nc: 2 }), { connection: newConnectionAuth() }))).toBe(true);
  });
});
