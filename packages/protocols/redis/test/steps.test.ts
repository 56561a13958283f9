import { describe, expect, it } from '@jest/globals';
import { xorshift32 } from '@backlot/conformance';
import type { Clock, Log, Random } from '@backlot/core/plugin';
import { createUsers } from '../src/acl/create-users.js';
import { findCommand } from '../src/commands/table.js';
import { isEncoded, isWork, type Answer } from '../src/commands/work.js';
import { ServerState } from '../src/server-state.js';
import { Session } from '../src/session.js';
import { readSettings } from '../src/settings.js';
import { AnswerStream } from '../src/wire/answer-stream.js';
import { LongReply } from '../src/wire/long-reply.js';

const SIZE = 20_000;
/** A command may go through so many elements between two places where others may be let in. */
const MAX_AT_ONCE = 300;

/** A session on data of its own, without a connection. */
function makeSession(): Session {
  const number = xorshift32(3);
  const now = 1_000_000_000_000;
  const clock = { now: () => now, after: () => ({ cancel: () => undefined }) };
  const random = {
    int: (min: number, max: number) => min + number(max - min + 1),
    pick: <T>(list: readonly T[]) => list[number(list.length)],
  };
  const context = {
    clock: clock as unknown as Clock,
    log: {} as Log,
    random: () => random as unknown as Random,
    newId: () => 'a'.repeat(32),
  };
  const line = { local: '', remote: '', push: () => undefined, close: () => undefined, cut: () => undefined };
  const settings = readSettings({ mode: 'stateful' } as never);
  return new Session(new ServerState(context, settings, createUsers(settings)), line);
}

/** Carries a command out; gives its whole answer, and how often others could have been let in. */
function run(session: Session, args: readonly string[]): { readonly text: string; readonly steps: number } {
  const command = findCommand(args);
  if (command === undefined) throw new Error(`there is no ${args[0]}`);
  let answer: Answer = command.run(args, session);
  let steps = 1;
  if (isWork(answer)) {
    for (let step = answer.next(); ; step = answer.next()) {
      if (step.done === true) {
        answer = step.value;
        break;
      }
      steps += 1;
    }
  }
  if (!isEncoded(answer)) return { text: '', steps };
  const stream = new AnswerStream(answer);
  let text = '';
  for (let part = stream.next(); part !== undefined; part = stream.next()) {
    expect(part.length).toBeLessThanOrEqual(64 * 1024);
    text += part;
    steps += 1;
  }
  return { text, steps };
}

function list(make: (n: number) => string | readonly string[], count = SIZE): string[] {
  return Array.from({ length: count }, (_, n) => make(n)).flat();
}

/** Fills `s`, `t` (sets), `h` (hash), `l` (list), `z`, `y` (sorted sets) and as many plain keys. */
function fill(session: Session): void {
  run(session, ['SADD', 's', ...list((n) => `m${n}`)]);
  run(session, ['SADD', 't', ...list((n) => `m${2 * n}`)]);
  run(session, ['HSET', 'h', ...list((n) => [`f${n}`, `v${n}`])]);
  run(session, ['RPUSH', 'l', ...list((n) => `e${n}`)]);
  run(session, ['ZADD', 'z', ...list((n) => [String(n), `m${n}`])]);
  run(session, ['ZADD', 'y', ...list((n) => [String(SIZE - n), `m${2 * n}`])]);
  run(session, ['MSET', ...list((n) => [`key${n}`, 'v'])]);
}

const KEYS = list((n) => `key${n}`);

describe('a command that goes through much lets others in again and again', () => {
  const session = makeSession();
  fill(session);

  it.each(
    [
      'KEYS *x*y*',
      'KEYS *',
      'SCAN 0 COUNT 1000000',
      ['MGET', ...KEYS],
      ['EXISTS', ...KEYS],
      'LRANGE l 0 -1',
      'LPOS l nobody',
      'LPOS l e1 COUNT 0',
      'COPY l copy',
      'LREM copy 0 e10',
      'LINSERT copy BEFORE nobody x',
      'LTRIM copy 15000 16000',
      'SMEMBERS s',
      'SUNION s t',
      'SINTER s t',
      'SDIFF s t',
      'SUNIONSTORE all s t',
      'SINTERCARD 2 s t',
      'SMISMEMBER s'.split(' ').concat(KEYS),
      'SSCAN s 0 COUNT 1000000 MATCH *1*',
      'SRANDMEMBER s -20000',
      'SRANDMEMBER s 15000',
      'SPOP all 20000',
      'HGETALL h',
      'HKEYS h',
      'HVALS h',
      'HMGET h'.split(' ').concat(KEYS),
      'HSCAN h 0 COUNT 1000000',
      'HRANDFIELD h 15000 WITHVALUES',
      'COPY h copy REPLACE',
      'HDEL copy'.split(' ').concat(KEYS),
      'ZRANGE z 0 -1 WITHSCORES',
      'ZRANGEBYSCORE z -inf +inf',
      'ZRANGESTORE copy z 0 -1',
      'ZMSCORE z'.split(' ').concat(KEYS),
      'ZUNION 2 y z',
      'ZUNIONSTORE all 2 y z',
      'ZINTER 2 y z WEIGHTS 2 3 WITHSCORES',
      'ZDIFF 2 y z',
      'ZSCAN z 0 COUNT 1000000',
      'ZREMRANGEBYRANK copy 0 15000',
      'ZPOPMIN all 20000',
      'BLPOP'.split(' ').concat(
        KEYS.slice(0, 9_000).map((key) => `no-${key}`),
        '0',
      ),
      'SUBSCRIBE'.split(' ').concat(KEYS.slice(0, 10_000)),
      'PUBSUB CHANNELS *1*2*',
      'UNSUBSCRIBE',
      ['DEL', ...KEYS],
    ].map((command) => (typeof command === 'string' ? command.split(' ') : command)),
  )('%s %s', (...args) => {
    const { steps } = run(session, args);
    const elements =
      args.includes('-20000') || !/BLPOP|SUBSCRIBE|PUBSUB|TRIM|REMRANGE/.test(args[0] ?? '') ? SIZE : 8_000;
    const wanted = /CARD|SDIFF|15000|16000/.test(args.join(' ')) ? elements / 2 : elements;
    expect(steps).toBeGreaterThanOrEqual(Math.floor(wanted / MAX_AT_ONCE));
  });

  it('RPUSH, SADD, HSET, ZADD, MSET with many arguments', () => {
    const fresh = makeSession();
    for (const args of [
      ['RPUSH', 'l', ...KEYS],
      ['SADD', 's', ...KEYS],
      ['HSET', 'h', ...KEYS],
      ['ZADD', 'z', ...list((n) => [String(n), `m${n}`])],
      ['MSET', ...KEYS],
      ['MSETNX', ...list((n) => [`new${n}`, 'v'])],
      ['SREM', 's', ...KEYS],
      ['ZREM', 'z', ...list((n) => `m${n}`)],
    ])
      expect(run(fresh, args).steps).toBeGreaterThanOrEqual(SIZE / 2 / MAX_AT_ONCE);
  });
});

