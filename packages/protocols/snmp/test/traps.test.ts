import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import net from 'net-snmp';
import { eventually, itWithTool } from '@backlot/conformance';
import type { Host, Json } from '@backlot/core';
import { snmp } from '../src/index.js';
import { resolveTarget } from '../src/trap/resolve-target.js';
import { cleanups, cleanUp, startHost } from './support.js';

const TRAPD = '/usr/sbin/snmptrapd';
const LINK_DOWN = '1.3.6.1.6.3.1.1.5.3';
const OWN = '1.3.6.1.4.1.99.2.0.7';
const USERS = [
  {
    username: 'sender',
    auth_protocol: 'SHA',
    auth_passphrase: 'authpass1',
    priv_protocol: 'AES',
    priv_passphrase: 'privpass1',
  },
  { username: 'signer', auth_protocol: 'SHA-256', auth_passphrase: 'authpass1' },
];
const BINDINGS = [
  { oid: '1.3.6.1.2.1.2.2.1.1.2', type: 'integer', value: 2 },
  { oid: '1.3.6.1.2.1.2.2.1.2.2', value: 'eth{{rand_int 2 2}}' },
];

afterEach(cleanUp);

async function freePort(): Promise<number> {
  const socket = dgram.createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

/** net-snmp's trap daemon in the foreground; what it prints grows in `text`. */
async function startTrapd(): Promise<{ readonly port: number; readonly log: { text: string } }> {
  const folder = await mkdtemp(join(tmpdir(), 'backlot-trapd-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const engine = '0x8000b983046261636b6c6f74';
  await writeFile(
    join(folder, 'trapd.conf'),
    [
      'disableAuthorization yes',
      `createUser -e ${engine} sender SHA authpass1 AES privpass1`,
      `createUser -e ${engine} signer SHA-256 authpass1`,
      'createUser sender SHA authpass1 AES privpass1',
      'authUser log sender priv',
      'authUser log signer auth',
      'format1 V1 %W %w.%q %N from %A: %v\\n',
      'format2 V2 %v\\n',
    ].join('\n'),
  );
  const port = await freePort();
  const args = [
    '-f',
    '-Lo',
    '-On',
    '-C',
    '-c',
    join(folder, 'trapd.conf'),
    '-p',
    join(folder, 'pid'),
    `udp:127.0.0.1:${port}`,
  ];
  const child = spawn(TRAPD, args, { env: { SNMP_PERSISTENT_DIR: folder, MIBS: '' } });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const log = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (log.text += String(chunk)));
  await eventually(() => /NET-SNMP version/.test(log.text));
  return { port, log };
}

/** Creates a trap and sends it as the management port does. */
async function send(host: Host, trap: Json): Promise<unknown> {
  const kind = host.kind('snmp');
  const { id } = kind.itemLists.get('traps')?.create(trap) ?? {};
  const route = snmp.routes?.find(({ name }) => name === 'sendSnmpTrap');
  if (route === undefined || kind.service === undefined) throw new Error('the kind is not running');
  return route.handle({ params: { id } } as never, kind.service);
}

describe('the name of a target', () => {
  it('that changes its answer is asked once, and what was checked is what is sent to', async () => {
    const answers = [
      ['127.0.0.1'],
      ['169.254.169.254'],
      ['::1', '10.0.0.1'],
      ['10.0.0.1', 'fd00:ec2::254'],
      [],
    ];
    const asked: string[] = [];
    const flip = (host: string): Promise<{ address: string; family: number }[]> => {
      asked.push(host);
      const found = answers.shift() ?? [];
      return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    };
    expect(await resolveTarget('flip.test', flip)).toBe('127.0.0.1');
    await expect(resolveTarget('flip.test', flip)).rejects.toThrow('169.254.169.254 is link-local');
    expect(await resolveTarget('flip.test', flip)).toBe('10.0.0.1');
    await expect(resolveTarget('flip.test', flip)).rejects.toThrow('fd00:ec2::254 is link-local');
    await expect(resolveTarget('flip.test', flip)).rejects.toThrow('"flip.test" has no address');
    expect(asked).toHaveLength(5);
  });
});

describe('snmptrapd', () => {
  const start = async (): Promise<{ host: Host; port: number; log: { text: string } }> => {
    const host = await startHost({ v3_users: USERS });
    return { host, ...(await startTrapd()) };
  };

  itWithTool(TRAPD, 'receives traps of v2c, sysUpTime and snmpTrapOID first', async () => {
    const { host, port, log } = await start();
    const target = `127.0.0.1:${port}`;
    const answer = await send(host, { id: 'down', target, oid: LINK_DOWN, bindings: BINDINGS });
    expect(answer).toEqual({ body: { status: 'sent', sent: 'down' } });
    await eventually(() => log.text.includes('V2 '));
    expect(log.text).toMatch(
      /V2 \.1\.3\.6\.1\.2\.1\.1\.3\.0 = Timeticks: \(\d+\) \S+\t\.1\.3\.6\.1\.6\.3\.1\.1\.4\.1\.0 = OID: \.1\.3\.6\.1\.6\.3\.1\.1\.5\.3\t\.1\.3\.6\.1\.2\.1\.2\.2\.1\.1\.2 = INTEGER: 2\t\.1\.3\.6\.1\.2\.1\.2\.2\.1\.2\.2 = STRING: "eth2"/,
    );
    expect(host.journal.list()).toMatchObject([
      { method: 'TRAP', path: LINK_DOWN, remote: target, status: 'sent' },
    ]);
  });

  itWithTool(TRAPD, 'receives traps of v1, generic, derived and spelled out', async () => {
    const { host, port, log } = await start();
    const target = `localhost:${port}`;
    await send(host, { target, version: '1', oid: LINK_DOWN });
    await send(host, { target, version: 'v1', oid: OWN, bindings: BINDINGS });
    await send(host, { target, version: 'v1', enterprise: '1.3.6.1.4.1.5', generic: 6, specific: 9 });
    await send(host, { target, version: 'v1', enterprise: '1.3.6.1.4.1.5', generic: 0 });
    await eventually(() => log.text.split('V1 ').length === 5);
    const seen = [...log.text.matchAll(/V1 (.*)/g)].map(([, line]) => line);
    expect(seen[0]).toMatch(/^Link Down 2\.0 \.1\.3\.6\.1\.6\.3\.1\.1\.5 from /);
    expect(seen[1]).toMatch(/^Enterprise Specific 6\.+7 \.1\.3\.6\.1\.4\.1\.99\.2 from .*"eth2"$/);
    expect(seen[2]).toMatch(/^Enterprise Specific 6\.+9 \.1\.3\.6\.1\.4\.1\.5 from /);
    expect(seen[3]).toMatch(/^Cold Start 0\.0 \.1\.3\.6\.1\.4\.1\.5 from /);
  });

  itWithTool(TRAPD, 'receives traps of v3, signed and encrypted, more than once', async () => {
    const { host, port, log } = await start();
    const target = `127.0.0.1:${port}`;
    await send(host, { target, version: '3', username: 'sender', oid: LINK_DOWN });
    await send(host, { target, version: 'v3', username: 'signer', oid: OWN });
    await send(host, { target, version: '3', oid: OWN, enterprise: '1.3.6.1.4.1.5' });
    await eventually(() => log.text.split('V2 ').length === 4);
    expect(log.text).toContain(`= OID: .${LINK_DOWN}`);
    expect(log.text).toContain('.1.3.6.1.6.3.1.1.4.3.0 = OID: .1.3.6.1.4.1.5');
  });

  itWithTool(TRAPD, 'acknowledges informs of v2c and v3', async () => {
    const { host, port, log } = await start();
    const target = `127.0.0.1:${port}`;
    await send(host, { target, inform: true, oid: LINK_DOWN });
    await send(host, { target, inform: true, version: 'v3', username: 'sender', oid: OWN });
    await eventually(() => log.text.split('V2 ').length === 3);
    expect(host.journal.list().map((entry) => entry['status'])).toEqual(['acknowledged', 'acknowledged']);
  });
});

describe("net-snmp's receiver", () => {
  it('receives a trap with values of every type', async () => {
    const host = await startHost();
    const port = await freePort();
    const heard: { pdu: { varbinds: { oid: string; type: number; value: unknown }[] } }[] = [];
    const receiver = net.createReceiver(
      { port, address: '127.0.0.1', disableAuthorization: true },
      (error: unknown, data: unknown) => {
        if (error === null) heard.push(data as never);
      },
    );
    cleanups.push(() => receiver.close(undefined));
    const bindings = [
      { oid: '1.3.6.1.1', type: 'counter64', value: '18446744073709551615' },
      { oid: '1.3.6.1.2', type: 'ipaddress', value: '192.0.2.1' },
      { oid: '1.3.6.1.3', type: 'hex', value: '00ff' },
      { oid: '1.3.6.1.4', type: 'oid', value: '1.3.6' },
      { oid: '1.3.6.1.5', type: 'timeticks', value: 4294967295 },
      { oid: '1.3.6.1.6', type: 'null' },
      { oid: '1.3.6.1.7', value: -5 },
    ];
    // What sends before the receiver has bound its socket is lost: an inform is sent again.
    await send(host, { target: `127.0.0.1:${port}`, inform: true, oid: OWN, bindings });
    expect(heard[0]?.pdu.varbinds.slice(1).map(({ value }) => value)).toEqual([
      OWN,
      Buffer.from('ffffffffffffffff', 'hex'),
      '192.0.2.1',
      Buffer.from([0, 255]),
      '1.3.6',
      4294967295,
      null,
      -5,
    ]);
  });
});

describe('a trap', () => {
  it('that cannot be sent is an error that says why', async () => {
    const host = await startHost({ v3_users: USERS });
    const failing: readonly (readonly [Json, string])[] = [
      [{ target: 'no-such-host.invalid:162', oid: OWN }, 'no-such-host.invalid'],
      [{ target: '169.254.169.254:162', oid: OWN }, 'link-local'],
      [{ target: '[fe80::1]:162', oid: OWN }, 'link-local'],
      [{ target: '[::ffff:169.254.1.1]:162', oid: OWN }, 'link-local'],
      [{ target: '127.0.0.1:162', version: '3', username: 'stranger', oid: OWN }, 'not one of v3_users'],
      [
        { target: '127.0.0.1:162', oid: OWN, bindings: [{ oid: OWN, type: 'int', value: '{{uuid}}' }] },
        '/bindings/0/value',
      ],
    ];
    for (const [trap, reason] of failing) {
      await expect(send(host, trap)).rejects.toMatchObject({
        status: 500,
        message: expect.stringContaining(reason),
      });
    }
    expect(host.journal.list().map((entry) => entry['status'])).toEqual(failing.map(() => 'failed'));
  });

  it('that is an inform without an answer is an error, and ends with the server', async () => {
    const host = await startHost();
    const silent = dgram.createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    cleanups.push(() => silent.close());
    const trap = { target: `127.0.0.1:${silent.address().port}`, inform: true, oid: OWN };
    await expect(send(host, trap)).rejects.toMatchObject({
      status: 500,
      message: expect.stringContaining('timed out'),
    });
    const waiting = expect(send(host, trap)).rejects.toMatchObject({
      message: expect.stringContaining('stopped'),
    });
    await once(silent, 'message');
    await host.stop(0);
    await waiting;
  });

  it('is found by its id, and comes from the configuration too', async () => {
    const host = await startHost({
      traps: [{ id: 'cold', target: 'localhost:162', oid: '1.3.6.1.6.3.1.1.5.1' }],
    });
    const { itemLists, service } = host.kind('snmp');
    const route = snmp.routes?.find(({ name }) => name === 'getSnmpTrap');
    const get = (id: string): unknown => route?.handle({ params: { id } } as never, service as never);
    expect(get('cold')).toEqual({
      body: { id: 'cold', target: 'localhost:162', oid: '1.3.6.1.6.3.1.1.5.1' },
    });
    expect(() => get('warm')).toThrow('no trap "warm"');
    itemLists.get('traps')?.remove('cold');
    host.reset();
    expect(itemLists.get('traps')?.list()).toHaveLength(1);
  });

  it.each([
    [{ target: 'localhost' }, '/target'],
    [{ target: 'localhost:0' }, '/target'],
    [{ target: 'localhost:99999' }, '/target'],
    [{ target: '::1:162' }, '/target'],
    [{ oid: 'linkDown' }, '/oid'],
    [{ oid: undefined }, '/oid'],
    [{ version: '4' }, '/version'],
    [{ version: '1', inform: true }, '/inform'],
    [{ version: '2c', username: 'x' }, '/username'],
    [{ version: '3', community: 'x' }, '/community'],
    [{ enterprise: 'x' }, '/enterprise'],
    [{ generic: 7 }, '/generic'],
    [{ generic: 1, specific: 3 }, '/specific'],
    [{ bindings: [{ oid: 'x', value: 1 }] }, '/bindings/0/oid'],
    [{ bindings: [{ oid: '1.3', type: 'int', value: 'x' }] }, '/bindings/0/value'],
    [{ version: '1', bindings: [{ oid: '1.3', type: 'counter64', value: 1 }] }, '/bindings/0/type'],
    [{ colour: 'red' }, 'colour'],
  ])('that is bad is refused: %j', async (changed, path) => {
    const host = await startHost();
    const { oid, ...trap } = { target: 'localhost:162', oid: OWN as string | undefined, ...changed };
    const create = (): unknown =>
      host
        .kind('snmp')
        .itemLists.get('traps')
        ?.create(oid === undefined ? trap : { ...trap, oid });
    expect(create).toThrow(path);
  });
});
