import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from '@jest/globals';
import { startGraphql, stopAll } from './support/graphql-host.js';
import { runModule } from './support/run-module.js';

afterEach(stopAll);

const SDL = `
type Query { shop: Shop! viewer: Person node(id: ID!): Node }
interface Node { id: ID! }
type Shop implements Node { id: ID! name: String! products(first: Int, after: String): ProductConnection! }
type ProductConnection { edges: [ProductEdge!]! pageInfo: PageInfo! }
type ProductEdge { cursor: String! node: Product! }
type Product implements Node { id: ID! name: String! price: Float! }
type Person implements Node { id: ID! name: String! }
type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }
type Mutation { rename(id: ID!, name: String!): Person! }
`;

/** What relay-compiler 21.0.1 makes of queries with a connection and a deferred fragment, without its references. */
const DOCUMENTS = readFileSync(new URL('support/relay-documents.json', import.meta.url), 'utf8');

function products(names: readonly string[], hasNextPage: boolean): object {
  const edges = names.map((name) => ({ cursor: `after-${name}`, node: { id: name, name } }));
  return { edges, pageInfo: { endCursor: `after-${names.at(-1) ?? ''}`, hasNextPage } };
}

/** A page of an application that uses Relay: the network is a function of its own, as Relay wants it. */
function page(url: string): string {
  return `
    import relay from 'relay-runtime';
    const documents = ${DOCUMENTS};
    const { Environment, Network, Observable, RecordSource, Store } = relay;

    /** The parts of an answer, each when it has come. */
    async function* partsOf(response) {
      const [, boundary] = /boundary="?([^";]+)/.exec(response.headers.get('content-type')) ?? [];
      if (boundary === undefined) return yield await response.json();
      let text = '';
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const pieces = text.split('\\r\\n--' + boundary);
        text = pieces.pop();
        for (const piece of pieces) {
          const [, body] = piece.split('\\r\\n\\r\\n');
          if (body !== undefined) yield JSON.parse(body);
        }
      }
    }

    const network = Network.create(({ text, name }, variables) =>
      Observable.create((sink) => {
        (async () => {
          const response = await fetch(${JSON.stringify(url)}, {
            method: 'POST',
            headers: { accept: 'multipart/mixed;deferSpec=20220824', 'content-type': 'application/json' },
            body: JSON.stringify({ query: text, operationName: name, variables }),
          });
          for await (const { incremental, hasNext = false, ...whole } of partsOf(response)) {
            const extensions = { is_final: !hasNext };
            if (incremental === undefined) sink.next({ ...whole, extensions });
            for (const part of incremental ?? []) sink.next({ ...part, extensions });
          }
          sink.complete();
        })().catch((error) => sink.error(error));
      }),
    );
    const environment = new Environment({ network, store: new Store(new RecordSource()) });

    /** Asks, and gives what the page is shown each time that something has come. */
    async function ask(name, variables, show) {
      const operation = relay.createOperationDescriptor(documents[name], variables);
      environment.retain(operation);
      const seen = [];
      await new Promise((complete, error) =>
        environment.execute({ operation }).subscribe({ next: () => seen.push(show(operation)), complete, error }),
      );
      return seen;
    }
    const read = (name, reference) =>
      environment.lookup(relay.getSingularSelector(documents[name], reference)).data;
    const names = (shop) => read('appProducts', shop).products.edges.map(({ node }) => node.name);

    let shop, viewer;
    const first = await ask('appShopQuery', {}, (operation) => {
      ({ shop, viewer } = environment.lookup(operation.fragment).data);
      return [shop.name, names(shop), read('appViewer', viewer).name];
    });
    const { endCursor } = read('appProducts', shop).products.pageInfo;
    await ask('appMoreQuery', { id: shop.id, count: 2, cursor: endCursor }, () => undefined);
    const more = [names(shop), read('appProducts', shop).products.pageInfo.hasNextPage];
    await new Promise((onCompleted, onError) =>
      relay.commitMutation(environment, {
        mutation: documents.appRenameMutation,
        variables: { id: viewer.id, name: 'Bea' },
        onCompleted,
        onError,
      }),
    );
    const failed = await ask('appMoreQuery', { id: 'none', count: 2, cursor: null }, () => undefined).catch(
      ({ message }) => message,
    );
    console.log(JSON.stringify({ first, more, renamed: read('appViewer', viewer).name, failed }));
  `;
}

it('serves Relay: a deferred fragment, a connection with a further page, a mutation, an error', async () => {
  const mocks = [
    {
      operation_name: 'appShopQuery',
      response: {
        shop: { id: 'shop', name: 'Lamps', products: products(['a', 'b'], true) },
        viewer: { id: 'ann', name: 'Ann' },
      },
    },
    {
      operation_name: 'appMoreQuery',
      variables: { id: 'shop', count: 2, cursor: 'after-b' },
      response: { node: { __typename: 'Shop', id: 'shop', products: products(['c'], false) } },
    },
    {
      operation_name: 'appRenameMutation',
      response: { rename: { id: '{{request.variables.id}}', name: '{{request.variables.name}}' } },
    },
    { operation_name: 'appMoreQuery', errors: [{ message: 'no such shop' }] },
  ];
  const { url, host } = await startGraphql(mocks, { sdl: SDL });
  expect(await runModule(page(url))).toEqual({
    // What is deferred is not there at first, and its name is read as missing.
    first: [
      ['Lamps', ['a', 'b'], null],
      ['Lamps', ['a', 'b'], 'Ann'],
    ],
    more: [['a', 'b', 'c'], false],
    renamed: 'Bea',
    failed: expect.stringContaining('no such shop'),
  });
  expect(host.journal.list({ unmatched: true })).toEqual([]);
});
