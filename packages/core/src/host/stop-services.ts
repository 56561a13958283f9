import { realElapsed } from '../time/clock-real.js';
import type { KindHost } from './kind-host.js';

/**
 * Stops the services of all kinds together; those that share a listener end their connections before its own does, within the
 * same grace.
 *
 * @param grace - milliseconds for answers that have begun
 */
export async function stopServices(kinds: readonly KindHost[], grace: number): Promise<void> {
  const began = realElapsed();
  const guests = kinds.filter(({ giver }) => giver !== undefined);
  const leaving = Promise.all(guests.map((guest) => stopService(guest, grace)));
  await Promise.all(
    kinds.map(async (kind) => {
      if (kind.giver !== undefined) return;
      if (!guests.some(({ giver }) => giver === kind)) return stopService(kind, grace);
      await leaving;
      await stopService(kind, Math.max(0, grace - (realElapsed() - began)));
    }),
  );
}

async function stopService(kind: KindHost, grace: number): Promise<void> {
  try {
    await kind.service?.stop(grace);
  } catch (thrown) {
    kind.log.error('could not stop', thrown);
  }
  kind.address = undefined;
}
