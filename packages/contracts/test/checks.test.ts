import { expect, it } from '@jest/globals';
import { Chance, parseSource, References, Sampler, SchemaChecks } from '../src/index.js';

type Dialect = ConstructorParameters<typeof SchemaChecks>[1];

/** What a schema has against a value: its place and what would be right. */
async function against(
  schema: object,
  value: unknown,
  dialect: Dialect = 'openapi',
  side: 'request' | 'answer' = 'answer',
): Promise<string | undefined> {
  const { file } = await parseSource('/schema.json', JSON.stringify({ schema, defs: DEFINITIONS }));
  const checks = new SchemaChecks(new References(() => undefined), dialect);
  const fault = checks.find(schema, file, side, value);
  return typeof fault === 'object' ? `${fault.path} ${fault.message}` : fault;
}

const DEFINITIONS = {
  Node: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, next: { $ref: '#/defs/Node' } },
  },
};

it('reads the schemas of OpenAPI 3.0', async () => {
  expect(await against({ type: 'string', nullable: true }, null)).toBeUndefined();
  expect(await against({ type: 'string', enum: ['a', null], nullable: true }, null)).toBeUndefined();
  expect(await against({ nullable: true, allOf: [{ $ref: '#/defs/Node' }] }, null)).toBeUndefined();
  expect(await against({ type: 'number', minimum: 1, exclusiveMinimum: true }, 1)).toBe(' must be > 1');
  expect(await against({ type: 'string' }, 7)).toBe(' must be a string');
  expect(await against({ $ref: '#/defs/Node', type: 'string' }, { id: 'x' })).toBeUndefined();
});

it('reads those of JSON Schema', async () => {
  expect(await against({ type: ['string', 'null'] }, 7, 'json-schema')).toBe(' must be a string or null');
  expect(await against({ $ref: '#/defs/Node', required: ['next'] }, { id: 'x' }, 'json-schema')).toBe(
    '/next must be there',
  );
  expect(
    await against({ items: [{ type: 'string' }], additionalItems: false }, ['a', 1], 'json-schema'),
  ).toBe(' must NOT have more than 1 items');
  expect(await against({ prefixItems: [{ type: 'string' }] }, [1], 'json-schema')).toBe(
    '/0 must be a string',
  );
  expect(await against({ const: { a: 1 } }, { a: 2 }, 'json-schema')).toBe(' must be {"a":1}');
});

it('does not ask for what goes the other way', async () => {
  const schema = {
    type: 'object',
    required: ['id', 'secret'],
    properties: { id: { readOnly: true }, secret: { writeOnly: true } },
  };
  expect(await against(schema, { secret: 1 }, 'openapi', 'request')).toBeUndefined();
  expect(await against(schema, { id: 1 }, 'openapi', 'answer')).toBeUndefined();
  expect(await against(schema, { id: 1 }, 'openapi', 'request')).toBe('/secret must be there');
});

it('follows schemas that are within themselves', async () => {
  const node = { $ref: '#/defs/Node' };
  expect(await against(node, { id: 'a', next: { id: 'b', next: { id: 3 } } })).toBe(
    '/next/next/id must be a string',
  );
  let deep: object = { id: 'x' };
  for (let depth = 0; depth < 50_000; depth += 1) deep = { id: 'x', next: deep };
  expect(await against(node, deep)).toBe(' must be nested less deep');
});

