import type { GraphqlMock } from './schemas.js';

/** Mocks that show what the kind can do, one idea each. */
export const EXAMPLES: readonly (GraphqlMock & { readonly id: string })[] = [
  {
    id: 'no-such-user',
    operation_name: 'GetUser',
    variables: { id: '404' },
    response: { user: null },
    errors: [
      { message: 'no user {{request.variables.id}}', path: ['user'], extensions: { code: 'NOT_FOUND' } },
    ],
  },
  {
    id: 'get-user',
    operation_type: 'query',
    operation_name: 'GetUser',
    response: { user: { id: '{{request.variables.id}}', name: '{{fake "name"}}' } },
  },
  {
    id: 'add-user',
    operation_type: 'mutation',
    operation_name: 'AddUser',
    variables: { 'input.role': { any_of: ['admin', 'editor'] } },
    response: { addUser: { id: '{{seq "users"}}' } },
  },
  {
    id: 'ticks',
    operation_type: 'subscription',
    operation_name: 'Ticks',
    stream: [
      { data: '{"data": {"tick": 1}}' },
      { data: '{"data": {"tick": {{rand_int 2 9}}}}', delay: '100ms' },
    ],
  },
];
