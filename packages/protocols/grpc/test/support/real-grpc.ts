import { join } from 'node:path';
import { ReflectionService } from '@grpc/reflection';
import * as grpcJs from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ACME } from './acme.js';
import { folderWith, later, LOADING } from './grpc-host.js';

/** A server of grpc-js. */
export interface RealGrpc {
  readonly port: number;
  /** The metadata of the calls that came. */
  readonly metadata: grpcJs.Metadata[];
  /** Calls whose client has left. */
  readonly cancelled: string[];
  stop(): Promise<void>;
}

type Call = grpcJs.ServerUnaryCall<Readonly<Record<string, unknown>>, unknown>;
type Stream = grpcJs.ServerWritableStream<Readonly<Record<string, unknown>>, unknown>;

/** Starts a real server of `acme.Users`. @param tls - a key and a certificate in PEM */
export async function startRealGrpc(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<RealGrpc> {
  const file = join(folderWith({ 'acme.proto': ACME }), 'acme.proto');
  const definition = loadSync(file, LOADING);
  const loaded = grpcJs.loadPackageDefinition(definition) as unknown as {
    acme: { Users: { service: grpcJs.ServiceDefinition } };
  };
  const metadata: grpcJs.Metadata[] = [];
  const cancelled: string[] = [];
  let visits = 0;
  const server = new grpcJs.Server();
  server.addService(loaded.acme.Users.service, {
    Get(call: Call, answer: grpcJs.sendUnaryData<unknown>) {
      metadata.push(call.metadata);
      call.on('cancelled', () => cancelled.push('Get'));
      const id = String(call.request['id']);
      if (id === '503') return;
      const trailers = new grpcJs.Metadata();
      trailers.set('x-late', 'yes');
      if (id === '404') {
        answer({ code: grpcJs.status.NOT_FOUND, details: 'no {{user}}', metadata: trailers });
        return;
      }
      visits += id === '1' ? 1 : 0;
      const head = new grpcJs.Metadata();
      head.set('x-served-by', 'real');
      call.sendMetadata(head);
      answer(
        null,
        { id, name: id === '1' ? `visit ${visits}` : `{{user ${id}}}`, labels: { api_token: 'top-secret' } },
        trailers,
      );
    },
    Watch(call: Stream) {
      call.on('cancelled', () => cancelled.push('Watch'));
      const count = Number(call.request['id']);
      if (count < 0) {
        call.write({ id: 0, name: 'open' });
        return;
      }
      for (let id = 1; id <= count; id += 1) call.write({ id, name: call.request['name'] });
      if (count === 3) call.emit('error', { code: grpcJs.status.DATA_LOSS, details: 'lost' });
      else call.end();
    },
    Add(call: grpcJs.ServerReadableStream<{ name: string }, unknown>, answer: grpcJs.sendUnaryData<unknown>) {
      const names: string[] = [];
      call.on('data', ({ name }) => names.push(name));
      call.on('end', () => answer(null, { count: names.length, names }));
    },
    Chat(call: grpcJs.ServerDuplexStream<{ name: string }, unknown>) {
      call.on('data', ({ name }) => call.write({ name: `re: ${name}` }));
      call.on('end', () => call.end());
    },
  });
  new ReflectionService(definition).addToServer(server);
  const credentials =
    tls === undefined
      ? grpcJs.ServerCredentials.createInsecure()
      : grpcJs.ServerCredentials.createSsl(null, [
          { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) },
        ]);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  const stop = (): Promise<void> => {
    server.forceShutdown();
    return Promise.resolve();
  };
  later(stop);
  return { port, metadata, cancelled, stop };
}
