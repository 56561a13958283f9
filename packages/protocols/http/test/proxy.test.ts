import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import axios from 'axios';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { fetch as undiciFetch, ProxyAgent } from 'undici';
import { WebSocket, WebSocketServer } from 'ws';
import { itWithTool, runTool } from '@backlot/conformance';
import { processCertificate } from '@backlot/kit';
import { RawClient, startHttp, stopAll, type HttpHost } from './support/http-host.js';
import { caFile, serveSecurely } from './support/proxied.js';
import { cleanUp, recordedBy, serve, stopRealServers } from './support/real-server.js';

let ca = '';
beforeAll(async () => {
  ca = (await processCertificate()).cert;
});
afterEach(async () => {
  await stopAll();
  await stopRealServers();
});

const MOCKS = [
  {
    id: 'charge',
    request: { host: 'api.stripe.com', method: 'POST', path: '/v1/charges' },
    response: { status: 201, json: { id: 'ch_1', host: '{{request.host}}', scheme: '{{request.scheme}}' } },
  },
  { id: 'plain', request: { host: 'plain.example' }, response: { body: 'in the clear' } },
  { id: 'port', request: { host: 'api.example:8443' }, response: { body: 'a port' } },
];

/** A proxy for every host. */
function proxy(mocks: readonly object[] = MOCKS, config: object = {}): Promise<HttpHost> {
  return startHttp(mocks, { proxy: {}, ...config });
}

/** A connection to a host through a proxy. */
async function tunnel(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1');
  socket.write('CONNECT api.stripe.com:443 HTTP/1.1\r\nHost: api.stripe.com\r\n\r\n');
  await once(socket, 'data');
  socket.pause();
  return socket;
}

const CHARGED = { id: 'ch_1', host: 'api.stripe.com', scheme: 'https' };

