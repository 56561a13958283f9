import { Redis } from 'ioredis';
import {
  LEASE,
  NotSentError,
  sinceOf,
  type CommandLog,
  type CountPlace,
  type LogEntry,
  type LogEvents,
} from './log.js';

const MOST_BYTES = 64 * 1024 * 1024;
/** For how long an entry is recognised when it is sent again, in seconds. */
const KNOWN_FOR = 120;

/** Adds an entry, numbers it and says so; of an id that was there it gives the number that it got. */
const APPEND = `
local known = redis.call('GET', KEYS[3])
if known then return tonumber(known) end
local revision = redis.call('INCR', KEYS[2])
redis.call('XADD', KEYS[1], revision .. '-0', 't', ARGV[1])
redis.call('SET', KEYS[3], revision, 'EX', ARGV[2])
redis.call('PUBLISH', KEYS[4], '')
return revision`;

const COUNT = `
local before = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local after = math.max(before, math.min(before + tonumber(ARGV[2]), tonumber(ARGV[3])))
if after > before then redis.call('HSET', KEYS[1], ARGV[1], string.format('%d', after)) end
return {before, after}`;

/** Takes or keeps the lease; who has taken it last is kept when it has ended. */
const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
local before = redis.call('GET', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], ARGV[1])
return {before or ''}`;

const DROP = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

const FOUND = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SET', KEYS[2], 1)
redis.call('XADD', KEYS[1], '1-0', 't', ARGV[1])
return 1`;

/**
 * Opens a log in a stream of Redis.
 *
 * @param url - `redis://host:port/db`, or `rediss:` for TLS
 * @param name - the name of the cluster
 * @param patience - milliseconds that the server may take for an answer
 * @throws Error when the server does not answer
 */
export async function openRedisLog(url: string, name: string, patience: number): Promise<CommandLog> {
  const settings = {
    lazyConnect: true,
    connectTimeout: patience,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectionName: `backlot-${name}`,
    retryStrategy: () => 200,
  } as const;
  const client = new Redis(url, { ...settings, commandTimeout: patience });
  const listener = new Redis(url, { ...settings, enableOfflineQueue: true });
  // What is wrong with a connection is seen by the commands that fail.
  for (const each of [client, listener]) each.on('error', () => undefined);
  try {
    await Promise.all([client.connect(), listener.connect()]);
  } catch (thrown) {
    client.disconnect();
    listener.disconnect();
    throw thrown;
  }
  return new RedisLog(client, listener, name, new URL(url).host);
}

class RedisLog implements CommandLog {
  readonly engine: string;
  readonly mostBytes = MOST_BYTES;
  readonly #client: Redis;
  readonly #listener: Redis;
  readonly #key: string;

  constructor(client: Redis, listener: Redis, name: string, place: string) {
    this.#client = client;
    this.#listener = listener;
    // In a cluster of Redis all keys of one script have to be in one slot.
    this.#key = `backlot:{${name}}`;
    this.engine = `Redis at ${place}`;
  }

  get isReached(): boolean {
    return this.#client.status === 'ready';
  }

  async listen(events: LogEvents): Promise<void> {
    this.#client.on('ready', () => events.reached(true));
    this.#client.on('close', () => events.reached(false));
    this.#listener.on('message', (channel, text) => {
      if (channel === `${this.#key}:grown`) events.grown();
      else events.told(text);
    });
    await this.#listener.subscribe(`${this.#key}:grown`, `${this.#key}:told`);
  }

  async found(text: string): Promise<void> {
    await this.#client.eval(FOUND, 2, `${this.#key}:log`, `${this.#key}:last`, text);
  }

  async append(text: string, id: string): Promise<number> {
    if (!this.isReached) throw new NotSentError(this.engine);
    const keys = ['log', 'last', `id:${id}`, 'grown'].map((part) => `${this.#key}:${part}`);
    return Number(await this.#client.eval(APPEND, keys.length, ...keys, text, KNOWN_FOR));
  }

  async read(after: number, most: number): Promise<readonly LogEntry[]> {
    const found = await this.#client.xrange(`${this.#key}:log`, `${after + 1}-0`, '+', 'COUNT', most);
    return found.map(([id, fields]) => ({ revision: Number.parseInt(id, 10), text: fields[1] ?? '' }));
  }

  async last(): Promise<number> {
    return Number((await this.#client.get(`${this.#key}:last`)) ?? 0);
  }

  async remove(revision: number): Promise<void> {
    await this.#client.xdel(`${this.#key}:log`, `${revision}-0`);
  }

  async count(
    { world, since, name }: CountPlace,
    by: number,
    limit: number,
  ): ReturnType<CommandLog['count']> {
    const field = `${world}.${since}.${name}`;
    const told = await this.#client.eval(COUNT, 1, `${this.#key}:counts`, field, by, limit);
    const [before = 0, after = 0] = told as number[];
    return { before, after };
  }

  async forgetCounts(world: string, before: number): Promise<void> {
    const key = `${this.#key}:counts`;
    let cursor = '0';
    do {
      const [next, found] = await this.#client.hscan(key, cursor, 'MATCH', `${world}.*`, 'COUNT', 1_000);
      const old = found.filter((field, index) => index % 2 === 0 && sinceOf(field) < before);
      if (old.length > 0) await this.#client.hdel(key, ...old);
      cursor = next;
    } while (cursor !== '0');
  }

  async takeLease(holder: string): ReturnType<NonNullable<CommandLog['takeLease']>> {
    const keys = [`${this.#key}:lease`, `${this.#key}:home`];
    const told: unknown = await this.#client.eval(TAKE, 2, ...keys, holder, LEASE);
    if (!Array.isArray(told)) return undefined;
    const [before] = told as string[];
    return { before: before === '' ? undefined : before };
  }

  async dropLease(holder: string): Promise<void> {
    await this.#client.eval(DROP, 1, `${this.#key}:lease`, holder);
  }

  tell(text: string): void {
    if (this.isReached) this.#client.publish(`${this.#key}:told`, text).catch(() => undefined);
  }

  close(): Promise<void> {
    this.#client.disconnect();
    this.#listener.disconnect();
    return Promise.resolve();
  }
}
