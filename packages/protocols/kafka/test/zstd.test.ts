import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, itWithTool, runTool } from '@backlot/conformance';
import { CompressionCodecs, CompressionTypes } from 'kafkajs';
import { fetch } from '../src/wire/apis/fetch.js';
import { produce } from '../src/wire/apis/produce.js';
import { drain } from '../src/wire/drain.js';
import { decompress, MAX_DECOMPRESSED } from '../src/wire/compression.js';
import { decompressByLibrary, decompressZstd, loadLibrary, loadZstd } from '../src/wire/zstd.js';
import {
  batchOf,
  connectKafkaJs,
  RawClient,
  seal,
  startConsumer,
  startHost,
  startProducer,
} from './support.js';

/** What the command `zstd` makes of bytes. */
function compress(bytes: Buffer, ...flags: string[]): Buffer {
  const { stdout, status } = spawnSync('zstd', ['-q', '-c', ...flags], {
    input: bytes,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`zstd ended with ${status}`);
  return stdout;
}

/** Bytes that can be compressed, but not to nothing. */
function sample(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let seed = 7;
  for (let at = 0; at < length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    bytes[at] = seed % 97 < 60 ? (bytes[at - 64] ?? 0) : 97 + (seed % 13);
  }
  return bytes;
}

/** A frame of blocks that each repeat one byte. */
function bomb(blocks: number, size: number, descriptor = 0x38): Buffer {
  const block = (isLast: boolean): Buffer => {
    const bytes = Buffer.from([0, 0, 0, 0x61]);
    bytes.writeUIntLE((isLast ? 1 : 0) | (1 << 1) | (size << 3), 0, 3);
    return bytes;
  };
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, descriptor]);
  return Buffer.concat([head, ...Array.from({ length: blocks }, (_, index) => block(index === blocks - 1))]);
}

/** The bytes of a batch before its records. */
const HEAD = 61;

beforeAll(async () => {
  await loadZstd();
  await loadLibrary();
});

/** What Node.js 22 has for it, as the command does it: with an error of zlib where there is more than the limit. */
function byCommand(bytes: Buffer, { maxOutputLength }: { readonly maxOutputLength?: number }): Buffer {
  const { stdout, status } = spawnSync('zstd', ['-q', '-d', '-c', '--memory=2048MB'], {
    input: bytes,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0)
    throw Object.assign(new Error('Data corruption detected'), { code: 'ZSTD_error_corruption' });
  if (stdout.length > (maxOutputLength ?? Infinity))
    throw Object.assign(new RangeError('Cannot create a Buffer larger than the limit'), {
      code: 'ERR_BUFFER_TOO_LARGE',
    });
  return stdout;
}

const read = (bytes: Buffer): Buffer => drain(decompressByLibrary(bytes, MAX_DECOMPRESSED));

describe.each([
  ['of Node.js', byCommand],
  ['of the library', undefined],
])('the way %s', (_name, own) => {
  itWithTool('zstd', 'gives the same bytes, and refuses what is damaged or too large', () => {
    for (const length of [0, 1, 300, 70_000]) {
      const bytes = sample(length);
      const compressed = compress(bytes);
      const way = own ?? null;
      const get = (given: Buffer, limit: number): Buffer =>
        drain(way === null ? decompressByLibrary(given, limit) : decompressZstd(given, limit, way));
      expect(get(compressed, MAX_DECOMPRESSED).equals(bytes)).toBe(true);
      expect(() => get(compressed.subarray(0, compressed.length - 1), MAX_DECOMPRESSED)).toThrow();
      if (length > 1) expect(() => get(compressed, length - 1)).toThrow();
    }
    return Promise.resolve();
  });
});

describe('Zstandard', () => {
  itWithTool('zstd', 'is read as the command writes it, of every level and with every header', async () => {
    await loadZstd();
    for (const length of [0, 1, 300, 70_000, 1_000_000]) {
      const bytes = sample(length);
      for (const flags of [['-1'], ['-3', '--no-check'], ['-19'], ['--ultra', '-22'], ['-3', '--long=27']]) {
        for (const size of [[], [`--stream-size=${length}`]]) {
          const compressed = compress(bytes, ...flags, ...size);
          expect(read(compressed).equals(bytes)).toBe(true);
          expect(drain(decompressZstd(compressed, MAX_DECOMPRESSED)).equals(bytes)).toBe(true);
        }
      }
    }
  });

  itWithTool('zstd', 'may be several frames, with others that are to be skipped', async () => {
    await loadLibrary();
    const skipped = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const frames = [skipped, compress(Buffer.from('one ')), skipped, compress(Buffer.from('two'))];
    expect(read(Buffer.concat(frames)).toString()).toBe('one two');
    // Whatever this version of Node.js has for it, and what newer ones have.
    for (const own of [undefined, byCommand])
      expect(drain(decompressZstd(Buffer.concat(frames), MAX_DECOMPRESSED, own)).toString()).toBe('one two');
  });

  itWithTool('zstd', 'that is damaged or cut off is refused, wherever that is', async () => {
    await loadLibrary();
    const whole = compress(sample(3000), '--no-check');
    for (let length = 1; length < whole.length; length += 7) {
      expect(() => drain(decompress(4, whole.subarray(0, length)))).toThrow(/damaged|no frame|length|bytes/);
    }
    for (let at = 0; at < whole.length; at += 11) {
      const broken = Buffer.from(whole);
      broken[at] = (broken[at] ?? 0) ^ 0xff;
      try {
        read(broken);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });

  it('that would be too large, or takes too much work, is refused before it is made', () => {
    expect(() => read(bomb(200, 131_072))).toThrow(/more than 16777216 bytes/);
    expect(() => read(bomb(250_000, 1))).toThrow(/too much work/);
    const says = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x40, 1, 0, 0])]);
    expect(() => read(says)).toThrow(/1073741824 bytes/);
  });

  it('takes a window no larger than its blocks can fill', () => {
    // The header asks for a window of more than a terabyte.
    expect(read(bomb(2, 10, 0xf8)).toString()).toBe('a'.repeat(20));
  });

  it('is done in steps', () => {
    let steps = 0;
    for (const _ of decompressByLibrary(bomb(100, 131_072), MAX_DECOMPRESSED)) steps += 1;
    expect(steps).toBe(100);
  });
});

