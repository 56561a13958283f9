import { spawn } from 'node:child_process';
import net from 'node:net';
import { afterThis } from './support.js';

/** Starts the server of the Redis project on a free port; it is stopped after the test. */
export async function startReference(...options: readonly string[]): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const gone = new Promise((resolve) => child.once('exit', resolve));
  afterThis(async () => {
    child.kill();
    await gone;
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (text) => String(text).includes('Ready to accept') && resolve());
  });
  return port;
}
