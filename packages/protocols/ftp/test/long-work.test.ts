import { describe, expect, it } from '@jest/globals';
import { fromAscii, toAscii } from '../src/data/ascii.js';
import { contentFields } from '../src/files/content-fields.js';
import { formatLongReply, formatReply, joinLongReply } from '../src/session/format-reply.js';
import { RawClient, startHost } from './support.js';

/** How often work lets others in, and what comes of it. */
function drive<T>(work: Iterator<unknown, T>): { steps: number; result: T } {
  for (let steps = 0; ; steps += 1) {
    const step = work.next();
    if (step.done === true) return { steps, result: step.value };
  }
}

const MEBIBYTE = 1024 * 1024;

describe('long work', () => {
  it.each([
    ['text for the wire', toAscii, '\n'],
    ['text from the wire', fromAscii, '\r\n'],
    ['a text', contentFields, 'x'],
    ['bytes', contentFields, '\xff'],
    ['what looks like a template', contentFields, '{{'],
  ])('lets others in as often as it is long: %s', (_name, work, unit) => {
    const stepsOf = (bytes: number): number =>
      drive<unknown>(work(Buffer.alloc(bytes, unit, 'latin1'))).steps;
    const once = stepsOf(8 * MEBIBYTE);
    expect(once).toBeGreaterThanOrEqual(10);
    expect(stepsOf(16 * MEBIBYTE)).toBeGreaterThanOrEqual(2 * once - 4);
  });

  it('writes bytes down so that they are read again', () => {
    for (const text of ['', 'plain', '\ufeffmark', 'a{{b}}', '\u20ac'.repeat(300_000)]) {
      const { content, encoding } = drive(contentFields(Buffer.from(text))).result;
      expect(Buffer.from(content, encoding ?? 'utf8').toString()).toBe(text);
      expect(encoding).toBe(text.includes('{{') ? 'base64' : undefined);
    }
    const bytes = Buffer.from(Array.from({ length: 2_000_000 }, (_, n) => n % 256));
    expect(Buffer.from(drive(contentFields(bytes)).result.content, 'base64').equals(bytes)).toBe(true);
  });

  it('puts long replies together in steps, as short ones are', () => {
    const lines = Array.from({ length: 20_001 }, (_, n) => `line ${n}`);
    const { result, steps } = drive(formatLongReply(211, lines));
    expect(result.toString()).toBe(formatReply(211, lines));
    expect(steps).toBeGreaterThanOrEqual(10);
    expect(drive(joinLongReply(lines))).toEqual({ result: lines.join('\n'), steps: 11 });
  });

  it('answers each command of a long pipeline', async () => {
    const { port } = await startHost();
    const client = await RawClient.login(port);
    client.socket.write(`${'NOOP\r\n'.repeat(3000)}PWD\r\n`);
    for (let n = 0; n < 3000; n += 1) expect(await client.next()).toMatch(/^200 /);
    expect(await client.next()).toMatch(/^257 /);
  });

  it('lists and renames a directory of thousands', async () => {
    const files = Array.from({ length: 3000 }, (_, n) => ({ path: `/many/${n}`, content: 'x' }));
    const { port, kind } = await startHost({ files });
    const client = await RawClient.login(port);
    expect((await client.ask('STAT many')).match(/^ -rw/gm)).toHaveLength(3000);
    expect(await client.ask('RNFR many')).toMatch(/^350 /);
    expect(await client.ask('RNTO more')).toMatch(/^250 /);
    expect((await client.ask('STAT more')).match(/^ -rw/gm)).toHaveLength(3000);
    expect(kind.mocks.list().every((file) => String(file['path']).startsWith('/more/'))).toBe(true);
  });
});