describe('kafkajs with a codec of Zstandard', () => {
  itWithTool('zstd', 'produces what mocks read, and reads it as it was', async () => {
    CompressionCodecs[CompressionTypes.ZSTD] = () => ({
      compress: ({ buffer }: { buffer: Buffer }) => Promise.resolve(compress(buffer)),
      decompress: (bytes: Buffer) =>
        Promise.resolve(spawnSync('zstd', ['-q', '-d', '-c'], { input: bytes }).stdout),
    });
    const running = await startHost({
      topics: [{ name: 'z' }],
      mocks: [
        { topic: 'z', value: { contains: 'n7' }, response: { topic: 'out', value: 'found {{request.key}}' } },
      ],
    });
    const client = connectKafkaJs(running);
    const producer = await startProducer(client);
    const messages = Array.from({ length: 20 }, (_, n) => ({
      key: `k${n}`,
      value: `n${n} ${'x'.repeat(99)}`,
    }));
    await producer.send({ topic: 'z', compression: CompressionTypes.ZSTD, messages });
    const { messages: got } = await startConsumer(client, 'g', ['z', 'out'], { maxWaitTimeInMs: 50 });
    await eventually(() => got.length === 21);
    expect(got.filter(({ topic }) => topic === 'out').map(({ value }) => String(value))).toEqual([
      'found k7',
    ]);
    expect(got.filter(({ topic }) => topic === 'z').map(({ value }) => String(value))).toEqual(
      messages.map(({ value }) => value),
    );
  });
});

describe('a batch of Zstandard', () => {
  itWithTool('zstd kcat', 'is fetched byte for byte as it was produced', async () => {
    const { port, address } = await startHost({ topics: [{ name: 'z' }] });
    const values = Array.from({ length: 20 }, (_, n) => `n${n} ${'x'.repeat(99)}`);
    const plain = batchOf(values);
    const batch = Buffer.concat([plain.subarray(0, HEAD), compress(plain.subarray(HEAD))]);
    batch.writeInt32BE(batch.length - 12, 8);
    batch.writeInt16BE(4, 21);
    seal(batch);
    const client = await RawClient.connect(port);
    const topicData = [{ name: 'z', partitionData: [{ index: 0, records: [batch] }] }];
    for (const baseOffset of [0, values.length]) {
      const { responses } = await client.call(produce, 7, { acks: -1, timeoutMs: 1000, topicData });
      expect(responses[0]?.partitionResponses[0]).toMatchObject({ errorCode: 0, baseOffset });
    }
    const { responses } = await client.call(fetch, 11, {
      maxWaitMs: 0,
      minBytes: 1,
      maxBytes: 1_000_000,
      topics: [{ topic: 'z', partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 1_000_000 }] }],
    });
    const got = responses[0]?.partitions[0]?.records ?? Buffer.alloc(0);
    expect(got).toHaveLength(2 * batch.length);
    for (const [index, start] of [0, batch.length].entries()) {
      expect(got.readBigInt64BE(start)).toBe(BigInt(index * values.length));
      // What stands before is the broker's: the offset and the epoch of the leader.
      expect(got.subarray(start + 16, start + batch.length)).toEqual(batch.subarray(16));
    }
    const { out } = await runTool('kcat', ['-b', address, '-t', 'z', '-C', '-e', '-q']);
    expect(out.trimEnd().split('\n')).toEqual([...values, ...values]);
  });
});
