import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';

const HARNESS = fileURLToPath(new URL('../bench/cluster.mjs', import.meta.url));
/** For how long trouble is made, in seconds: `pnpm bench cluster` takes longer. */
const SECONDS = process.env['BACKLOT_CLUSTER_SECONDS'] ?? '15';
const SEED = process.env['BACKLOT_CLUSTER_SEED'] ?? '2';

itWithTool('nats-server', 'five replicas in trouble lose nothing that was answered', async () => {
  const args = [HARNESS, '--seconds', SECONDS, '--seed', SEED, '--engine', 'nats-server'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, said]).toEqual([0, expect.stringContaining(`seed ${SEED} holds`)]);
});
