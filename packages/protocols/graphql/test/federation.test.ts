import { afterEach, expect, it } from '@jest/globals';
import { post, startGraphql, stopAll } from './support/graphql-host.js';

afterEach(stopAll);

const SUBGRAPH = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
type Query { top: Product }
type Product @key(fields: "sku") { sku: String! name: String! @shareable price: Int! }
`;

it('answers the questions of a gateway', async () => {
  const { url } = await startGraphql(
    [{ operation_name: 'Entities', response: { _entities: [{ name: 'Lamp' }] } }],
    { sdl: SUBGRAPH },
  );
  expect((await post(url, { query: '{ _service { sdl } }' })).json).toEqual({
    data: { _service: { sdl: SUBGRAPH } },
  });
  const query =
    'query Entities($r: [_Any!]!) { _entities(representations: $r) { ... on Product { sku name price } } }';
  const r = ['a', 'b'].map((sku) => ({ __typename: 'Product', sku }));
  expect((await post(url, { query, variables: { r } })).json).toEqual({
    data: {
      _entities: [
        { sku: 'a', name: 'Lamp', price: expect.any(Number) },
        { sku: 'b', name: expect.any(String), price: expect.any(Number) },
      ],
    },
  });
  const wrong = await post(url, { query, variables: { r: [{ __typename: 'Nope' }] } });
  expect(wrong.json.errors?.[0]?.message).toBe('__typename is "Nope", which is no type of _Entity.');
});
