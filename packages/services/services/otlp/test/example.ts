import { expect, it } from '@jest/globals';
import { useBacklot } from '@backlot/testing';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const backlot = useBacklot({ services: ['otlp'] });

it('traces', async () => {
  const exporter = new OTLPTraceExporter({ url: `${backlot.env.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces` });
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.getTracer('tea').startSpan('brew').end();
  await provider.forceFlush();
  expect(backlot.collection('otlp:spans').list()).toMatchObject([{ name: 'brew', scope: { name: 'tea' } }]);
});
