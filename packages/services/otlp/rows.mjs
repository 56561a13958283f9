import { attributesOf, idOf, listOf, numberOf, objectOf, plain } from './values.mjs';

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'];
const TEMPORALITIES = ['unspecified', 'delta', 'cumulative'];
const POINTS = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];

/** An enum by its number or by its name in protobuf, as a short name. */
function nameOf(value, names, begin) {
  if (typeof value === 'string') return value.replace(begin, '').toLowerCase();
  return names[value ?? 0] ?? String(value);
}

/** The rows of each signal: where they stand in a request, and what is made of each item. */
export const SIGNALS = {
  traces: {
    collection: 'spans',
    resources: 'resourceSpans',
    scopes: 'scopeSpans',
    items: 'spans',
    rows: (span) => [spanRow(span)],
  },
  metrics: {
    collection: 'metrics',
    resources: 'resourceMetrics',
    scopes: 'scopeMetrics',
    items: 'metrics',
    rows: metricRows,
  },
  logs: {
    collection: 'logs',
    resources: 'resourceLogs',
    scopes: 'scopeLogs',
    items: 'logRecords',
    rows: (log) => [logRow(log)],
  },
};

/** All rows that a request makes. @throws OtlpError for a request that is not well formed */
export function rowsIn(request, { resources, scopes, items, rows }) {
  return listOf(request, resources).flatMap((one) => {
    const resource = attributesOf(objectOf(one, resources).resource ?? {});
    return listOf(one, scopes).flatMap((group) => {
      const { name = '', version = '' } = objectOf(group, scopes).scope ?? {};
      return listOf(group, items)
        .flatMap(rows)
        .map((row) => ({ ...row, resource, scope: { name, version } }));
    });
  });
}

export function spanRow(span) {
  const {
    name = '',
    traceState = '',
    startTimeUnixNano: start,
    endTimeUnixNano: end,
    status = {},
  } = objectOf(span, 'a span');
  const parent = span.parentSpanId ?? '';
  return {
    traceId: idOf(span.traceId, 'traceId', 32),
    spanId: idOf(span.spanId, 'spanId', 16),
    parentSpanId: parent === '' ? null : idOf(parent, 'parentSpanId', 16),
    name,
    kind: nameOf(span.kind, KINDS, 'SPAN_KIND_'),
    traceState,
    ...timesOf({ start, end }),
    attributes: attributesOf(span),
    events: listOf(span, 'events').map((event) => ({
      name: event.name ?? '',
      time: String(event.timeUnixNano ?? '0'),
      attributes: attributesOf(event),
    })),
    links: listOf(span, 'links').map((link) => ({
      traceId: idOf(link.traceId, 'traceId', 32),
      spanId: idOf(link.spanId, 'spanId', 16),
      attributes: attributesOf(link),
    })),
    status: { code: nameOf(status.code, STATUSES, 'STATUS_CODE_'), message: status.message ?? '' },
  };
}

/** Times in nanoseconds are texts, since JavaScript has no such numbers. */
function timesOf(times) {
  return Object.fromEntries(Object.entries(times).map(([name, value]) => [name, String(value ?? '0')]));
}

function metricRows(metric) {
  const { name = '', unit = '', description = '' } = objectOf(metric, 'a metric');
  const type = POINTS.find((one) => metric[one] !== undefined);
  if (type === undefined) return [];
  const data = objectOf(metric[type], type);
  const temporality =
    data.aggregationTemporality === undefined
      ? {}
      : { temporality: nameOf(data.aggregationTemporality, TEMPORALITIES, 'AGGREGATION_TEMPORALITY_') };
  const monotonic = type === 'sum' ? { monotonic: data.isMonotonic ?? false } : {};
  return listOf(data, 'dataPoints').map((point) => ({
    name,
    unit,
    description,
    type,
    ...temporality,
    ...monotonic,
    attributes: attributesOf(point),
    ...timesOf({ start: point.startTimeUnixNano, time: point.timeUnixNano }),
    ...pointOf(point),
  }));
}

/** What a point has, by whichever type it is. */
function pointOf(point) {
  const value = point.asDouble ?? numberOf(point.asInt);
  const buckets = (given) => ({
    offset: given.offset ?? 0,
    counts: listOf(given, 'bucketCounts').map(numberOf),
  });
  const fields = {
    value,
    count: numberOf(point.count),
    sum: point.sum,
    min: point.min,
    max: point.max,
    bounds: point.explicitBounds,
    counts: point.bucketCounts?.map(numberOf),
    scale: point.scale,
    zero: numberOf(point.zeroCount),
    positive: point.positive && buckets(point.positive),
    negative: point.negative && buckets(point.negative),
    quantiles: point.quantileValues,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== undefined));
}

function logRow(log) {
  const {
    severityText = '',
    severityNumber = 0,
    traceId,
    spanId,
    eventName = '',
  } = objectOf(log, 'a log record');
  return {
    ...timesOf({ time: log.timeUnixNano, observed: log.observedTimeUnixNano }),
    severityNumber,
    severityText,
    body: plain(log.body),
    eventName,
    attributes: attributesOf(log),
    traceId: traceId === undefined || traceId === '' ? null : idOf(traceId, 'traceId', 32),
    spanId: spanId === undefined || spanId === '' ? null : idOf(spanId, 'spanId', 16),
  };
}
