import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, type Host } from '@backlot/core';
import { Kafka, logLevel, type KafkaConfig } from 'kafkajs';
import { kafka } from '../src/index.js';

let host: Host | undefined;
afterEach(async () => host?.stop(0));

/** Publishes a value with a client of its own. */
async function publish(port: number, value: string, config: Partial<KafkaConfig>): Promise<void> {
  const producer = new Kafka({
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    ...config,
  }).producer();
  await producer.connect();
  await producer.send({ topic: 'orders', messages: [{ value }] });
  await producer.disconnect();
}

/** Reads the first value of the topic with a client of its own. */
async function consume(port: number, config: Partial<KafkaConfig>): Promise<string> {
  const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING, ...config });
  const consumer = client.consumer({ groupId: 'g' });
  await consumer.connect();
  await consumer.subscribe({ topic: 'orders', fromBeginning: true });
  const value = await new Promise<string>((resolve, reject) => {
    consumer.run({ eachMessage: async ({ message }) => resolve(String(message.value)) }).catch(reject);
  });
  await consumer.disconnect();
  return value;
}

const login = (username: string): Partial<KafkaConfig> => ({
  sasl: { mechanism: 'plain', username, password: 'x' },
});

describe('a client that names a space', () => {
  it('by its client id or user has the topics and groups of the space', async () => {
    host = await createHost({ protocols: [kafka], settings: { kafka: { host: '127.0.0.1' } } });
    await host.start();
    const port = host.kind(kafka).address?.port ?? 0;
    const spaces = [await host.spaces.create({ id: 't1' }), await host.spaces.create({ id: 't2' })];
    await publish(port, 'one', { clientId: 't1' });
    await publish(port, 'two', login('t2+ann'));
    await publish(port, 'main', { clientId: 'app' });
    const held = [host, ...spaces.map((space) => space.host)].map((world) =>
      world
        .kind(kafka)
        .captures?.values()
        .map(({ value }) => value),
    );
    expect(held).toEqual([['main'], ['one'], ['two']]);
    expect(await consume(port, login('t1'))).toBe('one');
    expect(await consume(port, { clientId: 't2+app' })).toBe('two');
    expect(await consume(port, {})).toBe('main');
  });
});
