import { spawn } from 'node:child_process';
import net from 'node:net';
import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { SEEDED_SCRIPTS } from './reference-seeded.js';
import { SCRIPTS, UNORDERED } from './reference-scripts.js';
import { afterThis, command, endOfReply, RawClient, startHost } from './support.js';

/** Starts the server of the Redis project on a free port; it is stopped after the test. */
async function startReference(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
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

/** The members of sets have no order: the elements of such answers are compared sorted. */
function settle(line: string, reply: string): string {
  if (!UNORDERED.test(line)) return reply;
  const items: string[] = [];
  let at = reply.indexOf('\r\n') + 2;
  while (at > 1 && at < reply.length) {
    const end = endOfReply(reply, at);
    items.push(reply.slice(at, end));
    at = end;
  }
  return reply.slice(0, reply.indexOf('\r\n')) + items.sort().join('|');
}

describe.each([2, 3])('redis-server, RESP%i', (resp) => {
  itWithTool(
    'redis-server',
    'answers the same bytes',
    async () => {
      const { port } = await startHost({ mode: 'stateful' });
      const reference = await startReference();
      const differences: object[] = [];
      let count = 0;
      for (const script of [...SCRIPTS, ...SEEDED_SCRIPTS]) {
        const ours = new RawClient(port);
        const theirs = new RawClient(reference);
        const lines = script
          .trim()
          .split('\n')
          .map((line) => line.trim());
        for (const client of [ours, theirs]) {
          if (resp === 3) await client.ask('HELLO 3');
          await client.ask('FLUSHALL');
          client.send(lines.map(command).join(''));
        }
        for (const line of lines) {
          const [own, other] = await Promise.all([ours.reply(), theirs.reply()]);
          if (settle(line, own) !== settle(line, other)) differences.push({ line, own, other });
          count += 1;
        }
      }
      expect(differences).toEqual([]);
      expect(count).toBeGreaterThan(1_500);
    },
    30_000,
  );
});
