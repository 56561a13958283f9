/** What nock writes with `output_objects`. */
export const RECORDED = [
  {
    scope: 'https://api.example.com:443',
    method: 'GET',
    path: '/users/7?full=1',
    body: '',
    status: 200,
    response: { id: 7, name: '{{name}}' },
    rawHeaders: ['Content-Type', 'application/json', 'Content-Encoding', 'gzip'],
    responseIsBinary: false,
  },
  {
    scope: 'https://api.example.com:443',
    method: 'POST',
    path: '/users',
    body: { name: 'ann' },
    status: 201,
    response: '',
    rawHeaders: [],
    responseIsBinary: false,
  },
];
