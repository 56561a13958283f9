import { startServer } from '@backlot/conformance';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterThis } from './support.js';

/** Starts the server of the Redis project on a free port; it is stopped after the test. */
export async function startReference(...options: readonly string[]): Promise<number> {
  // Whatever is saved on command is no data of the next server that starts.
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  afterThis(() => rmSync(folder, { recursive: true }));
  const quiet = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const server = await startServer(
    'redis-server',
    (port) => ['--port', String(port), ...quiet, ...options],
    'Ready to accept',
  );
  afterThis(() => server.stop());
  return server.port;
}
