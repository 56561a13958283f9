import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createHost, type Json, type Kind } from '@backlot/core';
import { isBacklotError, type Route } from '@backlot/core/plugin';
import * as grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { itWithTool, PYTHON } from '@backlot/conformance';
import { grpc } from '../src/index.js';
import { ACME } from './support/acme.js';
import { folderWith, get, LOADING, startHost, type Running } from './support/grpc-host.js';

/** Calls a route of the plugin, as the management port does. */
async function callRoute(kind: Kind, method: string, path: string, more: Json = {}): Promise<unknown> {
  const route = kind.protocol.routes?.find((one) => one.method === method && one.path === path);
  if (route === undefined || kind.service === undefined) throw new Error(`no route ${method} ${path}`);
  const request = {
    params: {},
    query: {},
    body: undefined,
    headers: {},
    signal: new AbortController().signal,
    ...more,
  };
  return (route as Route).handle(request, kind.service);
}

const upload = (kind: Kind, name: string, content: string): Promise<unknown> =>
  callRoute(kind, 'POST', '/api/grpc/protos', { body: { name, content } });

async function problemOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (thrown) {
    if (!isBacklotError(thrown)) throw thrown;
    return `${thrown.code}: ${thrown.message}`;
  }
}

async function configProblems(block: Json): Promise<readonly unknown[]> {
  try {
    await createHost({ protocols: [grpc], settings: { grpc: { port: 0, ...block } } });
    return [];
  } catch (thrown) {
    return isBacklotError(thrown) ? (thrown.details ?? []) : [String(thrown)];
  }
}

/** Calls a method of a file by its path, with a client made from that file. */
function callBy(
  file: string,
  port: number,
  service: string,
  method: string,
  request: object,
): Promise<unknown> {
  let here: unknown = grpcJs.loadPackageDefinition(loadSync(file, LOADING));
  for (const name of service.split('.')) here = (here as Readonly<Record<string, unknown>>)[name];
  const Service = here as new (
    ...args: unknown[]
  ) => grpcJs.Client & Record<string, (...args: unknown[]) => void>;
  const client = new Service(`127.0.0.1:${port}`, grpcJs.credentials.createInsecure());
  return new Promise((resolve) => {
    client[method]?.(request, (error: grpcJs.ServiceError | null, value: unknown) => {
      client.close();
      resolve(error === null ? value : `${grpcJs.status[error.code]}: ${error.details}`);
    });
  });
}

