import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClientGrpcProxy } from '@nestjs/microservices';
import { firstValueFrom, from, toArray, type Observable } from 'rxjs';
import { ACME } from './support/acme.js';
import { folderWith, later, startHost } from './support/grpc-host.js';

Logger.overrideLogger(false);

interface Users {
  get(request: object): Observable<{ name: string }>;
  watch(request: object): Observable<{ name: string }>;
  chat(requests: Observable<object>): Observable<{ name: string }>;
}

describe('the gRPC client of Nest', () => {
  it('gets answers, streams and errors of mocks', async () => {
    const { port, add } = await startHost();
    add(
      { method: 'acme.Users/Get', match: { id: '1' }, response: { name: 'Ann {{request.body.id}}' } },
      { method: 'acme.Users/Get', error: { code: 'NOT_FOUND', message: 'nobody' } },
      { method: 'acme.Users/Watch', stream: [{ response: { name: 'a' } }, { response: { name: 'b' } }] },
      {
        method: 'acme.Users/Chat',
        on_message: [{ respond: { name: 'got {{request.body.name}}' } }],
      },
    );
    const protoPath = join(folderWith({ 'acme.proto': ACME }), 'acme.proto');
    const proxy = new ClientGrpcProxy({ url: `127.0.0.1:${port}`, package: 'acme', protoPath });
    later(() => proxy.close());
    const users = proxy.getService<Users>('Users');
    expect(await firstValueFrom(users.get({ id: 1 }))).toMatchObject({ name: 'Ann 1' });
    await expect(firstValueFrom(users.get({ id: 2 }))).rejects.toMatchObject({ code: 5, details: 'nobody' });
    const watched = await firstValueFrom(users.watch({ id: 1 }).pipe(toArray()));
    expect(watched.map(({ name }) => name)).toEqual(['a', 'b']);
    const said = await firstValueFrom(users.chat(from([{ name: 'x' }, { name: 'y' }])).pipe(toArray()));
    expect(said.map(({ name }) => name)).toEqual(['got x', 'got y']);
  });
});
