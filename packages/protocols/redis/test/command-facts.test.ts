import { describe, expect, it } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { startReference } from './reference-server.js';
import { RawClient, startHost } from './support.js';

/** What redis-server 7.0 has and this one does not: why. */
const MISSING: Readonly<Record<string, string>> = {
  replconf: 'there are no replicas',
  pfdebug: 'looks into the server itself',
  pfselftest: 'tests the server itself',
};

/** What there is here beside redis-server 7.0. */
const ADDED =
  /^(?:sentinel|client\|(?:setinfo|no-touch|maint_notifications)|hp?expire|hp?ttl|hpersist|hgetdel|hgetex|hsetex)/;

/** What is said to both servers about the keys of commands. */
const KEY_CASES = `
GET k
GET
NOPE k
PING
MSET a 1 b 2
MSET a 1 b
SET k v
SET k v GET
SET k v EX 10 get
BITFIELD k GET u8 0
BITFIELD k GET u8 0 SET u8 0 1
BITFIELD k OVERFLOW SAT GET u8 0
BITFIELD k x
BITOP AND d a b
SORT k BY w* GET x STORE d
SORT k STORE a STORE b LIMIT 0 STORE
SORT_RO k BY w*
EVAL s 2 a b c
EVAL s 0 c
EVAL s 3 a
EVAL s x a
FCALL f 1 a b
FCALL_RO f 0
XREAD COUNT 2 STREAMS a b 1 2
XREAD STREAMS a b 1
XREADGROUP GROUP streams c STREAMS a 1
XREADGROUP GROUP g c COUNT 1 NOACK STREAMS a b 1 2
ZUNIONSTORE d 2 a b
ZUNIONSTORE d 0
ZUNION 2 a b WITHSCORES
ZMPOP 1 a MIN
BZMPOP 0 1 a MIN
LMPOP 2 a b LEFT
SINTERCARD 1 a
GEORADIUS k 1 2 3 m STORE d STOREDIST e
GEORADIUSBYMEMBER k m 3 m STORE d
GEOSEARCHSTORE d s FROMMEMBER m BYRADIUS 1 m
MIGRATE h 1 "" 0 1 KEYS a b
MIGRATE h 1 k 0 1
MIGRATE h 1 k 0 1 COPY AUTH keys KEYS a
OBJECT ENCODING k
MEMORY USAGE k
XINFO STREAM k
XGROUP CREATE k g 0
PUBLISH c m
SPUBLISH c m
SSUBSCRIBE c
BLPOP a b 0
BLMPOP 0 2 a b LEFT
COPY a b
RENAME a b
LCS a b
PFMERGE d a b
SMOVE a b m
GETEX k
XADD k * f v
DEL a b c
CONFIG GET x
`
  .trim()
  .split('\n');

const LISTS = `
COMMAND COUNT x
COMMAND LIST FILTERBY
COMMAND LIST FILTERBY ACLCAT
COMMAND LIST FILTERBY ACLCAT nothing
COMMAND LIST FILTERBY MODULE json
COMMAND LIST FILTERBY PATTERN x*xx
COMMAND LIST FILTERBY BAD x
COMMAND LIST BAD
COMMAND LIST FILTERBY PATTERN a FILTERBY PATTERN b
COMMAND INFO nope GET set|get config|nope a|b|c
COMMAND DOCS nope
COMMAND DOCS nope get
COMMAND GETKEYS
COMMAND GETKEYSANDFLAGS
COMMAND NOPE
COMMAND HELP x
LATENCY LATEST
LATENCY HISTORY x
LATENCY GRAPH x
LATENCY RESET x
MODULE LIST
MODULE LOAD x
CONFIG REWRITE
CLUSTER ADDSLOTS 1
CLUSTER LINKS
`
  .trim()
  .split('\n');

function namesOf(reply: string): string[] {
  return [...reply.matchAll(/\$\d+\r\n([^\r]*)\r\n/g)].map(([, name = '']) => name);
}

/** Subcommands have no order in redis-server: what tells of them is compared by its lines. */
function settle(reply: string): string {
  return reply.split('\r\n').sort().join('\n');
}

