// Attacks on the GraphQL kind, for a bench that plays each once and watches how long the server stands still. Every attack
// is bounded in count and in time, ends by itself and resolves however the server answers.
import { createRequire } from 'node:module';

const { WebSocket } = createRequire(import.meta.url)('ws');
const MAX_MS = 15_000;
const MAX_BODY = 10 * 1024 * 1024 - 4096;
const MOCK = {
  operation_name: 'A',
  variables: { list: 'nobody sends this', 'input.a': 'nor this' },
  response: {},
};

/** @type {readonly { name: string, run(port: number, apiPort: number): Promise<void> }[]} */
export const attacks = [
  document('10,000 braces', () => '{a'.repeat(10_000)),
  document('10,000 braces that close', () => `${'{a'.repeat(10_000)}${'}'.repeat(10_000)}`),
  document('100,000 fields', () => `{${'a '.repeat(100_000)}}`),
  document('19,900 fields', () => `{${'a '.repeat(19_900)}}`),
  document('6,600 aliases', () => `{${list(6600, (n) => `a${n}:b`)}}`),
  document('6,600 operations', () => '{a}'.repeat(6600)),
  document('6,600 operations about the schema', () => '{__typename}'.repeat(6600)),
  document(
    'operations that spread a chain of fragments',
    () => `${'{...f0}'.repeat(2400)} ${chain(1200, (n) => `...f${n + 1}`)}`,
  ),
  document(
    'fragments that double at each level',
    () => `{...f0} ${chain(1200, (n) => `...f${n + 1} ...f${n + 1}`)}`,
  ),
  document('fragments in a circle', () => 'query A {...a} fragment a on Q{...b} fragment b on Q{...a}'),
  document('9,900 directives', () => `{a ${'@d '.repeat(9900)}}`),
  document('4,900 arguments', () => `{a(${list(4900, (n) => `a${n}:1`)})}`),
  document('4,900 variables', () => `query A(${list(3900, (n) => `$a${n}:B`)}){a}`),
  document('10 MB of comments', () => `${'#\n'.repeat(MAX_BODY / 4)}{a}`),
  document('200 KB of comments', () => `${'#\n'.repeat(100_000)}{a}`),
  document('10 MB of white space', () => `${' '.repeat(MAX_BODY / 2)}{a}`),
  document('a block of 250,000 lines', () => `{a(b:"""${'\n'.repeat(250_000)}""")}`),
  document('a text of 120,000 escapes', () => `{a(b:"${'\\n'.repeat(120_000)}")}`),
  document('a name of 250,000 letters', () => `{${'a'.repeat(250_000)}}`),
  document('an error behind 250,000 lines', () => `${'\n'.repeat(250_000)}!`),
  variables('10 MB of empty objects', () => `{"list":[${'{},'.repeat(3_400_000)}1]}`),
  variables('1 MiB of empty objects', () => `{"list":[${'{},'.repeat(340_000)}1]}`),
  variables('700,000 different keys', () => `{${list(700_000, (n) => `"${n}":1`)}}`),
  variables('a text of 9 MB', () => `{"list":"${'x'.repeat(9_000_000)}"}`),
  variables('10,000 levels', () => `{"list":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
  socket('a frame of 5 MB of empty objects', () => [`[${'{},'.repeat(1_700_000)}1]`]),
  socket('a frame of 100,000 braces', () => [subscribe('1', '{a'.repeat(100_000))]),
  socket('2,000 subscriptions', () => Array.from({ length: 2000 }, (_, n) => subscribe(`${n}`, '{ a }'))),
  socket('20,000 pings', () => Array.from({ length: 20_000 }, () => '{"type":"ping"}')),
  socket('300 documents of 19,000 tokens', () =>
    Array.from({ length: 300 }, (_, n) => subscribe(`${n}`, `{b${n} ${'a '.repeat(19_000)}}`)),
  ),
];

function document(name, make) {
  return attack(`a document with ${name}`, () => JSON.stringify({ query: make() }));
}

function variables(name, make) {
  return attack(`variables with ${name}`, () => `{"query":"query A { a }","variables":${make()}}`);
}

function attack(name, make) {
  return {
    name,
    async run(port, apiPort) {
      const made = await send(apiPort, 'POST', '/api/mocks/graphql', JSON.stringify(MOCK));
      await send(port, 'POST', '/graphql', make());
      if (typeof made?.id === 'string') await send(apiPort, 'DELETE', `/api/mocks/graphql/${made.id}`);
    },
  };
}

/** Sends frames over a WebSocket that was acknowledged, and waits until they have been taken. */
function socket(name, make) {
  return {
    name,
    async run(port) {
      const client = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
      let timer;
      await new Promise((resolve) => {
        timer = setTimeout(resolve, MAX_MS);
        client.on('error', resolve).on('close', resolve).on('pong', resolve);
        client.on('open', () => client.send('{"type":"connection_init"}'));
        client.once('message', () => {
          for (const frame of make()) client.send(frame);
          client.ping();
        });
      });
      clearTimeout(timer);
      client.terminate();
    },
  };
}

function subscribe(id, query) {
  return JSON.stringify({ id, type: 'subscribe', payload: { query } });
}

function chain(count, make) {
  return Array.from(
    { length: count + 1 },
    (_, n) => `fragment f${n} on Q{${n === count ? '__typename' : make(n)}}`,
  ).join('');
}

function list(count, make) {
  return Array.from({ length: count }, (_, index) => make(index)).join(',');
}

async function send(port, method, path, body) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(MAX_MS),
    });
    return await answer.json();
  } catch {
    return undefined;
  }
}
