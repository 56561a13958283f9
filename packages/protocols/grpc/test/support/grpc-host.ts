import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectCleanups, startKind, type RunningKind } from '@backlot/conformance';
import type { HostOptions, Json } from '@backlot/core';
import * as grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { grpc } from '../../src/index.js';
import { ACME } from './acme.js';

/** Does something after the test; the last first. */
export const later = collectCleanups();

/** A folder with files in it; it goes after the test. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-grpc-'));
  later(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** A running host. */
export interface Running extends RunningKind {
  /** Creates mocks. */
  add(...mocks: Json[]): void;
  /** A client made from the file `acme.proto`. */
  readonly users: UsersClient;
}

/** Settings beyond those of the kind. */
export interface More {
  /** Whether the server knows the schema of the clients; it does unless said otherwise. */
  readonly schema?: boolean;
  readonly state?: Readonly<Record<string, string>>;
  /** Further options of the host. */
  readonly host?: Partial<HostOptions>;
}

/** Starts a host whose gRPC kind knows \`acme.proto\`, and a client. */
export async function startHost(
  settings: Json = {},
  { schema = true, state, host }: More = {},
): Promise<Running> {
  const folder = folderWith({ 'acme.proto': ACME });
  const file = join(folder, 'acme.proto');
  const running = await startKind(
    grpc,
    later,
    { ...(schema ? { protos: [file] } : {}), ...settings },
    { ...(state === undefined ? {} : { state }), ...host },
  );
  return {
    ...running,
    add: (...mocks) => void running.kind.mocks.createAll(mocks),
    get users() {
      return usersClient(file, `127.0.0.1:${running.port}`);
    },
  };
}

/** A client of grpc-js with everything at its default. */
export type UsersClient = grpcJs.Client & {
  Get: Unary;
  Watch(
    request: object,
    metadata?: grpcJs.Metadata,
    options?: grpcJs.CallOptions,
  ): grpcJs.ClientReadableStream<Json>;
  Add(callback: Callback): grpcJs.ClientWritableStream<object>;
  Chat(metadata?: grpcJs.Metadata): grpcJs.ClientDuplexStream<object, Json>;
};
type Callback = (error: grpcJs.ServiceError | null, answer?: Json) => void;
type Unary = (
  request: object,
  metadata: grpcJs.Metadata,
  options: grpcJs.CallOptions,
  callback: Callback,
) => grpcJs.ClientUnaryCall;

/** What came back of a call with one answer. */
export interface Answer {
  readonly code: string;
  readonly message?: string;
  readonly value?: Json | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly trailers: grpcJs.Metadata;
}

export const LOADING = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };

function usersClient(file: string, address: string): UsersClient {
  const loaded = grpcJs.loadPackageDefinition(loadSync(file, LOADING)) as unknown as {
    acme: { Users: new (address: string, credentials: grpcJs.ChannelCredentials) => UsersClient };
  };
  const client = new loaded.acme.Users(address, grpcJs.credentials.createInsecure());
  later(() => client.close());
  return client;
}

/** Calls Get and resolves with whatever comes of it. */
export function get(
  client: UsersClient,
  request: object = {},
  options: grpcJs.CallOptions = {},
  metadata: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const sent = new grpcJs.Metadata();
  for (const [name, value] of Object.entries(metadata)) sent.set(name, value);
  return new Promise((resolve) => {
    let received: Readonly<Record<string, unknown>> = {};
    let last: Omit<Answer, 'metadata' | 'trailers'> = { code: 'none' };
    const call = client.Get(request, sent, options, (error, value) => {
      last =
        error === null ? { code: 'OK', value } : { code: grpcJs.status[error.code], message: error.details };
    });
    call.on('metadata', (one: grpcJs.Metadata) => (received = one.getMap()));
    call.on('status', (status: grpcJs.StatusObject) =>
      setImmediate(() => resolve({ ...last, metadata: received, trailers: status.metadata })),
    );
  });
}

/** Everything that comes of a stream: messages, then the name of the status with its text. */
export async function readAll(
  stream: AsyncIterable<unknown> & {
    once(event: string, listener: (value: grpcJs.StatusObject) => void): unknown;
  },
): Promise<unknown[]> {
  const all: unknown[] = [];
  const status = new Promise<grpcJs.StatusObject>((resolve) => void stream.once('status', resolve));
  try {
    for await (const message of stream) all.push(message);
  } catch {
    // The status says it.
  }
  const { code, details } = await status;
  const name = grpcJs.status[code];
  all.push(name === 'OK' ? name : `${name}: ${details}`);
  return all;
}
