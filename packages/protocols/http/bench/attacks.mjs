// Attacks on the HTTP kind, for a bench that plays each once and watches how long the server stands still. Every attack is
// bounded in count and in time, ends by itself and resolves however the server answers. Mocks that look at forms, JSON,
// queries, headers and cookies are made over the management port, and taken away again.
import { tlsAttacks } from '@backlot/tooling/attack-client';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';

const MAX_MS = 15_000;
const MAX_BODY = 10 * 1024 * 1024 - 4096;
const BOUNDARY = 'a'.repeat(70);
const PATH = '/attack';
const MOCKS = [
  { path: PATH, form: { a: 'nobody sends this' } },
  { path: PATH, body_json: { a: 'nobody sends this', '0.b': 'nor this' } },
  {
    path: PATH,
    query: { a: 'nobody sends this' },
    cookies: { a: 'nor this' },
    headers: { 'x-a': 'nor this' },
  },
  { path: PATH, body: '*nobody*sends*this*' },
];

/** @type {readonly { name: string, run(port: number, apiPort: number): Promise<void> }[]} */
export const attacks = [
  get('a query of 8,000 parameters', () => ({ target: `${PATH}?${list(8000, () => 'a', '&')}` })),
  get('a query of 4,000 parameters, each other', () => ({
    target: `${PATH}?${list(3000, (n) => `a${n}`, '&')}`,
  })),
  get('1,900 headers', () => ({ headers: list(1900, (n) => `h${n}: `, '\r\n') })),
  get('10,000 headers', () => ({ headers: list(10_000, (n) => `h${n}: `, '\r\n') })),
  get('1,900 headers of one name', () => ({ headers: list(1900, () => 'a:b', '\r\n') })),
  get('3,000 cookies', () => ({ headers: `cookie: ${list(3000, (n) => `${n}=`, ';')}` })),
  get('a path of 7,000 segments', () => ({ target: list(7000, () => '/', '') })),
  get('a path of escapes', () => ({ target: `/${list(5000, () => '%2', '')}` })),
  form('5,000,000 fields', () => Buffer.alloc(MAX_BODY, 'a&')),
  form('900,000 fields of different names', () => list(900_000, (n) => `a${n}`, '&')),
  form('one field of plus signs', () => `a=${'a+'.repeat(MAX_BODY / 2 - 2)}`),
  form('one field of escapes', () => `a=${'%41'.repeat(Math.floor(MAX_BODY / 3) - 2)}`),
  form('one field of broken escapes', () => `a=${'%zz'.repeat(Math.floor(MAX_BODY / 3) - 2)}`),
  multipart('a value like its boundary', () => part(Buffer.alloc(MAX_BODY, 'a'))),
  multipart('a value of line breaks and dashes', () => part(Buffer.alloc(MAX_BODY, '\r\n--'))),
  multipart('a value of lines that begin like the delimiter', () =>
    part(Buffer.alloc(MAX_BODY, `\r\n--${BOUNDARY}a`)),
  ),
  multipart('a delimiter and endless white space', () =>
    part(Buffer.alloc(MAX_BODY, `\r\n--${BOUNDARY}${' '.repeat(1000)}`)),
  ),
  multipart('60,000 parts', () => Buffer.concat(Array.from({ length: 60_000 }, () => part('')))),
  multipart('1,000 parts with heads of 8 KB', () =>
    list(
      1000,
      () => `--${BOUNDARY}\r\nContent-Disposition: form-data${';a="'.repeat(2000)}\r\n\r\nx\r\n`,
      '',
    ),
  ),
  multipart('a head without an end', () => `--${BOUNDARY}\r\n${'X: y\r\n'.repeat(1_700_000)}`),
  json('10 MB of empty objects', () => `[${'{},'.repeat(3_400_000)}1]`),
  json('10 MB of numbers', () => `[${'1,'.repeat(5_000_000)}1]`),
  json('10 MB of different keys', () => `{${list(800_000, (n) => `"${n}":1`, ',')}}`),
  json('300,000 values', () => `[${'{},'.repeat(149_000)}"${'x'.repeat(2_000_000)}"]`),
  json('1 MiB of empty objects', () => `[${'{},'.repeat(349_000)}1]`),
  json('a text of 10 MB', () => `"${'x'.repeat(MAX_BODY - 2)}"`),
  json('a text of 5,000,000 escapes', () => `"${'\\n'.repeat(MAX_BODY / 2 - 2)}"`),
  json('a million levels of lists', () => `${'['.repeat(500_000)}${']'.repeat(500_000)}`),
  json(
    '300,000 levels around the key that a mock looks at',
    () => `{"a":${'['.repeat(290_000)}${']'.repeat(290_000)}}`,
  ),
  json('10 MB that is no JSON', () => `[${'{},'.repeat(3_400_000)}`),
  json('10 MB of white space', () => ' '.repeat(MAX_BODY)),
  json('10 MB that is no UTF-8', () => Buffer.alloc(MAX_BODY, 0xff)),
  json('10 MB for a pattern with stars', () => 'nobody'.repeat(MAX_BODY / 6)),
  { name: 'explaining 5 MB of empty objects', run: (_port, apiPort) => explain(apiPort) },
  { name: '3,000 requests in one pipeline', run: (port) => raw(port, request({}).repeat(3000)) },
  { name: '4 MB of requests in one pipeline', run: (port) => raw(port, request({}).repeat(150_000)) },
  {
    name: '200 connections with 100 requests in a pipeline each',
    run: (port) => Promise.all(Array.from({ length: 200 }, () => raw(port, request({}).repeat(100)))),
  },
  { name: '10,000 requests of HTTP/2, 1,000 at a time', run: flood },
  { name: '500 connections that send half a request', run: openHalves },
];

