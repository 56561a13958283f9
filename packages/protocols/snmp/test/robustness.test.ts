import dgram from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, mulberry32 } from '@backlot/conformance';
import net from 'net-snmp';
import { createHost, type Host } from '@backlot/core';
import { snmp } from '../src/index.js';
import { NetSnmp } from '../src/wire/net-snmp.js';
import { cleanups, cleanUp, portOf } from './support.js';

const NAME = '1.3.6.1.2.1.1.5.0';
const USER = {
  name: 'shaaes',
  level: net.SecurityLevel.authPriv,
  authProtocol: net.AuthProtocols.sha,
  authKey: 'authpass1',
  privProtocol: net.PrivProtocols.aes,
  privKey: 'privpass1',
};

/** What snmpget, snmpgetnext, snmpset, snmpbulkget and snmptrap of net-snmp 5.9.3 sent. */
const RECORDED = [
  '302902010004067075626c6963a01c020469445c7b020100020100300e300c06082b060102010105000500',
  '302902010004067075626c6963a11c02044e83dad5020100020100300e300c06082b060102010105000500',
  '303002010004067075626c6963a323020404e827ba0201000201003015301306082b0601020101050004076368616e676564',
  '302902010104067075626c6963a01c0204047f747f020100020100300e300c06082b060102010105000500',
  '302902010104067075626c6963a11c020468a50c8a020100020100300e300c06082b060102010105000500',
  '303002010104067075626c6963a3230204042b744c0201000201003015301306082b0601020101050004076368616e676564',
  '303502010104067075626c6963a528020459274d19020101020105301a300c06082b060102010105000500300a06062b06010201020500',
  '303e02010330110204349cd840020300ffe30401040201030410300e0400020100020100040004000400301404000400a00e02041f8fb0530201000201003000',
  '306a020103301102046c08ac3b020300ffe304010402010304223020040c8000b983046261636b6c6f7402010002010004066e6f626f647904000400302e040c8000b983046261636b6c6f740400a01c02045e591f8d020100020100300e300c06082b060102010105000500',
  '304502010104067075626c6963a7380204168b4898020100020100302a300f06082b0601020101030043031802fe3017060a2b06010603010104010006092b0601060301010501',
].map((hex) => Buffer.from(hex, 'hex'));

const printed: unknown[][] = [];
let errors: string[] = [];
let host: Host;
let socket: dgram.Socket;
let replies: Buffer[];

beforeEach(async () => {
  for (const name of ['log', 'error', 'warn', 'debug', 'info'] as const) {
    const spy = jest.spyOn(console, name).mockImplementation((...words) => void printed.push(words));
    cleanups.push(() => spy.mockRestore());
  }
  errors = [];
  const mocks = [
    { id: 'name', oid: NAME, value: 'router' },
    { id: 'slow', oid: '1.3.6.1.9.9.0', value: 'late', delay: '1h' },
    ...Array.from({ length: 500 }, (_, row) => ({ oid: `1.3.6.1.2.1.2.2.1.2.${row}`, value: `eth${row}` })),
    ...Array.from({ length: 700 }, (_, row) => ({ oid: `1.3.6.1.4.1.99.${row}`, value: 'x'.repeat(100) })),
  ];
  host = await createHost({
    protocols: [snmp],
    settings: {
      snmp: {
        host: '127.0.0.1',
        port: 0,
        mocks,
        v3_users: [
          { username: 'nobody' },
          {
            username: 'shaaes',
            auth_protocol: 'SHA',
            auth_passphrase: 'authpass1',
            priv_protocol: 'AES',
            priv_passphrase: 'privpass1',
          },
        ],
      },
    },
    log: ({ level, text }) => void (level === 'error' && errors.push(text)),
    seed: 1,
  });
  cleanups.push(() => host.stop(0));
  await host.start();
  socket = dgram.createSocket('udp4');
  replies = [];
  socket.on('message', (reply) => replies.push(reply));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  cleanups.push(() => socket.close());
});

afterEach(async () => {
  const answer = await getName();
  const status = host.kind('snmp').status();
  await cleanUp();
  expect(answer).toMatch(/^(router|changed)$/);
  expect(status).toMatchObject({ state: 'running' });
  expect(errors).toEqual([]);
  expect(printed.splice(0)).toEqual([]);
});

function throwIn(...datagrams: readonly Uint8Array[]): void {
  for (const datagram of datagrams) socket.send(datagram, portOf(host), '127.0.0.1');
}

/** A good client: what it is answered, after everything that was sent before. */
function getName(): Promise<string> {
  const session = net.createSession('127.0.0.1', 'public', { port: portOf(host), version: net.Version2c });
  return new Promise((resolve) =>
    session.get([NAME], (error, varbinds) => {
      session.close();
      resolve(error === null ? String(varbinds?.[0]?.value) : String(error));
    }),
  );
}

/** A signed and encrypted request of net-snmp's session, as it went over the wire. */
async function recordPrivate(): Promise<Buffer> {
  const requests: Buffer[] = [];
  const between = dgram.createSocket('udp4');
  let client = 0;
  between.on('message', (octets, { port }) => {
    if (port !== portOf(host)) {
      client = port;
      requests.push(octets);
    }
    between.send(octets, port === portOf(host) ? client : portOf(host), '127.0.0.1');
  });
  await new Promise<void>((resolve) => between.bind(0, '127.0.0.1', resolve));
  const session = net.createV3Session('127.0.0.1', USER, { port: between.address().port });
  const value = await new Promise((resolve) =>
    session.get([NAME], (error, varbinds) => resolve(error ?? String(varbinds?.[0]?.value))),
  );
  expect(value).toBe('router');
  session.close();
  await new Promise<void>((resolve) => between.close(resolve));
  return requests.at(-1) ?? Buffer.alloc(0);
}

