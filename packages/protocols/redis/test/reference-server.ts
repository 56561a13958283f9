import { startServer } from '@backlot/conformance';
import { afterThis } from './support.js';

/** Starts the server of the Redis project on a free port; it is stopped after the test. */
export async function startReference(...options: readonly string[]): Promise<number> {
  const quiet = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = await startServer(
    'redis-server',
    (port) => ['--port', String(port), ...quiet, ...options],
    'Ready to accept',
  );
  afterThis(() => server.stop());
  return server.port;
}
