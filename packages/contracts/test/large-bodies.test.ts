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
