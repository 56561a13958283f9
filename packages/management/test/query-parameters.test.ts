import { afterEach, describe, expect, it } from '@jest/globals';
import { allRoutes } from '../src/index.js';
import { expand } from './support/expand.js';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

const pathOf = (path: string): string => path.replaceAll('{index}', '0').replaceAll(/\{[^}]+\}/g, 'there');

/** Parameters that cannot be 5. */
const NOT_FIVE = new Set([
  'unmatched',
  'matched',
  'fault',
  'aborted',
  'missed',
  'body_truncated',
  'since',
  'until',
  'rate',
]);

describe('query parameters', () => {
  it('that a route does not declare are refused by every route, with those that it knows', async () => {
    const { call, host } = await start();
    const routes = allRoutes(host);
    expect(routes.length).toBeGreaterThan(60);
    for (const { method, path, query = {} } of routes) {
      const names = Object.keys(query);
      const known = names.length === 0 ? 'this route takes none' : `known are ${names.join(', ')}`;
      const message = `"nonsense" is not known here; ${known}`;
      const answer = await call(method, `${pathOf(path)}?nonsense=1`);
      expect([method, path, answer.status, answer.body]).toEqual([
        method,
        path,
        400,
        { error: `query parameter ${message}`, details: [{ path: '/nonsense', message }] },
      ]);
    }
  });

  it('that a route declares are those of its description, and are taken', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/api/openapi.json');
    const paths = expand(body.paths, body) as Record<
      string,
      Record<string, { parameters?: { in: string; name: string }[] }>
    >;
    let count = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { parameters = [] }] of Object.entries(methods)) {
        for (const { name } of parameters.filter((parameter) => parameter.in === 'query')) {
          count += 1;
          // A HEAD request is answered as the GET would be, without opening the stream.
          const asked = path.endsWith('/stream') ? 'HEAD' : method.toUpperCase();
          const { text, status } = await call(asked, `${pathOf(path)}?${name}=5`);
          expect(text).not.toContain('is not known here');
          // There is no space with that id.
          const wanted = name === 'space' ? 404 : NOT_FIVE.has(name) ? 400 : 200;
          if (asked === 'HEAD') expect([name, status]).toEqual([name, wanted]);
        }
      }
    }
    expect(count).toBeGreaterThan(30);
  });

  it('are refused before anything is done', async () => {
    const { call, host } = await start();
    expect((await call('POST', '/api/mocks/echo?dry_run=true', { id: 'a' })).status).toBe(400);
    expect((await call('POST', '/api/state?tll=1s', { k: 'v' })).status).toBe(400);
    await call('POST', '/api/state', { k: 'v' });
    expect((await call('DELETE', '/api/state?Prefix=x')).body.error).toBe(
      'query parameter "Prefix" is not known here; known are prefix',
    );
    expect((await call('HEAD', '/api/state?x')).status).toBe(400);
    expect(host.kind('echo').mocks.list()).toEqual([]);
    expect((await call('GET', '/api/state')).body).toEqual({ k: 'v' });
  });

  it('that are not known are all named', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/api/logs?limit=1&a%2Fb~=1&%5f_proto__=2&=3');
    const known =
      'known are protocol, matched_id, mock_id, matched, unmatched, id, timestamp, space, method, path, status, duration_ms, delays, trace, headers, query, body, body_encoding, body_truncated, path_params, fault, remote, response, missed, upstream, contract, aborted, span, since, until, after, limit';
    expect(body).toEqual({
      error: `query parameter "a/b~" is not known here; ${known} (and 2 more)`,
      details: [
        { path: '/a~1b~0', message: `"a/b~" is not known here; ${known}` },
        { path: '/__proto__', message: `"__proto__" is not known here; ${known}` },
        { path: '/', message: `"" is not known here; ${known}` },
      ],
    });
    const long = (await call('GET', `/api/logs?${'x'.repeat(5000)}`)).text;
    expect(long.length).toBeLessThan(1500);
  });

  it('are no secret kept from those without a token', async () => {
    const { call } = await start({ token: 'secret' });
    const authorization = { authorization: 'Bearer secret' };
    expect((await call('GET', '/api/health')).body).toEqual({ status: 'ok' });
    expect((await call('GET', '/api/health?verbose=1')).status).toBe(400);
    expect((await call('GET', '/api/health?verbose=1', undefined, authorization)).status).toBe(400);
    expect((await call('GET', '/api/logs?verbose=1')).status).toBe(401);
    // A token is sent in its header alone: addresses end up in logs and histories.
    expect((await call('GET', '/api/logs?token=secret')).status).toBe(401);
    expect((await call('GET', '/api/logs?token=secret', undefined, authorization)).status).toBe(400);
  });
});
