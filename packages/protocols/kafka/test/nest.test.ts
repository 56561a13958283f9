import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClientKafka, ServerKafka, type KafkaOptions } from '@nestjs/microservices';
import { Partitioners } from 'kafkajs';
import { firstValueFrom, from, lastValueFrom, throwError, toArray } from 'rxjs';
import { afterThis, startHost } from './support.js';

Logger.overrideLogger(false);

type Options = NonNullable<KafkaOptions['options']>;

async function connect(options: Options): Promise<ClientKafka> {
  const client = new ClientKafka(options);
  afterThis(() => client.close());
  for (const topic of ['sum', 'each', 'fail']) client.subscribeToResponseOf(topic);
  await client.connect();
  return client;
}

/** Starts a microservice, whose events go to `hear`. */
async function serve(options: Options, hear: (event: unknown) => void): Promise<void> {
  const server = new ServerKafka(options);
  server.addHandler('sum', (data: readonly number[]) => Promise.resolve(data.reduce((a, b) => a + b)));
  server.addHandler('each', (data: readonly number[]) => Promise.resolve(from(data)));
  server.addHandler('fail', () => Promise.resolve(throwError(() => ({ status: 'error', message: 'no' }))));
  server.addHandler('created', (data: unknown) => Promise.resolve(hear(data)), true);
  await new Promise<void>((resolve, reject) => {
    void server.listen((problem?: unknown) => {
      if (problem === undefined) resolve();
      else reject(new Error('not listening', { cause: problem }));
    });
  });
  afterThis(() => server.close());
}

describe('the Kafka transport of Nest', () => {
  it('a microservice answers messages, with values and errors, and hears of events', async () => {
    const { address } = await startHost();
    const options = {
      client: { brokers: [address], logLevel: 0 },
      producer: { createPartitioner: Partitioners.DefaultPartitioner },
      subscribe: { fromBeginning: true },
    };
    let hear: (event: unknown) => void = () => undefined;
    const heard = new Promise((resolve) => (hear = resolve));
    await serve(options, hear);
    const client = await connect(options);
    // Nest writes what is no object as its text, and reads it as one.
    expect(await firstValueFrom(client.send('sum', [1, 2, 3]))).toBe('6');
    expect(await firstValueFrom(client.send('each', [1, 2, 3]).pipe(toArray()))).toEqual(['1', '2', '3']);
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toEqual({ status: 'error', message: 'no' });
    await lastValueFrom(client.emit('created', { id: 7 }), { defaultValue: undefined });
    expect(await heard).toEqual({ id: 7 });
  });

  it('a client is answered by mocks alone, with a value, with what came and with an error', async () => {
    const reply = (json: unknown, more: object = {}): object => ({
      topic: '{{request.headers.kafka_replyTopic}}',
      json,
      headers: {
        kafka_correlationId: '{{request.headers.kafka_correlationId}}',
        'kafka_nest-is-disposed': '',
        ...more,
      },
    });
    const no = JSON.stringify({ status: 'error', message: 'no' });
    const { address, host } = await startHost({
      mocks: [
        {
          topic: 'sum',
          value: { json: { partial: { a: 1 } } },
          response: reply({ sum: '{{request.body.b}}' }),
        },
        { topic: 'sum', response: reply({ sum: 0 }) },
        { topic: 'fail', response: reply(null, { 'kafka_nest-err': no }) },
        { topic: 'created' },
      ],
    });
    const client = await connect({
      client: { brokers: [address], logLevel: 0 },
      producer: { createPartitioner: Partitioners.DefaultPartitioner },
    });
    expect(await firstValueFrom(client.send('sum', { a: 1, b: 7 }))).toEqual({ sum: 7 });
    expect(await firstValueFrom(client.send('sum', { a: 2 }))).toEqual({ sum: 0 });
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toEqual({ status: 'error', message: 'no' });
    await lastValueFrom(client.emit('created', { id: 7 }), { defaultValue: undefined });
    const values = host.kind('kafka').captures?.values() as readonly { topic: string; value: string }[];
    expect(values.find(({ topic }) => topic === 'created')?.value).toBe('{"id":7}');
  });
});
