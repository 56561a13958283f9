import { afterEach, describe, expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { SpanKind, SpanStatusCode, type HrTime } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { LoggerProvider, BatchLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  SimpleSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';

const backlot = useBacklot({ services: ['otlp'] });

const rows = (name: string): readonly unknown[] => backlot.collection(`otlp:${name}`).list();
const urlOf = (signal: string): string => `${backlot.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/${signal}`;

const EXPORTERS: readonly (readonly [string, () => SpanExporter])[] = [
  ['protobuf', () => new ProtobufExporter({ url: urlOf('traces') })],
  ['JSON', () => new JsonExporter({ url: urlOf('traces') })],
];

/** What an exporter says of the exports since it was last asked: their code, and the message of an error. */
let results: { code: number; message: string | undefined }[] = [];
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  results = [];
});

/** Makes a span, and waits until it was exported. */
async function trace(exporter: SpanExporter, count = 1): Promise<void> {
  const watched: SpanExporter = {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, (result) => {
        results.push({ code: result.code, message: result.error?.message });
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(watched)] });
  closing.push(() => provider.shutdown());
  const tracer = provider.getTracer('tea', '1.0.0');
  for (let index = 0; index < count; index += 1) {
    const span = tracer.startSpan('brew', {
      kind: SpanKind.SERVER,
      attributes: {
        pot: 'blue',
        cups: 2,
        big: 9_007_199_254_740_991,
        warm: 0.5,
        hot: true,
        kinds: ['a', 'b'],
      },
    });
    span.addEvent('boiled', { degrees: 99 }, [1_700_000_000, 5] satisfies HrTime);
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'too cold' });
    span.end();
  }
  // It rejects with what the exporter has told already.
  await provider.forceFlush().catch(() => undefined);
}

async function post(body: Uint8Array | string, type: string, signal = 'traces'): Promise<Response> {
  return fetch(urlOf(signal), {
    method: 'POST',
    body: body as Uint8Array<ArrayBuffer> | string,
    headers: { 'Content-Type': type },
  });
}

describe.each(EXPORTERS)('traces as %s', (_name, makeExporter) => {
  it('are rows with plain attributes', async () => {
    await trace(makeExporter());
    expect(results).toEqual([{ code: 0, message: undefined }]);
    expect(rows('spans')).toMatchObject([
      {
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        parentSpanId: null,
        name: 'brew',
        kind: 'server',
        attributes: {
          pot: 'blue',
          cups: 2,
          big: 9_007_199_254_740_991,
          warm: 0.5,
          hot: true,
          kinds: ['a', 'b'],
        },
        events: [{ name: 'boiled', time: '1700000000000000005', attributes: { degrees: 99 } }],
        status: { code: 'error', message: 'too cold' },
        scope: { name: 'tea', version: '1.0.0' },
        resource: { 'telemetry.sdk.language': 'nodejs' },
      },
    ]);
  });

  it('are exported again when there was no room or no service', async () => {
    backlot.scenarios.activate('otlp:rate-limited-once');
    backlot.scenarios.activate('otlp:outage-once');
    await trace(makeExporter());
    expect(results).toEqual([{ code: 0, message: undefined }]);
    expect(rows('spans')).toHaveLength(1);
    expect(backlot.host.kind('http').calls.of('otlp:rate-limited-once').count).toBe(1);
    expect(backlot.host.kind('http').calls.of('otlp:outage-once').count).toBe(1);
  });

  it('are refused for wrong credentials, which is final', async () => {
    backlot.scenarios.activate('otlp:wrong-credentials');
    await trace(makeExporter());
    expect(results).toMatchObject([{ code: 1 }]);
    expect(backlot.host.kind('http').calls.of('otlp:wrong-credentials').count).toBe(1);
  });

  it('are taken in parts', async () => {
    backlot.scenarios.activate('otlp:partial-success');
    await trace(makeExporter(), 2);
    expect(results).toHaveLength(2);
    expect(rows('spans')).toEqual([]);
  });
});

