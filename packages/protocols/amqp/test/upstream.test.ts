import { describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, RABBITMQ, startRabbit } from '@backlot/conformance';
import amqplib, { type ConfirmChannel } from 'amqplib';
import { startHost, type Running } from './support.js';

async function openChannel(
  port: number,
): Promise<{ readonly channel: ConfirmChannel; readonly close: () => Promise<void> }> {
  const client = await amqplib.connect(`amqp://guest:guest@127.0.0.1:${port}`);
  client.on('error', () => undefined);
  return { channel: await client.createConfirmChannel(), close: () => client.close() };
}

/** What an application calls, by direct answers and by a queue of its own, and is answered. */
async function work(port: number): Promise<readonly string[]> {
  const { channel, close } = await openChannel(port);
  const { queue } = await channel.assertQueue('', { exclusive: true });
  const answers: string[] = [];
  for (const source of ['amq.rabbitmq.reply-to', queue])
    await channel.consume(
      source,
      (message) =>
        void answers.push(
          `${String(message?.content)} ${message?.properties.correlationId as string} ${message?.properties.type as string}`,
        ),
      { noAck: true },
    );
  const call = async (body: string, replyTo: string): Promise<void> => {
    const count = answers.length;
    channel.publish('', 'rpc', Buffer.from(body), { replyTo, correlationId: `c${count}`, persistent: true });
    await eventually(() => answers.length > count);
  };
  await call('one', 'amq.rabbitmq.reply-to');
  await call('one', 'amq.rabbitmq.reply-to');
  await call('x'.repeat(300_000), queue);
  await close();
  return answers;
}

describe('an upstream of AMQP', () => {
  itWithTool(RABBITMQ, 'is recorded with amqplib, replayed without it, and compared', async () => {
    const rabbit = await startRabbit();
    const { channel: real, close: closeReal } = await openChannel(rabbit.port);
    await real.assertQueue('rpc');
    let served = 0;
    await real.consume('rpc', (message) => {
      if (message === null) return;
      served += 1;
      const { replyTo, correlationId } = message.properties as { replyTo: string; correlationId: string };
      const body = `${message.content.length} ${served} {{x}}`;
      real.publish('', replyTo, Buffer.from(body), {
        ...{ correlationId, type: 'sum', contentType: 'text/plain' },
        headers: { 'api-token': 'hunter2' },
      });
      real.ack(message);
    });
    const through = (mode: string, mocks: readonly object[] = []): Promise<Running> =>
      startHost({ upstream: { url: `amqp://127.0.0.1:${rabbit.port}`, mode }, mocks });
    const recording = await through('record_new');
    const answers = await work(recording.port);
    expect(answers).toEqual(['3 1 {{x}} c0 sum', '3 2 {{x}} c1 sum', '300000 3 {{x}} c2 sum']);
    const mocks = recording.kind.mocks.list();
    expect(mocks.map(({ id, times }) => [id, times])).toEqual([
      ['recorded:rpc', 1],
      ['recorded:rpc-2', undefined],
      ['recorded:rpc-3', undefined],
    ]);
    expect(JSON.stringify([recording.host.journal.list(), mocks])).not.toMatch(/hunter2|guest/);

    // Mocks answer in its place, also where every message is confirmed, and to consumers of direct answers.
    const mock = { id: 'rpc', routing_key: 'rpc', response: { body: 'mocked' } };
    const spy = await through('spy', [mock]);
    expect(await work(spy.port)).toEqual([
      'mocked c0 undefined',
      'mocked c1 undefined',
      'mocked c2 undefined',
    ]);
    expect(served).toBe(3);
    const comparing = await through('diff', [mock]);
    expect(await work(comparing.port)).toEqual([
      ...['mocked c0 undefined', 'mocked c1 undefined', 'mocked c2 undefined'],
    ]);
    expect(served).toBe(6);
    expect(comparing.host.journal.list()[0]).toMatchObject({
      upstream: { differences: ['body /: the mock has "mocked", the upstream "3 4 {{x}}"'] },
    });

    const passing = await through('passthrough');
    const { channel: consumer, close } = await openChannel(passing.port);
    await consumer.assertQueue('news');
    consumer.sendToQueue('news', Buffer.from('first'));
    await consumer.waitForConfirms();
    const got = await consumer.get('news', { noAck: true });
    expect(got === false ? '' : got.content.toString()).toBe('first');
    expect(passing.host.journal.list()).toMatchObject([
      { method: 'PUBLISH', path: 'news', body: 'first', upstream: { answered: true } },
      { method: 'DELIVER', path: 'news', body: 'first', upstream: { answered: true } },
    ]);
    await close();
    await closeReal();
    await rabbit.stop();

    const replayed = await startHost({ upstream: { mode: 'replay' }, mocks: structuredClone(mocks) });
    expect(await work(replayed.port)).toEqual(answers);
  });

  it('is not reached by a message that a fault drops, which it confirms, as a warning says', async () => {
    const real = await startHost({ queues: [{ name: 'orders' }] });
    const { port, host, log } = await startHost({
      upstream: { url: `amqp://127.0.0.1:${real.port}`, mode: 'spy' },
    });
    const { channel, close } = await openChannel(port);
    const publish = async (body: string): Promise<void> => {
      channel.sendToQueue('orders', Buffer.from(body));
      await channel.waitForConfirms();
    };
    host.faults.set('amqp', { drop: true });
    await publish('dropped');
    host.faults.set('amqp', { drop: false });
    await publish('passes');
    host.faults.set('amqp', { blocked: 'low on memory' });
    expect(log).toEqual([
      expect.stringMatching(
        /^warn: a message that the fault drops is confirmed by amqp:.* an ack in place of a nack$/,
      ),
      expect.stringMatching(/^warn: the fault blocked does not act on clients that pass to amqp:/),
    ]);
    await close();
    expect(real.host.journal.list().map(({ body }) => body)).toEqual([undefined, 'passes']);
  });
});
