import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHost, type Protocol } from '@backlot/core';
import { itWithTool, runTool, startServer } from '@backlot/conformance';
import { ldap } from '@backlot/ldap';
import { memcached } from '@backlot/memcached';
import { mqtt } from '@backlot/mqtt';
import { nats } from '@backlot/nats';
import { redis } from '@backlot/redis';
import { snmp } from '@backlot/snmp';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'backlot-upstream-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a real server; gives its port. */
async function real(...server: Parameters<typeof startServer>): Promise<number> {
  const { port, stop } = await startServer(...server);
  cleanups.push(stop);
  return port;
}

/** Starts a kind that passes everything on to a real server; gives its port. */
async function passing(protocol: Protocol, url: string, more: object = {}): Promise<number> {
  const host = await createHost({
    protocols: [protocol],
    settings: {
      [protocol.kind]: { host: '127.0.0.1', port: 0, upstream: { url, mode: 'passthrough' }, ...more },
    },
  });
  await host.start();
  cleanups.push(() => host.stop(0));
  return host.kind(protocol.kind).address?.port ?? 0;
}

/** Sends a text and gives all that comes back until the end. */
async function talk(port: number, text: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  socket.write(text);
  await once(socket, 'close');
  return received;
}

describe('what is passed on to a real server', () => {
  itWithTool('redis-server redis-cli', 'is Redis, over TLS and through toxics', async () => {
    const quiet = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const far = await real('redis-server', (port) => ['--port', String(port), ...quiet], 'Ready to accept');
    const port = await passing(redis, `redis://127.0.0.1:${far}`, {
      tls: { self_signed: true },
      toxics: [{ type: 'slicer', attributes: { average_size: 7, size_variation: 3, delay: 0 } }],
      mocks: [{ command: 'GET', key: 'k', response: { type: 'bulk', value: 'a mock' } }],
    });
    const cli = (...args: string[]): Promise<{ out: string }> =>
      runTool('redis-cli', ['-p', String(port), '--tls', '--insecure', ...args]);
    expect((await cli('set', 'k', 'v'.repeat(5000))).out).toBe('OK\n');
    expect((await cli('get', 'k')).out).toBe(`${'v'.repeat(5000)}\n`);
    expect((await cli('info', 'server')).out).toContain(`tcp_port:${far}`);
  });

  itWithTool('memcached', 'is memcached', async () => {
    const far = await real(
      'memcached',
      (port) => ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-u', 'nobody', '-vv'],
      'server listening',
    );
    const port = await passing(memcached, `memcached://127.0.0.1:${far}`);
    expect(await talk(port, 'set k 0 0 2\r\nhi\r\nget k\r\nquit\r\n')).toBe(
      'STORED\r\nVALUE k 0 2\r\nhi\r\nEND\r\n',
    );
  });

  itWithTool('nats-server', 'is NATS', async () => {
    const far = await real(
      'nats-server',
      (port) => ['-a', '127.0.0.1', '-p', String(port)],
      'Server is ready',
    );
    const port = await passing(nats, `nats://127.0.0.1:${far}`);
    const socket = net.connect(port, '127.0.0.1');
    cleanups.push(() => socket.destroy());
    let received = '';
    const arrived = new Promise<void>((resolve) => {
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
        if (received.includes('MSG news 1 2\r\nhi\r\n')) resolve();
      });
    });
    socket.write('CONNECT {"verbose":false}\r\nSUB news 1\r\nPUB news 2\r\nhi\r\n');
    await arrived;
    // Of nats-server itself, at the address by which clients come.
    expect(JSON.parse(/^INFO (.*)\r\n/.exec(received)?.[1] ?? '')).toMatchObject({
      port,
      go: expect.any(String),
    });
  });

  itWithTool('mosquitto mosquitto_sub mosquitto_pub', 'is MQTT', async () => {
    const file = join(makeFolder(), 'mosquitto.conf');
    const far = await real(
      'mosquitto',
      (port) => {
        writeFileSync(file, `listener ${port} 127.0.0.1\nallow_anonymous true\n`);
        return ['-c', file];
      },
      'running',
    );
    const port = String(await passing(mqtt, `mqtt://127.0.0.1:${far}`));
    const published = await runTool('mosquitto_pub', [
      '-p',
      port,
      '-t',
      'a/b',
      '-m',
      'kept',
      '-r',
      '-q',
      '1',
    ]);
    expect(published.code).toBe(0);
    const { out } = await runTool('mosquitto_sub', ['-p', port, '-t', 'a/#', '-C', '1', '-v']);
    expect(out).toBe('a/b kept\n');
  });

  itWithTool('slapd slapadd ldapsearch', 'is LDAP', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'db'));
    const config = join(folder, 'slapd.conf');
    writeFileSync(
      config,
      `include /etc/ldap/schema/core.schema\npidfile ${folder}/pid\ndatabase ldif\nsuffix dc=test\ndirectory ${folder}/db\nrootdn cn=admin,dc=test\nrootpw secret\n`,
    );
    writeFileSync(
      join(folder, 'entries.ldif'),
      'dn: dc=test\nobjectClass: organization\nobjectClass: dcObject\no: test\ndc: test\n',
    );
    const domain = await runTool('slapadd', ['-f', config, '-l', join(folder, 'entries.ldif')]);
    expect([domain.code, domain.err]).toEqual([0, expect.anything()]);
    const far = await real(
      'slapd',
      (port) => ['-f', config, '-h', `ldap://127.0.0.1:${port}`, '-d', '256'],
      'slapd starting',
      true,
    );
    const port = await passing(ldap, `ldap://127.0.0.1:${far}`);
    const ask = ['-x', '-LLL', '-H', `ldap://127.0.0.1:${port}`, '-D', 'cn=admin,dc=test', '-w', 'secret'];
    const { out } = await runTool('ldapsearch', [...ask, '-b', 'dc=test', '(objectClass=*)', 'dc']);
    expect(out).toBe('dn: dc=test\ndc: test\n\n');
  });

  itWithTool('snmpd snmpget', 'is SNMP, by datagrams', async () => {
    const folder = makeFolder();
    const file = join(folder, 'snmpd.conf');
    writeFileSync(file, 'rocommunity public\nsysLocation behind the mock\n');
    const far = await real(
      'snmpd',
      (port) => ['-f', '-Lo', '-C', '-c', file, '-p', join(folder, 'pid'), `udp:127.0.0.1:${port}`],
      'NET-SNMP version',
    );
    const port = await passing(snmp, `snmp://127.0.0.1:${far}`);
    const { out, err } = await runTool('snmpget', [
      ...['-v2c', '-c', 'public', '-Oqv', `127.0.0.1:${port}`, '1.3.6.1.2.1.1.6.0'],
    ]);
    expect([out, err]).toEqual(['"behind the mock"\n', '']);
  });

  it('is refused of a kind that shares the listener of another one', async () => {
    const { http } = await import('@backlot/http');
    const { websocket } = await import('@backlot/websocket');
    await expect(
      createHost({
        protocols: [http, websocket],
        settings: {
          http: { port: 0 },
          websocket: { share: 'http', upstream: { url: 'ws://localhost', mode: 'passthrough' } },
        },
      }),
    ).rejects.toThrow('cannot stand beside share');
  });
});
