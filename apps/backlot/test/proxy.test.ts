import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON } from '@backlot/conformance';
import { makeFolder, runCommand } from './command.js';

const require = createRequire(import.meta.url);

let folder: ReturnType<typeof makeFolder>;
let real: Server;
let asked: string[] = [];

beforeAll(async () => {
  folder = makeFolder();
  real = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization?.slice(0, 11)}`);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ id: 'cus_1', object: 'customer', name: 'Ann' }));
  });
  real.listen(0, '127.0.0.1');
  await once(real, 'listening');
});
afterAll(async () => {
  real.closeAllConnections();
  await new Promise((resolve) => real.close(resolve));
  folder.remove();
});

/** A program with the SDK of Stripe, which asks its own host, by the agent that people have for proxies. */
const PAY = `
  const Stripe = require(${JSON.stringify(require.resolve('stripe'))});
  const { HttpsProxyAgent } = require(${JSON.stringify(require.resolve('https-proxy-agent'))});
  const { HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE, REQUESTS_CA_BUNDLE } = process.env;
  const stripe = new (Stripe.default ?? Stripe)('sk_test_0123456789abcdefghij', {
    httpAgent: new HttpsProxyAgent(HTTPS_PROXY), maxNetworkRetries: 0,
  });
  stripe.customers.create({ name: 'Ann' })
    .then(({ id }) => stripe.customers.retrieve(id))
    .then(({ name }) => console.log(name, NO_PROXY, SSL_CERT_FILE === REQUESTS_CA_BUNDLE));
`;

const GRPC = `
protocols:
  http: {}
  grpc:
    share: http
    sources:
      - name: talk.proto
        content: >
          syntax = "proto3"; package talk; message Word { string text = 1; }
          service Talk { rpc Say(Word) returns (Word); }
    mocks:
      - { method: Say, response: { text: 'hello {{request.body.text}}' }, trailers: { late: 'yes' } }
`;

/** A program with a client of gRPC that knows nothing of the proxy. */
const SAY = `
  const grpc = require(${JSON.stringify(require.resolve('@grpc/grpc-js'))});
  const { fromJSON } = require(${JSON.stringify(require.resolve('@grpc/proto-loader'))});
  const Word = { fields: { text: { type: 'string', id: 1 } } };
  const Talk = { methods: { Say: { requestType: 'Word', responseType: 'Word' } } };
  const { talk } = grpc.loadPackageDefinition(fromJSON({ nested: { talk: { nested: { Word, Talk } } } }));
  const say = (address, credentials, text) =>
    new Promise((resolve, reject) => {
      const client = new talk.Talk(address, credentials);
      let word;
      const call = client.Say({ text }, (error, answer) => (error ? reject(error) : (word = answer)));
      call.on('status', ({ metadata }) => {
        client.close();
        resolve(word?.text + ' ' + metadata.get('late'));
      });
    });
  (async () => {
    console.log(await say('grpc.example.com', grpc.credentials.createSsl(), 'Ann'));
    console.log(await say('plain.example.com:8443', grpc.credentials.createInsecure(), 'Bob'));
  })();
`;

const SAY_PY = `
import grpc
for channel in (
    grpc.secure_channel("grpc.example.com", grpc.ssl_channel_credentials()),
    grpc.insecure_channel("plain.example.com:8443"),
):
    with channel:
        print(channel.unary_unary("/talk.Talk/Say")(b"\\n\\x03Ann", timeout=60))
`;

describe('backlot run --proxy', () => {
  it('records what an SDK asks its fixed host, and replays it without that', async () => {
    const { port } = real.address() as AddressInfo;
    writeFileSync(
      join(folder.path, 'backlot.yaml'),
      `protocols: { http: { proxy: { servers: { api.stripe.com: "http://127.0.0.1:${port}" } } } }\n`,
    );
    writeFileSync(join(folder.path, 'pay.cjs'), PAY);
    const run = (...flags: string[]): ReturnType<typeof runCommand> =>
      runCommand(['run', '--proxy', ...flags, '--', process.execPath, 'pay.cjs'], {
        cwd: folder.path,
        env: { NO_PROXY: 'inner.test' },
      });
    const out = 'Ann inner.test,localhost,127.0.0.1,::1 true\n';
    const recorded = await run('--upstream', 'record_new', '--export', 'recorded.yaml');
    expect(recorded).toMatchObject({ code: 0, stdout: out, stderr: '' });
    expect(asked).toEqual(['POST /v1/customers Bearer sk_t', 'GET /v1/customers/cus_1 Bearer sk_t']);
    asked = [];
    expect(readFileSync(join(folder.path, 'recorded.yaml'), 'utf8')).toContain('host: api.stripe.com');
    const replayed = await run('-c', 'recorded.yaml', '--upstream', 'replay');
    expect(replayed).toMatchObject({ code: 0, stdout: out, stderr: '' });
    expect(asked).toEqual([]);
  });

  it('answers gRPC in the name of the hosts that a client asks, by TLS and in the clear', async () => {
    writeFileSync(join(folder.path, 'grpc.yaml'), GRPC);
    writeFileSync(join(folder.path, 'say.cjs'), SAY);
    const ran = await runCommand(['run', '-c', 'grpc.yaml', '--proxy', '--', process.execPath, 'say.cjs'], {
      cwd: folder.path,
    });
    expect(ran).toEqual({
      code: 0,
      stdout: 'hello Ann yes\nhello Bob yes\n',
      stderr: '',
    });
  });

  itWithTool('python3:grpc', 'answers gRPC of Python in the same way', async () => {
    writeFileSync(join(folder.path, 'grpc.yaml'), GRPC);
    writeFileSync(join(folder.path, 'say.py'), SAY_PY);
    const ran = await runCommand(['run', '-c', 'grpc.yaml', '--proxy', '--', PYTHON, 'say.py'], {
      cwd: folder.path,
    });
    expect(ran).toMatchObject({ code: 0, stdout: "b'\\n\\thello Ann'\nb'\\n\\thello Ann'\n" });
  });

  it('says what it needs', async () => {
    const ended = await runCommand(['run', '--proxy', '--only', 'redis', '--', process.execPath], {
      cwd: folder.path,
    });
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringContaining('--proxy needs http, which does not start; name it by --only'),
    ]);
  });
});
