import { afterEach, describe, expect, it } from '@jest/globals';
import { framedPieces } from '../src/routes/framed-html.js';
import { start, stopAll, type Management } from './support/start.js';

afterEach(stopAll);

const TOKEN = { authorization: 'Bearer secret' };

async function frameOf({ call, ask }: Management, html: string): Promise<string> {
  await ask(`KEEP ${html}`);
  const list = (await call('GET', '/api/echoes', undefined, TOKEN)).body as readonly { id: string }[];
  const { body } = await call('POST', `/api/echoes/${list.at(-1)?.id ?? ''}/frame`, undefined, TOKEN);
  return body.path;
}

describe('frames of captured messages', () => {
  it('are shown without a token to who knows their name, with a policy that lets them do nothing', async () => {
    const server = await start({ token: 'secret' });
    const path = await frameOf(server, '<!DOCTYPE html><h1>hi</h1><a href="http://x.test">x</a>');
    expect(path).toMatch(/^\/api\/frames\/[\w-]{32}$/);
    const { status, headers, text } = await server.call('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    );
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(text).toContain('<h1>hi</h1>');
    expect((await server.call('GET', '/api/frames/guess')).status).toBe(404);
    expect((await server.call('GET', '/api/echoes')).status).toBe(401);
    expect((await server.call('POST', '/api/echoes/1/frame')).status).toBe(401);
  });

  it('hold no documents of others, to which browsers would connect', async () => {
    const server = await start({ token: 'secret' });
    const path = await frameOf(
      server,
      '<iframe src=//x.test></iframe><OBJECT data=y></OBJECT><embed src=z><frame/><p>framed</p>',
    );
    const { text } = await server.call('GET', path);
    expect(text).not.toMatch(/<\/?(?:i?frame|object|embed)/i);
    expect(text).toContain('<p>framed</p>');
  });

  it('hold none wherever a long document is cut', () => {
    const html =
      ' \n<!doctype html>\n<p>a</p><iframe src=x></iframe><<object></FENCEDFRAME><frames><embedded>';
    const shown = (...pieces: string[]): string =>
      [...framedPieces({ length: html.length, pieces: () => pieces })].join('');
    const whole = shown(html);
    expect(whole).toMatch(
      /^ \n<!doctype html><style>[^<]*<\/style>\n<p>a<\/p><x-iframe src=x><\/x-iframe><<x-object><\/x-FENCEDFRAME><frames><embedded>$/,
    );
    for (let first = 0; first <= html.length; first += 1)
      for (let second = first; second <= html.length; second += 1)
        expect(shown(html.slice(0, first), html.slice(first, second), html.slice(second))).toBe(whole);
    expect(shown(...html)).toBe(whole);
    const long = `<!doctype ${'x'.repeat(200_000)}`;
    expect(shown(...(long.match(/[^]{1,1000}/g) ?? [])).endsWith(long)).toBe(true);
  });

  it('are kept while they are among the newest', async () => {
    const server = await start({ token: 'secret' });
    const first = await frameOf(server, 'one');
    for (let count = 0; count < 20; count += 1) await frameOf(server, 'more');
    expect((await server.call('GET', first)).status).toBe(404);
    expect((await server.call('POST', '/api/echoes/999/frame', undefined, TOKEN)).status).toBe(404);
  });
});
