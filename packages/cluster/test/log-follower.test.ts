import { describe, expect, it } from '@jest/globals';
import type { CommandLog, LogEntry } from '../src/log.js';
import { LogFollower } from '../src/log-follower.js';
import { MemoryLog } from '../src/workers/memory-log.js';
import { afterThis, until } from './support.js';

/** A log that says what it is asked; entries can be read when they are {@link AskedLog.store stored}. */
class AskedLog {
  readonly asked: string[] = [];
  readonly #log = new MemoryLog();
  #waiting: string[] = [];

  /** Takes an entry that cannot be read yet. */
  take(text: string): void {
    this.#waiting.push(text);
  }

  store(): void {
    for (const text of this.#waiting) this.#log.append(text, text);
    this.#waiting = [];
  }

  read(after: number, most: number): Promise<readonly LogEntry[]> {
    this.asked.push(`read ${most}`);
    return Promise.resolve(this.#log.read(after, most));
  }

  last(): Promise<number> {
    this.asked.push('last');
    return Promise.resolve(this.#log.last);
  }
}

/** Follows a log from its end on. */
async function follow(log: AskedLog): Promise<{ readonly follower: LogFollower; readonly made: string[] }> {
  const made: string[] = [];
  let revision = 0;
  const follower = new LogFollower(
    { log: log as unknown as CommandLog, founding: 'f' },
    {
      revision: () => revision,
      make: ({ revision: at, text }) => {
        revision = at;
        made.push(text);
        return Promise.resolve();
      },
      advance: (to) => (revision = Math.max(revision, to)),
      caughtUp: () => Promise.resolve(),
      failed: (reason) => made.push(`failed: ${reason}`),
    },
  );
  await follower.start();
  afterThis(() => follower.stop());
  log.asked.length = 0;
  return { follower, made };
}

describe('following a log', () => {
  it('asks the engine once for an entry that it is told of, and once for several', async () => {
    const log = new AskedLog();
    const { follower, made } = await follow(log);
    log.take('a');
    log.store();
    follower.grown();
    follower.expect(1);
    await until(() => made.length === 1);
    expect(log.asked).toEqual(['read 1']);
    for (const text of ['b', 'c', 'd']) log.take(text);
    log.store();
    for (let told = 0; told < 3; told += 1) follower.grown();
    await until(() => made.length === 4);
    expect(made).toEqual(['a', 'b', 'c', 'd']);
    expect(log.asked).toEqual(['read 1', 'read 3']);
  });

  it('makes what it expects without being told, and does not ask for what it has made', async () => {
    const log = new AskedLog();
    const { follower, made } = await follow(log);
    log.take('a');
    log.store();
    follower.expect(1);
    await until(() => made.length === 1);
    follower.expect(1);
    expect(log.asked).toEqual(['read 1']);
  });

  it('goes on asking for an entry that it was told of before it could be read', async () => {
    const log = new AskedLog();
    const { follower, made } = await follow(log);
    log.take('a');
    follower.grown();
    await until(() => log.asked.length >= 4);
    log.store();
    await until(() => made.length === 1);
    expect(log.asked.slice(0, 4)).toEqual(['read 1', 'last', 'read 100', 'last']);
  });

  it('makes the rest when it was told of fewer than there are', async () => {
    const log = new AskedLog();
    const { follower, made } = await follow(log);
    for (const text of ['a', 'b', 'c']) log.take(text);
    log.store();
    follower.grown();
    await until(() => made.length === 3);
    expect(log.asked.slice(0, 3)).toEqual(['read 1', 'read 100', 'read 100']);
  });
});
