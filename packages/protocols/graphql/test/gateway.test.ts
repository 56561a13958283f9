import { afterEach, expect, it } from '@jest/globals';
import { startGraphql, stopAll } from './support/graphql-host.js';
import { runModule } from './support/run-module.js';

afterEach(stopAll);

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@external", "@requires"])';
const PRODUCTS = `${LINK}
type Query { top: [Product!]! product(sku: String!): Product }
type Product @key(fields: "sku") { sku: String! name: String! weight: Int! }
`;
const REVIEWS = `${LINK}
type Query { newest: Review }
type Review @key(fields: "id") { id: ID! stars: Int! text: String! product: Product! }
type Product @key(fields: "sku") { sku: String! weight: Int! @external heavy: Boolean! @requires(fields: "weight") reviews: [Review!]! }
`;

/** What the gateway is asked, in order. */
const QUERIES = [
  'query Top { top { sku name reviews { stars text } } }',
  'query Newest { newest { stars product { sku name weight heavy } } }',
  'query Wrong { product(sku: "none") { name reviews { text } } }',
];

it('Apollo Gateway composes subgraphs, and answers one query by both', async () => {
  const products = await startGraphql(
    [
      {
        operation_name: 'Top*',
        response: {
          top: [
            { sku: 'lamp', name: 'Lamp' },
            { sku: 'desk', name: 'Desk' },
          ],
        },
      },
      { operation_name: 'Wrong*', errors: [{ message: 'no such product' }] },
      {
        operation_name: 'Newest*',
        variables: { 'representations.0.sku': 'desk' },
        response: { _entities: [{ name: 'Desk', weight: 40 }] },
      },
    ],
    { sdl: PRODUCTS },
  );
  const reviews = await startGraphql(
    [
      {
        operation_name: 'Top*',
        variables: { 'representations.0.sku': 'lamp', 'representations.1.sku': 'desk' },
        response: {
          _entities: [{ reviews: [{ stars: 5, text: 'bright' }] }, { reviews: [] }],
        },
      },
      {
        operation_name: 'Newest*',
        variables: { 'representations.0.weight': 40 },
        response: { _entities: [{ heavy: true }] },
      },
      { operation_name: 'Newest*', response: { newest: { stars: 4, product: { sku: 'desk' } } } },
    ],
    { sdl: REVIEWS },
  );
  const answers = await runModule(`
    import { ApolloGateway, IntrospectAndCompose } from '@apollo/gateway';
    import { parse } from 'graphql';
    const quiet = { debug() {}, info() {}, warn: console.error, error: console.error };
    const gateway = new ApolloGateway({
      logger: quiet,
      supergraphSdl: new IntrospectAndCompose({
        logger: quiet,
        subgraphs: ${JSON.stringify([
          { name: 'products', url: products.url },
          { name: 'reviews', url: reviews.url },
        ])},
      }),
    });
    const { executor } = await gateway.load();
    const answers = [];
    for (const query of ${JSON.stringify(QUERIES)}) {
      const { data, errors } = await executor({
        request: { query, variables: {} },
        document: parse(query),
        operationName: /query (\\w+)/.exec(query)[1],
        queryHash: query,
        context: {},
        cache: new Map(),
        metrics: {},
        schema: gateway.schema,
      });
      answers.push({ data, errors: errors?.map(({ message }) => message) });
    }
    console.log(JSON.stringify(answers));
    await gateway.stop();
  `);
  expect(answers).toEqual([
    {
      data: {
        top: [
          { sku: 'lamp', name: 'Lamp', reviews: [{ stars: 5, text: 'bright' }] },
          { sku: 'desk', name: 'Desk', reviews: [] },
        ],
      },
    },
    { data: { newest: { stars: 4, product: { sku: 'desk', name: 'Desk', weight: 40, heavy: true } } } },
    { data: { product: null }, errors: ['no such product'] },
  ]);
  const asked = ({ host }: typeof products): unknown[] => host.journal.list().map(({ path }) => path);
  const sdl = '__ApolloGetServiceDefinition__';
  expect(asked(products)).toEqual([sdl, 'Top__products__0', 'Newest__products__1', 'Wrong__products__0']);
  expect(asked(reviews)).toEqual([sdl, 'Top__reviews__1', 'Newest__reviews__0', 'Newest__reviews__2']);
});
