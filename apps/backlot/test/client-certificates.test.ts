import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { BIN, makeFolder, runCommand, startCommand, type StartedServer } from './command.js';
import { ROOT } from './docs/page.js';

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const SCHEMA = JSON.parse(
  readFileSync(join(ROOT, 'docs/reference/backlot.schema.json'), 'utf8'),
) as Schema & {
  readonly $defs: Readonly<Record<string, Schema>>;
};

/** Each kind whose listener has TLS, with what its `tls` may hold. */
const KINDS = new Map(
  Object.entries(SCHEMA.properties?.['protocols']?.properties ?? {}).flatMap(
    ([kind, { properties = {} }]) => {
      const { tls } = properties;
      if (tls === undefined) return [];
      const { properties: fields = {} } =
        tls.$ref === undefined ? tls : (SCHEMA.$defs[tls.$ref.split('/').at(-1) ?? ''] ?? {});
      return [[kind, Object.keys(fields)] as const];
    },
  ),
);

let folder: ReturnType<typeof makeFolder>;
let server: StartedServer;
const file = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  folder = makeFolder();
  const openssl = (...args: string[]) => runTool('openssl', args, { cwd: folder.path });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Clients',
    '-days',
    '2',
  );
  await openssl('req', ...key, '-keyout', 'ann.key', '-out', 'ann.csr', '-subj', '/CN=ann');
  await openssl(
    'x509',
    '-req',
    '-in',
    'ann.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-out',
    'ann.pem',
    '-days',
    '2',
  );
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'eve.key',
    '-out',
    'eve.pem',
    '-subj',
    '/CN=eve',
    '-days',
    '2',
  );
  const protocols = Array.from(KINDS, ([kind, fields]) => {
    // Those that can upgrade begin with it here, so that one client asks all.
    const mode = fields.includes('mode') ? ', mode: implicit' : '';
    return `  ${kind}: { port: 0, tls: { client_ca: ca.pem${mode} } }`;
  });
  writeFileSync(
    file('backlot.yaml'),
    ['api: { port: 0, tls: { client_ca: ca.pem } }', 'protocols:', ...protocols, ''].join('\n'),
  );
  server = await startCommand([], { cwd: folder.path });
}, 60_000);
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

/** Whether the server keeps a connection after the handshake: in TLS 1.3 a client learns only then that it was refused. */
function isTaken(url: string, name?: string): Promise<boolean> {
  const shown =
    name === undefined
      ? {}
      : { cert: readFileSync(file(`${name}.pem`)), key: readFileSync(file(`${name}.key`)) };
  // A ticket for the next session is the first thing that a server sends once it has taken the client's certificate.
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      rejectUnauthorized: false,
      ...shown,
    });
    const end = (taken: boolean): void => {
      resolve(taken);
      socket.destroy();
    };
    socket
      .once('session', () => end(true))
      .once('error', () => end(false))
      .once('close', () => end(false));
  });
}

