import { rmSync } from 'node:fs';

export default async function tearDown() {
  const { folder, registry } = globalThis.backlotPacked;
  await registry.stop();
  // It takes seconds on a busy machine, in which the reporter would look for what is still open.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
