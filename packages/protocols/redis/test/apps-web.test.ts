import KeyvRedis from '@keyv/redis';
import { CACHE_MANAGER, CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import { Controller, Get, Logger, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientRedis, ServerRedis } from '@nestjs/microservices';
import { createCache, type Cache } from 'cache-manager';
import { RedisStore } from 'connect-redis';
import express from 'express';
import session from 'express-session';
import { describe, expect, it } from '@jest/globals';
import { Keyv } from 'keyv';
import { createClient } from 'redis';
import { firstValueFrom, throwError, toArray } from 'rxjs';
import { afterThis, startHost } from './support.js';

declare module 'express-session' {
  interface SessionData {
    visits: number;
  }
}

Logger.overrideLogger(false);

describe('connect-redis', () => {
  it('sessions are kept, end with their time, and are destroyed', async () => {
    const { host, port } = await startHost();
    const client = createClient({ url: `redis://127.0.0.1:${port}` });
    await client.connect();
    afterThis(() => client.close());
    const store = new RedisStore({ client, ttl: 600 });
    const app = express();
    app.use(session({ store, secret: 'secret', resave: false, saveUninitialized: false }));
    app.get('/', (request, response) => {
      request.session.visits = (request.session.visits ?? 0) + 1;
      response.json(request.session.visits);
    });
    app.get('/leave', (request, response) => {
      request.session.destroy(() => response.json('left'));
    });
    const server = app.listen(0, '127.0.0.1');
    afterThis(() => new Promise((resolve) => server.close(resolve)));
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const first = await fetch(url, { headers: { connection: 'close' } });
    const headers = {
      connection: 'close',
      cookie: (first.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    };
    const get = async (path = '/'): Promise<unknown> => (await fetch(url + path, { headers })).json();
    expect([await first.json(), await get(), await get()]).toEqual([1, 2, 3]);
    expect(await store.length()).toBe(1);
    expect(await store.ids()).toHaveLength(1);
    expect(await store.all()).toMatchObject([{ visits: 3 }]);
    expect(await get('/leave')).toBe('left');
    expect(await store.length()).toBe(0);
    expect(await get()).toBe(1);
    expect(await store.length()).toBe(1);
    await host.clock.advance(600_000);
    expect(await store.length()).toBe(0);
  });
});

describe('Nest', () => {
  it('a microservice answers messages and hears of events', async () => {
    const { port } = await startHost();
    const options = { host: '127.0.0.1', port };
    const server = new ServerRedis(options);
    const heard: unknown[] = [];
    let hear = (): void => undefined;
    const event = new Promise<void>((resolve) => {
      hear = resolve;
    });
    server.addHandler('sum', (data: readonly number[]) => Promise.resolve(data.reduce((a, b) => a + b, 0)));
    server.addHandler('fail', () => Promise.resolve(throwError(() => ({ status: 'error', message: 'no' }))));
    server.addHandler(
      'created',
      (data: unknown) => {
        heard.push(data);
        hear();
        return Promise.resolve();
      },
      true,
    );
    await new Promise<void>((resolve, reject) => {
      server.listen((problem?: unknown) => {
        if (problem === undefined || problem === null) resolve();
        else reject(new Error('not listening', { cause: problem }));
      });
    });
    afterThis(() => server.close());
    const client = new ClientRedis(options);
    afterThis(() => client.close());
    await client.connect();
    expect(await firstValueFrom(client.send<number>('sum', [1, 2, 3]).pipe(toArray()))).toEqual([6]);
    await expect(firstValueFrom(client.send('fail', {}))).rejects.toMatchObject({ message: 'no' });
    await firstValueFrom(client.emit('created', { id: 7 }), { defaultValue: undefined });
    await event;
    expect(heard).toEqual([{ id: 7 }]);
  });
});

describe('@nestjs/cache-manager with Keyv', () => {
  it('keeps values and the answers of a controller for as long as they live', async () => {
    const { host, port } = await startHost();
    let made = 0;
    class Prices {
      find(): object {
        made += 1;
        return { made };
      }
    }
    const find = Object.getOwnPropertyDescriptor(Prices.prototype, 'find') as PropertyDescriptor;
    Get('prices')(Prices.prototype, 'find', find);
    UseInterceptors(CacheInterceptor)(Prices);
    Controller()(Prices);
    class App {}
    const stores = new KeyvRedis(`redis://127.0.0.1:${port}`);
    const app = await NestFactory.create({
      module: App,
      imports: [
        CacheModule.registerAsync({
          useFactory: () => ({ stores, ttl: 60_000, namespace: 'nest' }),
        }),
      ],
      controllers: [Prices],
    });
    afterThis(() => app.close());
    await app.listen(0, '127.0.0.1');
    const url = `${await app.getUrl()}/prices`;
    const ask = async (): Promise<unknown> => (await fetch(url, { headers: { connection: 'close' } })).json();
    expect([await ask(), await ask()]).toEqual([{ made: 1 }, { made: 1 }]);
    const client = createClient({ url: `redis://127.0.0.1:${port}` });
    await client.connect();
    afterThis(() => client.close());
    expect(await client.keys('*prices*')).toHaveLength(1);
    await host.clock.advance(60_000);
    expect(await ask()).toEqual({ made: 2 });
    const cache = app.get<Cache>(CACHE_MANAGER);
    await cache.set('a', { x: 1 }, 1000);
    expect(await cache.get('a')).toEqual({ x: 1 });
    await host.clock.advance(1000);
    expect(await cache.get('a')).toBeUndefined();
    await cache.clear();
    expect([await ask(), await client.dbSize()]).toEqual([{ made: 3 }, 1]);
  });
});

describe('cache-manager with Keyv', () => {
  it('values are made once, and anew when their time is over', async () => {
    const { host, port } = await startHost();
    const store = new KeyvRedis(`redis://127.0.0.1:${port}`);
    const cache = createCache({ stores: [new Keyv({ store, namespace: 'app' })] });
    afterThis(() => cache.disconnect());
    let made = 0;
    const get = (): Promise<number> => cache.wrap('answer', () => Promise.resolve((made += 1)), 60_000);
    expect([await get(), await get()]).toEqual([1, 1]);
    await host.clock.advance(60_000);
    expect(await get()).toBe(2);
    await cache.mset([
      { key: 'a', value: { x: 1 } },
      { key: 'b', value: [2] },
    ]);
    expect(await cache.mget(['a', 'b', 'c'])).toEqual([{ x: 1 }, [2], undefined]);
    await cache.del('a');
    expect(await cache.get('a')).toBeUndefined();
    await cache.clear();
    expect(await cache.get('b')).toBeUndefined();
  });
});
