import { BacklotError, runInSlices, Type } from '@backlot/core/plugin';
import type { SpanTools } from '../options.js';
import { parseJson } from '../safety/parse-json.js';
import { fails, type ManagementRoute } from './management-route.js';

/** Where applications send their spans to, as to a collector of OpenTelemetry. */
export function traceRoutes(tools: SpanTools | undefined): ManagementRoute[] {
  return [
    {
      method: 'POST',
      path: '/api/v1/traces',
      name: 'exportTraces',
      // Spans stay where they came, as messages do.
      reach: 'agreed',
      tag: 'Logs',
      summary: 'Takes spans of applications by OTLP.',
      description:
        'Also at `/v1/traces`, so that `OTEL_EXPORTER_OTLP_ENDPOINT` is the address of this port. Spans become log entries with the protocol `span`. The body is an `ExportTraceServiceRequest`, as protobuf (`application/x-protobuf`) or as JSON; it may be compressed by gzip. The answer has the same encoding.',
      body: Type.Unknown({ description: 'An export.' }),
      hostChecksBody: true,
      takesBytes: true,
      takesGzip: true,
      bodyOptional: true,
      examples: [{ resourceSpans: [] }],
      responses: {
        200: { description: 'All of it was taken, or the answer says what was not.' },
        400: fails('It is not well formed; nothing of it was taken.'),
        404: fails('What reads spans is not installed.'),
        415: fails('The content type is neither of the two.'),
      },
      async handle({ body, headers, signal }, host) {
        if (tools === undefined) throw new BacklotError('not_found', 'spans are not taken here');
        const contentType = String(headers['content-type'] ?? '');
        const isJson = /^application\/json\b/i.test(contentType);
        if (!isJson && !/^application\/x-protobuf\b/i.test(contentType))
          throw new BacklotError(
            'unsupported_media_type',
            `the content type is ${JSON.stringify(contentType.slice(0, 100))}; it must be application/x-protobuf or application/json`,
          );
        const bytes = bytesOf(body);
        const { takeSpans } = await tools.load();
        const request = { contentType, bytes, ...(isJson ? { tree: await parseJson(bytes) } : {}) };
        return runInSlices(
          takeSpans(request, (span) => host.addSpan(span)),
          signal,
        );
      },
    },
  ];
}

/** The bytes of a body, also of one that a parser of the application has read. */
function bytesOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
}
