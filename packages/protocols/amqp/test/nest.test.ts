import { collectCleanups } from '@backlot/conformance';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClientRMQ, ServerRMQ, type RmqOptions } from '@nestjs/microservices';
import { firstValueFrom, from, lastValueFrom, throwError, toArray } from 'rxjs';
import { startHost } from './support.js';

Logger.overrideLogger(false);
const afterThis = collectCleanups();

type Options = NonNullable<RmqOptions['options']>;

async function connect(options: Options): Promise<ClientRMQ> {
  const client = new ClientRMQ(options);
  afterThis(() => client.close());
  await client.connect();
  return client;
}

/** Starts a microservice, whose events go to `hear`. */
async function serve(options: Options, hear: (event: unknown) => void): Promise<void> {
  const server = new ServerRMQ(options);
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

describe('the RabbitMQ transport of Nest', () => {
  it('a microservice answers messages, with values and errors, and hears of events', async () => {
    const { url } = await startHost();
    const options = { urls: [url], queue: 'work', queueOptions: { durable: false } };
    let hear: (event: unknown) => void = () => undefined;
    const heard = new Promise((resolve) => (hear = resolve));
    await serve(options, hear);
    const client = await connect(options);
    expect(await firstValueFrom(client.send('sum', [1, 2, 3]))).toBe(6);
    expect(await firstValueFrom(client.send('each', [1, 2, 3]).pipe(toArray()))).toEqual([1, 2, 3]);
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toEqual({ status: 'error', message: 'no' });
    await expect(firstValueFrom(client.send('nobody', {}))).rejects.toBe(
      'There is no matching message handler defined in the remote service.',
    );
    await lastValueFrom(client.emit('created', { id: 7 }), { defaultValue: undefined });
    expect(await heard).toEqual({ id: 7 });
  });

  it('a client is answered by mocks, with values and errors', async () => {
    const { url } = await startHost({
      mocks: [
        {
          routing_key: 'work',
          body: { json: { partial: { pattern: 'sum' } } },
          response: {
            json: { id: '{{request.body.id}}', response: '{{request.body.data.total}}', isDisposed: true },
          },
        },
        {
          routing_key: 'work',
          body: { json: { partial: { pattern: 'fail' } } },
          response: { json: { id: '{{request.body.id}}', err: { message: 'no' }, isDisposed: true } },
        },
      ],
    });
    const client = await connect({ urls: [url], queue: 'work' });
    expect(await lastValueFrom(client.send('sum', { total: 6 }))).toBe(6);
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toEqual({ message: 'no' });
  });
});
