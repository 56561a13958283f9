import { afterEach, expect, it } from '@jest/globals';
import type { Importer } from '@backlot/core';
import { invalid } from '@backlot/core/plugin';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

/** Lines `question=answer` become mocks of the echo server. */
const lines: Importer = {
  format: 'lines',
  title: 'Lines',
  detect: ({ text, name }) =>
    text.startsWith('#lines') ? 'sure' : name.endsWith('.lines') ? 'likely' : undefined,
  *convert({ text }, notes) {
    const mocks = [];
    for (const [index, line] of text.split('\n').entries()) {
      yield;
      const [match = '', answer] = line.split('=');
      if (answer !== undefined)
        mocks.push({ id: match, match, ...(answer === '?' ? { nonsense: 1 } : { answer }) });
      else if (!line.startsWith('#')) notes.refused(`line ${index + 1}`, 'has no answer');
    }
    if (text.includes('\0')) throw invalid('it holds a NUL');
    return { protocols: { echo: { mocks, greeting: 'hi' } }, state: { imported: 'yes' } };
  },
};
const imports = { load: async () => ({ importers: [lines], parseTree: () => ({}) }) };

it('takes the file as a body or in an object, and says what became of it', async () => {
  const { call, ask, raw, port } = await start({ imports });
  expect((await call('GET', '/api/import')).body).toContainEqual({ format: 'lines', title: 'Lines' });
  const { body } = await call('POST', '/api/import', { content: '#lines\na=1\nb\nb\nc=?' });
  expect(body).toEqual({
    file: '',
    format: 'lines',
    title: 'Lines',
    taken: { 'echo mocks': 2, 'echo greeting': 1, 'state keys': 1 },
    approximated: [],
    refused: [
      { place: 'line 3', message: 'has no answer', count: 2 },
      { place: 'c', message: expect.stringContaining('unknown field "nonsense"'), count: 1 },
    ],
    dry_run: false,
    created: { 'echo mocks': 1, 'state keys': 1 },
    replaced: {},
    left: ['echo.greeting counts at a start'],
  });
  expect(await ask('SAY a')).toBe('1');
  const sent = '#lines\nd=4';
  const answer = await raw(
    `POST /api/import?name=x.txt HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`,
  );
  expect(answer).toContain('"file":"x.txt"');
  expect(await ask('SAY d')).toBe('4');
});

it('takes JSON with a content of its own as the document that it is', async () => {
  const document: Importer = {
    format: 'document',
    title: 'Documents',
    detect: ({ tree }) =>
      typeof tree === 'object' && tree !== null && 'content' in tree ? 'sure' : undefined,
    *convert({ text }) {
      yield;
      return { protocols: { echo: { mocks: [{ id: 'd', match: 'd', answer: text }] } } };
    },
  };
  const { call, ask } = await start({
    imports: { load: async () => ({ importers: [lines, document], parseTree: () => ({}) }) },
  });
  for (const given of [
    { content: 'of its own', type: 'rfc' },
    { content: { lines: ['a'] } },
    { content: 1 },
  ]) {
    const { status, body } = await call('POST', '/api/import?replace=true', given);
    expect([status, body.format]).toEqual([200, 'document']);
    expect(await ask('SAY d')).toBe(JSON.stringify(given));
  }
  const { body } = await call('POST', '/api/import?replace=true', {
    content: '#lines\nd=1',
    format: 'lines',
  });
  expect(body.format).toBe('lines');
});

it('changes nothing in a dry run, on a conflict or when a part is refused', async () => {
  const { call, host } = await start(
    { imports },
    { settings: { echo: { port: 0, mocks: [{ id: 'a', match: 'a', answer: '0' }] } } },
  );
  const content = '#lines\nb=2\na=1';
  const before = host.kind('echo').mocks.list();
  const again = await call('POST', '/api/import', { content });
  expect([again.status, again.body.error]).toEqual([
    409,
    'mock "a" exists; ask for "replace" to put the new one in its place',
  ]);
  expect((await call('POST', '/api/import?dry_run=true', { content })).status).toBe(409);
  const dry = await call('POST', '/api/import?dry_run=true&replace=true', { content });
  expect(dry.body).toMatchObject({
    dry_run: true,
    created: { 'echo mocks': 1 },
    replaced: { 'echo mocks': 1 },
  });
  expect(host.kind('echo').mocks.list()).toEqual(before);
  expect(host.state.all()).toEqual({});
  expect((await call('POST', '/api/import?replace=true', { content })).status).toBe(200);
  expect(host.kind('echo').mocks.get('a')).toMatchObject({ answer: '1' });
});

