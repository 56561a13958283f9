import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { stopAll } from './support/http-host.js';
import { ask, recordedBy, recorder, replay, serve, stopRealServers } from './support/real-server.js';

afterEach(async () => {
  await stopAll();
  await stopRealServers();
});

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZw';

describe('a recording of HTTP', () => {
  it('has no secrets of a path, and is for any in their place', async () => {
    const upstream = await serve((_request, response) => response.end('reset'));
    const recording = await recorder(upstream, 'record_new');
    expect(await ask(`${recording.url}/reset/${JWT}/now`)).toEqual([200, 'reset']);
    const stored = JSON.stringify([recordedBy(recording), recording.host.journal.list()]);
    expect(stored.toLowerCase()).not.toContain(JWT.toLowerCase());
    expect(recordedBy(recording)).toEqual([
      expect.objectContaining({
        id: 'recorded:get-reset-redacted-now',
        request: expect.objectContaining({ path_regex: '^/reset/[^/]+/now$' }),
      }),
    ]);
    expect(recording.host.journal.list()[0]?.upstream?.patterns).toEqual(['path: secret']);
    const replayed = await replay(recording);
    expect(await ask(`${replayed.url}/reset/${JWT}x/now`)).toEqual([200, 'reset']);
    expect((await ask(`${replayed.url}/reset/${JWT}/a/now`))[0]).toBe(404);
  });

  it('has none of urls in headers, lines of JSON, parts, bytes that are no UTF-8, and values below a secret name', async () => {
    const upstream = await serve((request, response) => {
      if (request.url === '/bytes')
        return response.end(Buffer.from('{"password":"top-secret-latin","name":"Jos\xe9"}', 'latin1'));
      response.setHeader('Content-Type', 'application/x-ndjson');
      response.setHeader('Location', '/login?token=top-secret-location&page=2');
      return response.end('{"password":"top-secret-1"}\n{"secret":["top-secret-2"],"n":1}\n');
    });
    const recording = await recorder(upstream, 'record_new');
    const { url, host } = recording;
    const form = new FormData();
    form.append('password', 'top-secret-part');
    form.append('user', 'ann');
    form.append('more', '{"clientsecret":"top-secret-json"}');
    await ask(`${url}/parts`, { method: 'POST', body: form });
    await ask(`${url}/bytes`);
    const lines = (password: string): RequestInit => ({
      method: 'POST',
      body: `{"password":"${password}"}\n{"token":5}\n`,
      headers: { Referer: 'http://x/?access_token=top-secret-referer' },
    });
    await ask(`${url}/lines`, lines('top-secret-line'));
    const json = (value: string): RequestInit => ({
      method: 'POST',
      body: JSON.stringify({ credentials: { value }, inner: JSON.stringify({ authtoken: value }) }),
    });
    await ask(`${url}/json`, json('top-secret-below'));
    const stored = JSON.stringify([recordedBy(recording), host.journal.list()]);
    expect(stored).not.toContain('top-secret');
    expect(stored).toContain('ann');
    const { body_base64: base64 } = (recordedBy(recording)[1] as { response: { body_base64: string } })
      .response;
    expect(Buffer.from(base64, 'base64').toString('latin1')).toBe('{"password":"REDACTED","name":"Jos\xe9"}');
    const replayed = await replay(recording);
    expect((await ask(`${replayed.url}/lines`, lines('another')))[0]).toBe(200);
    expect((await ask(`${replayed.url}/json`, json('another')))[0]).toBe(200);
  });

  it('has none of a client that left before the upstream has answered', async () => {
    let arrived: (response: ServerResponse) => void;
    const arrival = new Promise((resolve) => (arrived = resolve));
    const upstream = await serve((_request, response) => arrived(response));
    const { url, host } = await recorder(upstream, 'passthrough');
    const leaving = new AbortController();
    const asked = fetch(`${url}/x?api_key=top-secret-query`, {
      headers: { Authorization: 'Bearer top-secret-bearer' },
      signal: leaving.signal,
    });
    const response = (await arrival) as ServerResponse;
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await once(response, 'close');
    const [entry] = host.journal.list();
    expect(entry).toMatchObject({ path: '/x', headers: { authorization: 'REDACTED' } });
    expect(JSON.stringify(host.journal.list())).not.toContain('top-secret');
  });
});
