import { OtlpError, refusal, taken } from './answers.mjs';
import { Allowance, fieldsOf, ProtobufError, readMessage, TooLargeError } from './protobuf.mjs';
import { spanRow } from './rows.mjs';
import { RESOURCE, SCOPE, SPAN } from './tables.mjs';
import { readTree } from './trees.mjs';
import { attributesOf, listOf, objectOf } from './values.mjs';

/** How many attributes, events and links of a span are kept, and elements of their values; and how long their texts may be. */
const MOST = 128;
const LONGEST = 16 * 1024;
/** How many bytes of protobuf, or characters in texts of JSON, a span may have, and so may a resource and a scope; and how many fields. */
const LARGEST = 1024 * 1024;
const MOST_FIELDS = 20_000;

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
  const isProtobuf = /^application\/x-protobuf\b/i.test(contentType);
  const read = () => (isProtobuf ? spansOfBytes(bytes) : spansOfTree(tree));
  let rejected = 0;
  try {
    for (const span of read()) {
      if (span === TOO_LARGE) rejected += 1;
      yield;
    }
  } catch (error) {
    return refuseSpans(request, error);
  }
  // They are read again, since an export may have more spans than are to be held at a time.
  for (const span of read()) {
    if (span !== undefined && span !== TOO_LARGE) add(span);
    yield;
  }
  return answerOf(taken(request, 'traces', rejected, TOO_LARGE_MESSAGE));
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

const TOO_LARGE_MESSAGE = `a span, its resource or its scope has more than ${LARGEST} bytes or ${MOST_FIELDS} fields`;
const TOO_LARGE = Symbol('a span that is too large');

/** The spans in bytes of protobuf, with `undefined` for each further step of work. */
function* spansOfBytes(bytes) {
  const read = (raw, table, allowance) => {
    if (raw.length > LARGEST) throw new TooLargeError();
    return readMessage(raw, table, allowance);
  };
  for (const group of fieldsOf(bytes, 1)) {
    yield undefined;
    if (group === undefined) continue;
    const resource = resourceOf(read, (yield* last(group, 1)) ?? NOTHING);
    for (const inner of fieldsOf(group, 2)) {
      yield undefined;
      if (inner === undefined) continue;
      const scope = scopeOf(read, (yield* last(inner, 1)) ?? NOTHING);
      for (const span of fieldsOf(inner, 2))
        yield span === undefined ? undefined : spanOf(read, span, resource, scope);
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
  const read = (given, table, allowance) => readTree(given, table, allowance, WHAT.get(table));
  for (const group of listOf(objectOf(tree, 'the body'), 'resourceSpans')) {
    yield undefined;
    const resource = resourceOf(read, objectOf(group, 'an element of "resourceSpans"').resource ?? {});
    for (const inner of listOf(group, 'scopeSpans')) {
      yield undefined;
      const scope = scopeOf(read, objectOf(inner, 'an element of "scopeSpans"').scope ?? {});
      for (const span of listOf(inner, 'spans')) yield spanOf(read, span, resource, scope);
    }
  }
}

const WHAT = new Map([
  [RESOURCE, '"resource"'],
  [SCOPE, '"scope"'],
  [SPAN, 'a span'],
]);

/** Reads a part of an export, and cuts what is made of it. @returns that and how much was left out, or TOO_LARGE */
function partOf(read, given, table, make) {
  const allowance = new Allowance(MOST, MOST_FIELDS, LARGEST);
  const cut = new Cutting();
  try {
    const part = cut.value(make(read(given, table, allowance)));
    return { part, dropped: allowance.skipped + cut.count };
  } catch (thrown) {
    if (thrown instanceof TooLargeError) return TOO_LARGE;
    throw thrown;
  }
}

/** What made spans: once for all of them, which share it. */
const resourceOf = (read, given) => partOf(read, given, RESOURCE, attributesOf);

const scopeOf = (read, given) =>
  partOf(read, given, SCOPE, ({ name = '', version }) => ({
    name: String(name),
    ...(version === undefined ? {} : { version: String(version) }),
  }));

/** A span as Backlot's log has it, cut to what it may hold. */
function spanOf(read, given, resource, scope) {
  if (resource === TOO_LARGE || scope === TOO_LARGE) return TOO_LARGE;
  const own = partOf(read, given, SPAN, ownOf);
  if (own === TOO_LARGE) return TOO_LARGE;
  const service = resource.part['service.name'];
  const dropped = own.dropped + resource.dropped + scope.dropped;
  return {
    ...own.part,
    service: typeof service === 'string' && service !== '' ? service : 'unknown_service',
    resource: resource.part,
    scope: scope.part,
    ...(dropped === 0 ? {} : { dropped }),
  };
}

/** What a span has beside its resource and its scope. */
function ownOf(given) {
  const row = spanRow(given);
  for (const time of [row.start, row.end])
    if (!/^\d{1,20}$/.test(time))
      throw new OtlpError(
        400,
        3,
        `times are nanoseconds since 1970, got ${JSON.stringify(time.slice(0, 100))}`,
      );
  const { code, message } = row.status;
  const links = row.links.map(({ traceId, spanId, attributes }) => ({
    trace: traceId,
    id: spanId,
    attributes,
  }));
  return {
    ...{ trace: row.traceId, id: row.spanId },
    ...(row.parentSpanId === null ? {} : { parent: row.parentSpanId }),
    ...{ name: String(row.name), kind: row.kind, status: code },
    ...(message === '' ? {} : { message: String(message) }),
    ...{ start: row.start, end: row.end, attributes: row.attributes },
    ...(row.events.length === 0 ? {} : { events: row.events }),
    ...(links.length === 0 ? {} : { links }),
  };
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
    // Through bytes: a slice of a text keeps the whole text in memory.
    return Buffer.from(text.slice(0, LONGEST), 'utf16le').toString('utf16le');
  }

  #some(list) {
    if (list.length <= MOST) return list;
    this.count += list.length - MOST;
    return list.slice(0, MOST);
  }
}
