import { describe, expect, it } from '@jest/globals';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect } from 'node:net';
import { WebSocket, type RawData } from 'ws';
import { serveMockly } from './serve.js';

describe('http', () => {
  it('answers as its file says', async () => {
    await serveMockly(
      'http',
      async ({ url, call, setState }) => {
        const ask = async (path: string, init: RequestInit = {}): Promise<[number, string]> => {
          const answer = await fetch(url + path, init);
          return [answer.status, await answer.text()];
        };
        const books = await fetch(`${url}/books?shelf=top`);
        expect([books.status, books.headers.get('x-shelf'), await books.text()]).toEqual([
          200,
          'top',
          '[{"title":"Emma"}]',
        ]);
        expect(await ask('/books/7')).toEqual([200, '{"title":"Persuasion"}']);
        expect(await ask('/authors/Jane')).toEqual([200, '{"name":"Jane"}']);
        expect(await ask('/shelves/top')).toEqual([200, 'shelf']);
        expect(await ask('/search?q=austen&page=3', { headers: { 'x-tenant': 't12' } })).toEqual([
          200,
          'found',
        ]);
        const order = {
          method: 'POST',
          body: JSON.stringify({ currency: 'GBP', customer: { tier: 'gold' }, items: [{ sku: 'a' }] }),
        };
        expect((await ask('/orders', order))[0]).toBe(404);
        await setState('shop', 'open');
        expect((await ask('/orders', order))[0]).toBe(201);
        expect((await ask('/secret', { headers: { authorization: 'Bearer let-me-in' } }))[1]).toBe('in');
        expect((await ask('/secret'))[0]).toBe(404);
        const basic = `Basic ${Buffer.from('ann:s3cret').toString('base64')}`;
        expect((await ask('/admin', { headers: { authorization: basic } }))[1]).toBe('admin');
        expect(await ask('/weather?key=any')).toEqual([200, 'rain']);
        expect([await ask('/flaky'), await ask('/flaky'), await ask('/flaky')]).toEqual([
          [503, 'later'],
          [200, 'now'],
          [200, 'now'],
        ]);
        const broken = await fetch(`${url}/broken`);
        expect([broken.status, broken.headers.get('x-fault'), await broken.text()]).toEqual([
          502,
          'yes',
          'bad gateway',
        ]);
        await ask('/hook', {
          method: 'POST',
          body: JSON.stringify({ id: 'h1', callback: `${url}/callback` }),
        });
        await call('POST', 'calls/http/callback/wait', { timeout: '5s' });
        expect(await call('GET', 'calls/http/callback')).toMatchObject({
          calls: [{ method: 'PUT', body: '{"done":"h1"}' }],
        });
        await call('POST', 'scenarios/closed/activate');
        const closed = await fetch(`${url}/books`);
        expect([closed.status, closed.headers.get('retry-after'), await closed.text()]).toEqual([
          503,
          '9',
          'closed',
        ]);
        expect((await ask('/authors/Jane'))[0]).toBe(404);
      },
      { status: 429, body: 'slow down', headers: { 'Retry-After': '2' } },
      { warnings: /^notice: .*mockly\.ui is ignored/ },
    );
  });
});

describe('websocket', () => {
  it('answers ws as its file says', async () => {
    await serveMockly(
      'websocket',
      async ({ port, setState }) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/ticker`);
        const next = async (): Promise<string> => {
          const [data] = (await once(socket, 'message')) as [RawData];
          return (data as Buffer).toString();
        };
        expect(await next()).toBe('{"event":"connected","path":"/ws/ticker"}');
        socket.send('ping');
        expect(await next()).toBe('{"event":"pong","echo":"ping"}');
        socket.send('{"type":"subscribe","to":"a"}');
        expect(await next()).toBe('subscribed');
        const closed = once(socket, 'close');
        socket.send('bye');
        expect((await closed)[0]).toBe(1000);
        await setState('market', 'closed');
        const market = new WebSocket(`ws://127.0.0.1:${port}/ws/market`);
        expect(String((await once(market, 'message'))[0])).toBe('closed');
        market.close();
        await once(market, 'close');
      },
      { close_code: 1012, message: 'restart' },
    );
  });
});

describe('grpc', () => {
  it('answers grpc-js as its file says, though the .proto file is missing', async () => {
    await serveMockly(
      'grpc',
      async ({ port }) => {
        const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
        const asIs = (bytes: Buffer): Buffer => bytes;
        const ask = (path: string): Promise<unknown> =>
          new Promise((resolve) => {
            client.makeUnaryRequest(path, asIs, asIs, Buffer.alloc(0), (error: ServiceError | null, answer) =>
              resolve(error === null ? JSON.parse(String(answer)) : [error.code, error.details]),
            );
          });
        expect(await ask('/users.Users/GetUser')).toEqual({ id: '7', name: 'Ann' });
        expect(await ask('/users.Users/ListUsers')).toMatchObject({ users: [{ id: '7' }, { id: '8' }] });
        expect(await ask('/users.Users/DeleteUser')).toEqual([7, 'only administrators may delete']);
        expect(await ask('/users.Users/Other')).toEqual({ ok: true });
        client.close();
      },
      { code: 'RESOURCE_EXHAUSTED', message: 'too many' },
      {
        hints: /services\[0\]\.proto: hint: ".\/protos\/users.proto" is not there/,
        warnings: /is not there/,
      },
    );
  });
});

describe('graphql', () => {
  it('answers as its file says', async () => {
    await serveMockly(
      'graphql',
      async ({ url, setState }) => {
        const ask = async (query: string): Promise<unknown> => {
          const headers = { 'content-type': 'application/json' };
          return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
        };
        expect(await ask('query GetUser { user { id name } }')).toEqual({
          data: { user: { id: '7', name: 'Ann' } },
        });
        expect(await ask('mutation CreatePost { createPost { id title } }')).toEqual({
          data: { createPost: { id: expect.stringMatching(/^[\w-]{36}$/), title: 'Hello' } },
        });
        await setState('role', 'guest');
        expect(await ask('{ secret }')).toMatchObject({ errors: [expect.anything()] });
        expect(await ask('query Secret { secret }')).toMatchObject({
          errors: [{ message: 'not allowed', path: ['secret'], extensions: { code: 'FORBIDDEN' } }],
        });
      },
      { status: 502, body: '{"error":"bad gateway"}' },
    );
  });
});

describe('tcp', () => {
  it('answers a socket as its file says', async () => {
    await serveMockly(
      'tcp',
      async ({ port }) => {
        const socket = connect(port, '127.0.0.1');
        const ask = async (bytes: string | Buffer): Promise<string> => {
          socket.write(bytes);
          return String(((await once(socket, 'data')) as [Buffer])[0].toString('latin1'));
        };
        expect(await ask('PING\r\n')).toBe('+PONG\r\n');
        expect(await ask(Buffer.from([2, 1, 255, 3]))).toBe('\x06\0\0');
        expect(await ask('HELLO Ann')).toBe('WELCOME');
        const ended = once(socket, 'end');
        expect(await ask('QUIT')).toBe('BYE');
        await ended;
      },
      { response: 'ERR' },
    );
  });
});
