// How long one check of a body just below 256 KiB holds the event loop, for schemas that multiply the work.
// Run it on the built package: node bench/checks.mjs
import { OpenApiContract, parseSource } from '../dist/index.js';

const MOST_BYTES = 256 * 1024;

const fields = (count, type = { type: 'string' }) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, type]));
const alternatives = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const listOf = (items) => ({ type: 'array', items });
const kinds = (count, word) => ({
  [word]: alternatives(count, (index) => ({
    type: 'object',
    required: ['kind'],
    properties: { ...fields(10), kind: { type: 'string', enum: [`k${index}`] } },
  })),
});

/** Each schema with the item of which its body has as many as fit; the last one breaks it where `last` is given. */
const CASES = {
  'usual objects': [
    listOf({ type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...fields(10) } }),
    () => ({ id: 1, f0: 'some text', f1: 'more' }),
  ],
  'usual objects by reference': [
    listOf({ $ref: '#/components/schemas/Item' }),
    () => ({ id: 1, f0: 'some text', f1: 'more' }),
  ],
  numbers: [listOf({ type: 'number' }), (n) => n % 10],
  'references to numbers': [listOf({ $ref: '#/components/schemas/Number' }), (n) => n % 10],
  'oneOf 20, small items': [listOf(kinds(20, 'oneOf')), () => ({ kind: 'k19' })],
  'oneOf 200, small items': [listOf(kinds(200, 'oneOf')), () => ({ kind: 'k199' })],
  'oneOf 20, numbers': [
    listOf({ oneOf: alternatives(20, (n) => ({ type: 'number', maximum: n })) }),
    () => 18.5,
  ],
  'oneOf 20 in oneOf 20': [
    listOf({ oneOf: alternatives(20, () => kinds(20, 'anyOf')) }),
    () => ({ kind: 'x' }),
  ],
  'oneOf 20 of lists': [
    { oneOf: alternatives(20, (n) => listOf({ type: 'number', maximum: 20 - n })) },
    () => 1,
  ],
  'allOf 50': [
    listOf({ allOf: alternatives(50, () => ({ type: 'object', properties: fields(10) })) }),
    () => ({ f1: 'x' }),
  ],
  'enum of 5,000 texts': [
    listOf({ enum: alternatives(5000, (n) => `value-${n}`) }),
    (n) => `value-${n % 5000}`,
  ],
  'enum of 100 objects': [
    listOf({ enum: alternatives(100, (n) => ({ a: { b: n } })) }),
    (n) => ({ a: { b: n % 100 } }),
  ],
  'uniqueItems, numbers': [{ ...listOf({ type: 'number' }), uniqueItems: true }, (n) => n],
  'uniqueItems, objects': [{ ...listOf({ type: 'object' }), uniqueItems: true }, (n) => ({ n })],
  contains: [{ type: 'array', contains: { type: 'string' } }, (n) => n],
  'patternProperties 50': [
    listOf({
      type: 'object',
      patternProperties: Object.fromEntries(alternatives(50, (n) => [`^x${n}.*y$`, { type: 'string' }])),
    }),
    () => ({ x1aaay: 'a', bb: 'c' }),
  ],
  pattern: [listOf({ type: 'string', pattern: '^[a-z]+(-[0-9a-f]{4})*$' }), () => 'abc-0a1b-0a1b-0a1b'],
  'pattern of one text': [
    { type: 'string', pattern: '^([a-z]|[0-9])*z$' },
    undefined,
    JSON.stringify('a'.repeat(MOST_BYTES - 2)),
  ],
  'oneOf 20 patterns of one text': [
    { oneOf: alternatives(20, (n) => ({ type: 'string', pattern: `^([a-z]|[0-9])*${n}$` })) },
    undefined,
    JSON.stringify('a'.repeat(MOST_BYTES - 2)),
  ],
  'format date-time': [listOf({ type: 'string', format: 'date-time' }), () => '2026-01-02T03:04:05Z'],
  'format of addresses': [listOf({ type: 'string', format: 'email' }), () => 'somebody@example.com'],
  'many members': [
    { type: 'object', additionalProperties: kinds(20, 'oneOf') },
    undefined,
    JSON.stringify(Object.fromEntries(alternatives(9000, (n) => [`m${n}`, { kind: 'k19' }]))),
  ],
  'a tree in itself': [{ $ref: '#/components/schemas/Tree' }, undefined, JSON.stringify(tree(12))],
  'a tree of alternatives': [{ $ref: '#/components/schemas/Either' }, undefined, JSON.stringify(tree(12))],
};

function tree(depth) {
  return depth === 0 ? { children: [] } : { children: [tree(depth - 1), tree(depth - 1)] };
}

function bodyOf(item) {
  let text = '[';
  for (let n = 0; ; n += 1) {
    const next = `${n === 0 ? '' : ','}${JSON.stringify(item(n))}`;
    if (text.length + next.length + 1 > MOST_BYTES) return `${text}]`;
    text += next;
  }
}

const Tree = { type: 'object', properties: { children: listOf({ $ref: '#/components/schemas/Tree' }) } };
const Either = {
  oneOf: alternatives(10, (n) => ({
    type: 'object',
    required: n === 9 ? ['children'] : ['children', 'other'],
    properties: { children: listOf({ $ref: '#/components/schemas/Either' }), other: { type: 'string' } },
  })),
};
const Item = CASES['usual objects'][0].items;

function since(begin) {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

/** How long the longest turn of the event loop takes until something is done, in processor time. */
async function longestTurn(work) {
  let isDone = false;
  let longest = 0;
  let begin = process.cpuUsage();
  const tick = () => {
    longest = Math.max(longest, since(begin));
    begin = process.cpuUsage();
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isDone = true;
  await new Promise((resolve) => setImmediate(resolve));
  return longest;
}

for (const [name, [schema, item, given]] of Object.entries(CASES)) {
  const document = {
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: {
      '/x': {
        post: {
          requestBody: { content: { 'application/json': { schema } } },
          responses: { 200: { description: 'x' } },
        },
      },
    },
    components: { schemas: { Tree, Either, Item, Number: { type: 'number' } } },
  };
  const contract = new OpenApiContract(await parseSource('/x.json', JSON.stringify(document)), { seed: 1 });
  const body = Buffer.from(given ?? bodyOf(item));
  const request = {
    method: 'POST',
    path: '/x',
    query: '',
    headers: { 'content-type': 'application/json' },
    body,
  };
  const first = await longestTurn(() => contract.inTurns(() => contract.checkRequest(request)));
  const times = [];
  let found;
  for (let run = 0; run < 5; run += 1) {
    const begin = process.cpuUsage();
    found = contract.checkRequest(request);
    times.push(since(begin));
  }
  const result = found.isUnchecked
    ? 'unchecked'
    : found.violations.length === 0
      ? 'allowed'
      : `refused: ${found.violations[0].path} ${found.violations[0].message}`.slice(0, 60);
  const shown = (ms) => ms.toFixed(0).padStart(6);
  console.log(
    `${name.padEnd(32)} ${String(body.length).padStart(7)} bytes  first ${shown(first)} ms  then ${shown(Math.min(...times))} ms  ${result}`,
  );
}
