const HEAD = 10;
const END = 0xff;
/** The length of the element before, which takes five bytes from here on. */
const LONG = 0xfe;

/**
 * Reads the elements of a ziplist as texts: the form of small lists before Redis 7. Whatever the bytes are, it reads within
 * them.
 *
 * @param fail - throws: the bytes are no ziplist
 */
export function* ziplistElements(text: string, fail: () => never): Generator<string, void> {
  const bytes = Buffer.from(text, 'latin1');
  let at = HEAD;
  while (bytes[at] !== END) {
    at += bytes[at] === LONG ? 5 : 1;
    const first = bytes[at] ?? fail();
    const kind = first >> 6;
    if (kind < 3) {
      const [head, length] =
        kind === 0
          ? [1, first & 0x3f]
          : kind === 1
            ? [2, ((first & 0x3f) << 8) | (bytes[at + 1] ?? fail())]
            : [5, at + 5 <= bytes.length ? bytes.readUInt32BE(at + 1) : fail()];
      if (at + head + length >= bytes.length) fail();
      yield text.slice(at + head, at + head + length);
      at += head + length;
      continue;
    }
    const size = sizeOfInteger(first) ?? fail();
    if (at + 1 + size >= bytes.length) fail();
    yield size === 0 ? String((first & 0x0f) - 1) : readInteger(bytes, at + 1, size).toString();
    at += 1 + size;
  }
}

function sizeOfInteger(first: number): number | undefined {
  const sizes: Readonly<Record<number, number>> = { 0xc0: 2, 0xd0: 4, 0xe0: 8, 0xf0: 3, 0xfe: 1 };
  return first > 0xf0 && first < 0xfe ? 0 : sizes[first];
}

function readInteger(bytes: Buffer, at: number, size: number): bigint {
  return size === 8 ? bytes.readBigInt64LE(at) : BigInt(bytes.readIntLE(at, size));
}

/** Reads names and values of a zipmap, one after the other: the form of small hashes before Redis 2.6. */
export function* zipmapElements(text: string, fail: () => never): Generator<string, void> {
  const bytes = Buffer.from(text, 'latin1');
  let at = 1;
  const lengthAt = (): number => {
    const first = bytes[at] ?? fail();
    at += first === LONG ? 5 : 1;
    return first === LONG ? (at <= bytes.length ? bytes.readUInt32LE(at - 4) : fail()) : first;
  };
  const textAt = (length: number): string => {
    if (at + length >= bytes.length) fail();
    at += length;
    return text.slice(at - length, at);
  };
  while (bytes[at] !== END) {
    yield textAt(lengthAt());
    const length = lengthAt();
    const free = bytes[at] ?? fail();
    at += 1;
    yield textAt(length);
    at += free;
  }
}
