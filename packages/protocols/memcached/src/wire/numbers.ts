const SIGNED = /^[+-]?\d+$/;
const UNSIGNED = /^\+?\d+$/;
const MAX_UINT64 = 2n ** 64n - 1n;
const UINT64_DIGITS = 20;

/** A whole number with or without a sign; `undefined` when it is none. */
export function parseSigned(text: string): number | undefined {
  return SIGNED.test(text) ? Number(text) : undefined;
}

/** The flags of an item: of larger numbers the lowest 32 bits count, as in memcached. */
export function parseFlags(text: string): number | undefined {
  if (!UNSIGNED.test(text)) return undefined;
  const number = BigInt(text.replace('+', ''));
  return number > MAX_UINT64 ? undefined : Number(number & 0xffffffffn);
}

/** How many bytes of data follow; `undefined` when it is no size that memcached would read. */
export function parseSize(text: string): number | undefined {
  const size = parseSigned(text);
  return size === undefined || size < 0 || size > 0x7fffffff - 2 ? undefined : size;
}

/** A number of 64 bits without a sign. */
export function parseUint64(text: string): bigint | undefined {
  if (!UNSIGNED.test(text) || text.length > UINT64_DIGITS + 1) return undefined;
  const number = BigInt(text.replace('+', ''));
  return number > MAX_UINT64 ? undefined : number;
}

/** A unique number of an item; one that we never give, -1, for numbers beyond those we count with. */
export function parseCas(text: string): number | undefined {
  const number = parseUint64(text);
  if (number === undefined) return undefined;
  return number > BigInt(Number.MAX_SAFE_INTEGER) ? -1 : Number(number);
}

/** The number an item holds, for incrementing: as memcached reads it, spaces may stand around it. */
export function parseStored(value: string): bigint | undefined {
  const [, digits] = /^ *\+?(\d{1,22})(?: .*)?$/s.exec(value) ?? [];
  if (digits === undefined) return undefined;
  const number = BigInt(digits);
  return number > MAX_UINT64 ? undefined : number;
}
