import { startServer } from '@backlot/conformance';
import { join } from 'node:path';

/** Starts nats-server with JetStream as the engine of a cluster; it keeps its data in a folder of its own within the given one. */
export async function startNatsEngine(
  folder: string,
): Promise<{ readonly url: string; stop(): Promise<unknown> }> {
  const { port, stop } = await startServer(
    'nats-server',
    (own) => ['-a', '127.0.0.1', '-p', String(own), '-js', '-sd', join(folder, 'engine')],
    'Server is ready',
  );
  return { url: `nats://127.0.0.1:${port}`, stop: async () => stop() };
}
