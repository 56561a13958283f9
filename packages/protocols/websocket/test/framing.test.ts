import { expect, test } from '@jest/globals';
import { Client, startHost } from './support.js';

const RS = '\u001E';

const RULES = [
  { match: 'ping', respond: 'pong' },
  { match: 'twice', respond: ['one', 'two'] },
  { match: 'slow', respond: 'late', delay: '1s' },
  { match: 'quiet' },
  { match: 'quit', respond: 'bye', close: true },
  { match_binary: 'AAEK', respond_binary: 'CgA=' },
  { match: { json: { equals: { id: 7 } } }, json: { id: '{{request.body.id}}', result: 1 } },
];

test('each line of a text is a message of its own, and answers are lines', async () => {
  const { url, logged } = await startHost([
    { id: 'lines', path: '/l', framing: 'line', on_connect: { send: 'hello' }, on_message: RULES },
  ]);
  const client = await Client.connect(`${url}/l`);
  expect(await client.next()).toBe('hello\n');
  client.send('ping\r\nquiet\ntwice\nping');
  expect([await client.next(), await client.next(), await client.next(), await client.next()]).toEqual([
    'pong\n',
    'one\n',
    'two\n',
    'pong\n',
  ]);
  expect(await client.ask(Buffer.from([0, 1, 10]))).toEqual(Buffer.from([10, 0]));
  expect(logged('MESSAGE').map(({ body, matched_id }) => [body, matched_id])).toEqual([
    ['ping', 'lines'],
    ['quiet', 'lines'],
    ['twice', 'lines'],
    ['ping', 'lines'],
    ['\u0000\u0001\n', 'lines'],
  ]);
});

test('records end with U+001E, also those that are pushed', async () => {
  const { host, url } = await startHost([
    { id: 'records', path: '/r', framing: 'record-separator', on_message: RULES },
  ]);
  const client = await Client.connect(`${url}/r`);
  expect(await client.ask(`ping${RS}{"id":7}${RS}quit${RS}ping${RS}`)).toBe(`pong${RS}`);
  expect(await client.next()).toBe(`{"id":7,"result":1}${RS}`);
  expect([await client.next(), await client.next()]).toEqual([`bye${RS}`, 'close 1000']);
  const other = await Client.connect(`${url}/r`);
  host.streams.push({ protocol: 'websocket', mock_id: 'records' }, { json: { a: 1 } });
  expect(await other.next()).toBe(`{"a":1}${RS}`);
});

test('a list of JSON is answered by one list, once all of it is; a single value by a single one', async () => {
  const { host, url, logged } = await startHost([
    { id: 'lists', path: '/j', framing: 'json-array', on_connect: { send: 'hello' }, on_message: RULES },
  ]);
  host.clock.freeze(true);
  const client = await Client.connect(`${url}/j`);
  expect(await client.next()).toBe('["hello"]');
  client.send('["ping",{"id": 7},"quiet","slow","twice"]');
  client.send('{"id":7}');
  client.send('[]');
  client.send('["quiet"]');
  client.send('no JSON');
  client.send('ping');
  await client.settle();
  expect(client.left).toEqual([]);
  await host.clock.advance(1000);
  expect(await client.next()).toBe('["pong",{"id":7,"result":1},"late","one","two"]');
  expect(await client.next()).toBe('{"id":7,"result":1}');
  expect(await client.next()).toBe('pong');
  expect(logged('MESSAGE')).toHaveLength(9);
  host.streams.push({ protocol: 'websocket', mock_id: 'lists' }, { json: [1, 2] });
  host.streams.push({ protocol: 'websocket', mock_id: 'lists' }, { json: { a: 1 } });
  expect([await client.next(), await client.next()]).toEqual(['[1,2]', '[{"a":1}]']);
});

test('an answer that closes takes what was gathered with it', async () => {
  const { url } = await startHost([{ path: '/j', framing: 'json-array', on_message: RULES }]);
  const client = await Client.connect(`${url}/j`);
  client.send('["ping","quit","ping"]');
  expect(await client.next()).toBe('["pong","bye"]');
  expect(await client.next()).toBe('close 1000');
});

test('more than 10,000 messages in one close the connection', async () => {
  const { url, logged } = await startHost([
    { path: '/j', framing: 'json-array', on_message: RULES },
    { path: '/l', framing: 'line', on_message: RULES },
  ]);
  const client = await Client.connect(`${url}/j`);
  expect(await client.ask(`[${Array(10_001).fill('1').join()}]`)).toBe(
    'close 1008 a message holds more than 10000 others',
  );
  const lines = await Client.connect(`${url}/l`);
  expect(await lines.ask('\n'.repeat(10_001))).toMatch(/^close 1008/);
  const many = await Client.connect(`${url}/l`);
  many.send(`${'quiet\n'.repeat(9_999)}ping`);
  expect(await many.next()).toBe('pong\n');
  expect(logged('MESSAGE').length).toBeGreaterThanOrEqual(1000);
});

test('the mock that lets a client in decides; those of another framing are not asked, and say so', async () => {
  const { host, url } = await startHost([
    { id: 'framed', path: '/x', framing: 'line', on_message: [{ match: 'a', respond: '1' }] },
    { id: 'plain', path: '/x', on_message: [{ match: 'b', respond: '2' }] },
    { id: 'more', path: '/x', framing: 'line', on_message: [{ match: 'c', respond: '3' }] },
  ]);
  const client = await Client.connect(`${url}/x`);
  expect(await client.ask('a')).toBe('1\n');
  client.send('b');
  expect(await client.ask('c')).toBe('3\n');
  expect(host.journal.list().find(({ body }) => body === 'b')?.['near_misses']).toContainEqual({
    mock_id: 'plain',
    reason: 'framing: got line, want none',
  });
  expect(host.kind('websocket').explain({ path: '/x', body: 'b' })).toMatchObject({ mock_id: 'plain' });
});
