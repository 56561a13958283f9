/** The messages of OTLP 1.5: number of the field, its name in JSON, its type, and whether there may be several. */
const many = (name, type) => [name, type, true];

const ANY_VALUE = {
  1: ['stringValue', 'string'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int64'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', () => ARRAY_VALUE],
  6: ['kvlistValue', () => KVLIST_VALUE],
  7: ['bytesValue', 'bytes'],
};
const KEY_VALUE = { 1: ['key', 'string'], 2: ['value', ANY_VALUE] };
const ARRAY_VALUE = { 1: many('values', ANY_VALUE) };
const KVLIST_VALUE = { 1: many('values', KEY_VALUE) };
const attributes = many('attributes', KEY_VALUE);
const lostAttributes = ['droppedAttributesCount', 'uint32'];
export const RESOURCE = { 1: attributes, 2: lostAttributes };
export const SCOPE = { 1: ['name', 'string'], 2: ['version', 'string'], 3: attributes, 4: lostAttributes };

/** What stands around the items of a signal. */
const around = (resources, scopes, items, item) => ({
  1: many(resources, {
    1: ['resource', RESOURCE],
    2: many(scopes, { 1: ['scope', SCOPE], 2: many(items, item), 3: ['schemaUrl', 'string'] }),
    3: ['schemaUrl', 'string'],
  }),
});

export const SPAN = {
  1: ['traceId', 'bytes'],
  2: ['spanId', 'bytes'],
  3: ['traceState', 'string'],
  4: ['parentSpanId', 'bytes'],
  5: ['name', 'string'],
  6: ['kind', 'enum'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: attributes,
  10: lostAttributes,
  11: many('events', {
    1: ['timeUnixNano', 'fixed64'],
    2: ['name', 'string'],
    3: attributes,
    4: lostAttributes,
  }),
  12: ['droppedEventsCount', 'uint32'],
  13: many('links', {
    1: ['traceId', 'bytes'],
    2: ['spanId', 'bytes'],
    3: ['traceState', 'string'],
    4: attributes,
    5: lostAttributes,
    6: ['flags', 'fixed32'],
  }),
  14: ['droppedLinksCount', 'uint32'],
  15: ['status', { 2: ['message', 'string'], 3: ['code', 'enum'] }],
  16: ['flags', 'fixed32'],
};

const LOG_RECORD = {
  1: ['timeUnixNano', 'fixed64'],
  2: ['severityNumber', 'enum'],
  3: ['severityText', 'string'],
  5: ['body', ANY_VALUE],
  6: attributes,
  7: lostAttributes,
  8: ['flags', 'fixed32'],
  9: ['traceId', 'bytes'],
  10: ['spanId', 'bytes'],
  11: ['observedTimeUnixNano', 'fixed64'],
  12: ['eventName', 'string'],
};

const EXEMPLARS = many('exemplars', {
  2: ['timeUnixNano', 'fixed64'],
  3: ['asDouble', 'double'],
  4: ['spanId', 'bytes'],
  5: ['traceId', 'bytes'],
  6: ['asInt', 'sfixed64'],
  7: many('filteredAttributes', KEY_VALUE),
});
const TIMES = { 2: ['startTimeUnixNano', 'fixed64'], 3: ['timeUnixNano', 'fixed64'] };
const NUMBER_POINT = {
  ...TIMES,
  4: ['asDouble', 'double'],
  5: EXEMPLARS,
  6: ['asInt', 'sfixed64'],
  7: attributes,
  8: ['flags', 'uint32'],
};
const HISTOGRAM_POINT = {
  ...TIMES,
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: many('bucketCounts', 'fixed64'),
  7: many('explicitBounds', 'double'),
  8: EXEMPLARS,
  9: attributes,
  10: ['flags', 'uint32'],
  11: ['min', 'double'],
  12: ['max', 'double'],
};
const BUCKETS = { 1: ['offset', 'sint32'], 2: many('bucketCounts', 'uint64') };
const EXPONENTIAL_POINT = {
  1: attributes,
  ...TIMES,
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['scale', 'sint32'],
  7: ['zeroCount', 'fixed64'],
  8: ['positive', BUCKETS],
  9: ['negative', BUCKETS],
  10: ['flags', 'uint32'],
  11: EXEMPLARS,
  12: ['min', 'double'],
  13: ['max', 'double'],
  14: ['zeroThreshold', 'double'],
};
const SUMMARY_POINT = {
  ...TIMES,
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: many('quantileValues', { 1: ['quantile', 'double'], 2: ['value', 'double'] }),
  7: attributes,
  8: ['flags', 'uint32'],
};
const points = (point, more = {}) => ({ 1: many('dataPoints', point), ...more });
const TEMPORALITY = { 2: ['aggregationTemporality', 'enum'] };

const METRIC = {
  1: ['name', 'string'],
  2: ['description', 'string'],
  3: ['unit', 'string'],
  5: ['gauge', points(NUMBER_POINT)],
  7: ['sum', points(NUMBER_POINT, { ...TEMPORALITY, 3: ['isMonotonic', 'bool'] })],
  9: ['histogram', points(HISTOGRAM_POINT, TEMPORALITY)],
  10: ['exponentialHistogram', points(EXPONENTIAL_POINT, TEMPORALITY)],
  11: ['summary', points(SUMMARY_POINT)],
};

export const REQUESTS = {
  traces: around('resourceSpans', 'scopeSpans', 'spans', SPAN),
  metrics: around('resourceMetrics', 'scopeMetrics', 'metrics', METRIC),
  logs: around('resourceLogs', 'scopeLogs', 'logRecords', LOG_RECORD),
};
