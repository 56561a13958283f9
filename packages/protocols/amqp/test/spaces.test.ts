import { describe, expect, it } from '@jest/globals';
import { addSpaces } from '@backlot/conformance';
import { bodiesOf, collect, connect, quiet, startHost } from './support.js';

describe('a virtual host that names a space', () => {
  it('has the queues, exchanges and mocks of the space', async () => {
    const running = await startHost({
      mocks: [{ id: 'a', routing_key: 'ask', response: { body: 'main' } }],
    });
    const { t1, t2, main } = await addSpaces(running);
    t1.mocks.replace('a', { routing_key: 'ask', response: { body: 'one' } });
    const answers: string[][] = [];
    for (const vhost of ['', '/t1', '/t2%2Borders', '/other']) {
      const client = await connect(`${running.url}${vhost}`);
      const channel = quiet(await client.createChannel());
      await channel.assertQueue('work');
      channel.sendToQueue('work', Buffer.from(vhost));
      const replies = await collect(channel, 'amq.rabbitmq.reply-to');
      channel.publish('', 'ask', Buffer.from('x'), { replyTo: 'amq.rabbitmq.reply-to' });
      const got = await channel.get('work', { noAck: true });
      expect(got && got.content.toString()).toBe(vhost);
      while (replies.length === 0) await channel.checkQueue('work');
      answers.push(bodiesOf(replies));
    }
    expect(answers).toEqual([['main'], ['one'], ['main'], ['main']]);
    expect([main, t1, t2].map((kind) => kind.connections.list().length)).toEqual([2, 1, 1]);
    expect([main, t1, t2].map((kind) => kind.captures?.values().length)).toEqual([4, 2, 2]);
    const channel = quiet(await (await connect(`${running.url}/t2+orders`)).createChannel());
    const failed = new Promise((resolve) => channel.once('error', resolve));
    await channel.checkQueue('none').catch(() => undefined);
    expect(String(await failed)).toContain("no queue 'none' in vhost 'orders'");
  });

  it('is subject to the faults of logins there, and its connection ends with it', async () => {
    const running = await startHost();
    const { t1 } = await addSpaces(running);
    const client = await connect(`${running.url}/t1`);
    const closed = new Promise((resolve) => client.once('close', resolve));
    t1.fault?.set({ phase: 'login' });
    await expect(connect(`${running.url}/t1`)).rejects.toThrow('ConnectionClose');
    await connect(running.url);
    await running.host.spaces.remove('t1');
    expect(String(await closed)).toContain('CONNECTION_FORCED');
    // A virtual host that is no space, or is one no more, is a virtual host as ever.
    await connect(`${running.url}/t1`);
    expect(running.kind.connections.list()).toHaveLength(2);
  });
});
