export { startBacklot } from './start-backlot.js';
export { useBacklot, type RunnerHooks, type UseBacklotOptions, type UseSpaceOptions } from './use-backlot.js';
export {
  connect,
  createSpace,
  type RemoteBacklot,
  type SpaceAddress,
  type SpaceClient,
  type SpaceOptions,
} from '@backlot/client';
export type { Backlot, ProtocolHandles, BacklotMembers, BacklotOptions, BacklotSnapshot } from './backlot.js';
export type {
  Capturing,
  Faultable,
  KindJournalFilter,
  ProtocolHandle,
  ProtocolMembers,
  MockHandle,
  Streaming,
} from './protocol-handle.js';
export type { AsymmetricMatcher, Wanted, WantedJson } from '@backlot/client';
export { matchers, type MatcherContext, type MatcherResult } from './matchers.js';
export type { SeenOptions } from './seen.js';
export type { BacklotMatchers } from './matcher-types.js';
export {
  assertAllMatched,
  assertCaptured,
  assertCapturedTimes,
  assertReceived,
  assertReceivedTimes,
  assertSeen,
} from './assert.js';
