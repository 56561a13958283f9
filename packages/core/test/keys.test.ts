import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  createLocalJWKSet,
  jwtVerify,
  SignJWT,
  importJWK,
  decodeProtectedHeader,
  type JSONWebKeySet,
} from 'jose';
import { createHost } from '../src/index.js';
import { KeyRing } from '../src/keys/key-ring.js';
import { KEY_ALGORITHMS, type KeyDefinition } from '../src/keys/key-schema.js';
import { compileTemplate, compileValue } from '../src/templates/template.js';
import { NOW, scopeOf } from './templates/scope.js';
import { probe, startProbe } from './support.js';

const ring = (keys: Record<string, KeyDefinition>, seed = 1): KeyRing => new KeyRing(keys, seed);
const asymmetric = KEY_ALGORITHMS.filter((alg) => !alg.startsWith('HS'));
const at = new Date(NOW);

describe('keys', () => {
  it.each(asymmetric)('%s: jose verifies with the key set, and signs what is verified here', async (alg) => {
    const keys = ring({ k1: { alg }, other: { alg: 'HS256' } });
    const set = keys.publicKeys() as JSONWebKeySet;
    expect(set.keys).toHaveLength(1);
    expect(set.keys[0]).toMatchObject({ kid: 'k1', alg, use: 'sig' });
    expect(set.keys[0]).not.toHaveProperty('d');
    const token = keys.sign('k1', { sub: 'ann' });
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(set));
    expect(payload).toEqual({ sub: 'ann' });
    expect(protectedHeader).toEqual({ alg, typ: 'JWT', kid: 'k1' });
    expect(keys.verify('k1', token, NOW)).toEqual({ claims: { sub: 'ann' }, problem: undefined });
    const [head, , signature] = token.split('.');
    const forged = `${head}.${Buffer.from('{"sub":"eve"}').toString('base64url')}.${signature}`;
    expect(keys.verify('k1', forged, NOW).problem).toMatch(/signature that is not of key "k1"/);
  });

  it.each(['HS256', 'HS384', 'HS512'] as const)('%s: a secret', async (alg) => {
    const keys = ring({ k1: { alg, secret: 'my-very-own-secret-of-some-length', kid: 'other' } });
    const secret = Buffer.from('my-very-own-secret-of-some-length');
    const token = keys.sign('k1', { sub: 'ann' });
    expect((await jwtVerify(token, secret)).payload).toEqual({ sub: 'ann' });
    expect(decodeProtectedHeader(token).kid).toBe('other');
    const theirs = await new SignJWT({ a: 1 }).setProtectedHeader({ alg }).sign(secret);
    expect(keys.verify('k1', theirs, NOW).claims).toEqual({ a: 1 });
    expect(keys.publicKeys()).toEqual({ keys: [] });
  });

  it('are the same for the same seed, and others for another', () => {
    for (const alg of ['RS256', 'ES256', 'ES512', 'EdDSA'] as const) {
      const [a, b, c, d] = [
        ring({ k: { alg } }),
        ring({ k: { alg } }),
        ring({ k: { alg } }, 2),
        ring({ l: { alg } }),
      ];
      expect(a.publicKeys()).toEqual(b.publicKeys());
      expect(a.publicKeys()).not.toEqual(c.publicKeys());
      expect({ ...d.publicKeys().keys[0], kid: '' }).not.toEqual({ ...a.publicKeys().keys[0], kid: '' });
    }
  });

  it('are given as PEM, as JSON Web Key, or in a file', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const jwk = privateKey.export({ format: 'jwk' });
    const folder = mkdtempSync(join(tmpdir(), 'backlot-keys-'));
    try {
      writeFileSync(join(folder, 'key.pem'), pem);
      writeFileSync(join(folder, 'key.json'), JSON.stringify(jwk));
      const keys = ring({
        a: { alg: 'ES256', pem },
        b: { alg: 'ES256', jwk: { ...jwk } },
        c: { alg: 'ES256', file: join(folder, 'key.pem') },
        d: { alg: 'ES256', file: join(folder, 'key.json') },
        e: { alg: 'HS256', jwk: { kty: 'oct', k: 'c2VjcmV0' } },
      });
      expect(keys.makeAll()).toEqual([]);
      const { d: _secret, ...open } = jwk;
      const key = await importJWK(open, 'ES256');
      for (const name of ['a', 'b', 'c', 'd'])
        expect((await jwtVerify(keys.sign(name, { n: 1 }), key)).payload).toEqual({ n: 1 });
      expect(keys.sign('e', {})).toBe(ring({ e: { alg: 'HS256', secret: 'secret' } }).sign('e', {}));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('are refused when they do not fit', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const problems = ring({
      curve: { alg: 'ES256', pem },
      kind: { alg: 'RS256', pem },
      secret: { alg: 'RS256', secret: 'x' },
      two: { alg: 'HS256', secret: 'x', pem },
      none: { alg: 'ES256', file: '/nowhere/key.pem' },
    }).makeAll();
    expect(problems.map(({ path }) => path)).toEqual([
      '/keys/curve',
      '/keys/kind',
      '/keys/secret',
      '/keys/two',
      '/keys/none',
    ]);
    const options = { protocols: [probe().protocol], keys: { k: { alg: 'XS256' } } };
    await expect(createHost(options as never)).rejects.toThrow(/\/keys\/k\/alg/);
    await expect(
      createHost({ protocols: [probe().protocol], keys: { k: { alg: 'ES256', pem } } }),
    ).rejects.toThrow(/ES256 needs a key of type ec on prime256v1/);
  });

  it('tell tokens that do not count', () => {
    const keys = ring({ k: { alg: 'HS256' }, l: { alg: 'HS384' } });
    const seconds = Math.floor(NOW / 1000);
    const problem = (token: string, leeway?: number): string | undefined =>
      keys.verify('k', token, NOW, leeway).problem;
    expect(problem('a.b')).toMatch(/three parts/);
    expect(problem('a.b.c')).toMatch(/no header/);
    expect(problem(keys.sign('l', {}))).toMatch(/signed with "HS384", want HS256/);
    expect(problem(`${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`)).toMatch(
      /signed with "none"/,
    );
    expect(problem(keys.sign('k', { exp: seconds }))).toMatch(/expired at 2026-03-07T09:05:03/);
    expect(problem(keys.sign('k', { exp: seconds }), 5_000)).toBeUndefined();
    expect(problem(keys.sign('k', { exp: seconds + 1 }))).toBeUndefined();
    expect(problem(keys.sign('k', { nbf: seconds + 2 }))).toMatch(/not valid before/);
    expect(problem(keys.sign('k', { nbf: seconds + 2 }), 5_000)).toBeUndefined();
    expect(problem('x'.repeat(70_000))).toMatch(/three parts/);
    expect(() => keys.sign('none', {})).toThrow(/there is no key "none".*k, l/);
  });
});

