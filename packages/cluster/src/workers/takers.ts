import type { AskedPort, PortShare } from '@backlot/core';
import type { Channel } from './channel.js';

/** The number of the worker that is the home of what has data. */
export const HOME = 1;

/** What the replica is called that a worker is. */
export function replicaOf(slot: number): string {
  return `worker-${slot}`;
}

/** Those that take what comes to a port, with the numbers of their workers. The one that is first is the next in turn. */
export type Takers = Map<Channel, number>;

/**
 * Chooses who takes something that has come to a port.
 *
 * @param ready - those that take anything now
 * @param client - who has sent it: the same text is the same client
 * @returns undefined when there is nobody now
 */
export function chooseTaker(
  share: PortShare,
  takers: Takers,
  ready: ReadonlySet<Channel>,
  client: string,
): Channel | undefined {
  if (share === 'any') {
    // Those that are looked at come again in a map that is being read.
    for (const [channel, slot] of [...takers]) {
      // Whoever was looked at comes last the next time.
      takers.delete(channel);
      takers.set(channel, slot);
      if (ready.has(channel)) return channel;
    }
    return undefined;
  }
  const able = [...takers].filter(([channel]) => ready.has(channel));
  if (share === 'home') return able.find(([, slot]) => slot === HOME)?.[0];
  if (able.length === 0) return undefined;
  able.sort(([, a], [, b]) => a - b);
  return able[hashOf(client) % able.length]?.[0];
}

/** What is the same for the same listener of each worker. */
export function keyOf({ name, address, port, index }: AskedPort & { readonly index: number }): string {
  return JSON.stringify([name, address, port, index]);
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
