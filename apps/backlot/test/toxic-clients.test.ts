import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { eventually, itWithTool, runTool, type ToolResult } from '@backlot/conformance';
import { coap } from '@backlot/coap';
import { createHost, type Host } from '@backlot/core';
import { dns } from '@backlot/dns';
import { ftp } from '@backlot/ftp';
import { http } from '@backlot/http';
import { timers } from '@backlot/kit';
import { smtp } from '@backlot/smtp';
import { snmp } from '@backlot/snmp';

/** Addresses of this machine, as two clients have them. */
const [ONE, OTHER] = ['127.0.0.1', '127.0.0.2'];
const OID = '1.3.6.1.2.1.1.5.0';
const HOUR = 3_600_000;

let host: Host;

beforeAll(async () => {
  host = await createHost({
    seed: 7,
    host: '127.0.0.1',
    protocols: [coap, dns, ftp, http, smtp, snmp],
    settings: {
      coap: { mocks: [{ path: '/t', response: { payload: 'warm' } }] },
      dns: { mocks: [{ name: 'a.test', records: ['192.0.2.1'] }] },
      ftp: {},
      http: { mocks: [{ request: { path: '/' }, response: { body: 'hello' } }] },
      smtp: {},
      snmp: { mocks: [{ oid: OID, value: 'router' }] },
    },
  });
  await host.start();
});
afterEach(() => {
  jest.restoreAllMocks();
  host.toxics.clearAll();
  host.journal.clear();
});
afterAll(() => host.stop(0));

const portOf = (kind: string): number => host.kind(kind).address?.port ?? 0;

/** How many seconds a client waits for an answer that comes, however busy the machine is, and for one that does not. */
const [COMES, NEVER_COMES] = [20, 1];

/** Clients of datagrams, each from an address of its own. What they print when they have got an answer has `got` in it. */
const DATAGRAMS = {
  dns: {
    got: '192.0.2.1',
    ask: (from: string, seconds: number) =>
      runTool('dig', [
        ...['-b', from, '-p', String(portOf('dns')), '@127.0.0.1', 'a.test'],
        ...['+tries=1', `+time=${seconds}`, '+noedns'],
      ]),
  },
  snmp: {
    got: 'router',
    ask: (from: string, seconds: number) =>
      runTool('snmpget', [
        ...['-v2c', '-c', 'public', '-r', '0', '-t', String(seconds), `--clientaddr=${from}`],
        ...[`127.0.0.1:${portOf('snmp')}`, OID],
      ]),
  },
  coap: {
    got: 'warm',
    ask: (from: string, seconds: number) =>
      runTool('coap-client-notls', [
        ...['-B', String(seconds), '-a', from],
        `coap://127.0.0.1:${portOf('coap')}/t`,
      ]),
  },
} as const;
type DatagramKind = keyof typeof DATAGRAMS;
const KINDS = Object.keys(DATAGRAMS) as readonly DatagramKind[];

const gets = async (kind: DatagramKind, from: string, seconds = COMES): Promise<boolean> => {
  const { out, err } = await DATAGRAMS[kind].ask(from, seconds);
  return (out + err).includes(DATAGRAMS[kind].got);
};
const logged = (kind: string): number => host.journal.count({ protocol: kind }).count;

