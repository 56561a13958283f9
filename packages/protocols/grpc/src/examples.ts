import type { GrpcMock } from './schemas.js';

/** Example mocks; each works without a schema. */
export const EXAMPLES: readonly (GrpcMock & { readonly id?: string })[] = [
  { id: 'get-user', method: 'Users/GetUser', response: { id: '1', name: 'Ada' } },
  {
    id: 'get-nobody',
    method: 'acme.Users/GetUser',
    match: { id: '404' },
    error: {
      code: 'NOT_FOUND',
      message: 'no user {{request.body.id}}',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'NO_USER', domain: 'acme' }],
    },
  },
  {
    id: 'watch-users',
    method: 'acme.Users/WatchUsers',
    stream: [{ response: { name: 'Ada' } }, { response: { name: 'Grace' }, delay: '100ms' }],
    keep_open: true,
  },
  {
    id: 'echo',
    method: 'Echo',
    response: { text: '{{request.body.text}}' },
    metadata: { 'x-served-by': 'backlot' },
    trailers: { 'x-cost': '1' },
  },
];