function mutate(packet: Buffer, next: (below: number) => number): Buffer {
  let octets = Buffer.from(packet);
  for (let changes = 1 + next(4); changes > 0; changes -= 1) {
    const at = next(octets.length + 1);
    switch (next(6)) {
      case 0:
        octets = octets.subarray(0, at);
        break;
      case 1:
        octets = Buffer.concat([
          octets.subarray(0, at),
          Buffer.from([0x84, 255, 255, 255, 255]),
          octets.subarray(at + 1),
        ]);
        break;
      case 2:
        octets = Buffer.concat([octets.subarray(0, at), octets.subarray(next(octets.length + 1))]);
        break;
      case 3:
        octets = Buffer.concat([octets.subarray(0, at), Buffer.from([next(256)]), octets.subarray(at)]);
        break;
      default:
        if (at < octets.length) octets[at] = next(3) === 0 ? (octets[at] ?? 0) ^ (1 << next(8)) : next(256);
    }
  }
  return octets;
}

describe('an agent that is sent nonsense', () => {
  it('survives 10,000 mutations of good packets', async () => {
    const packets = [...RECORDED, await recordPrivate()];
    const next = mulberry32(1);
    const library = await NetSnmp.load();
    for (let sent = 0; sent < 10_000; sent += 1) {
      throwIn(mutate(packets[sent % packets.length] ?? Buffer.alloc(0), next));
      // Few enough at a time that the system drops none.
      if (sent % 100 === 99) await getName();
    }
    expect(replies.length).toBeGreaterThan(100);
    for (const reply of replies) {
      expect([0, 1, 3]).toContain(library.read(reply).version);
      expect(reply.length).toBeLessThanOrEqual(8_192 + 200);
    }
  }, 30_000);

  it('says nothing to truncated packets, to answers and to traps', async () => {
    const response = Buffer.from(RECORDED[3] ?? '');
    response[13] = 0xa2;
    const report = Buffer.from(response);
    report[13] = 0xa8;
    const [get = Buffer.alloc(0)] = RECORDED;
    throwIn(...Array.from({ length: get.length - 3 }, (_, length) => get.subarray(0, length)));
    throwIn(
      response,
      report,
      RECORDED.at(-1) ?? Buffer.alloc(0),
      Buffer.alloc(0),
      Buffer.alloc(60_000, 0x30),
    );
    await getName();
    expect(replies).toEqual([]);
    expect(host.journal.count().count).toBe(1);
  });

  it('answers an inform, which it does not take, with an error', async () => {
    const inform = Buffer.from(RECORDED.at(-1) ?? '');
    inform[13] = 0xa6;
    throwIn(inform);
    await getName();
    expect(replies.map((reply) => reply.toString('hex'))).toEqual([
      '301b02010104067075626c6963a20e0204168b48980201050201003000',
    ]);
  });

  it('answers a GETBULK without end within its size', async () => {
    // max-repetitions 2^31 - 1 from the root.
    throwIn(
      Buffer.from(
        '302902010104067075626c6963a51c0201010201000204' + '7fffffff300e300c06082b060102010101000500',
        'hex',
      ),
    );
    await eventually(() => replies.length === 1);
    expect(replies[0]?.length).toBeGreaterThan(8_000);
    expect(replies[0]?.length).toBeLessThanOrEqual(8_192 + 200);
  });

  it('keeps 4 MiB of requests that wait for a delay', async () => {
    const bindings = Buffer.concat(Array<Buffer>(7400).fill(Buffer.from('300606022b060500', 'hex')));
    const wrap = (tag: number, ...parts: Buffer[]): Buffer => {
      const content = Buffer.concat(parts);
      return Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 255]), content]);
    };
    const slow = Buffer.from('300a06062b06010909000500', 'hex');
    const request = wrap(
      0x30,
      Buffer.from('02010104067075626c6963', 'hex'),
      wrap(0xa0, Buffer.from('020101020100020100', 'hex'), wrap(0x30, slow, bindings)),
    );
    for (let sent = 0; sent < 80; sent += 1) {
      throwIn(request);
      if (sent % 2 === 1) await getName();
    }
    const taken = host.kind('snmp').calls.of('slow').count;
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(72);
  }, 30_000);

  it('answers many OIDs with tooBig when their values do not fit', async () => {
    const session = net.createSession('127.0.0.1', 'public', { port: portOf(host), version: net.Version2c });
    cleanups.push(() => session.close());
    const oids = Array.from({ length: 700 }, (_, row) => `1.3.6.1.4.1.99.${row}`);
    const error = await new Promise((resolve) => session.get(oids, (failure) => resolve(failure)));
    expect(error).toMatchObject({ message: 'TooBig' });
  });

  it('does not answer unsigned requests that claim to be encrypted, nor other security models', async () => {
    const get = RECORDED[8] ?? Buffer.alloc(0);
    const flagsAt = get.indexOf(Buffer.from('04010402', 'hex')) + 2;
    const encrypted = Buffer.from(get);
    encrypted[flagsAt] = 6;
    const model = Buffer.from(get);
    model[flagsAt + 3] = 2;
    throwIn(encrypted, model);
    await getName();
    expect(replies).toEqual([]);
  });
});
