import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServer, type RunningServer } from '@backlot/conformance';
import { afterThis } from './support.js';

/** Starts the server of the Redis project on a free port; it is stopped after the test, and what it has stored is removed. */
export async function startReal(...options: readonly string[]): Promise<RunningServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backlot-redis-server-'));
  const quiet = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  const server = await startServer(
    'redis-server',
    (port) => ['--port', String(port), ...quiet, ...options],
    'Ready to accept',
  );
  afterThis(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return server;
}

/** The port of the server of the Redis project that {@link startReal} starts. */
export async function startReference(...options: readonly string[]): Promise<number> {
  return (await startReal(...options)).port;
}
