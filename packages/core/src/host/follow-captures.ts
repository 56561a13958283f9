import type { CaptureFollower } from '../contract/context.js';
import type { CaptureStore } from '../stores/capture-store.js';
import type { Until } from './following.js';
import type { KindHost } from './kind-host.js';

/** What is known of a kind that captures. */
type Capturing = Pick<KindHost, 'enabled' | 'protocol' | 'captures' | 'hasHome'>;

/**
 * Tells of the messages of all enabled kinds whose captures give what is asked for, so that neither side knows the other.
 *
 * @param kind - the one that asks
 * @param until - takes what ends the following
 * @returns whether there is such a kind
 */
export function followCaptures(
  kinds: readonly Capturing[],
  kind: Pick<KindHost, 'hasHome'>,
  gives: string,
  follower: CaptureFollower,
  until: Until,
): boolean {
  const givers = kinds.filter(({ enabled, protocol }) => enabled && protocol.capture?.gives === gives);
  const stores = givers.flatMap(({ captures }): CaptureStore[] => (captures === undefined ? [] : [captures]));
  // What it keeps of them is in one place, so that they have to come there.
  if (kind.hasHome) for (const giver of givers) giver.hasHome = true;
  const one: CaptureFollower = {
    added: (given) => follower.added(given),
    dropped: (given) => follower.dropped(given),
    cleared() {
      follower.cleared();
      // Those of the other kinds are there still.
      for (const store of stores) store.tellAll(follower);
    },
  };
  for (const store of stores) until(store.follow(one));
  return stores.length > 0;
}
