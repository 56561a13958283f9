import { expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { RawClient, startHost } from './support.js';

/** What redis-server 7.0 has and this one does not: why. */
const MISSING: Readonly<Record<string, string>> = {
  debug: 'looks into the server itself',
  module: 'there are no modules',
  replconf: 'there are no replicas',
  pfdebug: 'looks into the server itself',
  pfselftest: 'tests the server itself',
};

function namesOf(reply: string): string[] {
  return [...reply.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, name = '']) => name);
}

itWithTool('redis-server', 'the commands of redis-server are known, but for these', async () => {
  const { port } = await startHost({ mode: 'stateful' });
  const theirs = namesOf(await new RawClient(await startReference()).ask('COMMAND LIST'));
  const ours = new Set(namesOf(await new RawClient(port).ask('COMMAND LIST')));
  const roots = theirs.filter((name) => !name.includes('|'));
  expect(roots.length).toBeGreaterThan(200);
  // Another part may add some of them.
  const unknown = roots.filter((name) => !ours.has(name) && MISSING[name] === undefined);
  expect(unknown).toEqual([]);
});
