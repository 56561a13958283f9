import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';

type Digest = (algorithm: string, bytes: Uint8Array) => Promise<Buffer>;
const file = new URL('../../../aws/s3/checksums.mjs', import.meta.url).href;
const { digest } = (await import(file)) as { readonly digest: Digest };

/** Counts the turns of the event loop until something is there. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const ended = work.finally(() => (isDone = true));
  let turns = 0;
  while (!isDone) {
    await new Promise(setImmediate);
    turns += 1;
  }
  await ended;
  return turns;
}

describe('a digest', () => {
  const bytes = Buffer.alloc(2_000_000, 'some bytes ');

  it('of many bytes is made in steps, none of them in the turn in which they came', async () => {
    let seen = 0;
    const watched = new Proxy(bytes, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === 'subarray') seen += 1;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const made = digest('MD5', watched);
    expect(seen).toBe(0);
    const turns = await turnsOf(made);
    expect(seen).toBe(Math.ceil(bytes.length / 65_536));
    expect(turns).toBeGreaterThanOrEqual(seen);
    expect(await made).toEqual(createHash('md5').update(bytes).digest());
  });

  it.each(['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'])(
    'is the same in steps as at once: %s',
    async (algorithm) => {
      const part = bytes.subarray(0, 65_536);
      const [whole, again] = [await digest(algorithm, bytes), await digest(algorithm, bytes)];
      expect(again).toEqual(whole);
      expect(await digest(algorithm, part)).not.toEqual(whole);
    },
  );

  it.each([
    ['CRC32', 'cbf43926'],
    ['CRC32C', 'e3069283'],
    ['CRC64NVME', 'ae8b14860a799888'],
  ])('is that of the catalogue of its kind: %s', async (algorithm, check) => {
    expect((await digest(algorithm, Buffer.from('123456789'))).toString('hex')).toBe(check);
  });
});