describe('toxics of datagrams', () => {
  itWithTool('dig snmpget coap-client-notls', 'lose those of one client, and none of another', async () => {
    for (const kind of KINDS) host.kind(kind).toxics.add({ type: 'loss', stream: 'upstream', client: OTHER });
    const seen = await Promise.all(
      KINDS.flatMap((kind) => [
        gets(kind, ONE).then((got) => [kind, ONE, got]),
        gets(kind, OTHER, NEVER_COMES).then((got) => [kind, OTHER, got]),
      ]),
    );
    expect(seen).toEqual(
      KINDS.flatMap((kind) => [
        [kind, ONE, true],
        [kind, OTHER, false],
      ]),
    );
    // What was lost on its way has not come.
    expect(KINDS.map(logged)).toEqual([1, 1, 1]);
  });

  itWithTool(
    'dig snmpget coap-client-notls',
    'multiply them: CoAP alone knows one that came before',
    async () => {
      for (const kind of KINDS)
        host.kind(kind).toxics.add({ type: 'duplicate', stream: 'upstream', attributes: { copies: 2 } });
      expect(await Promise.all(KINDS.map((kind) => gets(kind, ONE)))).toEqual([true, true, true]);
      // Copies may come behind the answer that ends the client.
      await eventually(() => KINDS.every((kind) => logged(kind) >= (kind === 'coap' ? 1 : 3)));
      expect(KINDS.map(logged)).toEqual([3, 3, 1]);
      // An answer that comes twice is taken once.
      host.toxics.clearAll();
      for (const kind of KINDS) host.kind(kind).toxics.add({ type: 'duplicate' });
      expect(await Promise.all(KINDS.map((kind) => gets(kind, ONE)))).toEqual([true, true, true]);
    },
  );

  itWithTool('dig snmpget coap-client-notls', 'cut answers off, of which clients make nothing', async () => {
    host.kind('dns').toxics.add({ type: 'truncate', attributes: { bytes: 20 } });
    host.kind('snmp').toxics.add({ type: 'truncate', attributes: { bytes: 20 } });
    host.kind('coap').toxics.add({ type: 'truncate', attributes: { bytes: 3 } });
    const seen = await Promise.all(KINDS.map((kind) => gets(kind, ONE, NEVER_COMES)));
    expect(seen).toEqual([false, false, false]);
    expect(KINDS.every((kind) => logged(kind) > 0)).toBe(true);
  });

  itWithTool(
    'dig snmpget coap-client-notls',
    'let them come late, and hold them back until others have passed',
    async () => {
      // Whatever is held so long is held until the test lets it go.
      const held: (() => void)[] = [];
      const { after } = timers;
      jest.spyOn(timers, 'after').mockImplementation((ms, fn, options) => {
        if (ms !== HOUR) return after(ms, fn, options);
        held.push(fn);
        return { cancel: () => undefined };
      });
      const answered = new Set<string>();
      const asks = (kinds: readonly DatagramKind[]): Promise<unknown> =>
        Promise.all(kinds.map(async (kind) => (await gets(kind, ONE)) && answered.add(kind)));
      for (const kind of KINDS) host.kind(kind).toxics.add({ type: 'late', attributes: { latency: HOUR } });
      const late = asks(KINDS);
      await eventually(() => held.length >= KINDS.length && KINDS.every((kind) => logged(kind) > 0));
      expect([...answered]).toEqual([]);
      for (const fire of held.splice(0)) fire();
      await late;
      expect([...answered].toSorted()).toEqual([...KINDS].toSorted());
      host.toxics.clearAll();
      // Nobody comes after it: it goes on after its timeout.
      answered.clear();
      host.kind('dns').toxics.add({ type: 'reorder', attributes: { gap: 1, timeout: HOUR } });
      const reordered = asks(['dns']);
      await eventually(() => held.length === 1);
      expect([...answered]).toEqual([]);
      held[0]?.();
      await reordered;
      expect([...answered]).toEqual(['dns']);
    },
  );

  itWithTool('dig', 'lose some by a chance that the seed decides, and end with their ttl', async () => {
    const toxic = { type: 'loss', stream: 'upstream', toxicity: 0.5, ttl: '1h' };
    host.clock.freeze(true);
    host.kind('dns').toxics.add(toxic);
    // Told by what has come here: how soon a client gives up says nothing of the toxic.
    await Promise.all(Array.from({ length: 8 }, () => gets('dns', ONE, NEVER_COMES)));
    expect(logged('dns')).toBeGreaterThan(0);
    expect(logged('dns')).toBeLessThan(8);
    await host.clock.advance(HOUR);
    expect(host.kind('dns').toxics.list()).toEqual([]);
    expect(await gets('dns', ONE)).toBe(true);
    host.clock.freeze(false);
  });
});

/** A port that is free, to be that of a client. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, OTHER, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('toxics of connections', () => {
  /** Each asks from an address, by `curl` or by itself, and has 0 as its exit code when it was answered. */
  const ask = (
    kind: 'http' | 'ftp' | 'smtp',
    from: string,
    more: readonly string[] = [],
  ): Promise<ToolResult> =>
    runTool('curl', [
      ...['-sS', '--max-time', '20', '--interface', from, ...more],
      ...(kind === 'smtp' ? ['-X', 'NOOP'] : []),
      `${kind}://127.0.0.1:${portOf(kind)}/`,
    ]);

  itWithTool('curl', 'act on one client by its address, and on none beside it', async () => {
    for (const kind of ['http', 'ftp', 'smtp'] as const) {
      host.kind(kind).toxics.add({ type: 'down', client: OTHER });
      const [one, other] = await Promise.all([ask(kind, ONE), ask(kind, OTHER)]);
      expect([kind, one.code, other.code !== 0]).toEqual([kind, 0, true]);
    }
  });

  itWithTool('curl', 'act on one connection by its port, and on a whole range', async () => {
    const { toxics } = host.kind('http');
    const port = await freePort();
    toxics.add({ type: 'down', client: `${OTHER}:${port}` });
    const byPort = await Promise.all([
      ask('http', OTHER, ['--local-port', String(port)]),
      ask('http', OTHER),
    ]);
    expect(byPort.map(({ code }) => code === 0)).toEqual([false, true]);
    toxics.clear();
    toxics.add({ type: 'down', client: '127.0.0.2/31' });
    const byRange = await Promise.all([ONE, OTHER, '127.0.0.3'].map((from) => ask('http', from)));
    expect(byRange.map(({ code }) => code === 0)).toEqual([true, false, false]);
  });

  it('are refused for a client that is no address', () => {
    expect(() => host.kind('http').toxics.add({ type: 'down', client: 'ann' })).toThrow(/client/);
  });
});