describe('ports that want a certificate of their clients', () => {
  it('are all ports with TLS, and the management port', async () => {
    const urls = Object.entries(server.urls);
    expect(urls.map(([kind]) => kind).sort()).toEqual([...KINDS.keys(), 'api'].sort());
    const found = await Promise.all(
      urls.map(async ([kind, address]) => {
        const url = address.includes('://') ? address : `tcp://${address}`;
        return [kind, await isTaken(url, 'ann'), await isTaken(url), await isTaken(url, 'eve')];
      }),
    );
    expect(found).toEqual(urls.map(([kind]) => [kind, true, false, false]));
  });

  itWithTool('curl', 'curl shows one, or is refused', async () => {
    const url = `${server.urls['http']}/nothing`;
    const shown = ['--cert', file('ann.pem'), '--key', file('ann.key')];
    expect((await runTool('curl', ['-sk', '-o', '/dev/null', '-w', '%{http_code}', ...shown, url])).out).toBe(
      '404',
    );
    expect((await runTool('curl', ['-sk', url])).code).not.toBe(0);
  });

  itWithTool('redis-cli', 'redis-cli shows one, or is refused', async () => {
    const { port } = new URL(server.urls['redis'] ?? '');
    const ask = ['-p', port, '--tls', '--insecure'];
    const shown = ['--cert', file('ann.pem'), '--key', file('ann.key')];
    expect((await runTool('redis-cli', [...ask, ...shown, 'PING'])).out.trim()).toBe('PONG');
    expect((await runTool('redis-cli', [...ask, 'PING'])).out.trim()).not.toBe('PONG');
  });

  itWithTool('mosquitto_pub', 'mosquitto_pub shows one, or is refused', async () => {
    const { port } = new URL(server.urls['mqtt'] ?? '');
    const send = [
      '-h',
      'localhost',
      '-p',
      port,
      '-t',
      'a',
      '-m',
      'b',
      '-q',
      '1',
      '--insecure',
      '--cafile',
      file('server.pem'),
    ];
    const tls = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false });
    const certificate = await new Promise<Buffer>((resolve, reject) => {
      tls.once('secureConnect', () => resolve(tls.getPeerCertificate().raw)).on('error', reject);
    });
    tls.destroy();
    writeFileSync(
      file('server.pem'),
      `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
    );
    const shown = ['--cert', file('ann.pem'), '--key', file('ann.key')];
    expect((await runTool('mosquitto_pub', [...send, ...shown])).code).toBe(0);
    expect((await runTool('mosquitto_pub', send)).code).not.toBe(0);
  });

  it('are talked to by the command with --cert and --key', async () => {
    const at = ['list', '--url', server.urls['api'] ?? '', '--insecure'];
    const env = { BACKLOT_API_CERT: file('ann.pem'), BACKLOT_API_KEY: file('ann.key') };
    expect(await runCommand(at, { env })).toMatchObject({ code: 0, stdout: 'no mocks\n' });
    expect(await runCommand(at)).toMatchObject({ code: 1 });
    const half = await runCommand([...at, '--cert', file('ann.pem')]);
    expect([half.code, half.stderr]).toEqual([1, expect.stringContaining('--cert is given without --key')]);
  });

  itWithTool('curl', 'serve agents that show one, at /mcp and by the command', async () => {
    const api = server.urls['api'] ?? '';
    const shown = ['--cert', file('ann.pem'), '--key', file('ann.key')];
    const call = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'status', arguments: {} },
    };
    const headers = [
      '-H',
      'content-type: application/json',
      '-H',
      'accept: application/json, text/event-stream',
    ];
    const post = ['-sk', ...headers, '-d', JSON.stringify(call), `${api}/mcp`];
    expect((await runTool('curl', [...shown, ...post])).out).toContain('\\"status\\": \\"ok\\"');
    expect((await runTool('curl', post)).code).not.toBe(0);
    const client = new Client({ name: 'test', version: '1' });
    const args = [BIN, 'mcp', '--url', api, '--insecure', ...shown];
    const env = { ...(process.env as Record<string, string>), NODE_OPTIONS: '' };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    const { content } = (await client.callTool({ name: 'status', arguments: {} })) as {
      content: { text: string }[];
    };
    expect(content[0]?.text).toContain('"status": "ok"');
    await client.close();
  });

  itWithTool(
    'openssl',
    'ask for it when a connection is upgraded, and for another after a reload',
    async () => {
      const kinds = ['smtp', 'imap', 'ftp', 'ldap'];
      const write = (authority: string): void =>
        writeFileSync(
          file('upgraded.yaml'),
          [
            'api: { port: 0 }',
            'protocols:',
            ...kinds.map(
              (kind) => `  ${kind}: { port: 0, tls: { mode: starttls, client_ca: ${authority}.pem } }`,
            ),
            '',
          ].join('\n'),
        );
      write('ca');
      const upgraded = await startCommand(['-c', file('upgraded.yaml')]);
      try {
        const found = (): Promise<boolean[][]> => {
          const ask = async (kind: string, name: string): Promise<boolean> => {
            const said = [...upgraded.errors().matchAll(new RegExp(`${kind} restarted: (\\S+)`, 'g'))].at(
              -1,
            )?.[1];
            const { port } = new URL(said ?? upgraded.urls[kind] ?? '');
            const shown = ['-cert', file(`${name}.pem`), '-key', file(`${name}.key`)];
            const at = ['-connect', `127.0.0.1:${port}`, '-starttls', kind, '-tls1_2'];
            return (await runTool('openssl', ['s_client', ...at, ...shown], { input: '' })).code === 0;
          };
          return Promise.all(kinds.map(async (kind) => [await ask(kind, 'ann'), await ask(kind, 'eve')]));
        };
        expect(await found()).toEqual(kinds.map(() => [true, false]));
        write('eve');
        upgraded.child.kill('SIGHUP');
        await eventually(() => kinds.every((kind) => upgraded.errors().includes(`${kind} restarted`)));
        expect(await found()).toEqual(kinds.map(() => [false, true]));
      } finally {
        await upgraded.stop();
      }
    },
  );

  it('say when the file is none', async () => {
    writeFileSync(
      file('none.yaml'),
      'api: { port: 0 }\nprotocols: { redis: { port: 0, tls: { client_ca: ca.key } } }\n',
    );
    const { code, stderr } = await runCommand(['start', '-c', file('none.yaml')]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/tls\.client_ca: .*ca\.key holds no certificate as PEM/),
    ]);
  });
});
