import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@backlot/conformance';
import { Code, ConnectError, createClient, type CallOptions, type Transport } from '@connectrpc/connect';
import * as node from '@connectrpc/connect-node';
import * as web from '@connectrpc/connect-web';
import type { DescService } from '@bufbuild/protobuf';
import { processCertificate } from '@backlot/kit';
import { ACME } from './support/acme.js';
import { describeUsers } from './support/connect.js';
import { startHost, type Running } from './support/grpc-host.js';

const MOCKS = [
  {
    id: 'ada',
    method: 'Get',
    match: { id: '7' },
    headers: { 'x-tenant': 'acme' },
    response: {
      id: '9007199254740993',
      name: 'Ada {{request.deadline}}',
      role: 'ADMIN',
      labels: { team: 'core' },
      email: 'ada@acme.test',
      photo: 'AQID',
      created_at: '2026-01-31T12:00:00Z',
      lifetime: '1.5s',
      scores: [1, -2],
    },
    metadata: { 'x-early': 'e', 'x-early-bin': 'AQID' },
    trailers: { 'x-late': ['one', 'two'], 'x-late-bin': '/w==' },
  },
  {
    id: 'missing',
    method: 'Get',
    match: { id: '404' },
    error: {
      code: 'UNAVAILABLE',
      message: 'keine Äpfel für {{request.body.id}}, 100 %',
      details: [
        { '@type': 'google.rpc.RetryInfo', retry_delay: '1.5s' },
        { '@type': 'google.rpc.ErrorInfo', reason: 'NO_USER', domain: 'acme.test' },
      ],
    },
    trailers: { 'x-late': 'yes' },
  },
  { id: 'slow', method: 'Get', match: { id: '1' }, delay: '1h', response: {} },
  { id: 'large', method: 'Get', match: { id: '2' }, response: { name: '{{request.body.name}}' } },
  {
    id: 'watch',
    method: 'Watch',
    stream: [{ response: { name: 'a' } }, { response: { name: 'b'.repeat(5000) } }],
    trailers: { 'x-late': 'yes' },
  },
  {
    id: 'add',
    method: 'Add',
    response: { count: 2, names: ['{{request.messages.0.name}}', '{{request.messages.1.name}}'] },
  },
  {
    id: 'chat',
    method: 'Chat',
    on_message: [
      { match: { name: 'bye' }, respond: { name: 'see you' }, close: true },
      { match: { name: 'boom' }, error: { code: 'DATA_LOSS', message: 'as you wish' } },
      { respond: { name: '{{request.body.name}} of {{length request.messages}}' } },
    ],
  },
];

/** The client of `acme.Users`, as far as the tests use it. */
interface Users {
  get(request: object, options?: CallOptions): Promise<Record<string, unknown>>;
  watch(request: object, options?: CallOptions): AsyncIterable<{ name: string }>;
  add(requests: AsyncIterable<object>): Promise<{ count: number; names: string[] }>;
  chat(requests: AsyncIterable<object>): AsyncIterable<{ name: string }>;
}

let service: DescService;
beforeAll(async () => {
  service = await describeUsers(ACME);
});

const gzip = { sendCompression: node.compressionGzip, compressMinBytes: 0 };
const TRANSPORTS: Readonly<Record<string, (baseUrl: string) => Transport>> = {
  'Connect, protobuf, HTTP/2': (baseUrl) =>
    node.createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: true }),
  'Connect, JSON, HTTP/2, gzip': (baseUrl) =>
    node.createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: false, ...gzip }),
  'Connect, protobuf, HTTP/1.1, brotli': (baseUrl) =>
    node.createConnectTransport({
      baseUrl,
      httpVersion: '1.1',
      useBinaryFormat: true,
      ...gzip,
      sendCompression: node.compressionBrotli,
    }),
  'Connect, JSON, HTTP/1.1': (baseUrl) =>
    node.createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
  'gRPC, HTTP/2': (baseUrl) => node.createGrpcTransport({ baseUrl }),
  'gRPC-Web, HTTP/2, gzip': (baseUrl) => node.createGrpcWebTransport({ baseUrl, httpVersion: '2', ...gzip }),
  'gRPC-Web, HTTP/1.1': (baseUrl) => node.createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect, JSON, fetch': (baseUrl) => web.createConnectTransport({ baseUrl }),
  'Connect, protobuf, fetch': (baseUrl) => web.createConnectTransport({ baseUrl, useBinaryFormat: true }),
  'gRPC-Web, fetch': (baseUrl) => web.createGrpcWebTransport({ baseUrl }),
};

