import { describe, expect, it } from '@jest/globals';
import { fromAscii, toAscii } from '../src/data/ascii.js';
import { contentFields } from '../src/files/content-fields.js';
import { FileIndex, walkDirectories } from '../src/mock-index.js';
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

  it('looks for the directories below one by one, each in front of those that it holds', () => {
    const index = new FileIndex();
    for (const path of ['/a', '/a/b', '/a/b/c', '/d', '/d/e']) index.make(path, 1);
    const pathsOf = (start: string): string[] => {
      const directory = index.directoryAt(start);
      return directory === undefined ? [] : Array.from(walkDirectories(directory, start), ({ path }) => path);
    };
    expect(pathsOf('/')).toEqual(['/', '/a', '/a/b', '/a/b/c', '/d', '/d/e']);
    expect(pathsOf('/a/b')).toEqual(['/a/b', '/a/b/c']);
    // A directory with nothing in it has no maps of its own, which would be most of what it takes.
    const [one, other] = ['/a/b/c', '/d/e'].map((path) => index.directoryAt(path));
    expect([one?.directories, one?.files]).toEqual([new Map(), new Map()]);
    expect(one?.directories).toBe(other?.directories);
    expect(one?.files).toBe(other?.files);
    const steps = walkDirectories(index.root, '/');
    steps.next();
    steps.next();
    // What comes meanwhile is found: nothing has looked at the others yet.
    index.make('/late', 1);
    expect(Array.from(steps, ({ path }) => path).at(-1)).toBe('/late');
  });

  it('puts back which directories were made, and keeps those that hold files', async () => {
    const { host, port } = await startHost({ files: [{ path: '/kept/inside/file', content: 'x' }] });
    const client = await RawClient.login(port);
    for (const path of ['/one', '/one/two', '/kept/inside/new']) await client.ask(`MKD ${path}`);
    const { id } = host.snapshots.create();
    for (const path of ['/one/two', '/one', '/kept/inside/new']) await client.ask(`RMD ${path}`);
    for (const path of ['/other', '/other/below', '/kept/more']) await client.ask(`MKD ${path}`);
    const isThere = async (path: string): Promise<boolean> =>
      (await client.ask(`CWD ${path}`)).startsWith('250');
    const all = [
      '/one',
      '/one/two',
      '/kept/inside',
      '/kept/inside/new',
      '/other',
      '/other/below',
      '/kept/more',
    ];
    const found = async (): Promise<string[]> => {
      const there: string[] = [];
      for (const path of all) if (await isThere(path)) there.push(path);
      return there;
    };
    expect(await found()).toEqual(['/kept/inside', '/other', '/other/below', '/kept/more']);
    host.snapshots.restore(id);
    expect(await found()).toEqual(['/one', '/one/two', '/kept/inside', '/kept/inside/new']);
    host.reset();
    expect(await found()).toEqual(['/kept/inside']);
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
