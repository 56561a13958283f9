import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClientMqtt, ServerMqtt, type MqttOptions } from '@nestjs/microservices';
import { firstValueFrom, from, lastValueFrom, throwError, toArray } from 'rxjs';
import { afterThis, startHost } from './support.js';

Logger.overrideLogger(false);

type Options = NonNullable<MqttOptions['options']>;

async function connect(options: Options): Promise<ClientMqtt> {
  const client = new ClientMqtt(options);
  afterThis(() => client.close());
  await client.connect();
  return client;
}

/** Starts a microservice, whose events go to `hear`. */
async function serve(options: Options, hear: (event: unknown) => void): Promise<void> {
  const server = new ServerMqtt(options);
  server.addHandler('sum', (data: readonly number[]) => Promise.resolve(data.reduce((a, b) => a + b)));
  server.addHandler('each', (data: readonly number[]) => Promise.resolve(from(data)));
  server.addHandler('fail', () => Promise.resolve(throwError(() => ({ status: 'error', message: 'no' }))));
  server.addHandler('order/+', (data: unknown) => Promise.resolve(hear(data)), true);
  await new Promise<void>((resolve, reject) => {
    void server.listen((problem?: unknown) => {
      if (problem === undefined) resolve();
      else reject(new Error('not listening', { cause: problem }));
    });
  });
  afterThis(() => server.close());
}

describe('the MQTT transport of Nest', () => {
  it('a microservice answers messages, with values and errors, and hears of events', async () => {
    const { port } = await startHost();
    const options = { url: `mqtt://127.0.0.1:${port}` };
    let hear: (event: unknown) => void = () => undefined;
    const heard = new Promise((resolve) => (hear = resolve));
    await serve(options, hear);
    const client = await connect(options);
    expect(await firstValueFrom(client.send('sum', [1, 2, 3]))).toBe(6);
    expect(await firstValueFrom(client.send('each', [1, 2, 3]).pipe(toArray()))).toEqual([1, 2, 3]);
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toEqual({ status: 'error', message: 'no' });
    await lastValueFrom(client.emit('order/created', { id: 7 }), { defaultValue: undefined });
    expect(await heard).toEqual({ id: 7 });
  });

  it('a client is answered by mocks, with values and errors', async () => {
    const { port } = await startHost({
      mocks: [
        {
          topic: 'sum/{what}',
          response: {
            topic: '{{request.path}}/reply',
            json: {
              id: '{{request.body.id}}',
              response: '{{request.params.what}} {{request.body.data.total}}',
              isDisposed: true,
            },
          },
        },
        {
          topic: 'fail',
          response: {
            topic: 'fail/reply',
            json: { id: '{{request.body.id}}', err: { message: 'no' }, isDisposed: true },
          },
        },
      ],
    });
    const client = await connect({ url: `mqtt://127.0.0.1:${port}` });
    expect(await lastValueFrom(client.send('sum/orders', { total: 6 }))).toBe('orders 6');
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toEqual({ message: 'no' });
  });
});
