import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { FREE_PORTS, runCommand, startCommand, type StartedServer } from './command.js';

let server: StartedServer;
let api = '';

beforeAll(async () => {
  server = await startCommand(FREE_PORTS);
  api = (server.urls['api'] ?? '').replace(/\/$/, '');
  const mock = { id: 'cart', request: { path: '/cart' }, response: { body: 'full' } };
  await fetch(`${api}/api/mocks/http`, { method: 'POST', body: JSON.stringify(mock) });
});
afterAll(() => server.stop());

interface Entry {
  readonly protocol: string;
  readonly path: string;
}

async function ask(path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(
    `${api}${path}`,
    body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
  );
  return answer.json();
}

/** An application with the SDK: it handles a purchase, asks for the cart, and fails. */
async function buy(exporter: SpanExporter): Promise<string> {
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': 'shop' })),
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('checkout', '2.0.0');
  const below = (parent: Span) => trace.setSpan(ROOT_CONTEXT, parent);
  const outer = tracer.startSpan('buy', { kind: SpanKind.SERVER });
  const inner = tracer.startSpan(
    'read cart',
    { kind: SpanKind.CLIENT, attributes: { items: 2, 'cart.id': 'c7' } },
    below(outer),
  );
  const { traceId, spanId } = inner.spanContext();
  const headers = { traceparent: `00-${traceId}-${spanId}-01` };
  await fetch(`${(server.urls['http'] ?? '').replace(/\/$/, '')}/cart`, { headers });
  inner.addEvent('read', { bytes: 4 });
  inner.end();
  outer.setStatus({ code: SpanStatusCode.ERROR, message: 'card declined' });
  outer.end();
  await provider.forceFlush();
  await provider.shutdown();
  return traceId;
}

describe.each([
  ['protobuf', () => new ProtobufExporter({ url: `${api}/v1/traces` })],
  [
    'JSON with gzip',
    () => new JsonExporter({ url: `${api}/v1/traces`, compression: CompressionAlgorithm.GZIP }),
  ],
])('spans as %s', (_name, makeExporter) => {
  test('stand between the calls of their trace, and can be asserted on', async () => {
    const id = await buy(makeExporter());
    // The spans come after the call that was made during them, and stand around it.
    const entries = (await ask(`/api/logs?trace=${id}`)) as readonly Entry[];
    expect(entries.map(({ protocol, path }) => [protocol, path])).toEqual([
      ['span', 'buy'],
      ['span', 'read cart'],
      ['http', '/cart'],
    ]);
    expect(entries[1]).toMatchObject({
      method: 'client',
      remote: 'shop',
      trace: id,
      span: {
        service: 'shop',
        status: 'unset',
        attributes: { items: 2, 'cart.id': 'c7' },
        scope: { name: 'checkout', version: '2.0.0' },
        events: [{ name: 'read', attributes: { bytes: 4 } }],
      },
    });
    const shown = await runCommand(['logs', '--trace', id, '--url', api]);
    expect(shown.stdout.split('\n').map((line) => line.replace(/\d\d:\d\d:\d\d\.\d+/, 'T'))).toEqual([
      expect.stringMatching(/^T span server buy error \d+ms of shop$/),
      expect.stringMatching(/^ {2}T span client read cart \d+ms of shop$/),
      expect.stringMatching(/^ {4}T http GET \/cart 200 \d+ms -> cart$/),
      '',
    ]);
    const verdict = await ask('/api/verify', {
      expect: [
        {
          span: {
            name: 'read *',
            trace: id,
            attributes: { items: { gte: 2 }, 'cart.id': 'c7' },
            event: 'read',
          },
          times: 1,
        },
        { span: { service: 'shop', status: 'error', message: { contains: 'declined' }, trace: id } },
        { span: { trace: id, parent: { absent: true } }, times: 1 },
        {
          span: { trace: id, scope: 'checkout', resource: { 'telemetry.sdk.language': 'nodejs' } },
          times: 2,
        },
        { http: { path: '/cart' } },
      ],
      within: '5s',
    });
    expect(verdict).toMatchObject({ verified: true });
  });
});

