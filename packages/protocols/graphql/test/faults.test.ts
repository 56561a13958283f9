import { afterEach, describe, expect, it } from '@jest/globals';
import { problemsOf } from '@backlot/conformance';
import { post, startGraphql, stopAll } from './support/graphql-host.js';
import { closeSockets, openSocket } from './support/raw-socket.js';

afterEach(async () => {
  closeSockets();
  await stopAll();
});

const MOCK = { id: 'a', operation_name: 'A', response: { a: 'aaaaaaaaaa' } };
const REQUEST = { query: 'query A { a }' };

describe('a fault over HTTP', () => {
  it('is 503 unless it says otherwise, and the match counts', async () => {
    const { url, host } = await startGraphql([MOCK]);
    host.faults.set('graphql', {});
    const answer = await post(url, REQUEST);
    expect([answer.status, answer.type, answer.text]).toEqual([
      503,
      'application/json',
      '{"error":"fault injected"}',
    ]);
    expect(host.journal.list()[0]).toMatchObject({ matched_id: 'a', fault: true, status: 503 });
    expect((await post(url, { query: 'query B { a }' })).status).toBe(503);
  });

  it('has its own status, headers and body', async () => {
    const { url, host } = await startGraphql([MOCK]);
    host.faults.set('graphql', { status: 429, body: 'slow down', headers: { 'Retry-After': '7' } });
    const answer = await post(url, REQUEST);
    expect([answer.status, answer.type, answer.text, answer.headers.get('retry-after')]).toEqual([
      429,
      'text/plain; charset=utf-8',
      'slow down',
      '7',
    ]);
  });

  it('has a body of JSON', async () => {
    const { url, host } = await startGraphql([MOCK]);
    host.faults.set('graphql', { json: { errors: [{ message: 'slow {{down}}' }] } });
    const answer = await post(url, REQUEST);
    expect([answer.status, answer.type, answer.text]).toEqual([
      503,
      'application/json',
      '{"errors":[{"message":"slow {{down}}"}]}',
    ]);
    expect(() => host.faults.set('graphql', { body: 'a', json: {} })).toThrow(/cannot stand beside body/);
    expect(() => host.faults.set('graphql', { body: {} })).toThrow(/json/);
  });

  it('resets the connection with abort', async () => {
    const { url, host } = await startGraphql([MOCK]);
    host.faults.set('graphql', { abort: true });
    await expect(post(url, REQUEST)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    host.faults.clear('graphql');
    expect((await post(url, REQUEST)).status).toBe(200);
  });

  it.each([
    ['empty', 'UND_ERR_SOCKET'],
    ['reset', 'ECONNRESET'],
    ['garbage', 'HPE_INVALID_CONSTANT'],
    ['truncated', 'UND_ERR_SOCKET'],
  ])('breaks the answer: %s', async (broken, code) => {
    const { url, host } = await startGraphql([MOCK]);
    host.faults.set('graphql', { broken });
    await expect(post(url, REQUEST)).rejects.toMatchObject({ cause: { code } });
    expect(host.journal.list()[0]).toMatchObject({ matched_id: 'a', fault: true });
    expect(problemsOf(() => host.faults.set('graphql', { broken: 'empty', abort: true }))).toEqual([
      '/broken empty cannot stand beside abort, which is reset',
    ]);
  });

  it.each([0, 8])('sends %i bytes with truncate_body', async (bytes) => {
    const { url, host } = await startGraphql([MOCK]);
    host.faults.set('graphql', { truncate_body: bytes });
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(REQUEST),
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('27');
    let received = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        received += chunk.length;
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(received).toBe(bytes);
  });

  it('does not touch questions about the schema', async () => {
    const { url, host } = await startGraphql([MOCK]);
    host.faults.set('graphql', {});
    expect((await post(url, { query: '{ __typename }' })).status).toBe(200);
  });

  it.each([{}, { sdl: 'type Query { a: Int }' }])(
    'hits questions about the schema where it names their operation: %j',
    async (config) => {
      const { url, socketUrl, host } = await startGraphql([], config);
      const query = 'query IntrospectionQuery { __schema { queryType { name } } }';
      const answer = await post(url, { query });
      expect(answer.json.data).toMatchObject({ __schema: { queryType: { name: 'Query' } } });
      expect(host.journal.list()).toEqual([]);
      const fault = { match: { operation_name: 'IntrospectionQuery' }, after: 1 };
      host.faults.set('graphql', fault);
      expect((await post(url, { query })).json).toEqual(answer.json);
      expect((await post(url, { query })).status).toBe(503);
      expect((await post(url, { query: '{ __schema { queryType { name } } }' })).json).toEqual(answer.json);
      const passed = host.journal.list({ unmatched: false }).map((entry) => entry['fault']);
      expect([passed, host.journal.list().length]).toEqual([[undefined], 2]);
      host.faults.set('graphql', fault);
      const socket = await openSocket(socketUrl);
      const subscribe = { id: '1', type: 'subscribe', payload: { query } };
      expect(await socket.send(subscribe).next()).toEqual({ id: '1', type: 'next', payload: answer.json });
      expect(await socket.next()).toEqual({ id: '1', type: 'complete' });
      expect(await socket.send(subscribe).next()).toMatchObject({ id: '1', type: 'error' });
    },
  );

  it('is refused when its headers cannot be sent', async () => {
    const { host } = await startGraphql();
    expect(problemsOf(() => host.faults.set('graphql', { headers: { 'a b': 'c' } }))).toEqual([
      '/headers "a b" is not a header name; use letters, digits and hyphens',
    ]);
    expect(problemsOf(() => host.faults.set('graphql', { status: 99 }))).toHaveLength(1);
  });
});

describe('a fault over a WebSocket', () => {
  const subscribe = { id: '1', type: 'subscribe', payload: REQUEST };

  it('is an error message', async () => {
    const { socketUrl, host } = await startGraphql([MOCK]);
    const socket = await openSocket(socketUrl);
    const faults: [object, unknown][] = [
      [{}, [{ message: 'fault injected', extensions: { status: 503 } }]],
      [{ status: 429, body: 'slow down' }, [{ message: 'slow down', extensions: { status: 429 } }]],
      [{ body: '{"errors": [{"message": "own"}]}' }, [{ message: 'own' }]],
      [{ body: '' }, [{ message: 'fault injected', extensions: { status: 503 } }]],
    ];
    for (const [fault, payload] of faults) {
      host.faults.set('graphql', fault);
      expect(await socket.send(subscribe).next()).toEqual({ id: '1', type: 'error', payload });
    }
    expect(host.journal.list()).toHaveLength(faults.length);
  });

  it('drops the connection with abort, truncate_body and broken', async () => {
    const { socketUrl, host } = await startGraphql([MOCK]);
    for (const fault of [{ abort: true }, { truncate_body: 3 }, { broken: 'reset' }, { broken: 'empty' }]) {
      const socket = await openSocket(socketUrl);
      host.faults.set('graphql', fault);
      socket.send(subscribe);
      expect((await socket.closed).code).toBe(1006);
    }
  });
});
