import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { CORPUS } from './corpus.js';
import { startReference } from './reference-server.js';
import { UNORDERED } from './reference-scripts.js';
import { hideTimes } from './reference-streams.js';
import { command, endOfReply, RawClient, startHost } from './support.js';

/** The members of sets have no order: the elements of such answers are compared sorted. */
function settle(line: string, reply: string): string {
  if (!UNORDERED.test(line)) return hideTimes(line, reply);
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
      for (const script of CORPUS) {
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
      expect(count).toBeGreaterThan(6_000);
    },
    30_000,
  );
});
