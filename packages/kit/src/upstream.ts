export {
  CONNECT_TIMEOUT,
  connectUpstream,
  readAuthorities,
  upstreamLookup,
  type UpstreamConnect,
} from './upstream/connect-upstream.js';
export { describeFailure, UpstreamLog } from './upstream/upstream-log.js';
export {
  RecordingBook,
  type RecordedMocks,
  type RecordedPair,
  type RecordingBookOptions,
} from './recording/recording-book.js';
export { redactJsonSteps, redactStringSteps } from './recording/redact-json.js';
export { decodePart, isSecretName, REDACTED, redactText, redactUrl } from './recording/secrets.js';
export { VOLATILE_RULES, volatileRule, type VolatileRule } from './recording/volatile.js';
