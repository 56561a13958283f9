// An echo through the kit against one on node:net alone: messages per second, and their ratio (at least 0.9). Run by `pnpm bench kit`.
import { compareServers, listen } from '@backlot/tooling/bench';
import { createStreamServer } from '../dist/index.js';
import { echoLoad } from './lib/echo-load.mjs';

await compareServers(import.meta.url, {
  name: 'echo',
  unit: 'message',
  servers: { bare: () => listen((socket) => socket.on('data', (chunk) => socket.write(chunk))), kit: serve },
  cases: [
    { label: 'bare node:net', server: 'bare' },
    { label: 'kit', server: 'kit' },
  ],
  load: {
    '64 bytes, 1 under way': echoLoad(64, 1),
    '64 bytes, 16 under way': echoLoad(64, 16),
    '65,536 bytes, 1 under way': echoLoad(65_536, 1),
  },
  ratios: [{ what: 'kit', of: 'bare node:net', least: 0.9 }],
});

async function serve() {
  const server = createStreamServer({
    host: '127.0.0.1',
    port: 0,
    limits: { idleTimeout: 30_000 },
    onConnection: (connection) => connection.onData((chunk) => connection.write(chunk)),
  });
  return (await server.start()).port;
}
