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
  if (stall > longest.stall) longest = { stall, processor: (used.user + used.system) / 1000 };
  last = now;
  processor = process.cpuUsage();
}, BEAT).unref();

process.on('message', () => {
  process.send?.(longest);
  longest = { stall: 0, processor: 0 };
});
process.channel?.unref();
