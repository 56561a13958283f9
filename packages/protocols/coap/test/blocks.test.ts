import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { itWithTool, runTool } from '@backlot/conformance';
import { block, NodeClient, optionOf, RawClient, startHost } from './support.js';

const LARGE = Array.from({ length: 10_000 }, (_, n) => `line ${n}\n`.padStart(10, '.'))
  .join('')
  .slice(0, 100_000);
const MOCKS = [
  { id: 'large', method: 'GET', path: '/large', response: { payload: `{{seq "n"}}${LARGE}` } },
  { id: 'up', method: 'PUT', path: '/up', response: { payload: '{{request.raw_body}}', content_format: 0 } },
  { id: 'small', path: '/small', response: { payload: 'x'.repeat(40) } },
];

describe('block-wise transfers', () => {
  it('give and take 100 KB with the npm client, each counted once', async () => {
    const { port, host } = await startHost(MOCKS);
    const client = new NodeClient(port);
    const down = await client.ask({ pathname: '/large' });
    expect(down.payload.toString()).toBe(`1${LARGE}`);
    const up = await client.ask(
      { pathname: '/up', method: 'PUT', options: { Block1: Buffer.of(6) } },
      LARGE.slice(0, 60_000),
    );
    expect(up.code).toBe('2.04');
    const kind = host.kind('coap');
    expect([kind.calls.of('large').count, kind.calls.of('up').count]).toEqual([1, 1]);
    expect(host.journal.count().count).toBe(2);
    const [entry] = kind.calls.of('up').calls;
    expect(String(entry?.['body'])).toHaveLength(60_000);
  });

  itWithTool('coap-client-notls', 'give and take 100 KB with libcoap, in small blocks too', async () => {
    const { port, host } = await startHost(MOCKS);
    const folder = await mkdtemp(join(tmpdir(), 'backlot-coap-'));
    const [source, target] = [join(folder, 'source'), join(folder, 'target')];
    await writeFile(source, LARGE);
    const run = (...args: string[]) => runTool('coap-client-notls', ['-B', '10', '-o', target, ...args]);
    try {
      await run(`coap://127.0.0.1:${port}/large`);
      expect(await readFile(target, 'utf8')).toBe(`1${LARGE}`);
      await run('-N', '-b', '256', `coap://127.0.0.1:${port}/large`);
      expect(await readFile(target, 'utf8')).toBe(`2${LARGE}`);
      await rm(target);
      await run('-m', 'put', '-b', '512', '-f', source, `coap://127.0.0.1:${port}/up`);
      expect(await readFile(target, 'utf8')).toBe(LARGE);
      await rm(target);
      await run('-m', 'put', '-f', source, `coap://127.0.0.1:${port}/up`);
      expect(await readFile(target, 'utf8')).toBe(LARGE);
    } finally {
      await rm(folder, { recursive: true });
    }
    const kind = host.kind('coap');
    expect([kind.calls.of('large').count, kind.calls.of('up').count]).toEqual([2, 2]);
  });

  it('begin with the block that is asked for, in its size', async () => {
    const { port, host } = await startHost(MOCKS);
    const client = new RawClient(port);
    const early = await client.ask(client.make('/large', { options: [block('Block2', 0, false, 2)] }));
    expect(early.payload).toHaveLength(64);
    expect(optionOf(early, 'Block2')).toEqual(Buffer.of(0x0a));
    expect(optionOf(early, 'Size2')?.readUIntBE(0, 3)).toBe(100_001);
    const next = await client.ask(client.make('/large', { options: [block('Block2', 1, false, 2)] }));
    expect(next.payload.toString()).toBe(`1${LARGE}`.slice(64, 128));
    expect(optionOf(next, 'ETag')).toEqual(optionOf(early, 'ETag'));
    // Another client that begins in the middle has a representation of its own.
    const other = new RawClient(port);
    const middle = await other.ask(other.make('/large', { options: [block('Block2', 3, false, 6)] }));
    expect(middle.payload.toString()).toBe(`2${LARGE}`.slice(3072, 4096));
    expect(host.kind('coap').calls.of('large').count).toBe(2);
    const beyond = await client.ask(client.make('/large', { options: [block('Block2', 5000, false, 6)] }));
    expect(beyond.code).toBe('4.00');
    const small = await client.ask(client.make('/small', { options: [block('Block2', 0, false, 6)] }));
    expect([small.payload.length, optionOf(small, 'Block2')]).toEqual([40, Buffer.of(0x06)]);
  });

  it('never send more than 1,024 bytes of payload for a request', async () => {
    const { port } = await startHost(MOCKS);
    const client = new RawClient(port);
    const answer = await client.ask(client.make('/large'));
    expect(answer.payload).toHaveLength(1024);
    await client.settle();
    expect(client.spare).toBe(0);
  });

  it('refuse blocks that do not fit', async () => {
    const { port, host } = await startHost(MOCKS);
    const client = new RawClient(port);
    const put = (number: number, hasMore: boolean, length: number, more: object = {}) =>
      client.ask(
        client.make('/up', {
          code: 'PUT',
          payload: Buffer.alloc(length, 'x'),
          options: [block('Block1', number, hasMore, 0)],
          ...more,
        }),
      );
    expect((await put(1, true, 16)).code).toBe('4.08');
    expect((await put(0, true, 15)).code).toBe('4.00');
    expect((await put(0, true, 16)).code).toBe('2.31');
    expect((await put(2, true, 16)).code).toBe('4.08');
    const continued = await put(1, true, 16);
    expect([continued.code, optionOf(continued, 'Block1')]).toEqual(['2.31', Buffer.of(0x18)]);
    // The block before once more, with another message id.
    expect((await put(1, true, 16)).code).toBe('2.31');
    const last = await put(2, false, 3);
    expect([last.code, last.payload.length]).toEqual(['2.04', 35]);
    expect(optionOf(last, 'Block1')).toEqual(Buffer.of(0x20));
    expect((await put(2, false, 3)).code).toBe('4.08');
    const size = { name: 'Size1' as const, value: Buffer.of(0x10, 0, 1) };
    const tooLarge = await put(0, true, 16, { options: [block('Block1', 0, true, 0), size] });
    expect(tooLarge.code).toBe('4.13');
    expect(optionOf(tooLarge, 'Size1')?.readUIntBE(0, 3)).toBe(1_048_576);
    const farAway = { payload: Buffer.alloc(1024), options: [block('Block1', 1024, true, 6)] };
    expect((await put(0, true, 0, farAway)).code).toBe('4.13');
    expect((await put(0, true, 0, { options: [block('Block1', 0, true, 7)] })).code).toBe('4.00');
    expect(host.kind('coap').calls.of('up').count).toBe(1);
  });

  it('keep the transfers of clients and resources apart, and forget those that are too many', async () => {
    const { port } = await startHost([{ path: '/*', response: { payload: '{{request.raw_body}}' } }]);
    const [one, two] = [new RawClient(port), new RawClient(port)];
    const put = (client: RawClient, path: string, number: number, hasMore: boolean, text: string) =>
      client.ask(
        client.make(path, {
          code: 'PUT',
          payload: Buffer.from(text),
          options: [block('Block1', number, hasMore, 0)],
        }),
      );
    await put(one, '/a', 0, true, 'a'.repeat(16));
    await put(two, '/a', 0, true, 'b'.repeat(16));
    await put(one, '/c', 0, true, 'c'.repeat(16));
    expect((await put(two, '/a', 1, false, '2')).payload.toString()).toBe(`${'b'.repeat(16)}2`);
    expect((await put(one, '/a', 1, false, '1')).payload.toString()).toBe(`${'a'.repeat(16)}1`);
    for (let n = 0; n < 8; n += 1) await put(one, `/n${n}`, 0, true, 'n'.repeat(16));
    expect((await put(one, '/c', 1, false, '3')).code).toBe('4.08');
    expect((await put(one, '/n7', 1, false, '!')).payload.toString()).toBe(`${'n'.repeat(16)}!`);
  });
});
