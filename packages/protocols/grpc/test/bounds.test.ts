import { describe, expect, it } from '@jest/globals';
import { isBacklotError } from '@backlot/core/plugin';
import { decodeMessage, MessageDecoder, MAX_VALUES } from '../src/codec/decode.js';
import { encodeMessage } from '../src/codec/encode.js';
import { MAX_DEFINITIONS, readProto } from '../src/schema/text/read-proto.js';
import { SchemaRegistry } from '../src/schema/registry.js';

const HEAD = 'syntax = "proto3"; package p;';
const list = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('\n');

async function refusalOf(content: string, registry = new SchemaRegistry()): Promise<string> {
  try {
    await registry.upload({ name: 'a.proto', content });
    return 'accepted';
  } catch (thrown) {
    if (!isBacklotError(thrown)) throw thrown;
    return `${thrown.code}: ${thrown.message}`;
  }
}

/** How often the work lets others in. */
function countSteps(steps: Iterator<unknown, unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}

describe('an upload', () => {
  it('is read step by step, twice as many steps for twice as much', () => {
    const fields = (count: number): string =>
      `${HEAD} message A { ${list(count, (n) => `int32 f${n} = ${n + 1};`)} }`;
    const once = countSteps(readProto('a.proto', fields(1000)));
    const twice = countSteps(readProto('a.proto', fields(2000)));
    expect(once).toBeGreaterThanOrEqual(1000);
    expect(twice - once).toBe(1000);
  });

  it('with thousands of fields in one message is taken, and its fields are known', async () => {
    const registry = new SchemaRegistry();
    const count = MAX_DEFINITIONS - 1;
    expect(
      await refusalOf(`${HEAD} message A { ${list(count, (n) => `int32 f${n} = ${n + 1};`)} }`, registry),
    ).toBe('accepted');
    const type = registry.schema.typeOf('p.A');
    expect(decodeMessage(type, encodeMessage(type, { [`f${count - 1}`]: 7 }))).toMatchObject({
      [`f${count - 1}`]: 7,
    });
  });

  const MANY = MAX_DEFINITIONS + 1;
  const defines = `the file defines more than ${MAX_DEFINITIONS} things`;
  it.each<[string, string, string]>([
    ['fields', `message A { ${list(MANY, (n) => `int32 f${n} = ${n + 1};`)} }`, defines],
    ['messages', list(MANY, (n) => `message M${n} {}`), defines],
    ['values', `enum E { ${list(MANY, (n) => `V${n} = ${n};`)} }`, defines],
    ['methods', `message A {} service S { ${list(MANY, (n) => `rpc M${n}(A) returns (A);`)} }`, defines],
    ['options', list(MANY, (n) => `option o${n} = 1;`), defines],
    ['imports', list(MANY, (n) => `import "${n}.proto";`), defines],
    ['reserved ranges', `message A { ${list(MANY, (n) => `reserved ${n + 1};`)} }`, defines],
    [
      'a statement without end',
      `message A { int32 a = 1 [${Array.from({ length: 9000 }, (_, n) => `o${n} = 1`).join()}]; }`,
      'a statement has more than 10000 tokens',
    ],
    ['nesting', 'message A {'.repeat(100) + '}'.repeat(100), 'nested too deeply, beyond 32 levels'],
    [
      'options in options',
      `option x = ${'{ a: '.repeat(100)}1${'}'.repeat(100)};`,
      'an option is nested deeper than 32 levels',
    ],
    ['a name', `message ${'A'.repeat(600)} {}`, 'is longer than 512 characters'],
    ['a number', `message A { int32 a = ${'1'.repeat(100)}; }`, 'is longer than 64 characters'],
    [
      'a string',
      `option java_package = "${'x'.repeat(70_000)}";`,
      'a string is longer than 65536 characters',
    ],
    ['a comment', `/*${'x'.repeat(2 * 1024 * 1024)}*/`, 'characters, more than 2097152'],
  ])('beyond a bound is refused: %s', async (_, body, problem) => {
    expect(await refusalOf(`${HEAD} ${body}`)).toMatch(/^invalid: /);
    expect(await refusalOf(`${HEAD} ${body}`)).toContain(problem);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf'])(
    'may name whatever it likes %s',
    async (name) => {
      const registry = new SchemaRegistry();
      const before = Object.getOwnPropertyNames(Object.prototype);
      expect(
        await refusalOf(
          `syntax = "proto3"; package ${name}P;
           message ${name}M { string ${name} = 1; map<string, string> m = 2; oneof one { int32 o${name} = 3; } }
           enum E { ${name} = 0; }
           service ${name}S { option ${name} = 1; rpc ${name}(${name}M) returns (${name}M); }`,
          registry,
        ),
      ).toBe('accepted');
      const type = registry.method(`/${name}P.${name}S/${name}`)?.request;
      if (type === undefined) throw new Error('the method is not there');
      const value = JSON.parse(`{"${name}": "x", "m": {"${name}": "y"}}`) as object;
      const decoded = decodeMessage(type, encodeMessage(type, value)) as Record<string, unknown>;
      expect(Object.getOwnPropertyDescriptor(decoded, name)?.value).toBe('x');
      expect(Object.getOwnPropertyDescriptor(decoded['m'], name)?.value).toBe('y');
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    },
  );

  it.each(['__proto__', 'a.__proto__', '__proto__.b'])('with the package %s is refused', async (name) => {
    const registry = new SchemaRegistry();
    expect(await refusalOf(`syntax = "proto3"; package ${name}; message M {}`, registry)).toBe(
      `invalid: content does not fit: a.proto: package "${name}" has the part "__proto__", the prototype of objects in JavaScript, and clients there leave such a package out; choose another name`,
    );
    expect(registry.uploads).toEqual([]);
  });

  it.each(['constructor', 'prototype', 'toString', '__proto__a'])(
    'with a package that only looks like it is taken: %s',
    async (name) => {
      const registry = new SchemaRegistry();
      const service = 'service S { rpc Do(M) returns (M); }';
      expect(await refusalOf(`syntax = "proto3"; package ${name}; message M {} ${service}`, registry)).toBe(
        'accepted',
      );
      expect(registry.method(`/${name}.S/Do`)).toBeDefined();
    },
  );

  it('that many ways of imports lead to is linked once', async () => {
    const registry = new SchemaRegistry();
    for (let level = 0; level < 40; level += 1) {
      const below = level - 1;
      const imports = level === 0 ? '' : `import "${below}a.proto"; import "${below}b.proto";`;
      const fields = level === 0 ? '' : `M${below}a a = 1; M${below}b b = 2;`;
      for (const side of 'ab') {
        const content = `${HEAD} ${imports} message M${level}${side} { ${fields} }`;
        await registry.upload({ name: `${level}${side}.proto`, content });
      }
    }
    expect(registry.schema.describe('39a.proto')).toHaveLength(79);
  });

  it('waits for another one, and both are there in the end', async () => {
    const registry = new SchemaRegistry();
    const content = (name: string): string =>
      `${HEAD} ${list(2000, (n) => `message ${name}${n} { ${name}${n} a = 1; }`)}`;
    await Promise.all(
      ['A', 'B'].map((name) => registry.upload({ name: `${name}.proto`, content: content(name) })),
    );
    expect(registry.uploads).toHaveLength(2);
    const twice = await Promise.allSettled(
      [1, 2].map(() => registry.upload({ name: 'C.proto', content: content('C') })),
    );
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    registry.restore(new Map());
    expect(registry.schema.messages.has('p.A0')).toBe(false);
    expect(registry.schema.methods.has('/grpc.health.v1.Health/Check')).toBe(true);
  });
});

describe('a request message', () => {
  const schema = async (body: string): Promise<SchemaRegistry> => {
    const registry = new SchemaRegistry();
    await registry.upload({ name: 'a.proto', content: `${HEAD} ${body}` });
    return registry;
  };
  const packed = (count: number): Buffer => {
    const length = Buffer.from([0x0a, count & 0x7f, 0, 0, 0]);
    length.writeUInt8((count & 0x7f) | 0x80, 1);
    length.writeUInt8(((count >> 7) & 0x7f) | 0x80, 2);
    length.writeUInt8(((count >> 14) & 0x7f) | 0x80, 3);
    length.writeUInt8(count >> 21, 4);
    return Buffer.concat([length, Buffer.alloc(count, 1)]);
  };

  it('is read in steps, however it is nested', async () => {
    const type = (await schema('message A { repeated int32 n = 1; repeated A a = 2; }')).schema.typeOf('p.A');
    const decoder = new MessageDecoder(type, packed(100_000));
    let steps = 1;
    while (!decoder.run(1000)) steps += 1;
    expect(steps).toBeGreaterThanOrEqual(100);
    expect((decoder.value as { n: number[] }).n).toHaveLength(100_000);
  });

  it('holds a bounded number of values, those with a default included', async () => {
    const registry = await schema(
      `message A { repeated int32 n = 1; repeated Wide w = 2; }
       message Wide { ${list(500, (n) => `int32 f${n} = ${n + 1};`)} }`,
    );
    const type = registry.schema.typeOf('p.A');
    const problem = `the message holds more than ${MAX_VALUES} values`;
    expect(() => decodeMessage(type, packed(MAX_VALUES + 1))).toThrow(problem);
    const wide = Buffer.alloc(2 * 1000, Buffer.from([0x12, 0x00]));
    expect(() => decodeMessage(type, wide)).toThrow(problem);
    expect(() => decodeMessage(type, Buffer.alloc(2 * (MAX_VALUES + 1), Buffer.from([0x78, 0x01])))).toThrow(
      problem,
    );
  });

  it('is not nested deeper than 100 levels, in an Any neither', async () => {
    const registry = await schema(
      'import "google/protobuf/any.proto"; message A { google.protobuf.Any a = 1; }',
    );
    const type = registry.schema.typeOf('google.protobuf.Any');
    let bytes = encodeMessage(type, {});
    const url = Buffer.from('x/google.protobuf.Any');
    for (let level = 0; level < 110; level += 1) {
      const length = Buffer.from([0x12, (bytes.length & 0x7f) | 0x80, bytes.length >> 7]);
      bytes = Buffer.concat([Buffer.from([0x0a, url.length]), url, length, bytes]);
    }
    expect(() => decodeMessage(type, bytes)).toThrow('is nested deeper than 100 levels');
    // Groups that nobody knows are skipped, but not without end.
    const groups = Buffer.concat([Buffer.alloc(200, 0x23), Buffer.alloc(200, 0x24)]);
    expect(() => decodeMessage(type, groups)).toThrow('is nested deeper than 100 levels');
    const few = Buffer.concat([Buffer.alloc(50, 0x23), Buffer.alloc(50, 0x24)]);
    expect(decodeMessage(type, few)).toEqual({});
  });
});
