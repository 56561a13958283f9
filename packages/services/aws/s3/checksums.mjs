import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { S3Error } from './errors.mjs';

/** The checksums that S3 knows, and the headers that carry them. */
export const ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'];

export function headerOf(algorithm) {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** So few that a step is short as well before the engine has compiled it. */
const STEP = 64 * 1024;

/**
 * The digest of bytes; of many in steps, between which others are served. The turn in which they have come was long
 * already, since they were put together in it.
 */
export async function digest(algorithm, bytes) {
  const sum = makeSum(algorithm);
  for (let at = 0; at < bytes.length; at += STEP) {
    if (bytes.length > STEP) await nextTurn();
    sum.update(bytes.subarray(at, at + STEP));
  }
  return sum.digest();
}

function makeSum(algorithm) {
  switch (algorithm) {
    case 'CRC32':
      return new Crc32((bytes, value) => crc32(bytes, value));
    case 'CRC32C':
      return new Crc32(crc32c);
    case 'CRC64NVME':
      return new Crc64();
    default:
      return createHash(algorithm.toLowerCase());
  }
}

class Crc32 {
  #value = 0;
  #step;

  constructor(step) {
    this.#step = step;
  }

  update(bytes) {
    this.#value = this.#step(bytes, this.#value);
  }

  digest() {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#value >>> 0);
    return bytes;
  }
}

let castagnoli;

/** CRC-32C (RFC 3720, section 12.1). */
function crc32c(bytes, before) {
  castagnoli ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let value = index;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0x82f63b78 : 0);
    return value >>> 0;
  });
  let value = ~before;
  for (const byte of bytes) value = castagnoli[(value ^ byte) & 255] ^ (value >>> 8);
  return ~value;
}

let nvme;

/** CRC-64/NVME, its 64 bits in two halves. */
class Crc64 {
  #high = 0xffffffff;
  #low = 0xffffffff;

  update(bytes) {
    nvme ??= makeTable64(0x9a6c9329ac4bc9b5n);
    const { high: highs, low: lows } = nvme;
    let high = this.#high;
    let low = this.#low;
    for (const byte of bytes) {
      const index = (low ^ byte) & 255;
      low = ((low >>> 8) | (high << 24)) ^ lows[index];
      high = (high >>> 8) ^ highs[index];
    }
    this.#high = high;
    this.#low = low;
  }

  digest() {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(~this.#high >>> 0, 0);
    bytes.writeUInt32BE(~this.#low >>> 0, 4);
    return bytes;
  }
}

function makeTable64(polynomial) {
  const high = new Uint32Array(256);
  const low = new Uint32Array(256);
  for (let index = 0; index < 256; index += 1) {
    let value = BigInt(index);
    for (let bit = 0; bit < 8; bit += 1) value = (value >> 1n) ^ (value & 1n ? polynomial : 0n);
    high[index] = Number(value >> 32n);
    low[index] = Number(value & 0xffffffffn);
  }
  return { high, low };
}

/**
 * The checksum of what a request brings, compared with the one that it names.
 *
 * @returns the algorithm and its value in base64
 */
export async function checkBody({ headers }, bytes) {
  const md5 = headers['content-md5'];
  if (md5 !== undefined) {
    if (!/^[\d+/A-Za-z]{22}==$/.test(md5))
      throw new S3Error(400, 'InvalidDigest', 'The Content-MD5 you specified was invalid.');
    if ((await digest('MD5', bytes)).toString('base64') !== md5)
      throw new S3Error(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.');
  }
  const named = ALGORITHMS.find((one) => headers[headerOf(one)] !== undefined) ?? algorithmOf(headers);
  const value = (await digest(named, bytes)).toString('base64');
  const given = headers[headerOf(named)];
  if (given !== undefined && given !== value)
    throw new S3Error(400, 'BadDigest', `The ${named} you specified did not match the calculated checksum.`);
  return { algorithm: named, value };
}

/** The algorithm that a request names; that of S3 when it names none. */
export function algorithmOf(headers) {
  const trailer = ALGORITHMS.find((one) => (headers['x-amz-trailer'] ?? '').includes(headerOf(one)));
  const named = (
    headers['x-amz-sdk-checksum-algorithm'] ?? headers['x-amz-checksum-algorithm']
  )?.toUpperCase();
  const found = trailer ?? named ?? 'CRC64NVME';
  if (ALGORITHMS.includes(found)) return found;
  throw new S3Error(
    400,
    'InvalidRequest',
    `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${ALGORITHMS.join(', ')}]`,
  );
}

/** The fields of an answer in XML for a checksum. */
export function checksumFields(checksum) {
  if (checksum === undefined) return {};
  return { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type ?? 'FULL_OBJECT' };
}

/** The headers of an answer for a checksum. */
export function checksumHeaders(checksum) {
  if (checksum === undefined) return {};
  return {
    [headerOf(checksum.algorithm)]: checksum.value,
    'x-amz-checksum-type': checksum.type ?? 'FULL_OBJECT',
  };
}
