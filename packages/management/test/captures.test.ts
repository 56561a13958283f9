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

  it('are filtered by every field that their schema has', async () => {
    const { call, ask } = await start();
    for (const text of ['KEEP a', 'KEEP b', 'KEEP ab']) await ask(text);
    const texts = async (query: string): Promise<string[]> =>
      (await call('GET', `/api/echoes?${query}`)).body.map(({ text }: { text: string }) => text);
    expect(await texts('text=KEEP%20a*')).toEqual(['KEEP a', 'KEEP ab']);
    expect(await texts('text=re:b%24')).toEqual(['KEEP b', 'KEEP ab']);
    expect(await texts('text=re:b%24&id=3')).toEqual(['KEEP ab']);
    expect(await texts('text=KEEP%20a*&after=1')).toEqual(['KEEP ab']);
    expect(await texts('text=*a*&after=2&limit=5')).toEqual(['KEEP ab']);
    expect(await texts('text=*a*&limit=1')).toEqual(['KEEP a']);
    const unknown = await call('GET', '/api/echoes?subject=x');
    expect([unknown.status, unknown.body.error]).toEqual([
      400,
      'query parameter "subject" is not known here; known are id, text, limit, after, max_body',
    ]);
    const wrong = await call('GET', '/api/echoes?text=re:(');
    expect([wrong.status, wrong.body.details[0].path]).toEqual([400, '/text']);
  });

  it('are read by their id a piece at a time where they are long', async () => {
    const { call, host } = await start();
    const piece = 'grün 😀 "\\\n'.repeat(1000);
    let made = 0;
    const capture = {
      captureId: 'long',
      capture: () => {
        throw new Error('the whole message was made');
      },
      capturePieces: () => ({
        shown: { id: 'long', text: '' },
        texts: {
          text: {
            length: 40 * piece.length,
            *pieces() {
              for (; made < 40; made += 1) yield piece;
            },
          },
        },
      }),
    };
    const store = host.kind('echo').captures as unknown as {
      recall: (value: unknown, bytes: number) => void;
    };
    store.recall(capture, 100);
    const { status, body } = await call('GET', '/api/echoes/long');
    expect([status, body]).toEqual([200, { id: 'long', text: piece.repeat(40) }]);
    expect(made).toBe(40);
  });

  it('are filtered, waited for and listed a piece at a time where they are long', async () => {
    const { call, host } = await start();
    const piece = 'grün 😀 "\\\n'.repeat(1000);
    const whole = `${piece.repeat(200)}needle`;
    const capture = {
      captureId: 'long',
      capture: () => {
        throw new Error('the whole message was made');
      },
      captureStart: (most: number) => ({
        shown: { id: 'long', text: whole.slice(0, most + 1) },
        lengths: { text: whole.length },
      }),
      capturePieces: () => ({
        shown: { id: 'long', text: '' },
        texts: {
          text: {
            length: whole.length,
            *pieces() {
              for (let count = 0; count < 200; count += 1) yield piece;
              yield 'nee';
              yield 'dle';
            },
          },
        },
      }),
    };
    const store = host.kind('echo').captures as unknown as {
      recall: (value: unknown, bytes: number) => void;
    };
    store.recall(capture, 100);
    const found = async (query: string): Promise<number> =>
      (await call('GET', `/api/echoes?max_body=256&${query}`)).body.length;
    expect(await found('text=*needle')).toBe(1);
    expect(await found('text=gr*needle*')).toBe(1);
    expect(await found('text=*needless*')).toBe(0);
    expect(await found('text=re:^gr')).toBe(1);
    const waited = await call('POST', '/api/echoes/wait', { where: { text: { suffix: 'needle' } } });
    expect([waited.status, waited.body]).toEqual([200, [{ id: 'long', text: whole }]]);
    expect((await call('GET', '/api/echoes?max_body=100000000')).body).toEqual([{ id: 'long', text: whole }]);
    for (const most of [1_100_000, 1_100_001, 1_100_004, 1_100_008]) {
      const [cut] = (await call('GET', `/api/echoes?max_body=${most}`)).body;
      const length = most - (most % 4);
      // A letter of two characters is not cut.
      const end = /[\ud800-\udbff]/.test(whole.charAt(length - 1)) ? length - 1 : length;
      expect(cut).toEqual({ id: 'long', text: whole.slice(0, end), truncated: { text: whole.length } });
    }
  });

  it('are waited for', async () => {
    const { call, ask, host } = await start();
    await ask('KEEP a1');
    const waiting = call('POST', '/api/echoes/wait', { count: 2, where: { text: { contains: 'a' } } });
    await ask('KEEP b');
    await ask('KEEP a2');
    await ask('KEEP a3');
    expect([(await waiting).status, (await waiting).body]).toEqual([
      200,
      [
        { id: '1', text: 'KEEP a1' },
        { id: '3', text: 'KEEP a2' },
      ],
    ]);
    expect((await call('POST', '/api/echoes/wait')).body).toEqual([{ id: '1', text: 'KEEP a1' }]);
    const late = await call('POST', '/api/echoes/wait', {
      count: 9,
      timeout: '10ms',
      where: { text: 'KEEP a*' },
    });
    expect([late.status, late.body]).toEqual([
      408,
      { error: '3 captured messages fit, want 9', want: 9, got: 3 },
    ]);
    const cleared = call('POST', '/api/echoes/wait', { count: 9 });
    await ask('KEEP b');
    host.reset();
    expect([(await cleared).status, (await cleared).body.error]).toEqual([
      409,
      expect.stringContaining('cleared while this waited'),
    ]);
    for (const body of [
      { where: { subject: 'x' } },
      { where: { text: 're:(' } },
      { count: 0 },
      { timeout: 'x' },
    ]) {
      expect([body, (await call('POST', '/api/echoes/wait', body)).status]).toEqual([body, 400]);
    }
  });

  it('give what is attached a piece at a time where they can', async () => {
    const { url, host } = await start();
    const store = host.kind('echo').captures as unknown as {
      recall: (value: unknown, bytes: number) => void;
    };
    const bytes = Buffer.alloc(300_000, 'x\xff', 'latin1');
    store.recall(
      {
        captureId: 'long',
        capture: () => {
          throw new Error('the whole message was made');
        },
        captureAttachment: (index: number) =>
          Promise.resolve(
            index > 0
              ? undefined
              : {
                  filename: 'a.bin',
                  contentType: 'application/x-a',
                  length: bytes.length,
                  *pieces() {
                    for (let at = 0; at < bytes.length; at += 1000) {
                      yield bytes.subarray(at, at + 1000);
                      yield undefined;
                    }
                  },
                },
          ),
      },
      100,
    );
    const response = await fetch(`${url}/api/echoes/long/attachments/0`);
    const { headers } = response;
    expect([
      headers.get('content-type'),
      headers.get('content-length'),
      headers.get('content-disposition'),
    ]).toEqual(['application/x-a', '300000', 'attachment; filename="a.bin"']);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    const head = await fetch(`${url}/api/echoes/long/attachments/0`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000']);
    expect((await fetch(`${url}/api/echoes/long/attachments/1`)).status).toBe(404);
  });

  it('give the bytes of what is attached, which no browser shows', async () => {
    const { url, call, ask } = await start();
    const given = [
      ['a.pdf|application/pdf', 'application/pdf', 'attachment; filename="a.pdf"'],
      ['x.html|text/html', 'text/html', 'attachment; filename="x.html"'],
      [
        '../../etc/pass"wd|bad type',
        'application/octet-stream',
        `attachment; filename="pass_wd"; filename*=UTF-8''pass%22wd`,
      ],
      [
        'é (1).txt|',
        'application/octet-stream',
        `attachment; filename="_ (1).txt"; filename*=UTF-8''%C3%A9%20%281%29.txt`,
      ],
      ['|text/plain', 'text/plain', 'attachment'],
    ];
    for (const [index, [text, type, disposition]] of given.entries()) {
      await ask(`KEEP ${text}`);
      const response = await fetch(`${url}/api/echoes/${index + 1}/attachments/0`);
      expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 10]);
      const { headers } = response;
      expect([response.status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        200,
        type,
        disposition,
      ]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    for (const [path, status] of [
      ['1/attachments/1', 404],
      ['none/attachments/0', 404],
      ['1/attachments/x', 400],
      ['1/attachments/-1', 400],
    ]) {
      expect([path, (await call('GET', `/api/echoes/${path}`)).status]).toEqual([path, status]);
    }
  });

  it('have no routes where a kind does not capture', async () => {
    const { call } = await start();
    expect((await call('GET', '/api/plain-text/messages')).status).toBe(404);
    // Echo publishes by that path, and lists what it has captured by another.
    expect((await call('GET', '/api/echo/messages')).status).toBe(405);
  });
});

describe('item lists', () => {
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
