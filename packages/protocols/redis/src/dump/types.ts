/** The version of the form in which Redis 7.0 writes. */
export const VERSION = 10;
/** That of Redis 7.4, the newest that is read; what Redis 7.0 does not have is written in it. */
export const NEWEST_VERSION = 12;

/** The first byte of a dump: what kind of value, in which form. */
export const TYPES = {
  string: 0,
  list: 1,
  set: 2,
  sortedSet: 3,
  hash: 4,
  sortedSet2: 5,
  zipmap: 9,
  listZiplist: 10,
  intSet: 11,
  sortedSetZiplist: 12,
  hashZiplist: 13,
  quicklist: 14,
  stream: 15,
  hashListpack: 16,
  sortedSetListpack: 17,
  quicklist2: 18,
  stream2: 19,
  setListpack: 20,
  stream3: 21,
  timedHash: 24,
  timedHashListpack: 25,
} as const;

/** How a text begins that is no plain one. */
export const ENCODED = { int8: 0xc0, int16: 0xc1, int32: 0xc2, lzf: 0xc3 } as const;
