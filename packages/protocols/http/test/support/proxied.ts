import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processCertificate } from '@backlot/kit';
import { cleanUp } from './real-server.js';

/** A file with the authority that clients of a proxy trust. */
export async function caFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-proxy-'));
  cleanUp(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, (await processCertificate()).cert);
  return file;
}

/** A real server with TLS, whose certificate is for localhost. */
export async function serveSecurely(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly server: Server; readonly port: number; readonly url: string }> {
  const server = https.createServer(await processCertificate(), handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `https://localhost:${port}` };
}
