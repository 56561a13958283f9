// Loaded into the server by `--import`: measures how long its event loop stands still, and tells its parent when asked.
import { openSync, readSync } from 'node:fs';

const BEAT = 2;
const usedByThread = threadClock();

let last = performance.now();
let used = usedByThread();
let longest = { stall: 0, processor: 0 };

// Not kept alive by the beat, nor by the channel: the server ends as it would without.
setInterval(() => {
  const now = performance.now();
  const usedNow = usedByThread();
  const stall = now - last - BEAT;
  longest = {
    stall: Math.max(longest.stall, stall),
    // The longest time at work need not be in the longest stall: others may have had the processor during that one.
    processor: Math.max(longest.processor, Math.min(stall, usedNow - used)),
  };
  last = now;
  used = usedNow;
}, BEAT).unref();

process.on('message', (asked) => {
  const told = { ...longest, live: 0 };
  // What nobody holds any more is not what comes next: it begins with what is held.
  if (asked === 'collect') {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    told.live = (heapUsed + external) / 1024 / 1024;
  }
  process.send?.(told);
  last = performance.now();
  used = usedByThread();
  longest = { stall: 0, processor: 0 };
});
process.channel?.unref();

/**
 * Milliseconds that this thread has had the processor: those of the threads that compile and collect beside it hold up nobody.
 * Where the system does not say so they are counted in.
 */
function threadClock() {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const bytes = Buffer.alloc(64);
    return () => {
      const length = readSync(file, bytes, 0, bytes.length, 0);
      return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6;
    };
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    };
  }
}
