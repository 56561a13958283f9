import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { SCRIPT_CASES } from './script-corpus.js';
import { encode, RawClient, startHost } from './support.js';

describe.each([2, 3])('redis-server, RESP%i', (resp) => {
  itWithTool(
    'redis-server',
    'answers scripts with the same bytes',
    async () => {
      const { port } = await startHost({ mode: 'stateful' });
      const clients = [new RawClient(port), new RawClient(await startReference())];
      for (const client of clients) if (resp === 3) await client.ask('HELLO 3');
      const differences: object[] = [];
      for (const { script, keys = [], args = [] } of SCRIPT_CASES) {
        const request = encode('EVAL', script, String(keys.length), ...keys, ...args);
        for (const client of clients) client.send(request);
        const [own, other] = await Promise.all(clients.map((client) => client.reply()));
        if (own !== other) differences.push({ script, own, other });
      }
      expect(differences).toEqual([]);
      expect(SCRIPT_CASES.length).toBeGreaterThan(400);
    },
    30_000,
  );
});