describe('metrics', () => {
  it('are a row for each point', async () => {
    const reader = new PeriodicExportingMetricReader({
      exporter: new OTLPMetricExporter({ url: urlOf('metrics') }),
      exportIntervalMillis: 3_600_000,
    });
    const provider = new MeterProvider({
      readers: [reader],
      views: [{ instrumentName: 'wide', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
    });
    closing.push(() => provider.shutdown());
    const meter = provider.getMeter('tea');
    meter.createCounter('cups', { unit: '{cup}' }).add(3, { kind: 'green' });
    meter.createHistogram('degrees', { advice: { explicitBucketBoundaries: [50, 90] } }).record(95);
    meter.createHistogram('wide').record(4);
    meter.createGauge('left').record(1.5);
    await provider.forceFlush();
    expect(rows('metrics')).toMatchObject([
      { name: 'wide', type: 'exponentialHistogram', count: 1, positive: { counts: [1] } },
      {
        name: 'cups',
        type: 'sum',
        unit: '{cup}',
        value: 3,
        monotonic: true,
        temporality: 'cumulative',
        attributes: { kind: 'green' },
      },
      { name: 'degrees', type: 'histogram', count: 1, sum: 95, bounds: [50, 90], counts: [0, 0, 1] },
      { name: 'left', type: 'gauge', value: 1.5 },
    ]);
  });
});

describe('logs', () => {
  it('are rows', async () => {
    const provider = new LoggerProvider({
      processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter({ url: urlOf('logs') }) })],
    });
    closing.push(() => provider.shutdown());
    provider.getLogger('tea').emit({
      severityNumber: 13,
      severityText: 'WARN',
      body: { text: 'the pot is hot', degrees: [99] },
      attributes: { pot: 'blue' },
    });
    await provider.forceFlush();
    expect(rows('logs')).toMatchObject([
      {
        severityNumber: 13,
        severityText: 'WARN',
        body: { text: 'the pot is hot', degrees: [99] },
        attributes: { pot: 'blue' },
        traceId: null,
        scope: { name: 'tea' },
      },
    ]);
  });
});

const SPAN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'x' };
const around = (span: unknown): string =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });

describe('what is wrong', () => {
  it.each([
    ['no json', 'application/json', 400],
    ['[]', 'application/json', 400],
    ['{"resourceSpans": 5}', 'application/json', 400],
    [around({ ...SPAN, traceId: 'x' }), 'application/json', 400],
    [around({ ...SPAN, spanId: '0'.repeat(16) }), 'application/json', 400],
    [around({ ...SPAN, attributes: [{ key: 'a', value: { other: 1 } }] }), 'application/json', 400],
    [around(SPAN), 'text/plain', 415],
  ])('is said in JSON: %s', async (body, type, status) => {
    const answer = await post(body, type);
    expect([answer.status, await answer.json()]).toEqual([status, { code: 3, message: expect.any(String) }]);
    expect(rows('spans')).toEqual([]);
  });

  it.each([
    [[0x0a, 0x05, 0x01]],
    [[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    [[0x0b]],
    [[0x08, 0x01]],
    [[0x0a, 0x04, 0x12, 0x02, 0x12, 0x00]],
  ])('is said in protobuf: %j', async (bytes) => {
    const answer = await post(Uint8Array.from(bytes), 'application/x-protobuf');
    const text = Buffer.from(await answer.arrayBuffer());
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/x-protobuf']);
    expect([...text.subarray(0, 3)]).toEqual([8, 3, 18]);
  });

  it('with a path says which are known', async () => {
    const answer = await post('{}', 'application/json', 'profiles');
    const { message } = (await answer.json()) as { message: string };
    expect([answer.status, message]).toEqual([
      404,
      expect.stringContaining('/v1/traces, /v1/metrics, /v1/logs'),
    ]);
  });
});

describe('scenarios', () => {
  it.each([
    ['rate-limited', 429, 8, '1'],
    ['outage', 503, 14, '1'],
    ['wrong-credentials', 401, 16, null],
  ])('%s', async (name, status, code, after) => {
    backlot.scenarios.activate(`otlp:${name}`);
    const answer = await post('{}', 'application/json', 'logs');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, after]);
    expect(await answer.json()).toMatchObject({ code });
  });

  it('partial-success rejects the last item', async () => {
    backlot.scenarios.activate('otlp:partial-success');
    const spans = [SPAN, { ...SPAN, name: 'y' }];
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    const answer = await post(body, 'application/json');
    expect(await answer.json()).toEqual({
      partialSuccess: { rejectedSpans: '1', errorMessage: 'the last one was rejected' },
    });
    expect(rows('spans')).toMatchObject([{ name: 'x' }]);
  });

  it('broken loses the connection', async () => {
    backlot.scenarios.activate('otlp:broken');
    await expect(post('{}', 'application/json')).rejects.toThrow('fetch failed');
  });

  it('slow goes on when the clock does', async () => {
    backlot.clock.freeze(true);
    backlot.scenarios.activate('otlp:slow');
    const answer = post('{}', 'application/json');
    await backlot.host.kind('http').calls.wait('otlp:traces', 1, 10_000);
    await backlot.clock.advance(600_000);
    expect((await answer).status).toBe(200);
  });
});
