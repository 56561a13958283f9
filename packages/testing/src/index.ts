export { startLot } from './start-lot.js';
export { useLot, type RunnerHooks, type UseLotOptions } from './use-lot.js';
export type { Lot, LotKinds, LotMembers, LotOptions, LotSnapshot } from './lot.js';
export type {
  Capturing,
  Faultable,
  KindJournalFilter,
  LotKind,
  LotKindMembers,
  MockHandle,
  Streaming,
} from './lot-kind.js';
export type { AsymmetricMatcher, Wanted } from './wanted.js';
export { matchers, type MatcherContext, type MatcherResult } from './matchers.js';
export type { LotMatchers } from './matcher-types.js';
export {
  assertAllMatched,
  assertCaptured,
  assertCapturedTimes,
  assertReceived,
  assertReceivedTimes,
} from './assert.js';