describe('schemas of the configuration', () => {
  it('come with services, whose mocks stand beside the others', async () => {
    const folder = folderWith({ 'acme.proto': ACME });
    const { users, host } = await startHost(
      {
        services: [
          {
            proto: join(folder, 'acme.proto'),
            mocks: [{ id: 'inner', method: 'Get', response: { name: 'x' } }],
          },
        ],
        mocks: [{ id: 'outer', method: 'Watch' }],
      },
      { schema: false },
    );
    expect((await get(users)).value).toMatchObject({ name: 'x' });
    const { mocks } = host.kind('grpc');
    expect(mocks.list().map(({ id }) => id)).toEqual(['outer', 'inner']);
    mocks.remove('inner');
    host.reset();
    expect((await get(users)).value).toMatchObject({ name: 'x' });
  });

  it('are not needed for the mocks of a service', async () => {
    const { users } = await startHost(
      { services: [{ mocks: [{ method: 'Get', error: { code: 7, message: 'not for you' } }] }] },
      { schema: false },
    );
    expect(await get(users)).toMatchObject({ code: 'PERMISSION_DENIED', message: 'not for you' });
  });

  it('import what is beside them, and google/protobuf', async () => {
    const folder = folderWith({
      'main.proto':
        'syntax = "proto3"; package m; import "other.proto"; service S { rpc Go(o.Thing) returns (o.Thing); }',
      'other.proto':
        'syntax = "proto3"; package o; import "google/protobuf/empty.proto"; message Thing { string a = 1; }',
    });
    const { port } = await startHost(
      {
        protos: [join(folder, 'main.proto')],
        mocks: [{ method: 'Go', response: { a: '{{request.body.a}}!' } }],
      },
      { schema: false },
    );
    expect(await callBy(join(folder, 'main.proto'), port, 'm.S', 'Go', { a: 'x' })).toEqual({ a: 'x!' });
  });

  it('name every file that cannot be used', async () => {
    const folder = folderWith({
      'broken.proto': 'syntax = "proto3"; message {',
      'lost.proto': 'syntax = "proto3"; import "nowhere.proto";',
      'up.proto': 'syntax = "proto3"; import "../up.proto";',
      'untyped.proto': 'syntax = "proto3"; message A { Nobody n = 1; }',
    });
    const inFolder = (name: string): string => join(folder, name);
    expect(
      await configProblems({
        services: [{ proto: inFolder('broken.proto') }],
        protos: ['no.proto', 'lost.proto', 'up.proto'].map(inFolder),
        descriptor_sets: [inFolder('broken.proto')],
      }),
    ).toMatchObject([
      { path: '/settings/grpc/services/0/proto', message: expect.stringContaining('line 1') },
      { path: '/settings/grpc/protos/0', message: expect.stringContaining('is not there') },
      { path: '/settings/grpc/protos/1', message: expect.stringContaining('imports "nowhere.proto"') },
      { path: '/settings/grpc/protos/2', message: expect.stringContaining('without ".."') },
      { path: '/settings/grpc/descriptor_sets/0', message: expect.stringContaining('is no descriptor set') },
    ]);
    expect(await configProblems({ protos: [inFolder('untyped.proto')] })).toMatchObject([
      {
        path: '/settings/grpc/protos',
        message: expect.stringContaining('"Nobody", the type of "n", is not defined'),
      },
    ]);
  });

  it('may be missing where a service names them: its mocks answer as JSON then', async () => {
    const proto = join(folderWith({}), 'no.proto');
    const { port, log } = await startHost(
      { services: [{ proto, mocks: [{ method: 'Go', response: { a: 'x' } }] }] },
      { schema: false },
    );
    expect(log).toEqual([`warn: "${proto}" is not there: methods without a schema answer as JSON text`]);
    const client = new grpcJs.Client(`127.0.0.1:${port}`, grpcJs.credentials.createInsecure());
    const answer = await new Promise((resolve, reject) => {
      const asIs = (bytes: Buffer): Buffer => bytes;
      client.makeUnaryRequest('/m.S/Go', asIs, asIs, Buffer.alloc(0), (error, bytes) =>
        error === null ? resolve(bytes?.toString()) : reject(error),
      );
    });
    client.close();
    expect(answer).toBe('{"a":"x"}');
  });

  it('check the mocks of the configuration', async () => {
    const folder = folderWith({ 'acme.proto': ACME });
    expect(
      await configProblems({
        protos: [join(folder, 'acme.proto')],
        mocks: [{ method: 'Get', response: { nme: 'x' } }],
      }),
    ).toMatchObject([{ path: '/settings/grpc/mocks/0/response/nme' }]);
  });

  itWithTool(
    'python3:grpc_tools python3:pkg_resources',
    'come from descriptor sets of protoc, and ours are the same',
    async () => {
      const folder = folderWith({ 'acme.proto': ACME });
      const set = join(folder, 'set.bin');
      execFileSync(PYTHON, [
        ...['-m', 'grpc_tools.protoc', `-I${folder}`, '--include_imports'],
        ...[`--descriptor_set_out=${set}`, join(folder, 'acme.proto')],
      ]);
      const { users } = await startHost(
        { descriptor_sets: [set], mocks: [{ method: 'Get', response: { id: 5, labels: { a: 'b' } } }] },
        { schema: false },
      );
      expect((await get(users)).value).toMatchObject({ id: '5', labels: { a: 'b' } });
      expect(readFileSync(set).length).toBeGreaterThan(0);
    },
  );
});

describe('a response that does not fit', () => {
  const refuse = async (mock: Json): Promise<unknown> => {
    const { host } = await startHost();
    try {
      host.kind('grpc').mocks.create(mock);
      return 'accepted';
    } catch (thrown) {
      return isBacklotError(thrown) ? thrown.details : thrown;
    }
  };

  it.each<[string, string, Json]>([
    ['/response/nme', 'is no field of acme.User', { response: { nme: 'x' } }],
    ['/response/scores/1', 'must be an int32', { response: { scores: [1, 'x'] } }],
    [
      '/response/address/city',
      'must be a string, got 1',
      { response: { address: { city: 1 }, name: '{{uuid}}' } },
    ],
    ['/response/phone', 'cannot stand beside email', { response: { email: 'a', phone: '{{uuid}}' } }],
    ['/stream', 'answers with one message', { stream: [{ response: {} }] }],
  ])('is refused at %s: %s', async (path, message, fields) => {
    expect(await refuse({ method: 'acme.Users/Get', ...fields })).toMatchObject([
      { path, message: expect.stringContaining(message) },
    ]);
  });

  it('is refused in a stream, and by PATCH', async () => {
    expect(
      await refuse({ method: 'Watch', stream: [{ response: {} }, { response: { id: 'x' } }] }),
    ).toMatchObject([{ path: '/stream/1/response/id' }]);
    const { host, users } = await startHost();
    const { mocks } = host.kind('grpc');
    mocks.create({ id: 'a', method: 'Get', response: { name: 'a' } });
    expect(() => mocks.patch('a', { response: { id: 'x' } })).toThrow('must be an int64');
    mocks.patch('a', { error: { code: 'ABORTED', message: 'patched' }, response: null });
    expect(mocks.get('a')).toEqual({
      id: 'a',
      method: 'Get',
      error: { code: 'ABORTED', message: 'patched' },
    });
    expect(await get(users)).toMatchObject({ code: 'ABORTED' });
    mocks.patch('a', { response: { name: 'b' }, delay: '1ms' });
    expect((await get(users)).value).toMatchObject({ name: 'b' });
  });

  it('belongs to the schemas of its own host', async () => {
    const typed = await startHost();
    const untyped = await startHost({}, { schema: false });
    untyped.add({ method: 'acme.Users/Get', response: { nme: 'x' } });
    expect(() => typed.add({ method: 'acme.Users/Get', response: { nme: 'x' } })).toThrow('is no field');
  });
});

