import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { connectKafkaJs, startConsumer, startHost, startProducer } from './support.js';

describe('with kafkajs', () => {
  it('a change of the leader stops producing and fetching until it is over', async () => {
    const { host, address } = await startHost({ topics: [{ name: 'orders' }] });
    host.clock.freeze(true);
    const client = connectKafkaJs(
      { address },
      { retry: { initialRetryTime: 20, maxRetryTime: 50, retries: 1000 } },
    );
    const { messages } = await startConsumer(client, 'readers', ['orders'], { maxWaitTimeInMs: 50 });
    const producer = await startProducer(client);
    await producer.send({ topic: 'orders', messages: [{ value: 'before' }] });
    await eventually(() => messages.length === 1);
    await host.incidents.start('kafka-leader-change');
    const hasty = await startProducer(connectKafkaJs({ address }, { retry: { retries: 0 } }));
    await expect(hasty.send({ topic: 'orders', messages: [{ value: 'lost' }] })).rejects.toThrow(
      'This server is not the leader for that topic-partition',
    );
    const sending = producer.send({ topic: 'orders', messages: [{ value: 'after' }] });
    await host.clock.advance(5000);
    await sending;
    await eventually(() => messages.length === 2);
    expect(messages.map(({ value }) => String(value))).toEqual(['before', 'after']);
  });

  it('a rebalance makes members join anew', async () => {
    const { host, address } = await startHost({ topics: [{ name: 'orders' }] });
    host.clock.freeze(true);
    const client = connectKafkaJs({ address });
    const { consumer, messages } = await startConsumer(client, 'readers', ['orders'], {
      ...{ maxWaitTimeInMs: 20, heartbeatInterval: 20 },
    });
    let joins = 0;
    let rebalances = 0;
    consumer.on('consumer.group_join', () => (joins += 1));
    consumer.on('consumer.rebalancing', () => (rebalances += 1));
    await host.incidents.start('kafka-rebalance');
    await eventually(() => rebalances > 0);
    await host.clock.advance(4000);
    const before = joins;
    await eventually(() => joins > before || rebalances <= joins);
    const producer = await startProducer(client);
    await producer.send({ topic: 'orders', messages: [{ value: 'one' }] });
    await eventually(() => messages.length === 1);
    expect(joins).toBeGreaterThan(0);
  });
});
