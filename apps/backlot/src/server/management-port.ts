import { reachableHost, type Host } from '@backlot/core';
import { createStreamServer, formatAddress, processCertificate } from '@backlot/kit';
import type { ListenAddress } from '@backlot/core/plugin';
import { createManagementServer, type ManagementOptions } from '@backlot/management';
import type { Server } from 'node:http';
import type { ApiClient } from '../client/api-client.js';
import { createAgentsHandler } from './agents.js';
import { createPageHandler } from './page.js';
import type { ServerPlan } from './plan.js';

const IDLE_TIMEOUT = 120_000;

/** The management port of a host. */
export interface ManagementPort {
  /** @throws BacklotError when the port is in use or the certificate cannot be read; nothing listens then */
  start(): Promise<ListenAddress>;
  /** Ends what is open after so many milliseconds at most. */
  stop(grace: number): Promise<void>;
  /** Takes other settings, and the kinds that the host has now; what listens, and answers that have begun, go on. */
  renew(api: ServerPlan['api']): void;
}

/** Finds the connection that a socket is of. */
type ConnectionFinder = ReturnType<typeof createStreamServer>['connectionOf'];

/** Makes the management port of a host; it listens once it is started. */
export function createManagementPort(
  host: Host,
  api: ServerPlan['api'],
  onError: (text: string) => void,
): ManagementPort {
  const { tls } = api;
  const port = createStreamServer({
    host: api.host,
    port: api.port,
    ...(tls === undefined || tls.enabled === false ? {} : { tls }),
    limits: { idleTimeout: IDLE_TIMEOUT },
    onConnection: (connection) => connection.handOver(server, { halfOpen: true }),
    onFailure: (error) => onError(`the management port is gone: ${error.message}`),
  });
  let address: ListenAddress = api;
  let current = api;
  const connect = async (): Promise<ApiClient> => {
    const { ApiClient: Client } = await import('../client/api-client.js');
    const scheme = tls === undefined || tls.enabled === false ? 'http' : 'https';
    const url = `${scheme}://${formatAddress(reachableHost(address.host), address.port)}`;
    // It is this very process that is asked.
    return new Client(url, current.token, { isInsecure: true });
  };
  const make = (): Server =>
    makeServer(host, current, onError, (socket) => port.connectionOf(socket), connect);
  let server = make();
  return {
    async start() {
      address = await port.start();
      return address;
    },
    renew(settings) {
      const before = server;
      current = settings;
      server = make();
      // Whoever is connected and asks nothing connects again, and is answered by the new settings.
      before.close(() => undefined);
      before.closeIdleConnections();
    },
    async stop(grace) {
      // Stops the timer behind the time-outs.
      server.close(() => undefined);
      await port.stop(grace);
    },
  };
}

/** What answers the requests of the connections that are handed to it. */
function makeServer(
  host: Host,
  api: ServerPlan['api'],
  onError: (text: string) => void,
  connectionOf: ConnectionFinder,
  connect: () => Promise<ApiClient>,
): Server {
  const options: ManagementOptions = {
    ...(api.token === undefined ? {} : { token: api.token }),
    ...(api.allowed_hosts === undefined ? {} : { allowedHosts: api.allowed_hosts }),
    ...(api.cors?.allowed_origins === undefined ? {} : { allowedOrigins: api.cors.allowed_origins }),
    ...(api.max_body_bytes === undefined ? {} : { maxBodyBytes: api.max_body_bytes }),
    beside: createAgentsHandler(connect, onError),
    ...(api.ui === false ? {} : { page: createPageHandler() }),
    caCertificate: async () => (await processCertificate()).cert,
    onError: (thrown, { method, path }) =>
      onError(`${method} ${path} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  };
  const server = createManagementServer(host, options);
  server.prependListener('request', (request, response) => {
    const connection = connectionOf(request.socket);
    connection?.busy();
    response.once('close', () => connection?.idle());
  });
  return server;
}