describe('what is quick on any amount of data', () => {
  const session = makeSession();
  fill(session);

  it.each([
    'LINDEX l 10000',
    'LSET l 10000 x',
    'LRANGE l 10000 10010',
    'LPOP l 10',
    'ZRANK z m10000',
    'ZREVRANK z m10000',
    'ZRANGE z 10000 10010',
    'ZRANGEBYSCORE z 10000 10010',
    'ZCOUNT z 10 19000',
    'ZADD z 5000.5 between',
    'ZREM z m6000',
    'ZPOPMAX z',
    'SWAPDB 0 1',
    'SWAPDB 0 1',
    'FLUSHDB',
  ])('%s', (line) => {
    expect(run(session, line.split(' ')).steps).toBeLessThan(5);
  });

  it('RANDOMKEY, SRANDMEMBER, HRANDFIELD and steps of scans, once a collection has been laid out', () => {
    fill(session);
    for (const line of ['RANDOMKEY', 'SRANDMEMBER s', 'SPOP s', 'HRANDFIELD h', 'ZRANDMEMBER z 5']) {
      run(session, line.split(' '));
      expect(run(session, line.split(' ')).steps).toBeLessThan(5);
    }
    for (const line of ['SCAN 5000', 'SSCAN s 5000', 'HSCAN h 5000', 'ZSCAN z 5000'])
      expect(run(session, line.split(' ')).steps).toBeLessThan(20);
  });

  it.each(['HSCAN h', 'SSCAN s', 'ZSCAN z'])(
    '%s gives all members in steps, and each once when nothing changes',
    (start) => {
      const seen: string[] = [];
      let cursor = '0';
      do {
        const { text } = run(session, [...start.split(' '), cursor, 'COUNT', '1000']);
        const [next = '0', ...items] = Array.from(
          text.matchAll(/\$\d+\r\n([^\r]*)\r\n/g),
          ([, item = '']) => item,
        );
        seen.push(...items.filter((item) => /^[fm]/.test(item)));
        cursor = next;
      } while (cursor !== '0');
      expect(seen.length).toBe(new Set(seen).size);
      expect(seen.length).toBeGreaterThan(SIZE - 10);
    },
  );
});

describe('a long answer', () => {
  it('says the same as one that is put together at once', () => {
    const session = makeSession();
    const elements = list((n) => (n % 1_000 === 0 ? 'x'.repeat(200_000) : `e${n}`), 3_000);
    run(session, ['RPUSH', 'l', ...elements]);
    const expected = `*3000\r\n${elements.map((text) => `$${text.length}\r\n${text}\r\n`).join('')}`;
    expect(run(session, ['LRANGE', 'l', '0', '-1']).text).toBe(expected);
    expect(run(session, ['LPOP', 'l', '3000']).text).toBe(expected);
  });

  it('is what it was when the command was carried out, whatever changes meanwhile', () => {
    const session = makeSession();
    fill(session);
    const commands = [
      'LRANGE l 0 -1',
      'HGETALL h',
      'SMEMBERS s',
      'ZRANGE z 0 -1 WITHSCORES',
      'SMISMEMBER s m1 x m2',
    ];
    const before = commands.map((line) => run(session, line.split(' ')).text);
    const later = commands.map((line) => {
      const args = line.split(' ');
      let answer = findCommand(args)?.run(args, session) ?? '';
      while (isWork(answer)) {
        const step = answer.next();
        if (step.done === true) answer = step.value;
      }
      return answer;
    });
    for (const line of [
      'LSET l 19999 changed',
      'HSET h f19999 changed',
      'SREM s m1 m19999',
      'ZADD z 1 m19999',
      'FLUSHALL',
    ])
      run(session, line.split(' '));
    const texts = later.map((answer) =>
      answer instanceof LongReply ? [...{ [Symbol.iterator]: answer.pieces }].join('') : answer,
    );
    expect(texts).toEqual(before);
  });
});
