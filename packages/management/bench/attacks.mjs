// What one client of the management port may do to hold up all others: large and hostile bodies, and mocks that make messages
// expensive. Whoever runs them watches how long the server's event loop was held. Each is bounded in count and in time.
import { Agent, request } from 'node:http';

const MAX_TIME = 60_000;
const MEGABYTE = 1_000_000;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends one request, and reads its answer without keeping it. */
function send(port, method, path, body, headers = {}) {
  const bytes =
    body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return new Promise((resolve) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent,
        headers: { ...headers, 'content-length': bytes?.length ?? 0 },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          if (text.length < 100_000) text += chunk.toString('latin1');
        });
        // Whatever becomes of the answer: what is measured is the server.
        response.once('close', () => resolve({ status: response.statusCode, text }));
      },
    );
    sent.setTimeout(MAX_TIME, () => sent.destroy());
    sent.once('error', () => resolve({ status: 0, text: '' }));
    sent.end(bytes);
  });
}

/** The port of a kind. */
async function portOf(api, kind) {
  const { text } = await send(api, 'GET', '/api/protocols');
  return JSON.parse(text).find(({ protocol }) => protocol === kind).port;
}

const list = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const repeat = (text, size) => text.repeat(Math.floor(size / text.length));

/** A body of a route, once. */
const post = (name, path, make) => ({ name, run: (port) => send(port, 'POST', path, make()) });

/** An HTTP mock, and requests that it is asked with. */
const answer = (name, mock, message, times = 3) => ({
  name,
  async run(api) {
    await send(api, 'POST', '/api/mocks/http', {
      id: 'attack',
      request: { path: '/a' },
      response: {},
      ...mock(),
    });
    const port = await portOf(api, 'http');
    for (let count = 0; count < times; count += 1) await send(port, 'POST', '/a', message());
  },
});
const template = (name, body, message = () => 'x') =>
  answer(`an answer of ${name}`, () => ({ response: { body: body() } }), message);
const pattern = (name, body, message) =>
  answer(`a body against ${name}`, () => ({ request: { path: '/a', body: body() } }), message);

const mocks = (count, more = {}) =>
  list(count, (n) => ({ id: `m${n}`, request: { path: `/p/${n}` }, response: { body: 'x' }, ...more }));
const letters = () => list(4 * MEGABYTE, (n) => 'ab'[((n * n) >> 5) & 1]).join('');

