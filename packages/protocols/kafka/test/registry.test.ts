import { describe, expect, it } from '@jest/globals';
import { ask, avro, startRegistry, type Answer } from './registry-support.js';

const ID = { name: 'id', type: 'int' };
const NOTE = { name: 'note', type: 'string' };
const codeOf = ({ status, body }: Answer): unknown[] => [
  status,
  (body as { error_code?: number }).error_code,
];

describe('the schema registry', () => {
  it('registers, finds and lists', async () => {
    const registry = await startRegistry();
    expect(await ask(registry, 'POST /subjects/a/versions', avro([ID]))).toEqual({
      status: 200,
      body: { id: 1 },
    });
    // The same again, however it is written, and under another subject.
    const spaced = { schema: JSON.stringify(JSON.parse(avro([ID]).schema), null, 2) };
    expect((await ask(registry, 'POST /subjects/a/versions', spaced)).body).toEqual({ id: 1 });
    expect((await ask(registry, 'POST /subjects/b%2Fc/versions', avro([ID]))).body).toEqual({ id: 1 });
    const next = avro([ID, { ...NOTE, default: '' }]);
    expect((await ask(registry, 'POST /subjects/a/versions', next)).body).toEqual({ id: 2 });
    expect((await ask(registry, 'GET /subjects')).body).toEqual(['a', 'b/c']);
    expect((await ask(registry, 'GET /subjects/a/versions')).body).toEqual([1, 2]);
    const latest = { subject: 'a', version: 2, id: 2, schema: next.schema };
    expect((await ask(registry, 'GET /subjects/a/versions/latest')).body).toEqual(latest);
    expect((await ask(registry, 'POST /subjects/a', next)).body).toEqual(latest);
    expect((await ask(registry, 'GET /schemas/ids/2')).body).toEqual({ schema: next.schema });
    expect((await ask(registry, 'GET /schemas/ids/2/schema')).body).toEqual(JSON.parse(next.schema));
    expect((await ask(registry, 'GET /schemas/ids/1/subjects')).body).toEqual(['a', 'b/c']);
    expect((await ask(registry, 'GET /schemas/ids/1/versions')).body).toEqual([
      { subject: 'a', version: 1 },
      { subject: 'b/c', version: 1 },
    ]);
    expect((await ask(registry, 'GET /schemas/types')).body).toEqual(['PROTOBUF', 'JSON', 'AVRO']);
  });

  it('answers what is wrong with the codes of Confluent', async () => {
    const registry = await startRegistry();
    await ask(registry, 'POST /subjects/a/versions', avro([ID]));
    const cases: [string, unknown, number, number][] = [
      ['GET /subjects/none/versions', undefined, 404, 40401],
      ['GET /subjects/a/versions/7', undefined, 404, 40402],
      ['GET /subjects/a/versions/x', undefined, 422, 42202],
      ['GET /schemas/ids/99', undefined, 404, 40403],
      ['POST /subjects/a', avro([NOTE]), 404, 40403],
      ['POST /subjects/a/versions', { schema: '{"type":"nonsense"}' }, 422, 42201],
      ['POST /subjects/a/versions', { schema: 'not json' }, 422, 42201],
      ['POST /subjects/a/versions', {}, 422, 42201],
      ['POST /subjects/a/versions', { schema: '{}', schemaType: 'XML' }, 422, 42201],
      ['POST /subjects/a/versions', avro([ID, NOTE]), 409, 409],
      ['PUT /config', { compatibility: 'SOME' }, 422, 42203],
      ['PUT /mode', { mode: 'SLEEPING' }, 422, 42204],
      ['GET /config/a', undefined, 404, 40408],
      ['GET /mode/a', undefined, 404, 40409],
      ['DELETE /subjects/a?permanent=true', undefined, 404, 40405],
      ['DELETE /subjects/a/versions/1?permanent=true', undefined, 404, 40407],
      ['GET /nowhere', undefined, 404, 404],
      ['GET /%ff', undefined, 404, 404],
      ['PUT /subjects', undefined, 405, 405],
    ];
    for (const [line, body, status, code] of cases) {
      expect([line, ...codeOf(await ask(registry, line, body))]).toEqual([line, status, code]);
    }
    const broken = await fetch(`${registry.url}/subjects/a/versions`, {
      method: 'POST',
      body: '{',
      headers: { Connection: 'close' },
    });
    expect(broken.status).toBe(400);
  });

  it('deletes softly and for good', async () => {
    const registry = await startRegistry();
    await ask(registry, 'POST /subjects/a/versions', avro([ID]));
    await ask(registry, 'POST /subjects/a/versions', avro([ID, { ...NOTE, default: '' }]));
    expect((await ask(registry, 'DELETE /subjects/a/versions/1')).body).toBe(1);
    expect((await ask(registry, 'GET /subjects/a/versions')).body).toEqual([2]);
    expect((await ask(registry, 'GET /subjects/a/versions?deleted=true')).body).toEqual([1, 2]);
    expect(codeOf(await ask(registry, 'DELETE /subjects/a/versions/1'))).toEqual([404, 40406]);
    // Clients still read what was written with it.
    expect((await ask(registry, 'GET /schemas/ids/1')).status).toBe(200);
    expect((await ask(registry, 'DELETE /subjects/a/versions/1?permanent=true')).body).toBe(1);
    expect((await ask(registry, 'GET /schemas/ids/1')).status).toBe(404);
    expect((await ask(registry, 'DELETE /subjects/a')).body).toEqual([2]);
    expect((await ask(registry, 'GET /subjects')).body).toEqual([]);
    expect((await ask(registry, 'GET /subjects?deleted=true')).body).toEqual(['a']);
    expect(codeOf(await ask(registry, 'DELETE /subjects/a'))).toEqual([404, 40404]);
    expect((await ask(registry, 'DELETE /subjects/a?permanent=true')).body).toEqual([2]);
    expect(codeOf(await ask(registry, 'DELETE /subjects/a'))).toEqual([404, 40401]);
  });

  it('has a level and a mode for all, and for each subject', async () => {
    const registry = await startRegistry({ compatibility: 'FULL' });
    expect((await ask(registry, 'GET /config')).body).toEqual({ compatibilityLevel: 'FULL' });
    expect((await ask(registry, 'PUT /config/a', { compatibility: 'none' })).body).toEqual({
      compatibility: 'NONE',
    });
    expect((await ask(registry, 'GET /config/a')).body).toEqual({ compatibilityLevel: 'NONE' });
    await ask(registry, 'POST /subjects/a/versions', avro([ID]));
    expect((await ask(registry, 'POST /subjects/a/versions', avro([NOTE]))).status).toBe(200);
    expect((await ask(registry, 'DELETE /config/a')).body).toEqual({ compatibilityLevel: 'NONE' });
    expect((await ask(registry, 'GET /config/a?defaultToGlobal=true')).body).toEqual({
      compatibilityLevel: 'FULL',
    });
    expect((await ask(registry, 'PUT /mode/a', { mode: 'READONLY' })).body).toEqual({ mode: 'READONLY' });
    expect(codeOf(await ask(registry, 'POST /subjects/a/versions', avro([ID])))).toEqual([200, undefined]);
    expect(codeOf(await ask(registry, 'POST /subjects/a/versions', avro([ID, NOTE])))).toEqual([422, 42205]);
    expect(codeOf(await ask(registry, 'PUT /mode', { mode: 'IMPORT' }))).toEqual([422, 42205]);
    expect((await ask(registry, 'PUT /mode?force=true', { mode: 'IMPORT' })).body).toEqual({
      mode: 'IMPORT',
    });
    const imported = { ...avro([ID], 'Imported'), id: 50, version: 5 };
    expect((await ask(registry, 'POST /subjects/i/versions', imported)).body).toEqual({ id: 50 });
    expect((await ask(registry, 'GET /subjects/i/versions')).body).toEqual([5]);
  });

  it('follows references, and keeps what is referred to', async () => {
    const registry = await startRegistry();
    await ask(registry, 'POST /subjects/address/versions', avro([NOTE], 'Address'));
    const references = [{ name: 'Address', subject: 'address', version: 1 }];
    const order = { ...avro([ID, { name: 'to', type: 'Address' }]), references };
    expect((await ask(registry, 'POST /subjects/o/versions', order)).body).toEqual({ id: 2 });
    expect((await ask(registry, 'GET /schemas/ids/2')).body).toMatchObject({ references });
    expect((await ask(registry, 'GET /subjects/address/versions/1/referencedby')).body).toEqual([2]);
    expect(codeOf(await ask(registry, 'DELETE /subjects/address'))).toEqual([422, 42206]);
    const lost = { ...order, references: [{ name: 'Address', subject: 'none', version: 1 }] };
    expect(codeOf(await ask(registry, 'POST /subjects/p/versions', lost))).toEqual([422, 42201]);
  });

  it('is a part of resets and snapshots', async () => {
    const schemas = [{ subject: 'kept', schema: { type: 'string' } }];
    const registry = await startRegistry({ schemas });
    await ask(registry, 'POST /subjects/more/versions', avro([ID]));
    const { id } = registry.host.snapshots.create();
    registry.host.reset();
    expect((await ask(registry, 'GET /subjects')).body).toEqual(['kept']);
    registry.host.snapshots.restore(id);
    expect((await ask(registry, 'GET /subjects')).body).toEqual(['kept', 'more']);
  });

  it('says what is wrong with a configured schema', async () => {
    const schemas = [{ subject: 'a', type: 'json', schema: { type: 'nonsense' } }];
    await expect(startRegistry({ schemas })).rejects.toThrow(/Invalid schema/);
  });

  it('refuses what is too large', async () => {
    const registry = await startRegistry();
    const large = avro([{ ...NOTE, doc: 'x'.repeat(200_000) }]);
    expect(codeOf(await ask(registry, 'POST /subjects/a/versions', large))).toEqual([422, 42201]);
    const deep = { schema: `${'{"type":"array","items":'.repeat(4000)}"int"${'}'.repeat(4000)}` };
    expect([200, 422]).toContain((await ask(registry, 'POST /subjects/a/versions', deep)).status);
    const huge = avro([{ ...NOTE, doc: 'x'.repeat(1_200_000) }]);
    expect((await ask(registry, 'POST /subjects/a/versions', huge)).status).toBe(413);
  });
});

