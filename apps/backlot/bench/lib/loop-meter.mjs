// Loaded into the server by `--import`: measures how long its event loop stands still, and tells its parent when asked.
const BEAT = 2;

let last = performance.now();
let processor = process.cpuUsage();
let longest = { stall: 0, processor: 0 };

// Not kept alive by the beat, nor by the channel: the server ends as it would without.
setInterval(() => {
  const now = performance.now();
  const used = process.cpuUsage(processor);
  const stall = now - last - BEAT;
  longest = {
    stall: Math.max(longest.stall, stall),
    // The longest time at work need not be in the longest stall: others may have had the processor during that one.
    processor: Math.max(longest.processor, Math.min(stall, (used.user + used.system) / 1000)),
  };
  last = now;
  processor = process.cpuUsage();
}, BEAT).unref();

process.on('message', () => {
  process.send?.(longest);
  longest = { stall: 0, processor: 0 };
});
process.channel?.unref();