export const attacks = [
  post('200,000 mocks that are not valid', '/api/mocks/http', () =>
    list(200_000, () => ({ requst: {}, b: 1 })),
  ),
  post('one mock with 400,000 unknown fields', '/api/mocks/http', () =>
    Object.fromEntries(list(400_000, (n) => [`f${n}`, 1])),
  ),
  post('one mock with 50,000 headers that are not valid', '/api/mocks/http', () => ({
    request: { path: '/a', headers: Object.fromEntries(list(50_000, (n) => [`h${n}`, { containz: 1 }])) },
    response: {},
  })),
  {
    name: '50,000 mocks, a reset, and again',
    async run(port) {
      for (let round = 0; round < 2; round += 1) {
        await send(port, 'POST', '/api/mocks/http', mocks(50_000));
        await send(port, 'POST', '/api/reset');
      }
    },
  },
  post('10 MB of empty objects', '/api/mocks/http', () => `[${repeat('{},', 10 * MEGABYTE)}1]`),
  post(
    '10 MB of numbers, and an end that is none',
    '/api/mocks/http',
    () => `[${repeat('1,', 10 * MEGABYTE)}]`,
  ),
  post('700,000 different keys of state', '/api/state', () =>
    Object.fromEntries(list(600_000, (n) => [`k${n}`, 'v'])),
  ),
  post('10 MB of line breaks', '/api/state', () => repeat('\n', 10 * MEGABYTE)),
  {
    name: '100,000 keys of state, each in a request of its own over them, in slices of 1,000',
    async run(port) {
      await send(port, 'POST', '/api/state', Object.fromEntries(list(100_000, (n) => [`k${n}`, 'v'])));
      for (let count = 0; count < 20; count += 1)
        await send(port, 'POST', '/api/state', { [`own${count}`]: 'v' });
      await send(port, 'GET', '/api/state');
      await send(port, 'DELETE', '/api/state?prefix=k');
    },
  },
  template('400,000 tags', () => '{{request.path}}'.repeat(400_000)),
  template(
    '5,000 tags in 2,000 passes',
    () => `{{#body}}${'{{x}}'.repeat(4_990)}{{/body}}`,
    () => list(2000, () => 1),
  ),
  template(
    'sections of sections of one list',
    () => '{{#body}}{{#body}}{{#body}}{{/body}}{{/body}}{{/body}}',
    () => list(5000, () => 1),
  ),
  template(
    'the raw body in each pass',
    () => '{{#body.list}}{{upper raw_body}}{{/body.list}}',
    () => ({ list: list(50_000, () => 1), text: 'é'.repeat(2 * MEGABYTE) }),
  ),
  template(
    'digests in each pass',
    () => '{{#body}}{{hash "sha512" raw_body}}{{/body}}',
    () => list(100_000, () => 1),
  ),
  template(
    'the body as JSON in each pass',
    () => '{{#body}}{{json body}}{{/body}}',
    () => list(100_000, () => ({})),
  ),
  template('long random texts', () => '{{rand_string 65536 "hex"}}'.repeat(1000)),
  template(
    'a body of 10 MB of empty objects',
    () => '{{request.body.0.a}}',
    () => `[${repeat('{},', 10 * MEGABYTE)}1]`,
  ),
  template('10 MB that are braces', () => repeat('{{', 9 * MEGABYTE)),
  pattern('counted repetition', () => 're:(?:(?:x?a){30}y?){30}', letters),
  pattern('a pattern with very many states', () => 're:^[ab]*a[ab]{300}z', letters),
  pattern('one that keeps 20 letters in mind', () => 're:^[ab]*a[ab]{20}z', letters),
  pattern(
    'a text that repeats itself',
    () => ({ contains: `b${'a'.repeat(300)}` }),
    () => 'a'.repeat(10 * MEGABYTE),
  ),
  pattern(
    'stars between texts that repeat themselves',
    () => `*${'a*'.repeat(20_000)}b*`,
    () => 'a'.repeat(10 * MEGABYTE),
  ),
  post('300 regular expressions in one mock', '/api/mocks/http', () => ({
    request: { path: '/a', body: { any_of: list(300, (n) => `re:(?:a${n}){900}`) } },
    response: {},
  })),
  {
    name: 'a message explained among 50,000 mocks',
    async run(port) {
      await send(
        port,
        'POST',
        '/api/mocks/http',
        mocks(50_000, { request: { path: '/a', body: 're:^x{100}y$' } }).map((mock, n) => ({
          ...mock,
          id: `m${n}`,
        })),
      );
      for (let count = 0; count < 3; count += 1)
        await send(port, 'POST', '/api/explain/http', {
          method: 'GET',
          path: '/a',
          body: 'x'.repeat(100_000),
        });
    },
  },
  {
    name: '5,000 entries of the log with 12 KB each, read whole, counted and followed',
    async run(api) {
      const port = await portOf(api, 'http');
      const body = 'x"\n'.repeat(4000);
      await Promise.all(
        list(8, async () => {
          for (let count = 0; count < 625; count += 1) await send(port, 'POST', '/nothing', body);
        }),
      );
      await send(api, 'GET', '/api/logs?limit=10000');
      await send(api, 'GET', '/api/logs/count?unmatched=true');
    },
  },
  post('a scenario of 20,000 patches', '/api/scenarios', () => ({
    id: 's',
    patches: list(20_000, (n) => ({ mock_id: `m${n}`, status: 500 })),
  })),
  {
    name: 'a scenario of 20,000 patches for mocks that are there, active and not',
    async run(port) {
      await send(port, 'POST', '/api/mocks/http', mocks(20_000));
      const patches = list(20_000, (n) => ({ mock_id: `m${n}`, status: 500 }));
      await send(port, 'POST', '/api/scenarios', { id: 's', patches });
      await send(port, 'POST', '/api/scenarios/s/activate');
      await send(port, 'GET', '/api/scenarios/s');
      await send(port, 'PUT', '/api/scenarios/s', { patches: patches.slice(5_000) });
      await send(port, 'DELETE', '/api/scenarios/s/activate');
    },
  },
  {
    name: '100 snapshots of 10,000 mocks',
    async run(port) {
      await send(port, 'POST', '/api/mocks/http', mocks(10_000));
      for (let count = 0; count < 100; count += 1) await send(port, 'POST', '/api/snapshots', {});
      const { text } = await send(port, 'GET', '/api/snapshots');
      for (const { id } of JSON.parse(text)) await send(port, 'DELETE', `/api/snapshots/${id}`);
    },
  },
  {
    name: '100,000 mocks that are as in a snapshot, all removed, and put back',
    async run(port) {
      await send(port, 'POST', '/api/mocks/http', mocks(100_000));
      const { text } = await send(port, 'POST', '/api/snapshots', {});
      const { id } = JSON.parse(text);
      const restore = () => send(port, 'POST', `/api/snapshots/${id}/restore`);
      await restore();
      let next = 0;
      const removeAll = async () => {
        for (let n = next++; n < 100_000; n = next++) await send(port, 'DELETE', `/api/mocks/http/m${n}`);
      };
      await Promise.all(list(8, removeAll));
      await restore();
      await send(port, 'DELETE', `/api/snapshots/${id}`);
    },
  },
  {
    name: 'ten years of time with 2,000 answers that wait',
    async run(api) {
      await send(api, 'POST', '/api/mocks/http', {
        request: { path: '/a' },
        response: { body: 'x' },
        delay: '1h',
      });
      const port = await portOf(api, 'http');
      const waiting = new Agent({ maxSockets: 2000 });
      const sent = list(2000, () => request({ host: '127.0.0.1', port, path: '/a', agent: waiting }));
      for (const each of sent) each.on('error', () => undefined).end();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await send(api, 'POST', '/api/clock', { advance: '87600h' });
      waiting.destroy();
    },
  },
];
