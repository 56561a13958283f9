import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { USER_SCRIPTS } from './reference-users.js';
import { RawClient, startHost } from './support.js';

/** Answers whose words have no order in redis-server. */
const UNORDERED = /^ACL (?:LIST|GETUSER|CAT .|LOG)/;

/** What differs from run to run: the age of an entry, and the description of a client. */
function settle(line: string, reply: string): string {
  if (!UNORDERED.test(line)) return reply;
  const hidden = reply
    .replace(/(age-seconds\r\n)(?:\$\d+\r\n|,)[\d.e-]+/g, '$1<age>')
    .replace(/\$\d+\r\nid=\d+ [^\r]*/g, '<client>');
  return line.startsWith('ACL LOG') ? hidden : hidden.split(/\s+/).sort().join(' ');
}

async function converse(port: number, script: string, resp: number): Promise<(readonly [string, string])[]> {
  const clients = new Map<string, RawClient>();
  const said: (readonly [string, string])[] = [];
  for (const text of script.trim().split('\n')) {
    const [name = '', line] = [text.slice(0, 1), text.slice(2)];
    let client = clients.get(name);
    if (client === undefined) {
      client = new RawClient(port);
      clients.set(name, client);
      if (resp === 3) await client.ask('HELLO 3');
    }
    said.push([line, settle(line, await client.ask(line))]);
  }
  return said;
}

describe.each([2, 3])('users beside redis-server, RESP%i', (resp) => {
  itWithTool(
    'redis-server',
    'answers the same',
    async () => {
      let count = 0;
      for (const script of USER_SCRIPTS) {
        const { port } = await startHost();
        const ours = await converse(port, script, resp);
        const theirs = await converse(await startReference(), script, resp);
        expect(ours).toEqual(theirs);
        count += ours.length;
      }
      expect(count).toBeGreaterThan(250);
    },
    60_000,
  );
});
