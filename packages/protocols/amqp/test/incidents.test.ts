import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { connect, quiet, startHost } from './support.js';

describe('with amqplib', () => {
  it('a memory alarm blocks who publishes, and lets go at its end', async () => {
    const { host, url } = await startHost();
    host.clock.freeze(true);
    const client = await connect(url);
    const channel = await client.createChannel();
    await channel.assertQueue('q');
    await host.incidents.start('amqp-memory-alarm');
    const blocked = once(client, 'blocked');
    channel.sendToQueue('q', Buffer.from('one'));
    expect(await blocked).toEqual(['low on memory']);
    const unblocked = once(client, 'unblocked');
    await host.clock.advance(30_000);
    await unblocked;
    expect((await channel.checkQueue('q')).messageCount).toBe(1);
  });

  it('channels that are closed leave the connection open', async () => {
    const { host, url } = await startHost();
    host.clock.freeze(true);
    const client = await connect(url);
    await host.incidents.start('amqp-channel-closed');
    const channel = quiet(await client.createChannel());
    const failed = once(channel, 'error');
    channel.publish('', 'q', Buffer.from('one'));
    expect(await failed).toMatchObject([
      { code: 406, message: expect.stringContaining('PRECONDITION_FAILED') },
    ]);
    await host.clock.advance(30_000);
    const next = await client.createConfirmChannel();
    await next.assertQueue('q');
    next.sendToQueue('q', Buffer.from('two'));
    await next.waitForConfirms();
  });

  it('a restart closes connections with 320, and takes none meanwhile', async () => {
    const { host, url } = await startHost();
    host.clock.freeze(true);
    const client = await connect(url);
    const closed = once(client, 'close');
    await host.incidents.start('amqp-restart');
    expect(await closed).toMatchObject([{ message: expect.stringContaining('320') }]);
    await expect(connect(url)).rejects.toThrow();
    await host.clock.advance(5000);
    await (await connect(url)).createChannel();
  });
});