describe('COMMAND', () => {
  describe.each([2, 3])('beside redis-server, RESP%i', (resp) => {
    itWithTool(
      'redis-server',
      'tells the same of every command',
      async () => {
        const { port } = await startHost();
        const [ours, theirs] = [new RawClient(port), new RawClient(await startReference())];
        for (const client of [ours, theirs]) await client.ask(`HELLO ${resp}`);
        const names = namesOf(await theirs.ask('COMMAND LIST'));
        const own = namesOf(await ours.ask('COMMAND LIST'));
        expect(names.length).toBeGreaterThan(350);
        expect(names.filter((name) => !own.includes(name)).sort()).toEqual(Object.keys(MISSING).sort());
        expect(own.filter((name) => !names.includes(name) && !ADDED.test(name))).toEqual([]);
        const different: object[] = [];
        // CLIENT has subcommands that redis-server 7.0 does not have.
        const compared = names.filter((name) => MISSING[name] === undefined && name !== 'client');
        for (const name of compared)
          for (const what of ['INFO', 'DOCS']) {
            const request = `COMMAND ${what} ${name}`;
            const [a, b] = [await ours.ask(request), await theirs.ask(request)];
            const isContainer = names.some((each) => each.startsWith(`${name}|`));
            if (isContainer ? settle(a) !== settle(b) : a !== b) different.push({ request, a, b });
          }
        expect(different).toEqual([]);
      },
      30_000,
    );

    itWithTool('redis-server', 'finds the same keys, and what is done to them', async () => {
      const { port } = await startHost();
      const [ours, theirs] = [new RawClient(port), new RawClient(await startReference())];
      for (const client of [ours, theirs]) await client.ask(`HELLO ${resp}`);
      const different: object[] = [];
      const requests = [
        ...KEY_CASES.flatMap((line) => [`COMMAND GETKEYS ${line}`, `COMMAND GETKEYSANDFLAGS ${line}`]),
        ...LISTS,
      ];
      for (const request of requests) {
        const [a, b] = [await ours.ask(request), await theirs.ask(request)];
        if (a !== b) different.push({ request, a, b });
      }
      expect(different).toEqual([]);
    });

    itWithTool('redis-server', 'filters and helps alike', async () => {
      const { port } = await startHost();
      const [ours, theirs] = [new RawClient(port), new RawClient(await startReference())];
      for (const client of [ours, theirs]) await client.ask(`HELLO ${resp}`);
      for (const category of ['read', 'fast', 'DANGEROUS', 'geo', 'scripting']) {
        const request = `COMMAND LIST FILTERBY ACLCAT ${category}`;
        const own = namesOf(await ours.ask(request)).filter((name) => !ADDED.test(name));
        const other = namesOf(await theirs.ask(request)).filter((name) => MISSING[name] === undefined);
        expect(other.length).toBeGreaterThan(5);
        expect(own.sort()).toEqual(other.sort());
      }
      const request = 'COMMAND LIST FILTERBY PATTERN Z?A*';
      expect(namesOf(await ours.ask(request)).sort()).toEqual(namesOf(await theirs.ask(request)).sort());
      for (const name of 'ACL CLIENT COMMAND CONFIG FUNCTION LATENCY MEMORY OBJECT PUBSUB SCRIPT SLOWLOG XGROUP XINFO'.split(
        ' ',
      ))
        expect(await ours.ask(`${name} HELP`)).toBe(await theirs.ask(`${name} HELP`));
    });
  });

  it('tells of the commands that redis-server 7.0 does not have', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    expect(await client.ask('COMMAND INFO client|setinfo')).toContain('$14\r\nclient|setinfo\r\n:4\r\n');
    expect(await client.ask('COMMAND DOCS client')).toContain('Sets the name or the version of the library');
    expect(await client.ask('COMMAND INFO sentinel')).toContain('sentinel|masters');
    const count = (await client.ask('COMMAND COUNT')).slice(1, -2);
    expect((await client.ask('COMMAND')).startsWith(`*${count}\r\n*10\r\n`)).toBe(true);
    expect((await client.ask('COMMAND INFO')).startsWith(`*${count}\r\n`)).toBe(true);
    expect((await client.ask('COMMAND DOCS')).startsWith(`*${2 * Number(count)}\r\n`)).toBe(true);
    expect(await client.ask('EVAL "return #redis.call(\'COMMAND\')" 0')).toBe(`:${count}\r\n`);
  });

  it('its subcommands cannot name what objects inherit', async () => {
    const { port } = await startHost();
    const client = new RawClient(port);
    for (const name of ['constructor', '__proto__', 'client|constructor', 'toString'])
      expect(await client.ask(`COMMAND DOCS ${name}`)).toBe('*0\r\n');
  });
});
