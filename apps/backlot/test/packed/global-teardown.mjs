import { rmSync } from 'node:fs';

export default async function tearDown() {
  const { folder, registry } = globalThis.backlotPacked;
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
}
