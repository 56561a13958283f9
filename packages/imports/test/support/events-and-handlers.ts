/** Handlers as people write them; MSW runs the same text. */
export const HANDLERS = String.raw`
const team = { name: "ops", members: ['ann', 'bob'] };
const base = '/api';
const listMembers = async () => {
  await delay(5);
  return HttpResponse.json(team.members, { status: 200, headers: { 'X-Total': '2' } });
};
function gone() {
  return new HttpResponse(null, { status: 410 });
}
const handlers = [
  http.get('*/api/users/me', () => HttpResponse.json({ id: 0, quote: "it's {{me}}", list: [1, -2.5, true, null] })),
  http.get('*/api/users/:id', ({ params }) => HttpResponse.json({ id: params.id, link: ${'`/users/${params.id}/x`'} })),
  http.get('*/api/members', listMembers),
  http.get('*' + base + '/gone', gone),
  http.post('*/api/users', async ({ request }) => {
    const { name, tags } = await request.json();
    return HttpResponse.json({ ...team, name, tags, by: 'x' + 1 }, { status: 201 });
  }),
  http.get('*/api/search', ({ request }) => {
    const url = new URL(request.url);
    const q = url.searchParams.get('q');
    return HttpResponse.text('found ' + q);
  }),
  http.get('*/files/*', () => new HttpResponse('<b/>', { headers: new Headers({ 'Content-Type': 'text/html' }) })),
  http.get('*/v*/x/:a-:b.json', () => HttpResponse.xml('<x/>')),
  http.get('*/once', () => HttpResponse.text('first'), { once: true }),
  http.get('*/once', () => HttpResponse.text('then')),
  http.all('*/any', () => HttpResponse.html('<p>any</p>')),
  http.delete('*/moved', () => HttpResponse.redirect('http://localhost/elsewhere', 307)),
  http.get('*/dynamic', ({ request }) => {
    if (request.headers.get('x') === '1') return HttpResponse.text('a');
    return HttpResponse.text('b');
  }),
];
`;

/** Interceptors as people write them; nock runs the same text. */
export const INTERCEPTORS = `
const api = nock('http://shop.example.com/v1', { reqheaders: { 'x-team': 'ops' } });
api.get('/items').query({ page: '2', 'tag[]': 'a' }).reply(200, { items: [1, { quote: '{{x}}' }] }, { 'X-Total': '1' });
api.post('/items', { name: 'mug', sizes: [1, 2] }).reply(201, 'made', { Location: '/v1/items/9' });
nock('http://shop.example.com')
  .get('/once').reply(200, 'first')
  .get('/once').times(2).reply(202, 'then')
  .put('/docs/12').reply(204)
  .get('/secret').basicAuth({ user: 'ann', pass: 'pw' }).matchHeader('accept', 'application/json').reply(200, ['a']);
nock('http://shop.example.com').persist().delete('/always').reply(410);
`;

/** An event as JSON. */
export const EVENT = {
  specversion: '1.0',
  id: '1',
  source: '/shop',
  type: 'com.example.placed',
  time: '2024-05-01T12:00:00Z',
  datacontenttype: 'application/json',
  data: { order: 42, note: '{{raw}}' },
};
