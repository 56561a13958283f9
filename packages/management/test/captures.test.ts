import { afterEach, describe, expect, it } from '@jest/globals';
import { start, stopAll } from './support/start.js';

afterEach(stopAll);

describe('captured messages', () => {
  it('are listed at the declared path and cleared', async () => {
    const { call, ask } = await start();
    await ask('KEEP a');
    await ask('KEEP b');
    expect((await call('GET', '/api/echoes')).body).toEqual([
      { id: '1', text: 'KEEP a' },
      { id: '2', text: 'KEEP b' },
    ]);
    const cleared = await call('DELETE', '/api/echoes');
    expect([cleared.status, cleared.body]).toEqual([200, { status: 'cleared' }]);
    expect((await call('GET', '/api/echoes')).body).toEqual([]);
  });

  it('have no routes where a kind does not capture', async () => {
    const { call } = await start();
    expect((await call('GET', '/api/plain-text/messages')).status).toBe(404);
    expect((await call('GET', '/api/echo/messages')).status).toBe(404);
  });
});

describe('second collections', () => {
  it('have their routes', async () => {
    const { call } = await start();
    const created = await call('POST', '/api/echo/targets', { id: 't', to: 'a' });
    expect([created.status, created.body]).toEqual([201, { id: 't', to: 'a' }]);
    expect((await call('POST', '/api/echo/targets', { id: 't', to: 'a' })).status).toBe(409);
    const wrong = await call('POST', '/api/echo/targets', { too: 'a' });
    expect([wrong.status, wrong.body.details.length]).toEqual([400, 2]);
    expect((await call('GET', '/api/echo/targets')).body).toEqual([{ id: 't', to: 'a' }]);
    const replaced = await call('PUT', '/api/echo/targets/t', { to: 'b' });
    expect([replaced.status, replaced.body]).toEqual([200, { id: 't', to: 'b' }]);
    expect((await call('PUT', '/api/echo/targets/none', { to: 'b' })).status).toBe(404);
    expect((await call('DELETE', '/api/echo/targets/t')).body).toEqual({ status: 'deleted', deleted: 't' });
    expect((await call('DELETE', '/api/echo/targets/t')).status).toBe(404);
  });
});

describe('routes of a plugin', () => {
  it('act on its running service with checked values', async () => {
    const { call, host } = await start();
    const sent = await call('POST', '/api/echo/targets/t/send?times=2', { text: 'x' });
    expect([sent.status, sent.body]).toEqual([200, { status: 'sent', sent: 't' }]);
    await call('POST', '/api/echo/targets/t/send');
    expect((host.kind('echo').service as unknown as { sent: string[] }).sent).toEqual(['x', 'x', 'hello']);
    const body = await call('POST', '/api/echo/targets/t/send', { text: 7, other: 1 });
    expect(body.status).toBe(400);
    expect(body.body.details.map((problem: { path: string }) => problem.path).sort()).toEqual([
      '/other',
      '/text',
    ]);
    const query = await call('POST', '/api/echo/targets/t/send?times=0', {});
    expect([query.status, query.body.error]).toEqual([
      400,
      expect.stringContaining('query parameter times must be'),
    ]);
  });

  it('that fail answer their error, and what is nobody else\u2019s fault as 500', async () => {
    const caught: unknown[] = [];
    const { call } = await start({ onError: (thrown, request) => caught.push([String(thrown), request]) });
    const failed = await call('POST', '/api/echo/targets/unreachable/send');
    expect([failed.status, failed.body]).toEqual([500, { error: 'target "unreachable" cannot be reached' }]);
    expect(caught).toEqual([]);
    const broken = await call('POST', '/api/echo/targets/broken/send');
    expect([broken.status, broken.body]).toEqual([500, { error: 'internal error: wire fell off' }]);
    expect(caught).toEqual([
      ['TypeError: wire fell off', { method: 'POST', path: '/api/echo/targets/broken/send' }],
    ]);
  });
});
