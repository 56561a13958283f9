// Loaded into the server before it starts: answers the process that started it with what is held after a collection.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapCodeStatistics, writeHeapSnapshot } from 'node:v8';

/** Its clock beats each so many milliseconds; beyond them the event loop stood still. */
const BEAT = 5;
const delays = monitorEventLoopDelay({ resolution: BEAT });
delays.enable();

process.on('message', async (asked) => {
  if (asked.snapshot !== undefined) {
    process.send?.({ written: writeHeapSnapshot(asked.snapshot) });
    return;
  }
  /** How long it stood still since it was asked last, in ms; the collection that follows is ours. */
  const stall = Math.max(0, delays.max / 1e6 - BEAT);
  // What finalizers and closing handles let go is collected the second time.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const handles = new Map();
  for (const name of process.getActiveResourcesInfo()) handles.set(name, (handles.get(name) ?? 0) + 1);
  const { code_and_metadata_size: machine, bytecode_and_metadata_size: bytes } = getHeapCodeStatistics();
  const code = machine + bytes;
  delays.reset();
  process.send?.({ ...process.memoryUsage(), stall, code, handles: Object.fromEntries(handles) });
});
// Whoever asks is gone: nobody else would end this process.
process.once('disconnect', () => process.exit());
process.channel?.unref();
