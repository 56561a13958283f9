import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Percent by which objects may grow beyond what lived at the last collection before the next one. */
const GROWTH = 100;
/** The same once so many bytes are in use: what has to be collected then is large, whatever lives of it. */
const GROWTH_OF_LARGE = 50;
const LARGE = 80 * 1024 * 1024;

/**
 * Bounds how much garbage comes together. The engine lets the heap of a busy process grow to four times what lives, which saves a
 * server nothing that can be measured and takes hundreds of megabytes. It has to be the process's own command: programs that have a
 * server within them keep what they have set.
 */
export function boundHeapGrowth(): void {
  let growth = GROWTH;
  setFlagsFromString(`--heap-growing-percent=${growth}`);
  // What nobody holds is told of after each collection of old objects, and costs nothing between them.
  const collected = new FinalizationRegistry<undefined>(() => {
    const next = getHeapStatistics().used_heap_size > LARGE ? GROWTH_OF_LARGE : GROWTH;
    if (next !== growth) setFlagsFromString(`--heap-growing-percent=${next}`);
    growth = next;
    collected.register({}, undefined);
  });
  collected.register({}, undefined);
}
