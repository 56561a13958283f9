import { describe, expect, it } from '@jest/globals';
import { PAGE } from '../src/data/long-text.js';
import { Notice } from '../src/pub-sub.js';
import { longBulk, LongReply } from '../src/wire/long-reply.js';
import { bulk } from '../src/wire/reply.js';
import { RequestParser } from '../src/wire/request-parser.js';

const MEBIBYTE = 1024 * 1024;

describe('a large message for subscribers', () => {
  it('is encoded part by part, once for both versions of the protocol', () => {
    const message = 'ab'.repeat(2 * MEBIBYTE);
    const items = [bulk('message'), bulk('news'), bulk(message)];
    const notice = new Notice(items);
    expect([...notice.prepare()].length).toBeGreaterThanOrEqual(4);
    expect([...notice.prepare()]).toEqual([]);
    for (const resp of [2, 3] as const) {
      const encoded = notice.encode(resp);
      expect(notice.encode(resp)).toBe(encoded);
      const text = Buffer.from(encoded as Uint8Array).toString('latin1');
      expect(text === `${resp === 3 ? '>' : '*'}3\r\n${items.join('')}`).toBe(true);
    }
  });
});

describe('a large argument', () => {
  it('is there in pages as well, which hold the same memory', () => {
    const parser = new RequestParser({ maxRequest: 64 * MEBIBYTE, isTrusted: () => true });
    const value = Array.from({ length: 70_000 }, (_, n) => `${n} `).join('');
    const bytes = Buffer.from(
      `*4\r\n$4\r\nMSET\r\n$1\r\na\r\n$${value.length}\r\n${value}\r\n$1\r\nb\r\n`,
      'latin1',
    );
    let args = parser.next();
    for (let at = 0; at < bytes.length; at += 50_000) {
      parser.feed(bytes.subarray(at, at + 50_000));
      args = parser.next();
    }
    expect(args?.[2] === value).toBe(true);
    expect([...(args?.long?.keys() ?? [])]).toEqual([2]);
    const pages = [...(args?.long?.get(2)?.parts() ?? [])];
    expect(pages.join('') === value).toBe(true);
    expect(pages.map(({ length }) => length)).toEqual([
      ...pages.slice(1).map(() => PAGE),
      value.length % PAGE,
    ]);
  });
});

describe('a large value', () => {
  it('is sent as it is, without a copy that has its length in front', () => {
    const value = 'x'.repeat(MEBIBYTE);
    const reply = longBulk(value);
    expect(reply).toBeInstanceOf(LongReply);
    const pieces = reply instanceof LongReply ? [...{ [Symbol.iterator]: reply.pieces }] : [];
    expect(pieces).toEqual([`$${MEBIBYTE}\r\n`, value, '\r\n']);
    expect(longBulk('short')).toBe('$5\r\nshort\r\n');
  });

  it('makes a request long, and not the next one', () => {
    const parser = new RequestParser({ maxRequest: 64 * MEBIBYTE, isTrusted: () => true });
    const seen: unknown[] = [];
    const feed = (text: string): void => {
      parser.feed(Buffer.from(text, 'latin1'));
      for (let args = parser.next(); args !== undefined; args = parser.next())
        seen.push([args[0], parser.isLong]);
    };
    feed(`*3\r\n$3\r\nSET\r\n$1\r\na\r\n$${MEBIBYTE}\r\n${'x'.repeat(MEBIBYTE / 2)}`);
    feed(`${'x'.repeat(MEBIBYTE / 2)}\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n`);
    expect(seen).toEqual([
      ['SET', true],
      ['GET', false],
    ]);
  });
});
