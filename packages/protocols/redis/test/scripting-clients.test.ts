import { createRequire } from 'node:module';
import BeeQueue from 'bee-queue';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { startHost } from './support.js';

/** What is used of redlock, which brings no types. */
interface Lock {
  extend(ttl: number): Promise<Lock>;
  unlock(): Promise<void>;
}
type RedlockClass = new (
  clients: readonly Redis[],
  options: { readonly retryCount: number },
) => { acquire(resources: readonly string[], ttl: number): Promise<Lock> };
const Redlock = createRequire(import.meta.url)('redlock') as RedlockClass;

/** ioredis keeps a timer for so many milliseconds after it disconnects, also when its socket is closed already. */
const CLOSING = { disconnectTimeout: 50 };
const clients: Redis[] = [];

async function connect(): Promise<Redis> {
  const { port } = await startHost({ mode: 'stateful' });
  const client = new Redis({ port, host: '127.0.0.1', ...CLOSING });
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) await client.quit();
});

describe('what applications use scripts for', () => {
  it('locks of redlock: acquired, in conflict, extended, released', async () => {
    const client = await connect();
    const redlock = new Redlock([client], { retryCount: 0 });
    const lock = await redlock.acquire(['lock:a'], 10_000);
    await expect(redlock.acquire(['lock:a'], 10_000)).rejects.toThrow(/attempts to lock the resource/);
    const extended = await lock.extend(20_000);
    expect(await client.pttl('lock:a')).toBeGreaterThan(10_000);
    await extended.unlock();
    expect(await client.exists('lock:a')).toBe(0);
    const other = await redlock.acquire(['lock:a', 'lock:b'], 1000);
    await other.unlock();
  });

  it('limits of rate-limiter-flexible: consumed, refused, rewarded, blocked, deleted', async () => {
    const client = await connect();
    const limiter = new RateLimiterRedis({ storeClient: client, points: 2, duration: 10 });
    expect((await limiter.consume('me')).remainingPoints).toBe(1);
    expect((await limiter.consume('me')).remainingPoints).toBe(0);
    await expect(limiter.consume('me')).rejects.toMatchObject({ remainingPoints: 0, consumedPoints: 3 });
    expect((await limiter.reward('me', 2)).consumedPoints).toBe(1);
    await limiter.block('me', 5);
    await expect(limiter.consume('me')).rejects.toMatchObject({ remainingPoints: 0 });
    expect(await limiter.delete('me')).toBe(true);
    expect((await limiter.consume('me')).remainingPoints).toBe(1);
  });

  it('jobs of bee-queue: done, failed and tried again, delayed', async () => {
    const { port } = await startHost({ mode: 'stateful' });
    const queue = new BeeQueue('work', {
      redis: { port, host: '127.0.0.1', ...CLOSING },
      activateDelayedJobs: true,
      nearTermWindow: 1000,
    });
    try {
      let tries = 0;
      const results: unknown[] = [];
      const done = new Promise<void>((resolve) => {
        queue.on('succeeded', (_job, result) => {
          results.push(result);
          if (results.length === 3) resolve();
        });
      });
      queue.process((job: { readonly data: { readonly x: number } }) => {
        tries += 1;
        if (job.data.x === 2 && tries < 4) return Promise.reject(new Error('again'));
        return Promise.resolve(job.data.x * 2);
      });
      await queue.createJob({ x: 1 }).save();
      await queue.createJob({ x: 2 }).retries(5).save();
      await queue
        .createJob({ x: 3 })
        .delayUntil(Date.now() + 20)
        .save();
      await done;
      expect(results.sort()).toEqual([2, 4, 6]);
      expect(await queue.checkHealth()).toMatchObject({ waiting: 0, active: 0, succeeded: 3, failed: 0 });
    } finally {
      await queue.close();
    }
  });

  it('commands that ioredis makes of scripts', async () => {
    const client = await connect();
    client.defineCommand('swap', {
      numberOfKeys: 1,
      lua: "local old = redis.call('get', KEYS[1]) redis.call('set', KEYS[1], ARGV[1]) return old",
    });
    const swap = (
      client as unknown as { swap(key: string, value: string): Promise<string | null> }
    ).swap.bind(client);
    expect(await swap('k', 'one')).toBeNull();
    expect(await swap('k', 'two')).toBe('one');
  });
});