test('what is missing is said with the nearest span, and what is wrong with its field', async () => {
  const id = await buy(new ProtobufExporter({ url: `${api}/v1/traces` }));
  const verdict = await ask('/api/verify', {
    expect: [{ span: { name: 'read cart', trace: id, attributes: { items: 3 } } }],
  });
  expect(verdict).toMatchObject({
    verified: false,
    expectations: [
      {
        protocol: 'span',
        count: 0,
        nearest: expect.arrayContaining([
          expect.objectContaining({ path: 'read cart', reason: 'attribute items: got 2, want 3' }),
        ]),
      },
    ],
  });
  expect(await ask('/api/verify', { expect: [{ span: { nme: 'x', name: { regex: '(' } } }] })).toMatchObject({
    details: [{ path: '/expect/0/span/nme' }],
  });
  expect(
    await ask('/api/verify', { expect: [{ span: { name: 're:(', attributes: { a: {} } } }] }),
  ).toMatchObject({
    details: [{ path: '/expect/0/span/name' }, { path: '/expect/0/span/attributes/a' }],
  });
});

test('a wait ends when the span comes, in a space of its own as well', async () => {
  await ask('/api/spaces', { id: 'mine' });
  const waiting = ask('/api/spaces/mine/verify', { expect: [{ span: { name: 'buy' } }], within: '30s' });
  const id = await buy(new JsonExporter({ url: `${api}/api/spaces/mine/v1/traces` }));
  expect(await waiting).toMatchObject({ verified: true });
  expect(((await ask(`/api/logs?trace=${id}`)) as readonly Entry[]).map(({ protocol }) => protocol)).toEqual([
    'http',
  ]);
});

describe('an export that cannot be read', () => {
  const post = async (body: Uint8Array | string, type: string, headers = {}): Promise<[number, string]> => {
    const answer = await fetch(`${api}/v1/traces`, {
      method: 'POST',
      body: body as Uint8Array<ArrayBuffer> | string,
      headers: { 'content-type': type, ...headers },
    });
    return [answer.status, await answer.text()];
  };
  const bytes = 'application/x-protobuf';
  const json = 'application/json';
  const span = (more: object) =>
    JSON.stringify({
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: 'ab'.repeat(16),
                  spanId: 'cd'.repeat(8),
                  name: 'a',
                  startTimeUnixNano: '1',
                  endTimeUnixNano: '2',
                  ...more,
                },
              ],
            },
          ],
        },
      ],
    });

  test.each([
    ['bytes that end too early', Buffer.from([0x0a, 0x7f, 0x01]), bytes, 400, 'the message ends too early'],
    ['another content type', '{}', 'text/plain', 415, 'text/plain'],
    ['what is no JSON', '{', json, 400, 'JSON'],
    ['a trace without an id', span({ traceId: '' }), json, 400, 'traceId'],
    ['a time that is none', span({ endTimeUnixNano: 'now' }), json, 400, 'now'],
  ])('is refused as a whole: %s', async (_what, body, type, status, said) => {
    const [got, text] = await post(body, type);
    expect(got).toBe(status);
    expect(text).toContain(said);
  });

  test('is refused when its gzip is none, or when it holds too much', async () => {
    expect((await post('{}', json, { 'content-encoding': 'gzip' }))[0]).toBe(400);
    expect((await post('{}', json, { 'content-encoding': 'br' }))[0]).toBe(415);
    const large = span({ name: 'x'.repeat(1_100_000) });
    expect(await post(large, json)).toEqual([200, expect.stringContaining('"rejectedSpans":"1"')]);
    const many = Array.from({ length: 200 }, (_, place) => ({ key: `k${place}`, value: { intValue: '1' } }));
    expect((await post(span({ name: 'cut', attributes: many }), json))[0]).toBe(200);
    const [entry] = (await ask('/api/logs?path=cut&protocol=span')) as readonly {
      span: { attributes: object; dropped: number };
    }[];
    expect([Object.keys(entry?.span.attributes ?? {}).length, entry?.span.dropped]).toEqual([128, 72]);
  });
});
