import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@backlot/core/plugin';
import {
  isSecretName,
  RecordingBook,
  redactJsonSteps,
  redactText,
  volatileRule,
  type RecordingForm,
} from '../src/upstream.js';

describe('secrets', () => {
  it.each([
    'Authorization',
    'X-API-Key',
    'accessToken',
    'client_secret',
    'user_password',
    'JSESSIONID',
    'x-csrf-token',
    'accesstoken',
    'authtoken',
    'clientsecret',
    'newpassword',
    'password1',
    'page_password',
    'page_access_token',
  ])('%s is the name of one', (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    'author',
    'max_tokens',
    'next_page_token',
    'nextpagetoken',
    'pageToken',
    'cookies_accepted',
    'name',
    'tokenizer',
    'passport',
  ])('%s is not', (name) => expect(isSecretName(name)).toBe(false));

  it('are found by their shape in any text', () => {
    const key =
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB+x/=\n-----END RSA PRIVATE KEY-----';
    const text = `a AKIAIOSFODNN7EXAMPLE b ghp_${'x'.repeat(36)} c ${key} d Basic dXNlcjpwdw== e eyJhbGciOiJI.eyJzdWIiOiIx.c2ln f`;
    expect(redactText(text)).toBe('a REDACTED b REDACTED c REDACTED d REDACTED e REDACTED f');
  });

  const redactJson = (text: string): string => runAtOnce(redactJsonSteps(text));

  it.each([
    ['{ "name": "Ann", "list": [1, {"ok": true}] }', undefined],
    [
      '{"user":{"password":"x","token":null,"pin":5}}',
      '{"user":{"password":"REDACTED","token":null,"pin":5}}',
    ],
    ['{"tokens":[{"token":7, "n":1}]}', '{"tokens":[{"token":"REDACTED", "n":1}]}'],
    ['{"secret":["a",["b"]],"c":"d"}', '{"secret":["REDACTED",["REDACTED"]],"c":"d"}'],
    ['{"password":{"value":"x"},"c":["d"]}', '{"password":{"value":"REDACTED"},"c":["d"]}'],
    [String.raw`{"body":"{\"password\": \"x\"}"}`, String.raw`{"body":"{\"password\": \"REDACTED\"}"}`],
    ['{"password":"a"}\n{"password":"b"}\n', '{"password":"REDACTED"}\n{"password":"REDACTED"}\n'],
    ['{"next":"/list?access_token=x&page=2"}', '{"next":"/list?access_token=REDACTED&page=2"}'],
    [
      '{"at":"https://u:pw@h/?token=x#id_token=y"}',
      '{"at":"https://u:REDACTED@h/?token=REDACTED#id_token=REDACTED"}',
    ],
    ['{"password":"cut o', '{"password":"REDACTED"'],
    [String.raw`{"a":"\nBearer abcdefgh1234"}`, String.raw`{"a":"\nREDACTED"}`],
    [`${'['.repeat(5000)}{"password":"x"}`, `${'['.repeat(5000)}{"password":"REDACTED"}`],
  ])('are taken out of %s', (text, expected) => expect(redactJson(text)).toBe(expected ?? text));

  it.each([
    'eyJ-',
    'eyJaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----',
    'Bearer ',
    'xoxb-',
    '[[[[{"a":',
    '"',
    '\\"',
    'https://a?b&',
  ])('are looked for in a time that grows with the text alone: %s', (part) => {
    const measure = (count: number): number => {
      const text = part.repeat(count);
      const began = process.cpuUsage();
      redactText(text);
      redactJson(text);
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    measure(1000);
    // With the square of the length it would be 256 times as much.
    expect(measure(160_000)).toBeLessThan(64 * Math.max(measure(10_000), 5000));
  });
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
  type Mock = Readonly<Record<string, unknown>>;

  function open(given: readonly Mock[] = [], replaces = false, form?: RecordingForm) {
    const mocks = new Map<string, Mock>(given.map((mock) => [String(mock['id']), mock]));
    const warned: string[] = [];
    const counts = { found: 0, replaced: 0 };
    const book = new RecordingBook({
      mocks: {
        create: (mock) => (mocks.set(String(mock['id']), mock), String(mock['id'])),
        replace: (id, mock) => {
          if (JSON.stringify(mock).includes('refused')) throw new Error('no such mock');
          counts.replaced += 1;
          mocks.set(id, { id, ...mock });
        },
        remove: (id) => mocks.delete(id),
        find: (id) => ((counts.found += 1), mocks.get(id)),
      },
      log: { warn: (text) => warned.push(text) },
      replaces,
      form: form ?? { as: 'sequence', answer: (answers) => ({ answers: [...answers] }) },
    });
    const add = (answer: string, key = 'k', name = 'GET /a b'): string | undefined =>
      book.add({ key, name, match: { path: key }, answer });
    return { mocks, warned, counts, book, add };
  }

  it('makes one mock of equal messages, and a list of answers when they differ', () => {
    const { mocks, book, add } = open();
    for (const answer of ['1', '1', '2', '1']) expect(add(answer)).toBe('recorded:get-a-b');
    expect([...mocks.values()]).toEqual([
      { id: 'recorded:get-a-b', path: 'k', answers: ['1', '1', '2', '1'] },
    ]);
    expect([book.has('k'), book.made('recorded:get-a-b'), book.has('other')]).toEqual([true, true, false]);
    book.clear();
    expect([book.has('k'), book.made('recorded:get-a-b')]).toEqual([false, false]);
  });

  it.each([
    ['times', [{ times: 1 }, { times: 1 }, {}]],
    [
      'state',
      [
        { state: { key: 'recorded:get-a-b', value: '' }, set_state: { 'recorded:get-a-b': '1' } },
        { state: { key: 'recorded:get-a-b', value: '1' }, set_state: { 'recorded:get-a-b': '2' } },
        { state: { key: 'recorded:get-a-b', value: '2' } },
      ],
    ],
  ] as const)('makes mocks that take turns by %s, where one has one answer', (as, turns) => {
    const form: RecordingForm = { as, answer: (answer) => ({ answer }) };
    const { mocks, book, add } = open([], false, form);
    for (const answer of ['1', '1', '2']) add(answer);
    const ids = ['recorded:get-a-b', 'recorded:get-a-b-2', 'recorded:get-a-b-3'];
    expect([...mocks.values()]).toEqual(
      ids.map((id, place) => ({ id, path: 'k', answer: place < 2 ? '1' : '2', ...turns[place] })),
    );
    expect(ids.map((id) => book.made(id))).toEqual([true, true, true]);
    // What is recorded anew takes the place of all of them.
    const anew = open([...mocks.values()], true, form);
    anew.add('3');
    expect([...anew.mocks.values()]).toEqual([{ id: ids[0], path: 'k', answer: '3' }]);
  });

  it('asks for few mocks, however many have ids that begin alike', () => {
    const before = Array.from({ length: 500 }, (_, index) => ({
      id: index === 0 ? 'recorded:get-a-b' : `recorded:get-a-b-${index + 1}`,
      path: `old ${index}`,
    }));
    const { mocks, counts, add } = open(before, true);
    for (let index = 0; index < 500; index += 1) add('new', `old ${index}`);
    for (let index = 0; index < 500; index += 1) add('new', `new ${index}`);
    expect(counts.found).toBeLessThan(5000);
    expect(mocks.size).toBe(1000);
    expect(mocks.get('recorded:get-a-b-7')).toEqual({
      id: 'recorded:get-a-b-7',
      path: 'old 6',
      answers: ['new'],
    });
  });

  it('leaves alone what somebody has changed or removed meanwhile', () => {
    const { mocks, counts, book, add } = open();
    add('1');
    mocks.set('recorded:get-a-b', { id: 'recorded:get-a-b', mine: true });
    expect([book.has('k'), book.made('recorded:get-a-b')]).toEqual([false, false]);
    expect(add('2')).toBeUndefined();
    add('1', 'l');
    mocks.delete('recorded:get-a-b-2');
    expect(add('2', 'l')).toBeUndefined();
    expect(book.has('l')).toBe(true);
    expect([...mocks.values()]).toEqual([{ id: 'recorded:get-a-b', mine: true }]);
    expect(counts.replaced).toBe(0);
  });

  it('has a limit of answers and of bytes, of which it warns once, and keeps no answer that is refused', () => {
    const { mocks, warned, counts, add } = open();
    add('1');
    expect(() => add('refused')).toThrow('no such mock');
    for (let count = 0; count < 1100; count += 1) add(String(count + 2));
    expect(mocks.get('recorded:get-a-b')).toMatchObject({ answers: expect.not.arrayContaining(['refused']) });
    expect(counts.replaced).toBe(999);
    const large = 'x'.repeat(2_000_000);
    for (let count = 0; count < 5; count += 1) add(`${count}${large}`, 'large', 'GET /large');
    expect(mocks.get('recorded:get-large')?.['answers']).toHaveLength(2);
    expect(warned).toEqual([
      'the recording recorded:get-a-b is full with 1000 answers; what comes after that is not in it',
      'the recording recorded:get-large is full with 4 MiB; what comes after that is not in it',
    ]);
    for (let count = 0; count < 40; count += 1) add(large, `k${count}`, `GET /${count}`);
    expect(warned.slice(2)).toEqual(['there are 64 MiB of recordings; what is new is recorded no more']);
  });
});
