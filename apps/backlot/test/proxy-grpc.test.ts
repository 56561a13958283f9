import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as grpcJs from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itWithTool, PYTHON } from '@backlot/conformance';
import { createHost } from '@backlot/core';
import { grpc } from '@backlot/grpc';
import { http } from '@backlot/http';
import { processCertificate } from '@backlot/kit';
import { makeFolder, runCommand } from './command.js';

const require = createRequire(import.meta.url);

const WORD = { fields: { text: { type: 'string', id: 1 }, api_token: { type: 'string', id: 2 } } };
const TALK = {
  nested: {
    talk: {
      nested: { Word: WORD, Talk: { methods: { Say: { requestType: 'Word', responseType: 'Word' } } } },
    },
  },
} as const;

/** A server of grpc-js with TLS; each answer has its name and how often it was asked. */
interface Real {
  readonly port: number;
  readonly authorizations: unknown[];
  stop(): void;
}

async function startReal(name: string, types: object = TALK): Promise<Real> {
  const { key, cert } = await processCertificate();
  const definition = fromJSON(types, { keepCase: true });
  const loaded = grpcJs.loadPackageDefinition(definition) as unknown as {
    talk: { Talk: { service: grpcJs.ServiceDefinition } };
  };
  const server = new grpcJs.Server();
  const authorizations: unknown[] = [];
  server.addService(loaded.talk.Talk.service, {
    Say(
      { request, metadata }: grpcJs.ServerUnaryCall<{ text: string }, unknown>,
      answer: grpcJs.sendUnaryData<unknown>,
    ) {
      authorizations.push(metadata.get('authorization')[0]);
      const trailers = new grpcJs.Metadata();
      trailers.set('late', 'yes');
      answer(
        null,
        { text: `${name} ${authorizations.length}: ${request.text}`, api_token: 'top-secret' },
        trailers,
      );
    },
  });
  new ReflectionService(definition).addToServer(server);
  const credentials = grpcJs.ServerCredentials.createSsl(null, [
    { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) },
  ]);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  return { port, authorizations, stop: () => server.forceShutdown() };
}

/** A program that asks two hosts, one of them twice, with a client that knows nothing of the proxy. */
const SAY = `
  const grpc = require(${JSON.stringify(require.resolve('@grpc/grpc-js'))});
  const { fromJSON } = require(${JSON.stringify(require.resolve('@grpc/proto-loader'))});
  const { talk } = grpc.loadPackageDefinition(fromJSON(${JSON.stringify(TALK)}, { keepCase: true }));
  const metadata = new grpc.Metadata();
  metadata.set('authorization', 'Bearer hunter2hunter2');
  const say = (host) => new Promise((resolve) => {
    const client = new talk.Talk(host, grpc.credentials.createSsl());
    const call = client.Say({ text: 'Ann' }, metadata, (error, word) => {
      client.close();
      resolve(error ? grpc.status[error.code] : word.text);
    });
  });
  (async () => {
    for (const host of process.argv.slice(2)) console.log(await say(host));
  })();
`;

const SAY_PY = `
import grpc, sys
for host in sys.argv[1:]:
    with grpc.secure_channel(host, grpc.ssl_channel_credentials()) as channel:
        print(channel.unary_unary("/talk.Talk/Say")(b"\\n\\x03Bob", timeout=60))
`;

let folder: ReturnType<typeof makeFolder>;
let ca = '';

beforeAll(async () => {
  folder = makeFolder();
  ca = join(folder.path, 'ca.pem');
  writeFileSync(ca, (await processCertificate()).cert);
  writeFileSync(join(folder.path, 'say.cjs'), SAY);
  writeFileSync(join(folder.path, 'say.py'), SAY_PY);
});
afterAll(() => folder.remove());

/** The settings of a proxy in front of two real servers. */
function configure([one, two]: readonly [Real, Real], name: string): void {
  const settings = {
    protocols: {
      http: {
        proxy: {
          servers: {
            'one.example.com': `https://localhost:${one.port}`,
            'two.example.com': `https://localhost:${two.port}`,
          },
        },
      },
      grpc: {
        share: 'http',
        upstream: { mode: 'spy', ca },
        sources: [
          {
            name: 'talk.proto',
            content: `syntax = "proto3"; package talk; message Word { string text = 1; string api_token = 2; }
              service Talk { rpc Say(Word) returns (Word); }`,
          },
        ],
      },
    },
  };
  writeFileSync(join(folder.path, name), JSON.stringify(settings));
}

