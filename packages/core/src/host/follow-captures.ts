import type { CaptureFollower } from '../contract/context.js';
import type { CaptureStore } from '../stores/capture-store.js';
import type { Until } from './following.js';
import type { KindHost } from './kind-host.js';

/**
 * Tells of the messages of all enabled kinds whose captures give what is asked for, so that neither side knows the other.
 *
 * @param until - takes what ends the following
 * @returns whether there is such a kind
 */
export function followCaptures(
  kinds: readonly Pick<KindHost, 'enabled' | 'protocol' | 'captures'>[],
  gives: string,
  follower: CaptureFollower,
  until: Until,
): boolean {
  const stores = kinds.flatMap(({ enabled, protocol, captures }): CaptureStore[] =>
    enabled && protocol.capture?.gives === gives && captures !== undefined ? [captures] : [],
  );
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
