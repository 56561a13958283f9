/** What is counted, in the order in which `stats` shows it (protocol.txt, "General-purpose statistics"). */
const COUNTED = [
  'cmd_get',
  'cmd_set',
  'cmd_flush',
  'cmd_touch',
  'cmd_meta',
  'get_hits',
  'get_misses',
  'delete_misses',
  'delete_hits',
  'incr_misses',
  'incr_hits',
  'decr_misses',
  'decr_hits',
  'cas_misses',
  'cas_hits',
  'cas_badval',
  'touch_hits',
  'touch_misses',
  'store_too_large',
  'store_no_memory',
  'total_items',
  'evictions',
] as const;

/** The numbers of `stats`. */
export type Counters = Record<(typeof COUNTED)[number], number>;

/** All numbers at 0. */
export function makeCounters(): Counters {
  return Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counters;
}

/** Sets all numbers to 0. */
export function clearCounters(counters: Counters): void {
  for (const name of COUNTED) counters[name] = 0;
}
