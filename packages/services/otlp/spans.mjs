import { OtlpError, refusal, taken } from './answers.mjs';
import { fieldsOf, ProtobufError, readMessage } from './protobuf.mjs';
import { spanRow } from './rows.mjs';
import { RESOURCE, SCOPE, SPAN } from './tables.mjs';
import { attributesOf, listOf, objectOf } from './values.mjs';

/** How many attributes, events and links of a span are kept, and elements of their values; and how long their texts may be. */
const MOST = 128;
const LONGEST = 16 * 1024;
/** How many bytes of protobuf, and how many characters of JSON, a span may have. */
const LARGEST = 1024 * 1024;

/**
 * Takes an export of traces: all of it, or nothing where a part cannot be read. Spans that are too large are left out, which the
 * answer says. It yields between spans, so that others are let in.
 *
 * @param request - `contentType`, and `bytes` or, of JSON, the `tree`
 * @param add - given each span
 * @returns the answer, in the encoding of the request
 */
export function* takeSpans({ contentType, bytes, tree }, add) {
  const request = { headers: { 'content-type': contentType } };
  const spans = [];
  let rejected = 0;
  try {
    const isProtobuf = /^application\/x-protobuf\b/i.test(contentType);
    for (const span of isProtobuf ? spansOfBytes(bytes) : spansOfTree(tree)) {
      if (span === TOO_LARGE) rejected += 1;
      else if (span !== undefined) spans.push(span);
      yield;
    }
  } catch (error) {
    return refuseSpans(request, error);
  }
  for (const span of spans) {
    add(span);
    yield;
  }
  return answerOf(taken(request, 'traces', rejected, `a span is larger than ${LARGEST} bytes`));
}

function refuseSpans(request, error) {
  if (error instanceof ProtobufError) return answerOf(refusal(request, new OtlpError(400, 3, error.message)));
  if (error instanceof OtlpError) return answerOf(refusal(request, error));
  throw error;
}

/** An answer of HTTP. */
function answerOf({ status = 200, headers = {}, json, body_base64: base64 }) {
  const bytes = base64 === undefined ? Buffer.from(JSON.stringify(json)) : Buffer.from(base64, 'base64');
  return { status, contentType: headers['Content-Type'] ?? 'application/json', bytes };
}

const TOO_LARGE = Symbol('a span that is too large');

/** The spans in bytes of protobuf, with `undefined` for each further step of work. */
function* spansOfBytes(bytes) {
  for (const group of fieldsOf(bytes, 1)) {
    yield undefined;
    if (group === undefined) continue;
    const resource = attributesOf(readMessage((yield* last(group, 1)) ?? NOTHING, RESOURCE, MOST));
    for (const inner of fieldsOf(group, 2)) {
      yield undefined;
      if (inner === undefined) continue;
      const scope = readMessage((yield* last(inner, 1)) ?? NOTHING, SCOPE, MOST);
      for (const span of fieldsOf(inner, 2)) {
        if (span === undefined) yield undefined;
        else if (span.length > LARGEST) yield TOO_LARGE;
        else yield spanOf(readMessage(span, SPAN, MOST), resource, scope);
      }
    }
  }
}

const NOTHING = Buffer.alloc(0);

/** The last field with this number; what comes later counts. */
function* last(bytes, number) {
  let found;
  for (const raw of fieldsOf(bytes, number)) {
    found = raw ?? found;
    yield undefined;
  }
  return found;
}

/** The same of JSON. */
function* spansOfTree(tree) {
  for (const group of listOf(objectOf(tree, 'the body'), 'resourceSpans')) {
    yield undefined;
    const resource = attributesOf(objectOf(group, 'an element of "resourceSpans"').resource ?? {});
    for (const inner of listOf(group, 'scopeSpans')) {
      yield undefined;
      const scope = objectOf(inner, 'an element of "scopeSpans"').scope ?? {};
      for (const span of listOf(inner, 'spans'))
        yield JSON.stringify(span).length > LARGEST ? TOO_LARGE : spanOf(span, resource, scope);
    }
  }
}

/** A span as Backlot's log has it, cut to what it may hold. */
function spanOf(given, resource, { name, version }) {
  const row = spanRow(given);
  for (const time of [row.start, row.end])
    if (!/^\d{1,20}$/.test(time))
      throw new OtlpError(400, 3, `times are nanoseconds since 1970, got ${JSON.stringify(time)}`);
  const cut = new Cutting();
  const { code, message } = row.status;
  const service = resource['service.name'];
  const span = cut.value({
    ...{ trace: row.traceId, id: row.spanId },
    ...(row.parentSpanId === null ? {} : { parent: row.parentSpanId }),
    ...{ name: String(row.name), kind: row.kind },
    service: typeof service === 'string' && service !== '' ? service : 'unknown_service',
    status: code,
    ...(message === '' ? {} : { message: String(message) }),
    ...{ start: row.start, end: row.end, attributes: row.attributes, resource },
    scope: { name: String(name ?? ''), ...(version === undefined ? {} : { version: String(version) }) },
    ...(row.events.length === 0 ? {} : { events: row.events }),
    ...(row.links.length === 0
      ? {}
      : {
          links: row.links.map(({ traceId, spanId, attributes }) => ({
            trace: traceId,
            id: spanId,
            attributes,
          })),
        }),
  });
  const dropped = cut.count + skippedIn(given);
  return dropped === 0 ? span : { ...span, dropped };
}

/** What was left out already: by the reader, and by what made the span. */
function skippedIn({
  skipped = 0,
  droppedAttributesCount = 0,
  droppedEventsCount = 0,
  droppedLinksCount = 0,
}) {
  return [skipped, droppedAttributesCount, droppedEventsCount, droppedLinksCount].reduce(
    (sum, count) => sum + (Number(count) || 0),
    0,
  );
}

/** Cuts what is too long, and counts that. */
class Cutting {
  count = 0;

  value(value) {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return this.#some(value).map((inner) => this.value(inner));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      this.#some(Object.entries(value)).map(([name, inner]) => [this.#text(name), this.value(inner)]),
    );
  }

  #text(text) {
    if (text.length <= LONGEST) return text;
    this.count += 1;
    return text.slice(0, LONGEST);
  }

  #some(list) {
    if (list.length <= MOST) return list;
    this.count += list.length - MOST;
    return list.slice(0, MOST);
  }
}
