import { expect, it } from '@jest/globals';
import { OpenApiContract, parseSource } from '../src/index.js';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Items', version: '1' },
  paths: {
    '/items': {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { type: 'array', items: { type: 'object' } } } },
        },
        responses: { 200: { description: 'taken' } },
      },
    },
  },
};

/** The places of what is wrong with a body of so many bytes whose last item is no object. */
async function wrongIn(bytes: number, type = 'application/json'): Promise<readonly string[]> {
  const source = await parseSource('/items.json', JSON.stringify(DOCUMENT));
  const contract = new OpenApiContract(source, { seed: 1 });
  const end = ',7]';
  const start = '[{}';
  const body = Buffer.from(start + ' '.repeat(bytes - start.length - end.length) + end);
  const headers = { 'content-type': type };
  return contract
    .checkRequest({ method: 'POST', path: '/items', query: '', headers, body })
    .violations.map(({ path }) => path);
}

it('checks bodies up to a size that takes one short turn, and the type of all', async () => {
  expect(await wrongIn(256 * 1024)).toEqual(['/body/1']);
  expect(await wrongIn(256 * 1024 + 1)).toEqual([]);
  expect(await wrongIn(10 * 1024 * 1024)).toEqual([]);
  expect(await wrongIn(10 * 1024 * 1024, 'text/plain')).toEqual(['/headers/content-type']);
});

it('does not hold a body to a schema with which its check would take long, and says so', async () => {
  const items = { oneOf: Array.from({ length: 20 }, (_, n) => ({ type: 'number', multipleOf: n + 1 })) };
  const content = { 'application/json': { schema: { type: 'array', items } } };
  const document = {
    ...{ openapi: '3.0.3', info: { title: 'Items', version: '1' } },
    paths: {
      '/items': { post: { requestBody: { content }, responses: { 200: { description: 'OK', content } } } },
    },
  };
  const source = await parseSource('/items.json', JSON.stringify(document));
  const contract = new OpenApiContract(source, { seed: 1 });
  const headers = { 'content-type': 'application/json' };
  const list = (length: number): Buffer => Buffer.from(JSON.stringify(Array.from({ length }, () => 2)));
  const request = (length: number) =>
    contract.checkRequest({ method: 'POST', path: '/items', query: '', headers, body: list(length) });
  expect(request(10).violations).toMatchObject([{ path: '/body/0' }]);
  expect(request(10)).not.toHaveProperty('isUnchecked');
  // Its first item is wrong, and that is seen before it is given up.
  expect(request(50_000).violations).toHaveLength(1);
  const right = Buffer.from(JSON.stringify([...Array.from({ length: 50_000 }, () => 1), 2]));
  const sent = { method: 'POST', path: '/items', query: '', headers, body: right };
  expect(contract.checkRequest(sent)).toEqual({
    ...{ operation: 'POST /items', status: 400, violations: [], isUnchecked: true },
  });
  expect(contract.checkAnswer('POST /items', { status: 200, headers, body: right })).toEqual({
    ...{ answer: '200', violations: [], isUnchecked: true },
  });
});
