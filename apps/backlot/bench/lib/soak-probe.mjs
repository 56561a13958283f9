// Loaded into the server before it starts: answers the process that started it with what is held after a collection.
import { writeHeapSnapshot } from 'node:v8';

process.on('message', async (asked) => {
  if (asked.snapshot !== undefined) {
    process.send?.({ written: writeHeapSnapshot(asked.snapshot) });
    return;
  }
  // What finalizers and closing handles let go is collected the second time.
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const handles = new Map();
  for (const name of process.getActiveResourcesInfo()) handles.set(name, (handles.get(name) ?? 0) + 1);
  process.send?.({ ...process.memoryUsage(), handles: Object.fromEntries(handles) });
});
// Whoever asks is gone: nobody else would end this process.
process.once('disconnect', () => process.exit());
process.channel?.unref();
