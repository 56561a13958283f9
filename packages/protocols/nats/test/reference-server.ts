import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServer } from '@backlot/conformance';
import { afterThis } from './support.js';

/** Starts the server of the NATS project on a free port; it is stopped after the test. */
export async function startReference(...options: readonly string[]): Promise<number> {
  const server = await startServer(
    'nats-server',
    (port) => ['-a', '127.0.0.1', '-p', String(port), ...options],
    'Server is ready',
  );
  afterThis(() => server.stop());
  return server.port;
}

/** The same with JetStream, in a folder of its own. */
export async function startJetStream(): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'jetstream-'));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  return await startReference('-js', '-sd', folder);
}