describe('compatibility', () => {
  const check = async (level: string, before: readonly object[], after: object): Promise<unknown> => {
    const registry = await startRegistry({ compatibility: 'NONE' });
    for (const schema of before) await ask(registry, 'POST /subjects/a/versions', schema);
    await ask(registry, 'PUT /config/a', { compatibility: level });
    const { body } = await ask(registry, 'POST /compatibility/subjects/a/versions/latest', after);
    const registered = await ask(registry, 'POST /subjects/a/versions', after);
    const { is_compatible: isCompatible } = body as { is_compatible: boolean };
    return [isCompatible, registered.status];
  };
  const plain = avro([ID]);
  const added = avro([ID, NOTE]);
  const defaulted = avro([ID, { ...NOTE, default: '' }]);

  it('of Avro is judged by the level', async () => {
    expect(await check('BACKWARD', [plain], added)).toEqual([false, 409]);
    expect(await check('BACKWARD', [plain], defaulted)).toEqual([true, 200]);
    expect(await check('FORWARD', [plain], added)).toEqual([true, 200]);
    expect(await check('FORWARD', [added], plain)).toEqual([false, 409]);
    expect(await check('FULL', [plain], added)).toEqual([false, 409]);
    expect(await check('FULL', [plain], defaulted)).toEqual([true, 200]);
    expect(await check('NONE', [plain], avro([NOTE]))).toEqual([true, 200]);
  });

  it('is judged with all versions where it is transitive', async () => {
    // Who reads with the newest cannot read what the first one wrote.
    expect(await check('BACKWARD', [plain, defaulted], added)).toEqual([true, 200]);
    expect((await check('BACKWARD_TRANSITIVE', [plain, defaulted], added)) as unknown[]).toContain(409);
  });

  const json = (schema: object) => ({
    schemaType: 'JSON',
    schema: JSON.stringify({ type: 'object', ...schema }),
  });
  it.each([
    ['a property less, open', {}, { properties: { a: { type: 'string' } } }, {}, true],
    ['a property more, open', {}, {}, { properties: { a: { type: 'string' } } }, false],
    [
      'a property more, closed',
      {},
      { additionalProperties: false },
      { additionalProperties: false, properties: { a: {} } },
      true,
    ],
    [
      'a property less, closed',
      {},
      { additionalProperties: false, properties: { a: {} } },
      { additionalProperties: false },
      false,
    ],
    [
      'another required one',
      {},
      { properties: { a: {} } },
      { properties: { a: {} }, required: ['a'] },
      false,
    ],
    [
      'a wider number',
      {},
      { properties: { a: { type: 'integer' } } },
      { properties: { a: { type: 'number' } } },
      true,
    ],
    [
      'a narrower number',
      {},
      { properties: { a: { type: 'number' } } },
      { properties: { a: { type: 'integer' } } },
      false,
    ],
    [
      'a shorter text',
      {},
      { properties: { a: { maxLength: 9 } } },
      { properties: { a: { maxLength: 5 } } },
      false,
    ],
    [
      'a value of an enum less',
      {},
      { properties: { a: { enum: [1, 2] } } },
      { properties: { a: { enum: [1] } } },
      false,
    ],
    [
      'an alternative more',
      {},
      { properties: { a: { type: 'string' } } },
      { properties: { a: { oneOf: [{ type: 'string' }, { type: 'null' }] } } },
      true,
    ],
  ])('of JSON Schema: %s', async (_name, _empty, before, after, isGood) => {
    expect(await check('BACKWARD', [json(before)], json(after))).toEqual([isGood, isGood ? 200 : 409]);
  });

  const proto = (fields: string) => ({
    schemaType: 'PROTOBUF',
    schema: `syntax = "proto3"; package shop; message Order { ${fields} }`,
  });
  it.each([
    ['a field more', 'int32 id = 1;', 'int32 id = 1; string note = 2;', true],
    ['a field less', 'int32 id = 1; string note = 2;', 'int32 id = 1;', true],
    ['a type of the same kind', 'int32 id = 1;', 'int64 id = 1;', true],
    ['another type', 'int32 id = 1;', 'string id = 1;', false],
    ['a list', 'int32 id = 1;', 'repeated int32 id = 1;', false],
    ['a message less', 'int32 id = 1; message Inner {}', 'int32 id = 1;', false],
  ])('of Protobuf: %s', async (_name, before, after, isGood) => {
    expect(await check('BACKWARD', [proto(before)], proto(after))).toEqual([isGood, isGood ? 200 : 409]);
  });

  it('says why not when it is asked for', async () => {
    const registry = await startRegistry();
    await ask(registry, 'POST /subjects/a/versions', plain);
    const path = '/compatibility/subjects/a/versions/latest?verbose=true';
    const { body } = await ask(registry, `POST ${path}`, added);
    expect(body).toEqual({ is_compatible: false, messages: [expect.stringContaining('note')] });
  });
});