describe('a listener that is a proxy', () => {
  it('says at its start when it leads anybody on to other servers', async () => {
    const spy = { upstream: { mode: 'spy' } };
    const open = await proxy(MOCKS, { host: '0.0.0.0', ...spy });
    expect(open.lines).toEqual([
      `warn: the proxy at 0.0.0.0:${open.port} leads anybody who reaches it on to other servers; give it \`auth\`, or let it listen on localhost alone`,
    ]);
    const tunnels = await proxy(MOCKS, { host: '0.0.0.0', proxy: { tunnel: ['*'] } });
    expect(tunnels.lines).toHaveLength(1);
    for (const config of [
      { ...spy },
      { host: '0.0.0.0' },
      { host: '0.0.0.0', proxy: { tunnel: ['*'], auth: { username: 'a', password: 'b' } } },
    ])
      expect((await proxy(MOCKS, config)).lines).toEqual([]);
  });

  it('answers unmodified clients in the name of the hosts they ask', async () => {
    const { url, host } = await proxy();
    const dispatcher = new ProxyAgent({ uri: url, requestTls: { ca }, proxyTunnel: true });
    cleanUp(() => dispatcher.close());
    const byUndici = await undiciFetch('https://api.stripe.com/v1/charges', { method: 'POST', dispatcher });
    expect([byUndici.status, await byUndici.json()]).toEqual([201, CHARGED]);

    const agent = new HttpsProxyAgent(url, { keepAlive: true });
    cleanUp(() => agent.destroy());
    const client = axios.create({ httpsAgent: agent, proxy: false });
    agent.options.ca = ca;
    const byAxios = await client.post('https://api.stripe.com/v1/charges', 'amount=5');
    expect([byAxios.status, byAxios.data]).toEqual([201, CHARGED]);
    // The connection is kept, as with any server.
    expect((await client.post('https://api.stripe.com/v1/charges', 'amount=6')).status).toBe(201);
    expect((await client.get('https://api.example:8443/x')).data).toBe('a port');

    const { port } = new URL(url);
    const own = axios.create({ proxy: { protocol: 'http', host: '127.0.0.1', port: Number(port) } });
    expect((await own.get('http://plain.example/things?q=1')).data).toBe('in the clear');
    expect(host.journal.list().map(({ method, path, matched_id: id }) => [method, path, id])).toEqual([
      ['POST', '/v1/charges', 'charge'],
      ['POST', '/v1/charges', 'charge'],
      ['POST', '/v1/charges', 'charge'],
      ['GET', '/x', 'port'],
      ['GET', '/things', 'plain'],
    ]);
  });

  itWithTool('curl', 'answers curl, by HTTP/2 as well and with a proxy that has TLS itself', async () => {
    const file = await caFile();
    const { url } = await proxy();
    const curl = async (...args: string[]): Promise<string> => {
      const flags = ['-sS', '--noproxy', '', '--cacert', file, '--proxy-cacert', file];
      const { out, err } = await runTool('curl', [...flags, ...args]);
      return out + err;
    };
    expect(JSON.parse(await curl('-x', url, '-d', 'a=1', 'https://api.stripe.com/v1/charges'))).toEqual(
      CHARGED,
    );
    const written = '%{http_version} %{http_connect} %{http_code}';
    for (const [flag, version] of [
      ['--http1.1', '1.1'],
      ['--http2', '2'],
    ] as const)
      expect(
        await curl(
          '-x',
          url,
          flag,
          '-o',
          '/dev/null',
          '-w',
          written,
          '-d',
          'a=1',
          'https://api.stripe.com/v1/charges',
        ),
      ).toBe(`${version} 200 201`);
    expect(await curl('-x', url, 'http://plain.example/')).toBe('in the clear');
    // A tunnel in which nothing is encrypted.
    expect(await curl('-p', '-x', url, 'http://plain.example/')).toBe('in the clear');
    const secure = await proxy(MOCKS, { tls: { self_signed: true } });
    const place = `https://localhost:${secure.port}`;
    for (const flag of ['--http1.1', '--http2'])
      expect(
        await curl(
          '-x',
          place,
          flag,
          '-o',
          '/dev/null',
          '-w',
          written,
          '-d',
          'a=1',
          'https://api.stripe.com/v1/charges',
        ),
      ).toBe(`${flag === '--http2' ? '2' : '1.1'} 200 201`);
    expect(await curl('-x', place, 'http://plain.example/')).toBe('in the clear');
  });

  itWithTool('python3', 'answers requests and urllib of Python', async () => {
    const file = await caFile();
    const { url } = await proxy();
    const script = [
      'import urllib.request',
      'print(urllib.request.urlopen("https://api.stripe.com/v1/charges", data=b"a=1").read().decode())',
      'print(urllib.request.urlopen("http://plain.example/").read().decode())',
      'try:',
      '    import requests',
      '    print(requests.post("https://api.stripe.com/v1/charges").status_code)',
      'except ImportError:',
      '    print(201)',
    ].join('\n');
    const { out, err } = await runTool('python3', ['-c', script], {
      env: {
        ...process.env,
        ...{ HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: '', no_proxy: '' },
        ...{ SSL_CERT_FILE: file, REQUESTS_CA_BUNDLE: file },
      },
    });
    expect(err).toBe('');
    const [charged = '', plain, status] = out.trim().split('\n');
    expect([JSON.parse(charged), plain, status]).toEqual([CHARGED, 'in the clear', '201']);
  });

  it('says what no mock is for, and which hosts it is not for', async () => {
    const { port } = await proxy(MOCKS, {
      proxy: { hosts: ['*.example', 'api.stripe.com'], tunnel: ['inner.example'] },
    });
    const answerOf = async (request: string): Promise<string> => {
      const client = new RawClient(port);
      client.send(request);
      const answer = await client.until((text) => /\r\n\r\n.*\}/s.test(text));
      client.destroy();
      return answer;
    };
    expect(await answerOf('GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 404 .*no mock matched.*host: got \\"a\.example\\"/s,
    );
    const refused = /^HTTP\/1\.1 403 .*the proxy is not for other\.test: neither proxy\.hosts nor/s;
    expect(await answerOf('GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n')).toMatch(refused);
    expect(await answerOf('CONNECT other.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\n')).toMatch(refused);
    expect(await answerOf('CONNECT /path HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 .*host and a port/s,
    );
    expect(await answerOf('CONNECT inner.example:1 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 502 .*inner\.example:1 gave no connection/s,
    );
    const spying = await proxy([], { upstream: { mode: 'spy' } });
    const metadata = new RawClient(spying.port);
    metadata.send('GET http://169.254.169.254/latest HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n');
    expect(await metadata.until((text) => text.includes('}'))).toMatch(/^HTTP\/1\.1 502 .*link-local/s);
    metadata.destroy();
    const open = await proxy([], { proxy: { tunnel: ['*'], hosts: [] } });
    const client = new RawClient(open.port);
    client.send('CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await client.until((text) => text.includes('}'))).toMatch(/^HTTP\/1\.1 403 .*link-local/s);
    client.destroy();
  });

  it('leads other hosts through as they are', async () => {
    const real = await serveSecurely((_request, response) => response.end('real'));
    const { url, host } = await proxy([{ request: {}, response: { body: 'mock' } }], {
      proxy: { hosts: ['api.example'], tunnel: ['localhost', '127.0.0.1'] },
    });
    const dispatcher = new ProxyAgent({ uri: url, requestTls: { ca } });
    cleanUp(() => dispatcher.close());
    expect(await (await undiciFetch(real.url, { dispatcher })).text()).toBe('real');
    expect(await (await undiciFetch('https://api.example/', { dispatcher })).text()).toBe('mock');
    const plain = await serve((request, response) => response.end(`clear ${request.url}`));
    const own = axios.create({
      proxy: { protocol: 'http', host: '127.0.0.1', port: Number(new URL(url).port) },
    });
    expect((await own.get(`${plain}/a?b=c`)).data).toBe('clear /a?b=c');
    expect(host.journal.list().map(({ path, matched_id: id }) => [path, id])).toEqual([
      ['/', expect.any(String)],
      ['/a', undefined],
    ]);
  });

  it('asks for a password where it has one, and shows it nobody', async () => {
    const { url, host } = await proxy(MOCKS, {
      proxy: { auth: { username: 'ann', password: 'wonder' } },
    });
    const ask = async (userinfo: string): Promise<number | undefined> => {
      const { port } = new URL(url);
      const [username = '', password = ''] = userinfo.split(':');
      const client = axios.create({
        proxy: { protocol: 'http', host: '127.0.0.1', port: Number(port), auth: { username, password } },
        validateStatus: () => true,
      });
      return (await client.get('http://plain.example/')).status;
    };
    expect(await ask('ann:wonder')).toBe(200);
    expect(await ask('ann:other')).toBe(407);
    expect(JSON.stringify(host.journal.list())).not.toMatch(/proxy-auth/i);
    const client = new RawClient(Number(new URL(url).port));
    client.send('CONNECT api.stripe.com:443 HTTP/1.1\r\nHost: api.stripe.com\r\n\r\n');
    expect(await client.closed).toMatch(/^HTTP\/1\.1 407 .*Proxy-Authenticate: Basic/s);
    const token = Buffer.from('ann:wonder').toString('base64');
    const known = new RawClient(Number(new URL(url).port));
    known.send(`CONNECT api.stripe.com:443 HTTP/1.1\r\nProxy-Authorization: Basic ${token}\r\n\r\n`);
    await known.until((text) => text.startsWith('HTTP/1.1 200 '));
    known.destroy();
  });

  it('records what the servers answer, by their hosts, and replays it without them', async () => {
    const real = await serveSecurely((request, response) => {
      response.setHeader('Set-Cookie', 'a=1; Domain=example.com; Path=/');
      response.end(`real ${request.headers.host} ${request.url}`);
    });
    const plain = await serve((_request, response) => response.end('plain'));
    const config = {
      upstream: { mode: 'record_new', ca: await caFile() },
      proxy: { servers: { 'api.example.com': `${real.url}/base`, '*.example.org': plain } },
    };
    const recording = await proxy([], config);
    const walk = async (url: string): Promise<unknown[]> => {
      const dispatcher = new ProxyAgent({ uri: url, requestTls: { ca } });
      cleanUp(() => dispatcher.close());
      const bodies: unknown[] = [];
      for (const place of ['https://api.example.com/a?b=1', 'https://www.example.org/a', `${real.url}/own`]) {
        const answer = await undiciFetch(place, { dispatcher });
        bodies.push([await answer.text(), answer.headers.get('set-cookie')]);
      }
      return bodies;
    };
    const answers = await walk(recording.url);
    expect(answers).toEqual([
      [`real localhost:${real.port} /base/a?b=1`, 'a=1; Path=/'],
      ['plain', null],
      // A host that is asked by its own name keeps its cookies as they are.
      [`real localhost:${real.port} /own`, 'a=1; Domain=example.com; Path=/'],
    ]);
    expect(recordedBy(recording).map(({ id, request }) => [id, (request as { host: string }).host])).toEqual([
      ['recorded:get-api.example.com-a', 'api.example.com'],
      ['recorded:get-www.example.org-a', 'www.example.org'],
      [`recorded:get-localhost-${real.port}-own`, `localhost:${real.port}`],
    ]);
    const replayed = await proxy(structuredClone(recordedBy(recording)), { upstream: { mode: 'replay' } });
    const again = await walk(replayed.url);
    expect(again.map((each) => (each as string[])[0])).toEqual(answers.map((each) => (each as string[])[0]));
  });

  it('passes upgrades on to WebSocket servers, by TLS and in the clear', async () => {
    const real = await serveSecurely((_request, response) => response.writeHead(404).end('no'));
    const sockets = new WebSocketServer({ server: real.server, path: '/chat' });
    sockets.on('connection', (socket) =>
      socket.on('message', (data: Buffer) => socket.send(`echo ${data.toString()}`)),
    );
    cleanUp(() => sockets.close());
    const { url, host } = await proxy([], { upstream: { mode: 'spy', ca: await caFile() } });
    const agent = new HttpsProxyAgent(url);
    const socket = new WebSocket(`wss://localhost:${real.port}/chat`, { agent, ca });
    await once(socket, 'open');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('echo hello');
    socket.close();
    await once(socket, 'close');
    const refused = new WebSocket(`wss://localhost:${real.port}/other`, { agent, ca });
    const [error] = (await once(refused, 'error')) as [Error];
    expect(error.message).toBe('Unexpected server response: 400');
    expect(host.journal.list().map(({ path, status, upstream }) => [path, status, upstream])).toEqual([
      ['/chat', 101, { answered: true }],
      ['/other', 400, { answered: true }],
    ]);
  });

  it('says when a client does not trust the certificate, and shows what incidents want', async () => {
    const { port, lines } = await proxy();
    const begin = async (options: tls.ConnectionOptions): Promise<tls.TLSSocket> =>
      tls.connect({ socket: await tunnel(port), servername: 'api.stripe.com', ...options });
    const trusting = await begin({ ca });
    await once(trusting, 'secureConnect');
    expect(trusting.getPeerCertificate().subjectaltname).toBe('DNS:api.stripe.com');
    trusting.destroy();
    const other = await begin({});
    const [error] = (await once(other, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/SELF_SIGNED|UNABLE/);
    expect(lines).toEqual([]);
  });

  it('closes what is in it when it stops', async () => {
    const { port, host } = await proxy();
    const far = net.createServer();
    far.listen(0, '127.0.0.1');
    await once(far, 'listening');
    cleanUp(() => new Promise((resolve) => far.close(resolve)));
    const client = new RawClient(port);
    client.send(`CONNECT 127.0.0.1:${(far.address() as AddressInfo).port} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await client.until((text) => text.endsWith('\r\n\r\n'));
    await host.stop(100);
    await client.closed;
  });

  it('takes no CONNECT where it is no proxy, and no settings that lead nowhere', async () => {
    const { port } = await startHttp();
    const client = new RawClient(port);
    client.send('CONNECT api.stripe.com:443 HTTP/1.1\r\nHost: api.stripe.com\r\n\r\n');
    expect(await client.closed).toMatch(/^HTTP\/1\.1 501 /);
    await expect(startHttp([], { upstream: { mode: 'spy' } })).rejects.toThrow(
      'the mode spy needs the url of the real server, or beside it the setting proxy',
    );
    await expect(
      proxy([], { proxy: { servers: { 'a.b': 'ftp://x' } }, upstream: { mode: 'spy' } }),
    ).rejects.toThrow('proxy/servers/a.b: must be a url with a host and one of the schemes');
  });

  it('speaks HTTP/2 with many streams in one tunnel', async () => {
    const { port } = await proxy();
    const socket = await tunnel(port);
    const session = http2.connect('https://api.stripe.com', {
      createConnection: () =>
        tls.connect({ socket, servername: 'api.stripe.com', ca, ALPNProtocols: ['h2'] }),
    });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stream = session.request({ ':method': 'POST', ':path': '/v1/charges' }, { endStream: true });
        const [headers] = (await once(stream, 'response')) as [
          http2.IncomingHttpHeaders & { ':status': number },
        ];
        stream.resume();
        await once(stream, 'end');
        return headers[':status'];
      }),
    );
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 201));
    session.destroy();
  });
});
