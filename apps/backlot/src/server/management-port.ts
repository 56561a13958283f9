import type { Host, SharedPorts } from '@backlot/core';
import { createStreamServer, processCertificate, type Connection } from '@backlot/kit';
import { stalls, type ListenAddress } from '@backlot/core/plugin';
import type { ManagementOptions } from '@backlot/management';
import type { Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { KNOWN_KINDS } from '../plugins/known.js';
import type { ApiClient } from '../client/api-client.js';
import { createAgentsHandler } from './agents.js';
import { exportTools } from '../exports/tools.js';
import { serverImportTools } from '../imports/tools.js';
import { spanTools } from '../traces/span-tools.js';
import { loadWithFiles } from './file-limit.js';
import { createPageHandler } from './page.js';
import type { ServerPlan } from './plan.js';

const IDLE_TIMEOUT = 120_000;

/** The management port of a host. */
export interface ManagementPort {
  /** @throws BacklotError when the port is in use or the certificate cannot be read; nothing listens then */
  start(): Promise<ListenAddress>;
  /** Ends what is open after so many milliseconds at most. */
  stop(grace: number): Promise<void>;
  /** Reads the files of the certificate again; see `renew` of a stream server. */
  renewCertificate(): Promise<(() => void) | undefined>;
  /** Takes other settings, and the kinds that the host has now; what listens, and answers that have begun, go on. */
  renew(api: ServerPlan['api']): void;
}

/** How a management port is one of several processes, which ask each other by ports of their own. */
export interface TogetherPort {
  readonly ports: SharedPorts;
  /** Is told where others reach this process alone. */
  onOwnPort(place: ListenAddress): void;
}

/** Finds the connection that a socket is of. */
type ConnectionFinder = ReturnType<typeof createStreamServer>['connectionOf'];

/** What the server behind the port needs. */
interface Answering {
  readonly host: Host;
  readonly api: ServerPlan['api'];
  readonly onError: (text: string) => void;
  /** What makes it the API of a replica. */
  readonly more: Pick<ManagementOptions, 'replication' | 'routes'>;
  /** Makes a client of this very server. */
  readonly connect: () => Promise<ApiClient>;
  readonly connectionOf: ConnectionFinder;
}

/**
 * Makes the management port of a host; it listens once it is started. What answers there is loaded right after the start, so
 * that mocks need not wait for it; connections that come before it is there wait.
 *
 * @param more - what makes it the API of a replica
 * @throws TypeError when two routes of a third party's protocol are the same
 */
export async function createManagementPort(
  host: Host,
  api: ServerPlan['api'],
  onError: (text: string) => void,
  {
    together,
    ...more
  }: Pick<ManagementOptions, 'replication' | 'routes'> & {
    readonly together?: TogetherPort;
  } = {},
): Promise<ManagementPort> {
  let settings = api;
  let loading: Promise<Server> | undefined;
  let isStopped = false;
  const { tls } = api;
  const connect = async (): Promise<ApiClient> => {
    const { ApiClient: Client } = await import('../client/api-client.js');
    // It is this very process that is asked, so neither an address nor a certificate is needed.
    return new Client('http://localhost', {
      token: settings.token,
      trust: {},
      createConnection() {
        const [near, far] = duplexPair();
        loading ??= load();
        loading.then(
          (server) => server.emit('connection', far),
          (error: Error) => near.destroy(error),
        );
        return near;
      },
    });
  };
  const load = (): Promise<Server> =>
    loadWithFiles(
      () =>
        makeServer({
          host,
          api: settings,
          onError,
          more,
          connect,
          connectionOf: (socket) => port.connectionOf(socket) ?? ownPort?.connectionOf(socket),
        }),
      () => isStopped,
    );
  const taking = {
    limits: { idleTimeout: IDLE_TIMEOUT },
    onConnection(connection: Connection) {
      connection.pause();
      loading ??= load();
      loading.then(
        connection.isolate((server) => {
          if (!connection.isClosed) connection.handOver(server, { halfOpen: true });
        }),
        (error: Error) => connection.destroy(error),
      );
    },
    onFailure: (error: Error) => onError(`the management port is gone: ${error.message}`),
  };
  const port = createStreamServer({
    ...taking,
    host: api.host,
    port: api.port,
    ...(tls === undefined || tls.enabled === false ? {} : { tls }),
    ports: together && {
      listen: (address, wanted, take) =>
        together.ports.listen({ name: 'management', address, port: wanted, share: 'client' }, take),
    },
  });
  const ownPort = together && createStreamServer({ ...taking, host: '127.0.0.1', port: 0 });
  // Routes of those that come with the app are tested; what is wrong with others is told before anything listens.
  if (host.kinds.some(({ kind }) => !KNOWN_KINDS.includes(kind))) {
    loading = load();
    await loading;
  }
  return {
    async start() {
      const address = await port.start();
      if (ownPort !== undefined) together?.onOwnPort(await ownPort.start());
      setImmediate(() => {
        if (isStopped) return;
        loading ??= load();
        loading.catch((error: unknown) => onError(`the management port cannot answer: ${String(error)}`));
      });
      return address;
    },
    renewCertificate: () => port.renew(),
    renew(given) {
      settings = given;
      if (loading === undefined) return;
      const before = loading;
      loading = load().then(
        (made) => {
          // Whoever is connected and asks nothing connects again, and is answered by the new settings.
          end(before, (server) => {
            server.closeIdleConnections();
            server.prependListener('request', (_request, response) => (response.shouldKeepAlive = false));
          });
          return made;
        },
        (error: unknown) => {
          onError(`the management port stays as it was: ${String(error)}`);
          return before;
        },
      );
    },
    async stop(grace) {
      isStopped = true;
      // Stops the timer behind the time-outs.
      if (loading !== undefined) end(loading);
      await Promise.all([port.stop(grace), ownPort?.stop(grace)]);
    },
  };
}

/** Lets a server take nobody any more, once it is there. */
function end(loading: Promise<Server>, then?: (server: Server) => void): void {
  loading.then(
    (server) => {
      server.close(() => undefined);
      then?.(server);
    },
    () => undefined,
  );
}

/** What answers the requests of the connections that are handed to it. */
async function makeServer({ host, api, onError, more, connect, connectionOf }: Answering): Promise<Server> {
  const options: ManagementOptions = {
    ...more,
    ...(api.token === undefined ? {} : { token: api.token }),
    ...(api.allowed_hosts === undefined ? {} : { allowedHosts: api.allowed_hosts }),
    ...(api.cors?.allowed_origins === undefined ? {} : { allowedOrigins: api.cors.allowed_origins }),
    ...(api.max_body_bytes === undefined ? {} : { maxBodyBytes: api.max_body_bytes }),
    beside: createAgentsHandler(connect, onError),
    ...(api.ui === false ? {} : { page: createPageHandler() }),
    imports: serverImportTools,
    exports: exportTools,
    spans: spanTools,
    caCertificate: async () => (await processCertificate()).cert,
    onError: (thrown, { method, path }) =>
      onError(`${method} ${path} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  };
  const { createManagementServer } = await import('@backlot/management');
  const server = createManagementServer(host, options);
  // On a slow machine this takes longer than anything may take that comes from outside.
  stalls.excuse();
  server.prependListener('request', (request, response) => {
    const connection = connectionOf(request.socket);
    connection?.busy();
    response.once('close', () => connection?.idle());
  });
  return server;
}