const run = (flags: readonly string[], ...command: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand(['run', '--proxy', ...flags, '--', ...command], { cwd: folder.path });
const node = ['one.example.com', 'one.example.com', 'two.example.com'];
const ONE_RUN = 'one 1: Ann\none 2: Ann\ntwo 1: Ann\n';

describe('gRPC through the proxy', () => {
  it('is recorded from the hosts that a client of Node.js asks, and replayed without them', async () => {
    const real = [await startReal('one'), await startReal('two')] as const;
    configure(real, 'backlot.json');
    const recorded = await run(
      ['-c', 'backlot.json', '--upstream', 'record_new', '--export', 'recorded.yaml'],
      ...[process.execPath, 'say.cjs', ...node],
    );
    for (const one of real) one.stop();
    expect(recorded).toEqual({ code: 0, stdout: ONE_RUN, stderr: '' });
    expect(real[0].authorizations).toEqual(['Bearer hunter2hunter2', 'Bearer hunter2hunter2']);
    const text = readFileSync(join(folder.path, 'recorded.yaml'), 'utf8');
    expect(text).not.toMatch(/hunter2|top-secret/);
    expect(text).toContain('  http: {}\n  grpc:\n    share: http\n');
    expect(text.match(/id: .*|host: .*|times: .*/g)).toEqual([
      ...['id: recorded:one.example.com-talk.talk-say', 'host: one.example.com', 'times: 1'],
      ...['id: recorded:one.example.com-talk.talk-say-2', 'host: one.example.com'],
      ...['id: recorded:two.example.com-talk.talk-say', 'host: two.example.com'],
    ]);
    const replay = ['-c', 'backlot.json', '-c', 'recorded.yaml', '--upstream', 'replay'];
    expect(await run(replay, process.execPath, 'say.cjs', ...node)).toEqual({
      ...{ code: 0, stdout: ONE_RUN, stderr: '' },
    });
    // What was not recorded is told, and so is what nobody used.
    const missed = await run(replay, process.execPath, 'say.cjs', 'two.example.com', 'three.example.com');
    expect([missed.code, missed.stdout]).toEqual([1, 'two 1: Ann\nUNIMPLEMENTED\n']);
    expect(missed.stderr).toContain('error: grpc: 1 message was not recorded:\n');
    expect(missed.stderr).toContain('error: grpc: nobody used 2 recordings:\n');
  });

  itWithTool('python3:grpc', 'is recorded from the hosts that a client of Python asks', async () => {
    const real = [await startReal('one'), await startReal('two')] as const;
    configure(real, 'python.json');
    const say = [PYTHON, 'say.py', 'one.example.com', 'two.example.com'];
    const flags = ['-c', 'python.json', '--upstream', 'record_new', '--export', 'python.yaml'];
    const recorded = await run(flags, ...say);
    for (const one of real) one.stop();
    expect(recorded).toMatchObject({ code: 0, stderr: '' });
    expect(recorded.stdout).toContain('one 1: Bob');
    const replay = ['-c', 'python.json', '-c', 'python.yaml', '--upstream', 'replay'];
    expect(await run(replay, ...say)).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: recorded.stdout.replaceAll('\\x12\\ntop-secret', '\\x12\\x08REDACTED'),
    });
  });

  it('says that two hosts have other types by one name, and passes the calls of the second on as bytes', async () => {
    // The same names, with the fields in each other's place.
    const other = structuredClone(TALK) as unknown as { nested: { talk: { nested: { Word: typeof WORD } } } };
    Object.assign(other.nested.talk.nested.Word.fields.text, { id: 2 });
    Object.assign(other.nested.talk.nested.Word.fields.api_token, { id: 1 });
    const real = [await startReal('one'), await startReal('two', other)] as const;
    configure(real, 'types.json');
    const settings = JSON.parse(readFileSync(join(folder.path, 'types.json'), 'utf8')) as {
      protocols: { grpc: { sources?: unknown } };
    };
    delete settings.protocols.grpc.sources;
    writeFileSync(join(folder.path, 'types.json'), JSON.stringify(settings));
    const recorded = await run(
      ['-c', 'types.json', '--upstream', 'record_new', '--export', 'types.yaml'],
      ...[process.execPath, 'say.cjs', 'one.example.com', 'two.example.com'],
    );
    for (const one of real) one.stop();
    expect(recorded.code).toBe(0);
    expect(recorded.stderr).toContain(
      'its talk.Word is another one than that of the same name which another host has',
    );
    const text = readFileSync(join(folder.path, 'types.yaml'), 'utf8');
    expect(text.match(/^ *host: .*/gm)).toEqual(['        host: one.example.com']);
  });

  it.each<[object, { readonly mode: 'spy' | 'replay'; readonly url?: string }, string]>([
    [{}, { mode: 'spy' }, '"spy" needs the setting proxy of http'],
    [{ proxy: {} }, { mode: 'spy', url: 'grpc://localhost:1' }, 'cannot stand beside share'],
    [{ proxy: {} }, { mode: 'spy' }, ''],
    [{}, { mode: 'replay' }, ''],
  ])(
    'has an upstream where HTTP says which server a call is for: %j, %j',
    async (ofHttp, upstream, problem) => {
      const settings = { http: { port: 0, ...ofHttp }, grpc: { share: 'http', upstream } };
      const made = createHost({ protocols: [http, grpc], settings });
      if (problem === '') await expect(made).resolves.toBeDefined();
      else await expect(made).rejects.toThrow(problem);
    },
  );
});
