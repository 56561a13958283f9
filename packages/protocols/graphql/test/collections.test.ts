import { afterEach, expect, it } from '@jest/globals';
import { Client, fetchExchange } from '@urql/core';
import { startGraphql, stopAll } from './support/graphql-host.js';

afterEach(stopAll);

it('queries and mutations read and change a collection', async () => {
  const { url, host } = await startGraphql(
    [
      {
        operation_name: 'Users',
        collection: {
          name: 'users',
          list: true,
          where: { role: '{{request.variables.role}}' },
          limit: '{{request.variables.first}}',
        },
        response: { users: { nodes: '{{rows}}', total: '{{total}}', hasNextPage: '{{has_more}}' } },
      },
      {
        operation_name: 'User',
        collection: { name: 'users', get: '{{request.variables.id}}' },
        response: { user: '{{row}}' },
      },
      {
        operation_name: 'User',
        response: { user: null },
        errors: [{ message: 'no user {{request.variables.id}}' }],
      },
      {
        operation_name: 'Add',
        collection: { name: 'users', create: true, value: '{{request.variables.input}}' },
        response: { add: '{{row}}' },
      },
    ],
    {},
    {
      collections: {
        users: {
          id: '{{seq "users"}}',
          rows: [
            { id: 'a', role: 'admin' },
            { id: 'b', role: 'user' },
          ],
        },
      },
    },
  );
  const client = new Client({ url, exchanges: [fetchExchange], preferGetMethod: false });
  const ask = async (query: string, variables: object): Promise<unknown> => {
    const { data, error } = await client.query(query, variables, { requestPolicy: 'network-only' });
    return error === undefined ? data : error.graphQLErrors[0]?.message;
  };
  const added = await client.mutation('mutation Add($input: In!) { add(input: $input) { id role } }', {
    input: { role: 'user', tags: ['x'] },
  });
  expect(added.data).toEqual({ add: { id: 1, role: 'user', tags: ['x'] } });
  const list = 'query Users($role: String, $first: Int) { users(role: $role, first: $first) { total } }';
  expect(await ask(list, { role: 'user', first: 1 })).toEqual({
    users: { nodes: [{ id: 'b', role: 'user' }], total: 2, hasNextPage: true },
  });
  expect(await ask(list, {})).toMatchObject({ users: { total: 3, hasNextPage: false } });
  const one = 'query User($id: ID!) { user(id: $id) { id } }';
  expect(await ask(one, { id: 'a' })).toEqual({ user: { id: 'a', role: 'admin' } });
  expect(await ask(one, { id: 'z' })).toBe('no user z');
  expect(host.collection('users').size).toBe(3);
});
