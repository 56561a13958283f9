import { afterEach, describe, expect, it } from '@jest/globals';
import { startHttp, stopAll } from './support/http-host.js';
import { ask, recordedBy, replay, serve, stopRealServers } from './support/real-server.js';

afterEach(async () => {
  await stopAll();
  await stopRealServers();
});

describe('the upstream of one mock', () => {
  it('answers what the mock matches, and nothing else', async () => {
    const real = await serve((request, response) => response.end(`real ${request.url}`));
    const { url, host } = await startHttp([
      { id: 'mine', request: { path: '/mine' }, response: { body: 'mock' } },
      { id: 'rest', request: { path: '/api/*' }, delay: '1ms', upstream: { url: `${real}/v1` } },
    ]);
    expect(await ask(`${url}/mine`)).toEqual([200, 'mock']);
    expect(await ask(`${url}/api/things?q=1`)).toEqual([200, 'real /v1/api/things?q=1']);
    expect(await ask(`${url}/other`)).toEqual([404, expect.stringContaining('no mock matched')]);
    expect(host.journal.list().map(({ matched_id: id, upstream }) => [id, upstream])).toContainEqual([
      'rest',
      { answered: true },
    ]);
    expect(new Map(host.kind('http').calls.counts()).get('rest')).toBe(1);
  });

  it('becomes mocks that answer before it', async () => {
    let count = 0;
    const real = await serve((_request, response) => response.end(`answer ${(count += 1)}`));
    const recording = await startHttp([
      { id: 'rest', priority: 3, request: {}, upstream: { url: real, mode: 'record_new' } },
    ]);
    expect(await ask(`${recording.url}/a`)).toEqual([200, 'answer 1']);
    expect(await ask(`${recording.url}/b`)).toEqual([200, 'answer 2']);
    // What was recorded answers from then on: the mock says what is new.
    expect(await ask(`${recording.url}/a`)).toEqual([200, 'answer 1']);
    expect(recordedBy(recording).slice(1)).toEqual([
      expect.objectContaining({ id: 'recorded:get-a', priority: 4 }),
      expect.objectContaining({ id: 'recorded:get-b', priority: 4 }),
    ]);
    const replayed = await replay({
      ...recording,
      host: { kind: () => ({ mocks: { list: () => recordedBy(recording).slice(1) } }) } as never,
    });
    expect(await ask(`${replayed.url}/b`)).toEqual([200, 'answer 2']);
  });

  it('is compared with the answer of the mock', async () => {
    const real = await serve((_request, response) =>
      response.setHeader('Content-Type', 'application/json').end('{"name":"Bob"}'),
    );
    const { url, host } = await startHttp([
      { id: 'ann', request: {}, response: { json: { name: 'Ann' } }, upstream: { url: real, mode: 'diff' } },
    ]);
    expect(await ask(url)).toEqual([200, '{"name":"Ann"}']);
    expect(host.journal.list()[0]?.upstream?.differences).toEqual([
      'body /name: the mock has "Ann", the upstream "Bob"',
    ]);
  });

  it.each([
    [{ upstream: { url: 'http://h', mode: 'diff' } }, 'the mock has none'],
    [{ upstream: { url: 'http://h' }, response: {} }, 'must have no answer'],
    [{ upstream: { url: 'ftp://h' } }, 'one of the schemes'],
    [{ upstream: { url: 'http://169.254.169.254' } }, 'link-local'],
    [{ upstream: { url: 'http://h', verify: false } }, 'only beside an url with TLS'],
  ])('is refused where it cannot be: %j', async (mock, message) => {
    await expect(startHttp([{ request: {}, ...mock }])).rejects.toThrow(message);
  });

  it('says when it is not there', async () => {
    const { url } = await startHttp([{ request: {}, upstream: { url: 'http://127.0.0.1:1' } }]);
    expect(await ask(url)).toEqual([502, expect.stringContaining('ECONNREFUSED')]);
  });
});
