import { expect, test } from '@jest/globals';
import { collectCleanups, eventually } from '@backlot/conformance';
import { createHost, type Host } from '@backlot/core';
import { http, type HttpMock } from '@backlot/http';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { readExportSettings } from '../src/traces/export-settings.js';
import { SpanExporter } from '../src/traces/span-exporter.js';
import { FREE_PORTS, startCommand } from './command.js';

const later = collectCleanups();

async function serve(mocks: readonly HttpMock[]): Promise<{ host: Host; url: string }> {
  const host = await createHost({
    protocols: [http],
    settings: { http: { host: '127.0.0.1', port: 0, mocks } },
  });
  later(() => host.stop(0));
  await host.start();
  return { host, url: `http://127.0.0.1:${host.kind('http').address?.port}` };
}

interface Row {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: string;
  readonly status: { readonly code: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

test('spans of mocks join the trace of an application with the SDK, and the command sends its own', async () => {
  // What the command is told to send its spans to.
  const own = await serve([
    { id: 'intake', request: { method: 'POST', path: '/v1/traces' }, response: { json: {} } },
  ]);
  const server = await startCommand([...FREE_PORTS, '--service', 'otlp'], {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: own.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s%20ecret',
      OTEL_SERVICE_NAME: 'mocks',
      OTEL_BSP_SCHEDULE_DELAY: '0',
    },
  });
  later(() => server.stop());
  const collector = `${(server.urls['http'] ?? '').replace(/\/$/, '')}/otlp`;
  const shop = await serve([{ id: 'cart', request: { path: '/cart' }, response: { json: [] } }]);
  const settings = readExportSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: collector });
  if (settings === undefined) throw new Error('the settings ask for no export');
  const complaints: string[] = [];
  const exporter = new SpanExporter(shop.host, settings, (text) => void complaints.push(text));
  later(() => exporter.stop(1000));

  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url: `${collector}/v1/traces` }))],
  });
  later(() => provider.shutdown());
  const span = provider.getTracer('app').startSpan('buy', { kind: SpanKind.CLIENT });
  const headers: Record<string, string> = {};
  const set = {
    set: (carrier: Record<string, string>, name: string, value: string) => void (carrier[name] = value),
  };
  new W3CTraceContextPropagator().inject(trace.setSpan(ROOT_CONTEXT, span), headers, set);
  await fetch(`${shop.url}/cart`, { headers });
  await fetch(`${shop.url}/crt`, {
    headers: { ...headers, traceparent: `${headers['traceparent']}`.replace(/-01$/, '-00') },
  });
  await fetch(`${shop.url}/none`);
  span.end();
  await provider.forceFlush();
  await exporter.flush();
  const answer = await fetch(`${server.urls['api']}/api/collections/otlp:spans`);
  const rows = (await answer.json()) as Row[];
  const { traceId, spanId } = span.spanContext();
  expect(
    rows
      .filter((row) => row.traceId === traceId)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['GET /cart', 'buy']);
  expect(rows.find(({ name }) => name === 'GET /cart')).toMatchObject({
    parentSpanId: spanId,
    kind: 'server',
    attributes: { 'backlot.mock': 'cart', 'backlot.protocol': 'http', 'backlot.status': '200' },
    resource: { 'service.name': 'backlot' },
  });
  const alone = rows.find(({ name }) => name === 'GET /none');
  expect(alone?.traceId).not.toBe(traceId);
  expect(alone).toMatchObject({ status: { code: 'error', message: 'no mock matched' } });
  // What the caller does not sample is not sent.
  expect(rows.some(({ name }) => name === 'GET /crt')).toBe(false);
  expect(complaints).toEqual([]);

  const intake = (): string =>
    own.host.journal
      .list()
      .map(({ body }) => body ?? '')
      .join('');
  await eventually(() => intake().includes('/otlp/v1/traces'));
  const [first] = own.host.journal.list();
  expect(first).toMatchObject({ matched_id: 'intake', headers: { 'api-key': 's ecret' } });
  expect(first?.body).toContain('{"key":"service.name","value":{"stringValue":"mocks"}}');
  // Only what the SDK sent has spans: the export of the other server is known by its agent.
  expect(intake()).not.toContain('backlot-otlp');
});

test('a collector that is away is one line of the log, and wrong settings name the variable', async () => {
  const { host, url } = await serve([]);
  const gone = await serve([]);
  await gone.host.stop(0);
  const lines: string[] = [];
  const settings = readExportSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${gone.url}/x` });
  if (settings === undefined) throw new Error('the settings ask for no export');
  const exporter = new SpanExporter(host, settings, (text) => void lines.push(text));
  later(() => exporter.stop(0));
  for (let round = 0; round < 2; round += 1) {
    await fetch(url);
    await exporter.flush();
  }
  expect(lines).toEqual([expect.stringMatching(/^spans were not taken: .*\/x: .*ECONNREFUSED/)]);
  const read = (env: Record<string, string>): unknown => {
    try {
      return readExportSettings(env);
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  expect(read({})).toBeUndefined();
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'TRUE' })).toBeUndefined();
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'a:4317' })).toContain('OTEL_EXPORTER_OTLP_ENDPOINT "a:4317"');
  expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toContain(
    'OTEL_EXPORTER_OTLP_PROTOCOL "grpc"',
  );
  expect(
    read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a/b/', OTEL_RESOURCE_ATTRIBUTES: 'env=ci,team=a%2Cb' }),
  ).toMatchObject({
    url: 'http://a/b/v1/traces',
    resource: { 'service.name': 'backlot', env: 'ci', team: 'a,b' },
  });
});
