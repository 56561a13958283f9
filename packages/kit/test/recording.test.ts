import { describe, expect, it } from '@jest/globals';
import { isSecretName, RecordingBook, redactJson, redactText, volatileRule } from '../src/upstream.js';

describe('secrets', () => {
  it.each([
    'Authorization',
    'X-API-Key',
    'accessToken',
    'client_secret',
    'user_password',
    'JSESSIONID',
    'x-csrf-token',
  ])('%s is the name of one', (name) => expect(isSecretName(name)).toBe(true));

  it.each(['author', 'max_tokens', 'next_page_token', 'cookies_accepted', 'name', 'tokenizer', 'passport'])(
    '%s is not',
    (name) => expect(isSecretName(name)).toBe(false),
  );

  it('are found by their shape in any text', () => {
    const key =
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB+x/=\n-----END RSA PRIVATE KEY-----';
    const text = `a AKIAIOSFODNN7EXAMPLE b ghp_${'x'.repeat(36)} c ${key} d Basic dXNlcjpwdw== e eyJhbGciOiJI.eyJzdWIiOiIx.c2ln f`;
    expect(redactText(text)).toBe('a REDACTED b REDACTED c REDACTED d REDACTED e REDACTED f');
  });

  it('are taken out of JSON, and what has none stays the same value', () => {
    const plain = { name: 'Ann', list: [1, { ok: true }] };
    expect(redactJson(plain)).toBe(plain);
    expect(redactJson({ user: { password: 'x', token: null, pin: 5 }, tokens: [{ token: 'a' }] })).toEqual({
      user: { password: 'REDACTED', token: null, pin: 5 },
      tokens: [{ token: 'REDACTED' }],
    });
  });

  it.each(['eyJ-', 'eyJaaaaaaaa.', '-----BEGIN PRIVATE KEY-----', 'Bearer ', 'xoxb-', '[[[[{"a":'])(
    'are looked for in a time that grows with the text alone: %s',
    (part) => {
      const measure = (count: number): number => {
        const text = part.repeat(count);
        const began = process.cpuUsage();
        redactText(text);
        const { user, system } = process.cpuUsage(began);
        return user + system;
      };
      measure(1000);
      // With the square of the length it would be 256 times as much.
      expect(measure(160_000)).toBeLessThan(64 * Math.max(measure(10_000), 1000));
    },
  );
});

describe('volatile values', () => {
  it.each([
    ['id', '0f8fad5b-d9cb-469f-a165-70867728950e', 'uuid'],
    ['when', '2026-01-02T03:04:05.678Z', 'timestamp'],
    ['ts', '1767323045', 'epoch'],
    ['X-Request-Id', 'abc', 'nonce'],
    ['amount', '1767323045', undefined],
    ['day', '2026-01-02', undefined],
    ['name', 'Ann', undefined],
  ])('%s = %s', (name, value, rule) => expect(volatileRule(name, value)?.rule).toBe(rule));
});

describe('a book of recordings', () => {
  it('makes one mock of equal messages, and a list of answers when they differ', () => {
    const mocks = new Map<string, object>();
    const book = new RecordingBook({
      mocks: {
        create: (mock) => (mocks.set(String(mock['id']), mock), String(mock['id'])),
        replace: (id, mock) => void mocks.set(id, { id, ...mock }),
        values: () => [],
      },
      log: { warn: () => undefined },
      replaces: false,
      answer: (answers) => ({ answers: [...answers] }),
    });
    const add = (answer: string): string | undefined =>
      book.add({ key: 'k', name: 'GET /a b', match: { path: '/a b' }, answer });
    for (const answer of ['1', '1', '2', '1']) expect(add(answer)).toBe('recorded:get-a-b');
    expect([...mocks.values()]).toEqual([
      { id: 'recorded:get-a-b', path: '/a b', answers: ['1', '1', '2', '1'] },
    ]);
    expect([book.has('k'), book.made('recorded:get-a-b'), book.has('other')]).toEqual([true, true, false]);
    book.clear();
    expect([book.has('k'), book.made('recorded:get-a-b')]).toEqual([false, false]);
  });
});
