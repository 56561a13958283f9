import { describe, expect, it } from '@jest/globals';

interface Taken {
  readonly attributes: object;
  readonly resource: object;
  readonly scope: object;
  readonly dropped?: number;
}

interface Export {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly tree?: unknown;
}

const path = '../otlp/spans.mjs';
const { takeSpans } = (await import(path)) as {
  takeSpans(request: Export, add: (span: Taken) => void): Iterator<undefined, { bytes: Uint8Array }>;
};
const writer = '../otlp/protobuf.mjs';
const { writeField } = (await import(writer)) as {
  writeField(number: number, value: number | string | Uint8Array): Buffer;
};

/** The spans that an export gives, and the answer. */
function take(request: Export): { readonly spans: Taken[]; readonly answer: string } {
  const spans: Taken[] = [];
  const steps = takeSpans(request, (span) => spans.push(span));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { spans, answer: Buffer.from(step.value.bytes).toString() };
  }
}

const times = { startTimeUnixNano: '1', endTimeUnixNano: '2' };
const ids = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
const attribute = (key: string, value: object = { intValue: '1' }) => ({ key, value });
const attributes = (count: number) => Array.from({ length: count }, (_, at) => attribute(`k${at}`));

const takeTree = (resource: object, scope: object, spans: readonly object[]) =>
  take({
    contentType: 'application/json',
    bytes: Buffer.alloc(0),
    tree: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] },
  });

/** Messages of protobuf, by the numbers of their fields. */
const message = (...fields: readonly (readonly [number, number | string | Uint8Array])[]): Buffer =>
  Buffer.concat(fields.map(([number, value]) => writeField(number, value)));
const keyValue = (key: string, value: Uint8Array = message([3, 1])): Buffer => message([1, key], [2, value]);
const keyValues = (field: number, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => writeField(field, keyValue(`k${at}`))));
const fixed64 = (number: number): Buffer => Buffer.from([(number << 3) | 1, 1, 0, 0, 0, 0, 0, 0, 0]);
const spanOfBytes = (...more: readonly Buffer[]): Buffer =>
  Buffer.concat([
    message([1, Buffer.alloc(16, 0xab)], [2, Buffer.alloc(8, 0xcd)]),
    ...[fixed64(7), fixed64(8), ...more],
  ]);
const takeBytes = (resource: Buffer, scope: Buffer, span: Buffer) =>
  take({
    contentType: 'application/x-protobuf',
    bytes: message([1, message([1, resource], [2, message([1, scope], [2, span])])]),
  });

describe('what is left out of a span is counted, at all levels', () => {
  it('of JSON', () => {
    const list = { arrayValue: { values: Array.from({ length: 130 }, () => ({ boolValue: true })) } };
    const { spans } = takeTree(
      { attributes: attributes(129), droppedAttributesCount: 1000 },
      { name: 'lib', attributes: attributes(130) },
      [
        {
          ...{ ...ids, ...times, attributes: [attribute('list', list)] },
          // Nothing that OTLP has.
          skipped: 50_000,
          events: [{ name: 'e', attributes: attributes(131), droppedAttributesCount: 2000 }],
          links: [{ ...ids, attributes: attributes(132) }],
          droppedEventsCount: 4000,
          droppedLinksCount: -1,
        },
      ],
    );
    expect(spans.map(({ dropped }) => dropped)).toEqual([7000 + 1 + 2 + 2 + 3 + 4]);
  });

  it('of protobuf', () => {
    const list = message([
      5,
      Buffer.concat(Array.from({ length: 130 }, () => writeField(1, message([2, 1])))),
    ]);
    const link = Buffer.concat([
      message([1, Buffer.alloc(16, 0xab)], [2, Buffer.alloc(8, 0xcd)]),
      keyValues(4, 132),
    ]);
    const { spans } = takeBytes(
      Buffer.concat([keyValues(1, 129), message([2, 1000])]),
      Buffer.concat([message([1, 'lib']), keyValues(3, 130)]),
      spanOfBytes(
        message([9, keyValue('list', list)]),
        message([11, Buffer.concat([keyValues(3, 131), message([4, 2000])])], [13, link], [12, 4000]),
      ),
    );
    expect(spans.map(({ dropped }) => dropped)).toEqual([7000 + 1 + 2 + 2 + 3 + 4]);
  });
});

it('spans share what made them, of which no more is looked at than is kept', () => {
  let looks = 0;
  const looked = {
    get key() {
      looks += 1;
      return 'k';
    },
    value: { intValue: '1' },
  };
  const span = { ...ids, ...times };
  const { spans } = takeTree({ attributes: Array.from({ length: 1000 }, () => looked) }, { name: 'lib' }, [
    ...[span, span, span],
  ]);
  // Once to check the export, and once to take it.
  expect(looks).toBe(2 * 128);
  expect(new Set(spans.map(({ resource }) => resource)).size).toBe(1);
  expect(new Set(spans.map(({ scope }) => scope)).size).toBe(1);
});

describe('what is too large is rejected with its spans', () => {
  const span = { ...ids, ...times };
  const large = { name: 'a', version: 'x'.repeat(1_100_000) };

  it('of JSON', () => {
    const rejected = (resource: object, scope: object, one: object) =>
      takeTree(resource, scope, [one, one]).answer;
    const two = expect.stringContaining('"rejectedSpans":"2"');
    expect(rejected({ attributes: [attribute('a', { stringValue: large.version })] }, {}, span)).toEqual(two);
    expect(rejected({}, large, span)).toEqual(two);
    const events = Array.from({ length: 128 }, () => ({ attributes: attributes(128) }));
    expect(rejected({}, {}, { ...span, events })).toEqual(two);
    expect(rejected({}, {}, span)).toBe('{}');
  });

  it('of protobuf', () => {
    const none = Buffer.alloc(0);
    const empties = (field: number, count: number): Buffer =>
      Buffer.concat(Array.from({ length: count }, () => writeField(field, none)));
    const count = (resource: Buffer, scope: Buffer, one: Buffer): number =>
      takeBytes(resource, scope, one).spans.length;
    expect(count(empties(1, 600_000), none, spanOfBytes())).toBe(0);
    expect(count(none, message([2, large.version]), spanOfBytes())).toBe(0);
    expect(count(none, none, spanOfBytes(empties(5, 30_000)))).toBe(0);
    expect(count(none, none, spanOfBytes())).toBe(1);
  });
});