describe('uploads', () => {
  const proto = (body: string): string => `syntax = "proto3"; package up; ${body}`;
  const SERVICE = proto('import "up/types.proto"; service S { rpc Go(T) returns (T); }');
  const TYPES = proto('message T { string a = 1; }');

  async function startEmpty(): Promise<Running & { readonly kind: Kind }> {
    const running = await startHost({}, { schema: false });
    return { ...running, kind: running.host.kind('grpc') };
  }

  it('are served at once, listed and deleted', async () => {
    const { kind, add, port } = await startEmpty();
    const folder = folderWith({
      's.proto': proto('message T { string a = 1; } service S { rpc Go(T) returns (T); }'),
    });
    const go = (): Promise<unknown> => callBy(join(folder, 's.proto'), port, 'up.S', 'Go', { a: 'x' });
    add({ id: 'go', method: 'up.S/Go', response: { a: 'answer' } });
    // Without a schema the answer is JSON, which is no protobuf.
    expect(await go()).toMatch('INTERNAL');
    expect(await upload(kind, 'up/types.proto', TYPES)).toEqual({
      status: 201,
      body: { name: 'up/types.proto', content: TYPES },
    });
    await upload(kind, 'up/s.proto', SERVICE);
    expect(await go()).toEqual({ a: 'answer' });
    expect(() => kind.mocks.replace('go', { method: 'up.S/Go', response: { b: 1 } })).toThrow(
      'is no field of up.T',
    );
    expect(await callRoute(kind, 'GET', '/api/grpc/protos')).toEqual({
      list: [
        { name: 'up/types.proto', content: TYPES },
        { name: 'up/s.proto', content: SERVICE },
      ],
    });
    const remove = (name: string): Promise<unknown> =>
      callRoute(kind, 'DELETE', '/api/grpc/protos/{name}', { params: { name } });
    expect(await problemOf(remove('up/types.proto'))).toMatch(
      'conflict: proto "up/types.proto" is imported by',
    );
    expect(await remove('up/s.proto')).toEqual({ body: { status: 'deleted', deleted: 'up/s.proto' } });
    expect(await problemOf(remove('up/s.proto'))).toBe('not_found: no proto "up/s.proto"');
    expect(await go()).toMatch('INTERNAL');
  });

  it('are refused when they do not fit, and leave nothing', async () => {
    const { kind } = await startEmpty();
    await upload(kind, 'a.proto', proto('message A {}'));
    const refused: [string, string, string][] = [
      ['a.proto', proto(''), 'conflict: proto "a.proto" already exists; delete it first'],
      ['b.proto', 'message', 'invalid: content is no .proto file: the text ends too early'],
      ['b.proto', 'message 5 {}', 'invalid: content is no .proto file: illegal'],
      ['b.proto', proto('message B { Nobody n = 1; }'), '"Nobody", the type of "n", is not defined'],
      ['b.proto', proto('message A {}'), 'defines "up.A", which "a.proto" defines already'],
      [
        'b.proto',
        proto('import "/etc/hostname";'),
        'imports "/etc/hostname", which is not among the uploads',
      ],
      ['b.proto', proto('import "package.json";'), 'imports "package.json", which is not among the uploads'],
      ['../b.proto', proto(''), 'must be a relative path'],
      ['/b.proto', proto(''), 'must be a relative path'],
      ['google/protobuf/any.proto', proto(''), 'must be a relative path'],
      ['b.proto', `${'message A {'.repeat(5000)}${'}'.repeat(5000)}`, 'content is no .proto file'],
    ];
    for (const [name, content, problem] of refused) {
      expect(await problemOf(upload(kind, name, content))).toMatch(problem);
    }
    expect(await callRoute(kind, 'GET', '/api/grpc/protos')).toEqual({
      list: [{ name: 'a.proto', content: proto('message A {}') }],
    });
  });

  it('go with a reset and come back with a snapshot', async () => {
    const { kind, host } = await startEmpty();
    const list = async (): Promise<number> =>
      ((await callRoute(kind, 'GET', '/api/grpc/protos')) as { list: unknown[] }).list.length;
    await upload(kind, 'a.proto', proto('message A {}'));
    const { id } = host.snapshots.create();
    host.reset();
    expect(await list()).toBe(0);
    host.snapshots.restore(id);
    expect(await list()).toBe(1);
  });
});
