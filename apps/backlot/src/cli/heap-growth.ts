import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Percent by which objects may grow beyond what lived at the last collection before the next one. */
const GROWTH = 100;
/** The same once so many bytes are in use: what has to be collected then is large, whatever lives of it. */
const GROWTH_OF_LARGE = 50;
const LARGE = 80 * 1024 * 1024;

/** The engine, as far as it is asked and told something here. */
export interface Engine {
  readonly set: (flag: string) => void;
  /** The bytes of objects. */
  readonly used: () => number;
  /** Calls back after each collection of old objects. */
  readonly onCollected: (callback: () => void) => void;
}

/** What is told of collections: the engine forgets it, with all that it was to tell, when nobody holds it. */
const telling = new Set<FinalizationRegistry<undefined>>();

/** The engine of the process. */
export const OWN_ENGINE: Engine = {
  set: setFlagsFromString,
  used: () => getHeapStatistics().used_heap_size,
  onCollected(callback) {
    // What nobody holds is told of after each collection of old objects, and costs nothing between them.
    const collected = new FinalizationRegistry<undefined>(() => {
      callback();
      collected.register({}, undefined);
    });
    collected.register({}, undefined);
    telling.add(collected);
  },
};

/**
 * Bounds how much garbage comes together. The engine lets the heap of a busy process grow to four times what lives, which saves a
 * server nothing that can be measured and takes hundreds of megabytes. It has to be the process's own command: programs that have a
 * server within them keep what they have set.
 *
 * @param engine - the one of the process, or that of a test
 */
export function boundHeapGrowth(engine: Engine = OWN_ENGINE): void {
  let growth = GROWTH;
  const bound = (): void => engine.set(`--heap-growing-percent=${growth}`);
  bound();
  engine.onCollected(() => {
    const next = engine.used() > LARGE ? GROWTH_OF_LARGE : GROWTH;
    if (next === growth) return;
    growth = next;
    bound();
  });
}