describe('templates with keys', () => {
  const keys = ring({ k1: { alg: 'ES256' } });
  const scope = {
    ...scopeOf({
      request: { body: { user: 'ann', roles: ['a'] }, key: 'k1' },
      vars: { claims: { iss: 'me', aud: 'you' } },
    }),
    keys,
  };
  const claimsOf = async (text: string): Promise<object> => {
    const token = compileTemplate(text, { target: 'text' }).render(scope);
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys.publicKeys() as JSONWebKeySet), {
      currentDate: at,
    });
    return payload;
  };
  const iat = Math.floor(NOW / 1000);

  it('sign claims, with dates by the clock', async () => {
    expect(await claimsOf('{{jwt "k1"}}')).toEqual({ iat, exp: iat + 3600 });
    expect(await claimsOf('{{jwt k1 "sub" body.user "roles" body.roles "exp" "5m" "nbf" "-1m"}}')).toEqual({
      iat,
      sub: 'ann',
      roles: ['a'],
      exp: iat + 300,
      nbf: iat - 60,
    });
    expect(await claimsOf('{{jwt request.key vars.claims "iss" "other" "exp" null "x" body.none}}')).toEqual({
      iat,
      iss: 'other',
      aud: 'you',
    });
    expect(await claimsOf(`{{jwt "k1" '{"sub": "x", "exp": ${iat + 9}}'}}`)).toEqual({
      iat,
      sub: 'x',
      exp: iat + 9,
    });
  });

  it('give the public keys', () => {
    expect(JSON.parse(compileTemplate('{"set": {{jwks}}}').render(scope))).toEqual({
      set: keys.publicKeys(),
    });
    expect(compileValue('{{jwks}}').render(scope)).toEqual(keys.publicKeys());
  });

  it('say which key is not there', () => {
    expect(() => compileTemplate('{{jwt "k2"}}').render(scope)).toThrow(/no key "k2"; .* has k1/);
    expect(() => compileTemplate('{{jwt "k1"}}').render(scopeOf())).toThrow(/has no "keys"/);
  });

  it.each([
    '{{jwt "k2"}}',
    '{{jwt k2 "sub" "ann"}}',
    '{"token": "{{upper (jwt "k2")}}"}',
    '{{#if body.a}}a{{else}}{{jwt "k2"}}{{/if}}',
    '{{#if (eq (jwt "k2") "a")}}a{{/if}}',
  ])('are refused when they name a key that is not there: %s', async (answer) => {
    const { host } = await startProbe({}, { keys: { k1: { alg: 'ES256' } } });
    const create = (given: object): unknown => host.kind('probe').mocks.create(given);
    expect(() => create({ answer })).toThrow(/there is no key "k2"; known are k1/);
    expect(() => create({ answer: answer.replaceAll('k2', 'k1') })).not.toThrow();
    // What a message names is known when it has come.
    expect(() =>
      create({ answer: '{{jwt body.key}}{{#body.keys}}{{jwt name}}{{/body.keys}}' }),
    ).not.toThrow();
    await host.stop(0);
  });

  it('see those of the host', async () => {
    const { host, ask } = await startProbe(
      { mocks: [{ id: 'm', answer: '{{jwks}}' }] },
      { keys: { k1: { alg: 'ES256' } } },
    );
    expect(JSON.parse(await ask('x'))).toEqual(ring({ k1: { alg: 'ES256' } }).publicKeys());
    await host.stop(0);
  });
});
