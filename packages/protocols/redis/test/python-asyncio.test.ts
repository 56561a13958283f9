import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const AIOREDIS = `
import asyncio, sys
import aioredis

async def main():
    r = await aioredis.create_redis_pool(('127.0.0.1', int(sys.argv[1])), encoding='utf-8')
    print(await r.set('k', 'ü'), await r.get('k'), await r.mget('k', 'none'), await r.expire('k', 100), await r.ttl('k') > 90)
    many = r.multi_exec()
    counted, read = many.incr('n'), many.hmset_dict('h', a='1', b='2')
    print(await many.execute(), await counted, await r.hgetall('h'))
    print(await asyncio.gather(*[r.incr('n') for _ in range(5)]))
    print(await r.eval("return {KEYS[1], ARGV[1], redis.call('get', KEYS[1])}", ['n'], ['x']))
    (channel,) = await r.subscribe('news')
    await r.publish_json('news', {'a': 1})
    print(await channel.get_json())
    await r.unsubscribe('news')
    print(await r.xadd('s', {'a': '1'}) is not None, [dict(fields) for _, fields in await r.xrange('s')], sorted([key async for key in r.iscan(match='*')]))
    try:
        await r.lpush('k', 'x')
    except aioredis.ReplyError as error:
        print(error)
    r.close()
    await r.wait_closed()

asyncio.run(main())
`;

const HIREDIS = `
import asyncio, sys
import redis, redis.asyncio
from redis.connection import HiredisParser, DefaultParser
print(DefaultParser is HiredisParser)
r = redis.Redis(port=int(sys.argv[1]))
p = r.pipeline()
p.set('k', b'\\xff\\x00' * 50_000).get('k').rpush('l', *range(1000)).lrange('l', 0, -1)
ok, value, count, values = p.execute()
print(ok, len(value), count, values[-1])
async def main():
    async with redis.asyncio.Redis(port=int(sys.argv[1]), decode_responses=True) as r:
        async with r.pubsub() as news:
            await news.psubscribe('n*')
            await news.get_message(timeout=10)
            await r.publish('news', 'ü')
            print((await news.get_message(timeout=10))['data'])
        async with r.lock('lock', timeout=60):
            print(await r.lock('lock').locked())
        print(await r.blpop(['l'], timeout=1), await r.exists('lock'))
asyncio.run(main())
`;

describe('python', () => {
  itWithTool('python3:aioredis', 'aioredis: pools, transactions, scripts, channels, streams', async () => {
    const { port } = await startHost();
    const { out, err } = await runTool(PYTHON, ['-W', 'ignore', '-c', AIOREDIS, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      "True ü ['ü', None] True True",
      "[1, True] 1 {'a': '1', 'b': '2'}",
      '[2, 3, 4, 5, 6]',
      "['n', 'x', '6']",
      "{'a': 1}",
      "True [{'a': '1'}] ['h', 'k', 'n', 's']",
      'WRONGTYPE Operation against a key holding the wrong kind of value',
    ]);
  });

  itWithTool('python3:redis python3:hiredis', "redis-py with hiredis' parser, and its asyncio", async () => {
    const { port } = await startHost();
    const { out, err } = await runTool(PYTHON, ['-W', 'ignore', '-c', HIREDIS, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual(['True', "True 100000 1000 b'999'", 'ü', 'True', "('l', '0') 0"]);
  });
});