it('says of alternatives what the nearest of them lacks', async () => {
  const alternatives = [{ type: 'string' }, { type: 'object', properties: { a: { type: 'integer' } } }];
  expect(await against({ oneOf: alternatives }, { a: 'x' })).toBe('/a must be an integer');
  expect(await against({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 7, 'json-schema')).toBe(
    ' must fit one of the alternatives',
  );
});

it('finds the nearest of many alternatives, each of which is compiled by itself', async () => {
  const oneOf = Array.from({ length: 40 }, (_, index) => ({
    type: 'object',
    required: ['kind'],
    properties: {
      kind: { const: `k${index}` },
      size: { type: 'object', properties: { x: { maximum: index } } },
    },
  }));
  expect(await against({ oneOf }, { kind: 'k7', size: { x: 7 } }, 'json-schema')).toBeUndefined();
  expect(await against({ oneOf }, { kind: 'k7', size: { x: 8 } }, 'json-schema')).toBe(
    '/size/x must be <= 7',
  );
  // What they evaluate is seen by the schema around them.
  const closed = { anyOf: oneOf, unevaluatedProperties: false };
  expect(await against(closed, { kind: 'k7', size: {} }, 'json-schema')).toBeUndefined();
  expect(await against(closed, { kind: 'k7', other: 1 }, 'json-schema')).toBe('/other must not be there');
});

it('compares values whatever the order of their members is', async () => {
  const schema = { enum: ['7', 8, null, { a: 1, b: [{ c: 2, d: 3 }] }, [1, 2]] };
  for (const value of ['7', 8, null, { b: [{ d: 3, c: 2 }], a: 1 }, [1, 2]])
    expect(await against(schema, value, 'json-schema')).toBeUndefined();
  for (const value of [7, '8', true, {}, { a: 1, b: [{ c: 2 }] }, [2, 1], [[1, 2]], '[1,2]'])
    expect(await against(schema, value, 'json-schema')).toMatch(/^ must be one of "7", 8, null/);
  const unique = { uniqueItems: true };
  expect(
    await against(
      unique,
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'json-schema',
    ),
  ).toMatch('the same twice');
  expect(await against(unique, [1, '1', [1], ['1'], {}, '{}', null], 'json-schema')).toBeUndefined();
});

const MANY = 20_000;
it.each([
  ['alternatives', { oneOf: Array.from({ length: 20 }, (_, n) => ({ const: n })) }, 7],
  ['schemas of the same value', { allOf: Array.from({ length: 60 }, () => ({ not: { type: 'null' } })) }, 7],
  ['objects to compare with', { enum: [{ a: { b: { c: 1 } } }] }, { a: { b: { c: 1 } } }],
  [
    'expressions for names',
    { patternProperties: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`^${n}.*x`, true])) },
    { a: 1 },
  ],
  ['expressions for texts', { anyOf: [{ pattern: 'y$' }, { pattern: 'x$' }] }, 'abcdefghijklmnopqrstuvwx'],
])('gives up a check of too many %s, and only of too many', async (_what, items, item) => {
  const schema = { type: 'array', items };
  const check = (count: number): Promise<string | undefined> =>
    against(
      schema,
      Array.from({ length: count }, () => item),
      'json-schema',
    );
  expect(await check(MANY)).toBe('unchecked');
  expect(await check(10)).not.toBe('unchecked');
});

it('counts what the values of one message cost together', async () => {
  const { file } = await parseSource('/x.json', '{}');
  const checks = new SchemaChecks(new References(() => undefined), 'json-schema');
  const schema = { items: { pattern: 'x$' } };
  const value = Array.from({ length: 400 }, () => 'x'.repeat(800));
  checks.begin();
  const found = Array.from({ length: 4 }, () => checks.findFurther(schema, file, 'request', value));
  expect(found).toEqual([undefined, 'unchecked', 'unchecked', 'unchecked']);
  expect(checks.find(schema, file, 'request', value)).toBeUndefined();
});

it('passes over what is wrong in a schema', async () => {
  const wrong = {
    type: 'text',
    pattern: '(?=ahead)x',
    minLength: -1,
    format: 'own-format',
    properties: 7,
    required: 'x',
  };
  expect(await against(wrong, 'anything')).toBeUndefined();
  expect(await against({ $ref: '#/nowhere' }, 'anything')).toBeUndefined();
});

it('takes turns where much is to be compiled', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`p${index}`, { $ref: `#/defs/T${index}` }]),
  );
  const types = Object.keys(properties).map((name) => [
    name.replace('p', 'T'),
    {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`m${n}`, { type: 'string', enum: ['a', `${name}`] }]),
      ),
    },
  ]);
  const { file } = await parseSource(
    '/x.json',
    JSON.stringify({ defs: Object.fromEntries(types) as object }),
  );
  const checks = new SchemaChecks(new References(() => undefined), 'openapi');
  const value = Object.fromEntries(
    Object.keys(properties).map((name) => [name, { m0: 'a', m29: name === 'p299' ? 'wrong' : name }]),
  );
  const schema = { properties };
  const work = (): unknown => checks.find(schema, file, 'answer', value);
  const first = checks.inTurns(work);
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toMatchObject({ path: '/p299/m29' });
});

it('makes values that vary, or hold only what must be there', async () => {
  const schema = {
    type: 'object',
    required: ['kind'],
    properties: { kind: { enum: ['a', 'b', 'c', 'd'] }, more: { type: 'string', example: 'shown' } },
  };
  const { file } = await parseSource('/x.json', JSON.stringify({ schema }));
  const names = { properties: { email: { type: 'string' }, city: { type: 'string', maxLength: 3 } } };
  const real = new Sampler(new References(() => undefined), Chance.of(1, 'x'), { looksReal: true });
  expect(real.sample(names, file)).toEqual({
    email: expect.stringMatching(/^[a-z]+\d+@example\.com$/),
    city: expect.stringMatching(/^[A-Z][a-z]{2}$/),
  });
  const make = (seed: number, sampling: object): unknown =>
    new Sampler(new References(() => undefined), Chance.of(seed, 'x'), sampling).sample(schema, file);
  expect(make(1, {})).toEqual({ kind: 'a', more: 'shown' });
  expect(make(1, { onlyRequired: true })).toEqual({ kind: 'a' });
  expect(make(1, { usesExamples: false })).toEqual({ kind: 'a', more: 'more' });
  const kinds = new Set(
    Array.from({ length: 20 }, (_, seed) => JSON.stringify(make(seed, { varies: true }))),
  );
  expect(kinds.size).toBeGreaterThan(1);
  expect(make(3, { varies: true })).toEqual(make(3, { varies: true }));
});
