import type { Host } from '@backlot/core';
import { createStreamServer, processCertificate } from '@backlot/kit';
import type { ListenAddress } from '@backlot/core/plugin';
import { createManagementServer, type ManagementOptions } from '@backlot/management';
import { serverImportTools } from '../imports/tools.js';
import { createPageHandler } from './page.js';
import type { ServerPlan } from './plan.js';

const IDLE_TIMEOUT = 120_000;

/** The management port of a host. */
export interface ManagementPort {
  /** @throws BacklotError when the port is in use or the certificate cannot be read; nothing listens then */
  start(): Promise<ListenAddress>;
  /** Ends what is open after so many milliseconds at most. */
  stop(grace: number): Promise<void>;
}

/** Makes the management port of a host; it listens once it is started. */
export function createManagementPort(
  host: Host,
  api: ServerPlan['api'],
  onError: (text: string) => void,
): ManagementPort {
  const options: ManagementOptions = {
    ...(api.token === undefined ? {} : { token: api.token }),
    ...(api.allowed_hosts === undefined ? {} : { allowedHosts: api.allowed_hosts }),
    ...(api.cors?.allowed_origins === undefined ? {} : { allowedOrigins: api.cors.allowed_origins }),
    ...(api.max_body_bytes === undefined ? {} : { maxBodyBytes: api.max_body_bytes }),
    ...(api.ui === false ? {} : { page: createPageHandler() }),
    imports: serverImportTools,
    caCertificate: async () => (await processCertificate()).cert,
    onError: (thrown, { method, path }) =>
      onError(`${method} ${path} failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  };
  const server = createManagementServer(host, options);
  const { tls } = api;
  const port = createStreamServer({
    host: api.host,
    port: api.port,
    ...(tls === undefined || tls.enabled === false ? {} : { tls }),
    limits: { idleTimeout: IDLE_TIMEOUT },
    onConnection: (connection) => connection.handOver(server, { halfOpen: true }),
    onFailure: (error) => onError(`the management port is gone: ${error.message}`),
  });
  server.prependListener('request', (request, response) => {
    const connection = port.connectionOf(request.socket);
    connection?.busy();
    response.once('close', () => connection?.idle());
  });
  return {
    start: () => port.start(),
    async stop(grace) {
      // Stops the timer behind the time-outs.
      server.close(() => undefined);
      await port.stop(grace);
    },
  };
}