it('refuses what no importer knows, what cannot be used, and what is no file', async () => {
  const { call } = await start({ imports });
  const refused = async (body: unknown, query = ''): Promise<unknown> => {
    const { status, body: answer } = await call('POST', `/api/import${query}`, body);
    return [status, answer.error];
  };
  expect(await refused({ content: 'x' })).toEqual([
    400,
    'the file has none of the formats that can be imported; known are lines',
  ]);
  expect(await refused({ content: 'x', format: 'line' })).toEqual([
    400,
    'there is no format "line"; did you mean "lines"?; known are lines',
  ]);
  expect(await refused({ content: '#lines\0' })).toEqual([400, 'it holds a NUL']);
  expect(await refused({ content: 'x', content_base64: 'eA==' })).toEqual([
    400,
    'give the file as either content or content_base64',
  ]);
  expect(await refused({ content_base64: '!' })).toEqual([400, 'is no base64']);
  expect(await refused({ content: 'x', name: 1 })).toMatchObject([400, expect.stringContaining('/name')]);
  expect(await refused({ a: 1 }, '?format=lines')).toMatchObject([200]);
  const { status } = await (await start()).call('POST', '/api/import', { content: '#lines' });
  expect(status).toBe(400);
});

it('takes back what was applied when a later part is refused', async () => {
  const twice: Importer = {
    ...lines,
    *convert() {
      yield;
      const mocks = [
        { id: 'new', match: 'n', answer: '1' },
        { id: 'a', match: 'a', answer: '1' },
      ];
      return {
        protocols: { echo: { mocks, targets: [{ id: 't' }] } },
        collections: { goods: {} },
        state: { k: 'v' },
      };
    },
  };
  const { call, host } = await start(
    { imports: { load: async () => ({ importers: [twice], parseTree: () => ({}) }) } },
    { settings: { echo: { port: 0, mocks: [{ id: 'a', match: 'a', answer: '0' }] } } },
  );
  const before = host.kind('echo').mocks.list();
  const { status } = await call('POST', '/api/import?replace=true', { content: '#lines' });
  expect(status).toBe(400);
  expect(host.kind('echo').mocks.list()).toEqual(before);
  expect(host.collections.has('goods')).toBe(false);
  expect(host.state.all()).toEqual({});
});

it('creates reactions, checks them in a dry run, and replaces them when asked to', async () => {
  const reactive: Importer = {
    format: 'reactive',
    title: 'Reactive',
    detect: () => undefined,
    *convert({ text }) {
      yield;
      const kind = text.includes('absent') ? 'absent' : 'state';
      return {
        protocols: {
          echo: { mocks: [{ id: 'r', match: text, answer: '1' }] },
          ...(kind === 'absent' ? { absent: {} } : {}),
        },
        reactions: [
          {
            id: 'go',
            on: { state: { key: 'go' } },
            do: [{ [kind]: { done: text.includes('wrong') ? 7 : 'yes' } }],
          },
        ],
      };
    },
  };
  const load = async (): Promise<object> => ({ importers: [reactive], parseTree: () => ({}) });
  const { call, host } = await start({ imports: { load } as typeof imports });
  const send = (content: string, query = ''): ReturnType<typeof call> =>
    call('POST', `/api/import${query}`, { format: 'reactive', content });
  const dry = await send('wrong', '?dry_run=true');
  expect([dry.status, dry.body]).toMatchObject([400, { error: expect.stringContaining('reaction go: ') }]);
  expect((await send('wrong')).status).toBe(400);
  expect([host.reactions.list(), host.kind('echo').mocks.has('r')]).toEqual([[], false]);
  expect((await send('absent')).body).toMatchObject({
    created: { 'echo mocks': 1 },
    left: ['absent: the server was started without it'],
  });
  expect((await send('b', '?replace=true')).body).toMatchObject({
    created: { reactions: 1 },
    replaced: { 'echo mocks': 1 },
  });
  expect((await send('c')).status).toBe(409);
  expect((await send('d', '?replace=true')).body).toMatchObject({
    replaced: { 'echo mocks': 1, reactions: 1 },
  });
  expect(host.reactions.list()).toMatchObject([{ id: 'go', runs: 0 }]);
});
