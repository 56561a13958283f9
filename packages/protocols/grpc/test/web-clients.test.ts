import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { ACME } from './support/acme.js';
import { buf } from './support/connect.js';
import { folderWith, startHost, type Running } from './support/grpc-host.js';
import { GrpcWebClientBase, MethodDescriptor, MethodType, type RpcError } from 'grpc-web';

const MOCKS = [
  {
    method: 'Get',
    match: { id: '404' },
    error: { code: 'NOT_FOUND', message: 'no user {{request.body.id}}' },
  },
  { method: 'Get', response: { id: '{{request.body.id}}', name: 'Ada' }, trailers: { 'x-late': 'yes' } },
  { method: 'Watch', stream: [{ response: { name: 'a' } }, { response: { name: 'b' } }] },
  { method: 'Chat', on_message: [{ respond: { name: '{{request.body.name}}!' } }] },
];

function start(): Promise<Running> {
  return startHost({ mocks: MOCKS });
}

describe('buf curl', () => {
  it.each(['connect', 'grpcweb', 'grpc'])('calls by %s', async (protocol) => {
    const { port } = await start();
    const folder = folderWith({ 'acme.proto': ACME });
    const call = async (method: string, data: string, ...more: string[]): Promise<string> => {
      const url = `http://127.0.0.1:${port}/acme.Users/${method}`;
      const common = ['--protocol', protocol, '--http2-prior-knowledge', '-d', data];
      const { out, err } = await buf('curl', ...common, ...more, url);
      return (out + err).replace(/\s+/g, '');
    };
    // The schema comes from the server itself here.
    expect(await call('Get', '{"id":7}')).toBe('{"id":"7","name":"Ada"}');
    const schema = ['--schema', folder];
    expect(await call('Get', '{"id":404}', ...schema)).toBe('{"code":"not_found","message":"nouser404"}');
    expect(await call('Watch', '{}', ...schema)).toBe('{"name":"a"}{"name":"b"}');
    expect(await call('Chat', '{"name":"x"}{"name":"y"}', ...schema)).toBe('{"name":"x!"}{"name":"y!"}');
  });
});

describe('curl', () => {
  itWithTool('curl', 'calls with plain JSON, by either version of HTTP', async () => {
    const { port } = await start();
    const url = `http://127.0.0.1:${port}/acme.Users/Get`;
    for (const version of ['--http1.1', '--http2-prior-knowledge', '--http2']) {
      const { out } = await runTool('curl', ['-s', version, '--compressed', '--json', '{"id":7}', url]);
      expect(JSON.parse(out)).toEqual({ id: '7', name: 'Ada' });
    }
  });
});

describe('grpc-web', () => {
  it.each(['text', 'binary'])('calls as %s', async (format) => {
    const { port } = await start();
    Object.assign(globalThis, { XMLHttpRequest: createRequire(import.meta.url)('xhr2') as unknown });
    const client = new GrpcWebClientBase({ format });
    const url = `http://127.0.0.1:${port}/acme.Users/`;
    const describeMethod = (name: string, type: string): MethodDescriptor<Uint8Array, Buffer> =>
      new MethodDescriptor(
        `/acme.Users/${name}`,
        type,
        Uint8Array,
        Buffer,
        (bytes: Uint8Array) => bytes,
        (bytes: Uint8Array) => Buffer.from(bytes),
      );
    const ask = (id: number): Promise<string> =>
      new Promise((resolve) =>
        client.rpcCall(
          `${url}Get`,
          new Uint8Array([8, ...varint(id)]),
          {},
          describeMethod('Get', MethodType.UNARY),
          (error: RpcError | null, answer) =>
            resolve(error === null ? answer.toString('hex') : `${error.code} ${error.message}`),
        ),
      );
    expect(await ask(7)).toBe('08071203416461');
    expect(await ask(404)).toBe('5 no user 404');
    const all = await new Promise<string[]>((resolve) => {
      const got: string[] = [];
      const stream = client.serverStreaming(
        `${url}Watch`,
        new Uint8Array(0),
        {},
        describeMethod('Watch', MethodType.SERVER_STREAMING),
      );
      stream.on('data', (answer: Buffer) => got.push(answer.subarray(2).toString()));
      stream.on('error', (error: RpcError) => resolve([...got, error.message]));
      stream.on('end', () => resolve(got));
    });
    expect(all).toEqual(['a', 'b']);
  });
});

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)];
}