export const further = [
  {
    settings: { tls: { enabled: true } },
    attacks: tlsAttacks('TLS', { speech: 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' }),
  },
];

/** One request while the mocks are there. */
function attack(name, make) {
  return {
    name,
    async run(port, apiPort) {
      const ids = [];
      for (const match of MOCKS) {
        const made = await api(apiPort, 'POST', '/api/mocks/http', {
          request: match,
          response: { status: 204 },
        });
        if (typeof made?.id === 'string') ids.push(made.id);
      }
      await raw(port, make());
      for (const id of ids) await api(apiPort, 'DELETE', `/api/mocks/http/${id}`);
    },
  };
}

function get(name, make) {
  return attack(name, () => request({ ...make(), close: true }));
}

function post(name, type, make) {
  return attack(name, () => {
    const body = Buffer.from(make());
    const headers = `content-type: ${type}\r\ncontent-length: ${body.length}`;
    return Buffer.concat([Buffer.from(request({ method: 'POST', headers, close: true })), body]);
  });
}

function form(name, make) {
  return post(`a form with ${name}`, 'application/x-www-form-urlencoded', make);
}

function multipart(name, make) {
  return post(`a multipart form with ${name}`, `multipart/form-data; boundary=${BOUNDARY}`, () =>
    Buffer.concat([Buffer.from(make()), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  );
}

function json(name, make) {
  return post(`a body with ${name}`, 'application/json', make);
}

async function explain(apiPort) {
  await api(apiPort, 'POST', '/api/explain/http', { path: PATH, body: `[${'{},'.repeat(1_700_000)}1]` });
}

async function openHalves(port) {
  const sockets = [];
  for (let count = 0; count < 500; count += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf`);
    sockets.push(socket);
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const socket of sockets) socket.resetAndDestroy();
}

async function flood(port) {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  for (let round = 0; round < 10; round += 1) {
    const ends = Array.from(
      { length: 1000 },
      () =>
        new Promise((resolve) => {
          const stream = session.request({ ':path': PATH });
          stream.on('error', resolve).on('close', resolve).resume();
        }),
    );
    await Promise.all(ends);
  }
  session.destroy();
}

function request({ method = 'GET', target = PATH, headers = '', close = false }) {
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: a'];
  if (close) lines.push('Connection: close');
  if (headers !== '') lines.push(headers);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function part(content) {
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\n`),
    Buffer.from(content).subarray(0, MAX_BODY - 512),
    Buffer.from('\r\n'),
  ]);
}

function list(count, make, separator) {
  return Array.from({ length: count }, (_, index) => make(index)).join(separator);
}

/** Sends bytes and waits until the server closes, or has answered and is quiet. */
async function raw(port, bytes) {
  let timer;
  let quiet;
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => {
    timer = setTimeout(resolve, MAX_MS);
    socket.on('error', resolve).on('close', resolve);
    socket.on('data', () => {
      clearTimeout(quiet);
      quiet = setTimeout(resolve, 300);
    });
    socket.write(bytes);
  });
  clearTimeout(timer);
  clearTimeout(quiet);
  socket.destroy();
}

async function api(port, method, path, body) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(MAX_MS),
    });
    return await answer.json();
  } catch {
    return undefined;
  }
}
