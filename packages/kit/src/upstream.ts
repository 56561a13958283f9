export { AwaitedAnswers } from './upstream/awaited-answers.js';
export {
  CONNECT_TIMEOUT,
  connectUpstream,
  readAuthorities,
  secureUpstream,
  upstreamLookup,
  type UpstreamConnect,
} from './upstream/connect-upstream.js';
export { HostTls, type HostTlsOptions } from './host-tls.js';
export { joinSockets, splice, type SpliceWords } from './upstream/splice.js';
export { DatagramAsks } from './upstream/datagram-asks.js';
export { MAX_WATCHED_FRAME, type FrameFate, type FrameSide } from './upstream/frame-pipe.js';
export { FrameRelay, type FrameRelayOptions, type NearEnd, type Reached } from './upstream/frame-relay.js';
export { NodeListeners, type NodeListenersOptions } from './upstream/node-listeners.js';
export { PairedLine, type AnswerScanner, type LineAnswer } from './upstream/paired-line.js';
export { UpstreamLine, type LineEvents } from './upstream/upstream-line.js';
export { describeFailure, UpstreamLog } from './upstream/upstream-log.js';
export {
  UpstreamDesk,
  type Answerer,
  type DeskContext,
  type DeskExchange,
  type DeskOptions,
} from './upstream/upstream-desk.js';
export { relayFrame, type RelayedFrame } from './upstream/relay-frame.js';
export {
  COMPARE_TIMEOUT,
  relayMessage,
  type KeptAnswer,
  type OutcomeOf,
  type RelayedMessage,
} from './upstream/relay-message.js';
export {
  RecordingBook,
  type RecordedMocks,
  type RecordedPair,
  type RecordingBookOptions,
  type RecordingForm,
} from './recording/recording-book.js';
export { Differences, isSameKind } from './recording/compare-values.js';
export {
  escapeRegex,
  exactPattern,
  holdsSecret,
  literal,
  literalJson,
  patternOf,
  type PatternNote,
} from './recording/value-pattern.js';
export {
  comparedContent,
  MessageRecordings,
  redactContent,
  redactNamed,
  type MessageForm,
  type RecordedMatch,
} from './recording/message-recordings.js';
export { canonicalJson, jsonPattern, textPattern } from './recording/json-pattern.js';
export {
  decodePath,
  redactHeader,
  redactHeaders,
  redactPairs,
  redactPairsSteps,
  redactPath,
} from './recording/redact-head.js';
export { redactJsonSteps, redactStringSteps } from './recording/redact-json.js';
export { decodePart, isSecretName, REDACTED, redactText, redactUrl } from './recording/secrets.js';
export { VOLATILE_RULES, volatileRule, type VolatileRule } from './recording/volatile.js';