async function start(name: string): Promise<Running & { client: Users }> {
  const running = await startHost({ mocks: MOCKS });
  const transport = (TRANSPORTS[name] as (baseUrl: string) => Transport)(`http://127.0.0.1:${running.port}`);
  return { ...running, client: createClient(service, transport) as unknown as Users };
}

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  try {
    await call;
  } catch (thrown) {
    if (thrown instanceof ConnectError) return thrown;
    throw thrown;
  }
  throw new Error('the call did not fail');
}

async function* each(...names: string[]): AsyncGenerator<object> {
  for (const name of names) yield await Promise.resolve({ name });
}

async function namesOf(answers: AsyncIterable<{ name: string }>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of answers) names.push(name);
  return names;
}

describe.each(Object.keys(TRANSPORTS))('%s', (name) => {
  it('gets a message with its metadata, by its metadata, and is in the journal as all calls are', async () => {
    const { client, host } = await start(name);
    let early: Headers | undefined;
    let late: Headers | undefined;
    const answer = await client.get(
      { id: 7n, name: 'x'.repeat(3000) },
      {
        headers: { 'x-tenant': 'acme' },
        timeoutMs: 60_000,
        onHeader: (headers) => (early = headers),
        onTrailer: (trailers) => (late = trailers),
      },
    );
    expect(answer).toMatchObject({
      id: 9007199254740993n,
      name: expect.stringMatching(/^Ada (?:60000|5\d{4})$/),
      role: 1,
      labels: { team: 'core' },
      contact: { case: 'email', value: 'ada@acme.test' },
      photo: new Uint8Array([1, 2, 3]),
      createdAt: { seconds: 1769860800n },
      lifetime: { seconds: 1n, nanos: 500_000_000 },
      scores: [1, -2],
    });
    expect([early?.get('x-early'), early?.get('x-early-bin')]).toEqual(['e', 'AQID']);
    expect([late?.get('x-late'), late?.get('x-late-bin')]).toEqual(['one, two', '/w==']);
    expect(host.kind('grpc').calls.of('ada').count).toBe(1);
    await eventually(() => host.journal.list().length === 1);
    expect(host.journal.list()).toMatchObject([
      {
        method: 'Get',
        path: '/acme.Users/Get',
        status: 'OK',
        matched_id: 'ada',
        body: JSON.stringify({ id: '7', name: 'x'.repeat(3000) }),
        headers: { 'x-tenant': 'acme' },
        response: { status: 'OK', body: expect.stringContaining('"role":"ADMIN"') },
      },
    ]);
  });

  it('gets an error with its details', async () => {
    const { client, host } = await start(name);
    const error = await errorOf(client.get({ id: 404n }));
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: 'keine Äpfel für 404, 100 %' });
    expect(error.metadata.get('x-late')).toBe('yes');
    expect(error.details.map((one) => ('type' in one ? one.type : ''))).toEqual([
      'google.rpc.RetryInfo',
      'google.rpc.ErrorInfo',
    ]);
    const [first] = error.details as unknown as [{ value: Uint8Array }];
    expect(Buffer.from(first.value).toString('hex')).toBe('0a0808011080cab5ee01');
    await eventually(() => host.journal.list()[0]?.['status'] === 'UNAVAILABLE');
  });

  it('gets the errors of the server itself', async () => {
    const { client, host } = await start(name);
    expect(await errorOf(client.get({ id: 5n }))).toMatchObject({
      code: Code.Unimplemented,
      rawMessage: 'method /acme.Users/Get not mocked',
    });
    expect(await errorOf(client.get({ id: 1n }, { timeoutMs: 50 }))).toMatchObject({
      code: Code.DeadlineExceeded,
    });
    const leaving = new AbortController();
    const left = errorOf(client.get({ id: 1n }, { signal: leaving.signal }));
    await eventually(() => host.kind('grpc').calls.of('slow').count === 2);
    leaving.abort();
    expect(await left).toMatchObject({ code: Code.Canceled });
    await eventually(() => host.journal.list().filter((one) => one['aborted'] === true).length === 2);
    host.faults.set('grpc', { code: 'PERMISSION_DENIED', message: 'not today' });
    expect(await errorOf(client.get({ id: 2n }))).toMatchObject({
      code: Code.PermissionDenied,
      rawMessage: 'not today',
    });
    host.faults.set('grpc', { status: 503, body: 'a proxy' });
    expect(await errorOf(client.get({ id: 2n }))).toMatchObject({ code: Code.Unavailable });
  });

  it('gets a stream, and what is pushed into it', async () => {
    const { client, host, add } = await start(name);
    let late: Headers | undefined;
    const answers = client.watch({}, { onTrailer: (trailers) => (late = trailers) });
    expect(await namesOf(answers)).toEqual(['a', 'b'.repeat(5000)]);
    expect(late?.get('x-late')).toBe('yes');
    add({ id: 'open', method: 'Watch', priority: 1, keep_open: true, stream: [{ response: { name: '1' } }] });
    const names = errorOf(
      (async () => {
        for await (const one of client.watch({})) {
          if (one.name === '1') host.streams.push({ protocol: 'grpc', mock_id: 'open' }, { name: '2' });
          else host.streams.close({ protocol: 'grpc', mock_id: 'open' }, 'enough');
        }
      })(),
    );
    expect(await names).toMatchObject({ code: Code.Aborted, rawMessage: 'enough' });
  });

  it('sends and gets large messages', async () => {
    const { client } = await start(name);
    const text = 'täglich '.repeat(50_000);
    expect(await client.get({ id: 2n, name: text })).toMatchObject({ name: text });
    expect(await errorOf(client.get({ id: 2n, name: 'x'.repeat(5_000_000) }))).toMatchObject({
      code: Code.ResourceExhausted,
    });
  });

  // Browsers cannot stream what they send.
  if (!name.endsWith('fetch')) {
    it('streams messages to the server, which are answered as a whole or one by one', async () => {
      const { client } = await start(name);
      expect(await client.add(each('p', 'q'))).toMatchObject({ count: 2, names: ['p', 'q'] });
      expect(await namesOf(client.chat(each('a', 'b')))).toEqual(['a of 1', 'b of 2']);
      expect(await namesOf(client.chat(each('a', 'bye', 'c')))).toEqual(['a of 1', 'see you']);
      const error = await errorOf(namesOf(client.chat(each('a', 'boom'))));
      expect(error).toMatchObject({ code: Code.DataLoss, rawMessage: 'as you wish' });
    });
  }

  if (name.includes('HTTP/2')) {
    it('answers each message before the next one is sent', async () => {
      const { client } = await start(name);
      let answered: () => void = () => undefined;
      async function* talk(): AsyncGenerator<object> {
        for (const word of ['one', 'two', 'bye']) {
          const answer = new Promise<void>((resolve) => (answered = resolve));
          yield { name: word };
          await answer;
        }
      }
      const names: string[] = [];
      for await (const one of client.chat(talk())) {
        names.push(one.name);
        answered();
      }
      expect(names).toEqual(['one of 1', 'two of 2', 'see you']);
    });
  }
});

describe('over TLS', () => {
  it.each(['1.1', '2'] as const)('serves gRPC-Web and Connect by HTTP/%s', async (httpVersion) => {
    const running = await startHost({ mocks: MOCKS, tls: {} });
    const baseUrl = `https://127.0.0.1:${running.port}`;
    const { cert } = await processCertificate();
    const nodeOptions = { ca: cert };
    for (const transport of [
      node.createConnectTransport({ baseUrl, httpVersion, nodeOptions }),
      node.createGrpcWebTransport({ baseUrl, httpVersion, nodeOptions }),
    ]) {
      const client = createClient(service, transport) as unknown as Users;
      expect(await client.get({ id: 2n, name: 'safe' })).toMatchObject({ name: 'safe' });
    }
  });
});
