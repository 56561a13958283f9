import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import * as grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { decodeMessage } from '../src/codec/decode.js';
import { googleSchema } from '../src/schema/builtin.js';
import { OWN_PROTOS } from '../src/schema/services.js';
import { folderWith, later, LOADING, readAll, startHost } from './support/grpc-host.js';

type Plain = Readonly<Record<string, unknown>>;
type ServiceClient = grpcJs.Client & Record<string, (...args: unknown[]) => unknown>;

/** A client of one of the server's own services, made from its proto. */
function clientOf(file: string, service: string, port: number): ServiceClient {
  const folder = folderWith({ 'own.proto': OWN_PROTOS[file] ?? '' });
  let here: unknown = grpcJs.loadPackageDefinition(loadSync(join(folder, 'own.proto'), LOADING));
  for (const name of service.split('.')) here = (here as Plain)[name];
  const Service = here as new (...args: unknown[]) => ServiceClient;
  const client = new Service(`127.0.0.1:${port}`, grpcJs.credentials.createInsecure());
  later(() => client.close());
  return client;
}

function call(client: ServiceClient, method: string, request: object): Promise<unknown> {
  return new Promise((resolve) => {
    client[method]?.(request, (error: grpcJs.ServiceError | null, value: unknown) =>
      resolve(error === null ? value : `${grpcJs.status[error.code]}: ${error.details}`),
    );
  });
}

describe('health', () => {
  const health = (port: number): ServiceClient =>
    clientOf('grpc/health/v1/health.proto', 'grpc.health.v1.Health', port);

  it('is serving for what is known or mocked', async () => {
    const { port, add, host } = await startHost();
    add({ method: 'other.Service/Method', response: {} });
    const client = health(port);
    for (const service of ['', 'acme.Users', 'other.Service']) {
      expect(await call(client, 'Check', { service })).toEqual({ status: 'SERVING' });
    }
    expect(await call(client, 'Check', { service: 'no.Service' })).toBe(
      'NOT_FOUND: unknown service no.Service',
    );
    const { statuses } = (await call(client, 'List', {})) as { statuses: Plain };
    expect(Object.keys(statuses)).toEqual(
      expect.arrayContaining(['', 'acme.Users', 'grpc.health.v1.Health']),
    );
    expect(host.journal.list()).toEqual([]);
  });

  it('is watched', async () => {
    const { port, host } = await startHost();
    const client = health(port);
    const watch = (service: string): grpcJs.ClientReadableStream<Plain> =>
      client['Watch']?.({ service }) as grpcJs.ClientReadableStream<Plain>;
    const known = watch('acme.Users');
    expect(await new Promise((resolve) => known.once('data', resolve))).toEqual({ status: 'SERVING' });
    const unknown = watch('up.S');
    const seen: unknown[] = [];
    unknown.on('data', (one: unknown) => seen.push(one)).on('error', () => undefined);
    known.on('error', () => undefined);
    await eventually(() => seen.length === 1);
    const { service, protocol } = host.kind('grpc');
    const route = protocol.routes?.find((one) => one.method === 'POST');
    const content = 'syntax = "proto3"; package up; message A {} service S { rpc Go(A) returns (A); }';
    if (service !== undefined && route !== undefined) {
      const request = { params: {}, query: {}, headers: {}, signal: new AbortController().signal };
      await route.handle({ ...request, body: { name: 'up.proto', content } }, service);
    }
    await eventually(() => seen.length === 2);
    expect(seen).toEqual([{ status: 'SERVICE_UNKNOWN' }, { status: 'SERVING' }]);
    known.cancel();
    unknown.cancel();
  });

  it('is a mock when one names it, and only then under faults', async () => {
    const { port, add, host } = await startHost();
    host.faults.set('grpc', {});
    expect(await call(health(port), 'Check', {})).toEqual({ status: 'SERVING' });
    host.faults.clear('grpc');
    add({ method: '*', error: { code: 'ABORTED' } });
    expect(await call(health(port), 'Check', {})).toEqual({ status: 'SERVING' });
    add({ method: 'grpc.health.v1.Health/Check', priority: 1, response: { status: 'NOT_SERVING' } });
    expect(await call(health(port), 'Check', {})).toEqual({ status: 'NOT_SERVING' });
  });
});

describe.each(['v1', 'v1alpha'])('reflection %s', (version) => {
  async function ask(port: number, ...requests: object[]): Promise<Plain[]> {
    const client = clientOf(
      `grpc/reflection/${version}/reflection.proto`,
      `grpc.reflection.${version}.ServerReflection`,
      port,
    );
    const stream = client['ServerReflectionInfo']?.() as grpcJs.ClientDuplexStream<object, Plain>;
    for (const request of requests) stream.write(request);
    stream.end();
    const all = await readAll(stream);
    expect(all.pop()).toBe('OK');
    return all as Plain[];
  }

  function filesOf(answer: Plain | undefined): Plain[] {
    const { file_descriptor_proto: files } = answer?.['file_descriptor_response'] as {
      file_descriptor_proto: Buffer[];
    };
    return files.map(
      (bytes) => decodeMessage(googleSchema().typeOf('google.protobuf.FileDescriptorProto'), bytes) as Plain,
    );
  }

  it('lists services and describes their files', async () => {
    const { port } = await startHost();
    const [list, bySymbol, byMethod, byName] = await ask(
      port,
      { list_services: '*' },
      { file_containing_symbol: 'acme.Users' },
      { file_containing_symbol: 'acme.Users.Get' },
      { file_by_filename: 'google/protobuf/timestamp.proto' },
    );
    const { service } = list?.['list_services_response'] as { service: { name: string }[] };
    expect(service.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'acme.Users',
        'grpc.health.v1.Health',
        `grpc.reflection.${version}.ServerReflection`,
      ]),
    );
    const files = filesOf(bySymbol);
    expect(files[0]).toMatchObject({ package: 'acme', syntax: 'proto3' });
    expect(files.map(({ name }) => name)).toEqual([
      files[0]?.['name'],
      'google/protobuf/timestamp.proto',
      'google/protobuf/duration.proto',
    ]);
    expect(filesOf(byMethod)).toEqual(files);
    expect(filesOf(byName)).toMatchObject([{ message_type: [{ name: 'Timestamp' }] }]);
  });

  it('says what is not there', async () => {
    const { port } = await startHost();
    const answers = await ask(
      port,
      { file_by_filename: 'no.proto' },
      { file_containing_symbol: 'no.Symbol' },
      { file_containing_extension: { containing_type: 'acme.User', extension_number: 5 } },
      { all_extension_numbers_of_type: 'no.Type' },
      { all_extension_numbers_of_type: 'acme.User' },
      {},
    );
    expect(answers).toMatchObject([
      { error_response: { error_code: 5, error_message: 'file no.proto not found' } },
      { error_response: { error_code: 5, error_message: 'symbol no.Symbol not found' } },
      { error_response: { error_code: 5, error_message: 'extension 5 of acme.User not found' } },
      { error_response: { error_code: 5, error_message: 'type no.Type not found' } },
      { all_extension_numbers_response: { base_type_name: 'acme.User', extension_number: [] } },
      { error_response: { error_code: 3 } },
    ]);
  });
});
