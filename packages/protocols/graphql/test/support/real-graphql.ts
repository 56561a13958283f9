import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, GraphQLError } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

const SDL = `
  type User { id: ID! name: String! token: String }
  input Login { user: String! password: String! }
  type Query { user(id: ID!): User visits: Int! fails: Int hello(name: String): String! }
  type Mutation { rename(id: ID!, name: String!): User! login(input: Login!): String! }
  type Subscription { count(to: Int!): Int! }
`;

/** A server of graphql-http and graphql-ws. */
export interface RealGraphql {
  /** Of queries and mutations. */
  readonly url: string;
  /** The requests that came. */
  readonly requests: IncomingMessage[];
  /** What clients have sent with `connection_init`. */
  readonly params: unknown[];
  stop(): Promise<void>;
}

/** Starts a real server at the path `/api`. */
export async function startRealGraphql(): Promise<RealGraphql> {
  const names = new Map([['7', 'Ann']]);
  const requests: IncomingMessage[] = [];
  const params: unknown[] = [];
  let visits = 0;
  const rootValue = {
    user: ({ id }: { id: string }) =>
      names.has(id) ? { id, name: names.get(id), token: 'sk_live_0123456789abcdef' } : null,
    visits: () => (visits += 1),
    fails: () => {
      throw new GraphQLError('it fails', { extensions: { code: 'FAILED' } });
    },
    hello: ({ name = 'you' }: { name?: string }) => `hello {{${name}}}`,
    rename: ({ id, name }: { id: string; name: string }) => {
      names.set(id, name);
      return { id, name };
    },
    login: ({ input }: { input: { user: string } }) => `welcome ${input.user}`,
    async *count({ to }: { to: number }) {
      for (let count = 1; count <= to; count += 1) yield { count };
      await Promise.resolve();
    },
  };
  const schema = buildSchema(SDL);
  const handle = createHandler({ schema, rootValue });
  const server = createServer((request, response) => {
    requests.push(request);
    if (request.url?.startsWith('/api') === true) void handle(request, response);
    else response.end(`nothing at ${request.url ?? ''}`);
  });
  const sockets = new WebSocketServer({ server, path: '/api' });
  const disposable = useServer(
    {
      schema,
      roots: { query: rootValue, mutation: rootValue, subscription: rootValue },
      onConnect: ({ connectionParams }) => {
        params.push(connectionParams);
        return connectionParams?.['user'] === 'nobody' ? false : { from: 'real' };
      },
    },
    sockets,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let isStopped = false;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    requests,
    params,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      await disposable.dispose();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
