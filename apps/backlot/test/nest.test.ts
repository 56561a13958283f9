import 'reflect-metadata';
import type { AddressInfo, Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { collectCleanups, eventually, startKind, type RunningKind } from '@backlot/conformance';
import type { Json, Protocol } from '@backlot/core';
import { amqp } from '@backlot/amqp';
import { grpc } from '@backlot/grpc';
import { kafka } from '@backlot/kafka';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { redis } from '@backlot/redis';
import { tcp } from '@backlot/tcp';
import { Controller, Logger, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type ClientKafka,
  ClientsModule,
  EventPattern,
  MessagePattern,
  RpcException,
  Transport,
  type ClientGrpc,
  type ClientProviderOptions,
  type ClientProxy,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { Partitioners } from 'kafkajs';
import { firstValueFrom, lastValueFrom, throwError, type Observable } from 'rxjs';

Logger.overrideLogger(false);

const later = collectCleanups();
const PROTO = fileURLToPath(new URL('fixtures/shop.proto', import.meta.url));

type Client = ClientProxy & Partial<ClientKafka>;

/** Boots an application that only calls another one, and gives its client. */
async function bootCaller<T>(options: MicroserviceOptions): Promise<T> {
  class Caller {}
  const clients = ClientsModule.register([{ name: 'shop', ...options } as ClientProviderOptions]);
  const app = await NestFactory.createApplicationContext({ module: Caller, imports: [clients] });
  later(() => app.close());
  return app.get<T>('shop');
}

/** Boots an application whose controller answers orders; the events that it hears of go to `hear`. */
async function bootOrders(
  options: MicroserviceOptions,
  hear: (order: unknown) => void = () => undefined,
): Promise<INestMicroservice> {
  class Orders {
    total(prices: { readonly of: readonly number[] }): object {
      return { total: prices.of.reduce((a, b) => a + b) };
    }
    refuse(): Observable<never> {
      return throwError(() => new RpcException('sold out'));
    }
    created(order: unknown): void {
      hear(order);
    }
  }
  const member = (name: keyof Orders): PropertyDescriptor =>
    Object.getOwnPropertyDescriptor(Orders.prototype, name) as PropertyDescriptor;
  MessagePattern('orders.total')(Orders.prototype, 'total', member('total'));
  MessagePattern('orders.refuse')(Orders.prototype, 'refuse', member('refuse'));
  EventPattern('orders.created')(Orders.prototype, 'created', member('created'));
  Controller()(Orders);
  class App {}
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(
    { module: App, controllers: [Orders] },
    options,
  );
  later(() => app.close());
  await app.listen();
  return app;
}

/** Asks the booted application, and tells it of an event. */
async function talk(client: Client, heard: Promise<unknown>): Promise<void> {
  for (const name of ['orders.total', 'orders.refuse']) client.subscribeToResponseOf?.(name);
  await client.connect();
  expect(await firstValueFrom(client.send('orders.total', { of: [1, 2, 3] }))).toEqual({ total: 6 });
  await expect(firstValueFrom(client.send('orders.refuse', {}))).rejects.toEqual({
    status: 'error',
    message: 'sold out',
  });
  await lastValueFrom(client.emit('orders.created', { id: 7 }), { defaultValue: undefined });
  expect(await heard).toEqual({ id: 7 });
}

test.each<[string, Protocol, Json, (port: number) => MicroserviceOptions]>([
  ['Redis', redis, {}, (port) => ({ transport: Transport.REDIS, options: { host: '127.0.0.1', port } })],
  [
    'NATS',
    nats,
    {},
    (port) => ({ transport: Transport.NATS, options: { servers: `127.0.0.1:${port}`, queue: 'orders' } }),
  ],
  ['MQTT', mqtt, {}, (port) => ({ transport: Transport.MQTT, options: { url: `mqtt://127.0.0.1:${port}` } })],
  [
    'AMQP',
    amqp,
    {},
    (port) => ({
      transport: Transport.RMQ,
      options: { urls: [`amqp://127.0.0.1:${port}`], queue: 'orders' },
    }),
  ],
  [
    'Kafka',
    kafka,
    { topics: [{ name: 'orders.created', partitions: 1 }] },
    (port) => ({
      transport: Transport.KAFKA,
      options: {
        client: { brokers: [`127.0.0.1:${port}`], logLevel: 0 },
        producer: { createPartitioner: Partitioners.DefaultPartitioner },
        subscribe: { fromBeginning: true },
      },
    }),
  ],
])('applications of Nest talk over %s', async (_name, protocol, settings, optionsFor) => {
  const { port, log } = await startKind(protocol, later, settings);
  let hear: (event: unknown) => void = () => undefined;
  const heard = new Promise((resolve) => (hear = resolve));
  await bootOrders(optionsFor(port), hear);
  await talk(await bootCaller<Client>(optionsFor(port)), heard);
  expect(log.filter((line) => !line.startsWith('info'))).toEqual([]);
});

/** How a client of Nest's own protocol reaches a host. */
const tcpTo = ({ port }: RunningKind): MicroserviceOptions => ({
  transport: Transport.TCP,
  options: { host: '127.0.0.1', port },
});

test('applications of Nest talk over TCP through a host, which lets mocks answer first', async () => {
  let hear: (event: unknown) => void = () => undefined;
  const heard = new Promise((resolve) => (hear = resolve));
  const app = await bootOrders({ transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } }, hear);
  const there = app.unwrap<Server>().address() as AddressInfo;
  const between = await startKind(tcp, later, {
    framing: 'nest',
    upstream: { url: `tcp://127.0.0.1:${there.port}`, mode: 'passthrough' },
  });
  await talk(await bootCaller<Client>(tcpTo(between)), heard);
});

test('an application of Nest is answered by mocks over TCP, and its events are seen', async () => {
  const running = await startKind(tcp, later, {
    framing: 'nest',
    mocks: [
      {
        body_json: { pattern: 'orders.total' },
        json: { id: '{{request.body.id}}', response: { total: 6 }, isDisposed: true },
      },
    ],
  });
  const client = await bootCaller<Client>(tcpTo(running));
  expect(await firstValueFrom(client.send('orders.total', { of: [] }))).toEqual({ total: 6 });
  await lastValueFrom(client.emit('orders.created', { id: 7 }), { defaultValue: undefined });
  await eventually(() => running.host.journal.list().length === 2);
  expect(running.host.journal.list()).toContainEqual(
    expect.objectContaining({ body: '{"pattern":"orders.created","data":{"id":7}}' }),
  );
});

test('an application of Nest is answered by mocks over gRPC', async () => {
  const { port } = await startKind(grpc, later, {
    protos: [PROTO],
    mocks: [{ method: 'shop.Orders/Total', response: { total: '{{request.body.prices.length}}' } }],
  });
  const client = await bootCaller<ClientGrpc>({
    transport: Transport.GRPC,
    options: { url: `127.0.0.1:${port}`, package: 'shop', protoPath: PROTO },
  });
  const orders = client.getService<{ total(request: object): Observable<object> }>('Orders');
  expect(await firstValueFrom(orders.total({ prices: [1, 2, 3] }))).toEqual({ total: 3 });
});
