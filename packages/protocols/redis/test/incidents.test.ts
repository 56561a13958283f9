import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { afterThis, startHost } from './support.js';

function connect(port: number): Redis {
  const client = new Redis({
    ...{ port, host: '127.0.0.1', disconnectTimeout: 50, maxRetriesPerRequest: null },
    retryStrategy: () => 20,
  });
  client.on('error', () => undefined);
  afterThis(() => client.disconnect());
  return client;
}

describe('with ioredis', () => {
  it('a failover resets connections, then refuses writes, then is over', async () => {
    const { port, host } = await startHost();
    host.clock.freeze(true);
    const client = connect(port);
    await client.set('k', 'v');
    const closed = new Promise((resolve) => client.once('close', resolve));
    await host.incidents.start('redis-failover', { down: '3s' });
    await closed;
    // It comes back by itself as soon as it is let in.
    const read = client.get('k');
    await host.clock.advance(3000);
    expect(await read).toBe('v');
    await expect(client.set('k', 'w')).rejects.toThrow(
      "READONLY You can't write against a read only replica.",
    );
    expect(await client.ttl('k')).toBe(-1);
    await host.clock.advance(12_000);
    expect(await client.set('k', 'w')).toBe('OK');
  });

  it('a server that loads says so, and a client waits until it has', async () => {
    const { port, host } = await startHost();
    host.clock.freeze(true);
    const client = connect(port);
    await client.set('k', 'v');
    await host.incidents.start('redis-loading');
    await host.clock.advance(500);
    const bare = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false, disconnectTimeout: 50 });
    afterThis(() => bare.disconnect());
    await expect(bare.get('k')).rejects.toThrow('LOADING Redis is loading the dataset in memory');
    expect(await bare.info('persistence')).toContain('loading:1');
    const read = client.get('k');
    await host.clock.advance(10_000);
    expect(await bare.info('persistence')).toContain('loading:0');
    expect(await read).toBe('v');
  });
});
